"""Sums of exponentials whose logarithm was taken: what they divide is kept in lowest terms.

Such a sum C of positive terms has one name. With a part T of C, 1 - T / C is (C - T) / C, where
C - T is again one name, or one term: the slopes of a scan of logarithms of sums are then single
products, which cancel.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from gradwright.certify.kernel.algebra import ONE, Algebra, Poly, add
from gradwright.certify.kernel.atoms import Class, Factor, Function, Monomial, Sign
from gradwright.certify.kernel.classes import Scale, intern_class
from gradwright.certify.kernel.contractions import Contractions
from gradwright.certify.kernel.functions import Functions
from gradwright.certify.kernel.index import Affine, Extents, combine, substitute, variable
from gradwright.certify.kernel.tensor import Digits, Tensor

Place = tuple[int, tuple[Affine, ...]]


@dataclass(frozen=True, slots=True)
class _Part:
    """A part T of a sum C, as one product, its coefficient in C, and C - T as one product."""

    product: tuple[Factor, ...]
    coefficient: Fraction
    rest: Poly


class LogSums(Functions):
    """Sums and products of tensors, with the sums of exponentials that they know."""

    def __init__(self, algebra: Algebra, contractions: Contractions) -> None:
        super().__init__(algebra, contractions)
        self._sums: set[int] = set()
        """Classes of positive terms whose logarithm was taken, and what terms leave of them."""
        self._opened: dict[tuple[Digits, Place], Poly] = {}
        self._known_parts: dict[tuple[Digits, Place, tuple[Factor, ...]], _Part] = {}

    def add(self, a: Tensor, b: Tensor, scale: Fraction | int = 1) -> Tensor:
        """Return a + scale * b, in lowest terms."""
        return self._in_lowest_terms(super().add(a, b, scale))

    def multiply(self, a: Tensor, b: Tensor) -> Tensor:
        """Return a * b, in lowest terms."""
        return self._in_lowest_terms(super().multiply(a, b))

    def remember_sum(self, atom: int) -> None:
        """Note that the logarithm of a class was taken; 1 + exp(u) is a logistic function."""
        content, atoms = self.algebra.atoms.content(atom), self.algebra.atoms
        if isinstance(content, Class) and (
            len(content.terms) > 2 or ONE not in dict(content.terms)
        ):
            signs = [atoms.product_sign(factors) for (factors, _), _ in content.terms]
            plain = all(c > 0 and not guards for (_, guards), c in content.terms)
            if plain and min(signs) is Sign.POSITIVE:
                self._sums.add(atom)

    def holds_sums(self, a: Tensor) -> bool:
        """Return whether such sums, or functions of them, are factors: as terms they may cancel."""
        return bool(self._sums) and any(self._is_of_sum(f[0]) for m in a.poly for f in m[0])

    def _is_of_sum(self, atom: int) -> bool:
        content = self.algebra.atoms.content(atom)
        inner = content.inner if isinstance(content, Function) else None
        return atom in self._sums or (inner is not None and self._is_of_sum(inner))

    def is_sum(self, a: Tensor) -> bool:
        """Return whether a tensor is such a sum, but for what all of its terms divide by."""
        if not self._sums:
            return False
        for atom, access, q in self.denominators(a):
            power: Poly = {(((atom, access, -q),), ()): Fraction(1)}
            a = super().multiply(a, Tensor(a.digits, power))
        return self.class_of(self.written_out(a))[1] in self._sums

    def class_of(
        self, a: Tensor, scale: Scale = Scale.LEADING
    ) -> tuple[Fraction, int, tuple[Affine, ...]]:
        """Return (c, atom, access) with a = c * atom[access].

        A sum of entries of one exponential at fixed distances is read at the least of their
        indices: then it has one name wherever it stands.
        """
        moved = self._at_its_corner(a.poly)
        if moved is None:
            return super().class_of(a, scale)
        poly, extents, corner = moved
        c, atom, access = intern_class(self.algebra, poly, extents, scale)
        return c, atom, tuple(substitute(e, corner) for e in access)

    def _at_its_corner(self, p: Poly) -> tuple[Poly, Extents, Mapping[int, Affine]] | None:
        """Return entries of one exponential relative to their least indices, and these."""
        reads = [factors[0] for factors, guards in p if len(factors) == 1 and not guards]
        if len(p) < 2 or len(reads) < len(p) or len({(atom, q) for atom, _, q in reads}) > 1:
            return None
        atom, first, q = reads[0]
        content = self.algebra.atoms.content(atom)
        if not isinstance(content, Function) or content.name != "exponential":
            return None
        shifts = [
            [combine(((1, e), (-1, start))) for e, start in zip(access, first, strict=True)]
            for _, access, _ in reads
        ]
        if any(terms for shift in shifts for _, terms in shift):
            return None
        least = [min(c for c, _ in column) for column in zip(*shifts, strict=True)]
        most = [max(c for c, _ in column) for column in zip(*shifts, strict=True)]
        corner = {d: combine(((1, e),), least[d]) for d, e in enumerate(first)}
        sizes = self.algebra.atoms.extents(atom)
        extents = {d: n - most[d] + least[d] for d, n in enumerate(sizes)}
        poly: Poly = {
            (
                (
                    (
                        atom,
                        tuple(
                            combine(((1, variable(d)),), c - least[d])
                            for d, (c, _) in enumerate(shift)
                        ),
                        q,
                    ),
                ),
                (),
            ): c
            for shift, c in zip(shifts, p.values(), strict=True)
        }
        return poly, extents, corner

    def written_out(self, a: Tensor) -> Tensor:
        """Return a sum of several terms with the sums that are factors in it multiplied out."""
        while len(a.poly) > 1:
            held = ((m, f) for m in a.poly for f in self._factors(m) if f[2] >= 1)
            monomial, factor = next(held, (ONE, None))
            if factor is None:
                break
            alone: Poly = {monomial: a.poly[monomial]}
            divided: Poly = {(((*factor[:2], -1),), ()): Fraction(1)}
            box = self.algebra.box(a.digits)
            less = self.algebra.multiply(alone, divided, box)
            opened = self.algebra.multiply(less, self._terms(a.digits, factor[:2]), box)
            a = Tensor(a.digits, add(add(a.poly, alone, -1), opened))
        return a

    def _factors(self, monomial: Monomial) -> Iterator[Factor]:
        return (f for f in monomial[0] if f[0] in self._sums)

    def _terms(self, digits: Digits, place: Place) -> Poly:
        known = digits, place
        if known not in self._opened:
            self._opened[known] = self.opened(self._factor(digits, *place)).poly
        return self._opened[known]

    def _in_lowest_terms(self, a: Tensor) -> Tensor:
        """Rewrite c R - c R T / C and c R C - c R T, two terms at a time, as one term each."""
        found = True
        while found and self._sums and len(a.poly) > 1:
            signs = {(guards, c > 0) for (_, guards), c in a.poly.items()}
            held = {m: [*self._factors(m)] for m, c in a.poly.items() if (m[1], c < 0) in signs}
            whole = {f[:2] for each in held.values() for f in each if f[2] >= 1}
            tries = (self._together(a, m, f, whole) for m, each in held.items() for f in each)
            found = next(filter(None, tries), None)
            if found is not None:
                a = Tensor(a.digits, found)
        return a

    def _together(
        self, a: Tensor, monomial: Monomial, factor: Factor, whole: Iterable[Place]
    ) -> Poly | None:
        """Return the sum with one term, in which C is a factor, and its partner made one.

        Where C divides, the term is c R T / C and its partner a multiple of R; else it is c R C and
        its partner a multiple of R T.
        """
        q = factor[2]
        if q not in (1, -1):
            return None
        here = {f[:2] for f in monomial[0]}
        for part in self._parts(a.digits, factor[:2], whole):
            if q < 0 and not all(f[:2] in here for f in part.product):
                continue
            turned = part.product if q > 0 else [(b, at, -k) for b, at, k in part.product]
            made = self.algebra.product((*monomial[0], (*factor[:2], -q), *turned), monomial[1])
            partner, unit = made if made is not None else (monomial, Fraction(0))
            ours = a.poly[monomial] * unit
            theirs = a.poly.get(partner, Fraction(0))
            ours, known = (
                (ours * part.coefficient, theirs) if q > 0 else (ours, theirs * part.coefficient)
            )
            if not unit or not known or known != -ours:
                continue
            outside = {monomial: a.poly[monomial]} if q > 0 else {partner: theirs}
            divided: Poly = {(((*factor[:2], -1),), ()): Fraction(1)}
            box = self.algebra.box(a.digits)
            one = self.algebra.multiply(
                self.algebra.multiply(outside, divided, box), part.rest, box
            )
            return add({m: x for m, x in a.poly.items() if m not in (monomial, partner)}, one)
        return None

    def _parts(self, digits: Digits, place: Place, whole: Iterable[Place]) -> Iterator[_Part]:
        """Yield the terms of a sum, and those of other sums that it contains."""
        for monomial, c in self._terms(digits, place).items():
            yield self._part(digits, place, monomial[0], {monomial: c})
        for other in whole:
            inner, terms = self._terms(digits, other), self._terms(digits, place)
            if len(inner) < len(terms) and inner.items() <= terms.items():
                yield self._part(digits, place, ((*other, 1),), inner)

    def _part(
        self, digits: Digits, place: Place, product: tuple[Factor, ...], terms: Poly
    ) -> _Part:
        known = digits, place, product
        if known not in self._known_parts:
            rest: Poly = add(self._terms(digits, place), terms, -1)
            if len(rest) > 1:
                c, atom, access = self.class_of(Tensor(digits, rest))
                self._sums.add(atom)
                rest = {(((atom, access, 1),), ()): c}
            coefficient = next(iter(terms.values())) if len(terms) == 1 else Fraction(1)
            self._known_parts[known] = _Part(product, coefficient, rest)
        return self._known_parts[known]
