"""Which terms to put together where sums of exponentials divide, so that fractions stay short."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from gradwright.certify.kernel.algebra import Algebra, Poly, product_of
from gradwright.certify.kernel.atoms import Class, Factor, Monomial
from gradwright.certify.kernel.classes import intern_class
from gradwright.certify.kernel.clearing import Place
from gradwright.certify.kernel.index import Extents

_Box = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class _Part:
    """A part T of a sum C, as one product, its coefficient in C, and C - T as one product."""

    product: tuple[Factor, ...]
    coefficient: Fraction
    rest: Poly


@dataclass(slots=True)
class LowestTerms:
    """Suggests c R - c R T / C and c R C - c R T, two terms at a time, as one term each."""

    algebra: Algebra
    sums: set[int]
    """Classes of which parts are looked for; what a part leaves of one is added."""
    _terms_of: dict[tuple[_Box, Place], Poly] = field(
        default_factory=dict[tuple[_Box, Place], Poly]
    )
    _known_parts: dict[tuple[_Box, Place, tuple[Factor, ...]], _Part] = field(
        default_factory=dict[tuple[_Box, Place, tuple[Factor, ...]], _Part]
    )

    def suggested(self, p: Poly, box: Extents) -> Poly | None:
        """Return a sum with two of its terms made one, None where no two are seen to be."""
        signs = {(guards, c > 0) for (_, guards), c in p.items()}
        held = {m: [*self._factors(m)] for m, c in p.items() if (m[1], c < 0) in signs}
        whole = {f[:2] for each in held.values() for f in each if f[2] >= 1}
        tries = (self._together(p, box, m, f, whole) for m, each in held.items() for f in each)
        return next(filter(None, tries), None)

    def _factors(self, monomial: Monomial) -> Iterator[Factor]:
        return (f for f in monomial[0] if f[0] in self.sums)

    def _together(
        self, p: Poly, box: Extents, monomial: Monomial, factor: Factor, whole: Iterable[Place]
    ) -> Poly | None:
        """Return the sum with one term, in which C is a factor, and its partner made one.

        Where C divides, the term is c R T / C and its partner a multiple of R; else it is c R C and
        its partner a multiple of R T.
        """
        q = factor[2]
        if q not in (1, -1):
            return None
        here = {f[:2] for f in monomial[0]}
        for part in self._parts(box, factor[:2], whole):
            if q < 0 and not all(f[:2] in here for f in part.product):
                continue
            turned = part.product if q > 0 else [(b, at, -k) for b, at, k in part.product]
            made = self.algebra.product((*monomial[0], (*factor[:2], -q), *turned), monomial[1])
            partner, unit = made if made is not None else (monomial, Fraction(0))
            ours = p[monomial] * unit
            theirs = p.get(partner, Fraction(0))
            ours, known = (
                (ours * part.coefficient, theirs) if q > 0 else (ours, theirs * part.coefficient)
            )
            if not unit or not known or known != -ours:
                continue
            outside = Poly({monomial: p[monomial]} if q > 0 else {partner: theirs})
            divided = self.algebra.multiply(outside, product_of((*factor[:2], -1)), box)
            one = self.algebra.multiply(divided, part.rest, box)
            return Poly({m: x for m, x in p.items() if m not in (monomial, partner)}) + one
        return None

    def _parts(self, box: Extents, place: Place, whole: Iterable[Place]) -> Iterator[_Part]:
        """Yield the terms of a sum, and those of other sums that it contains."""
        terms = self._terms(box, place)
        for monomial, c in terms.items():
            yield self._part(box, place, monomial[0], Poly({monomial: c}))
        for other in whole:
            inner = self._terms(box, other)
            if len(inner) < len(terms) and inner.items() <= terms.items():
                yield self._part(box, place, ((*other, 1),), inner)

    def _terms(self, box: Extents, place: Place) -> Poly:
        """Return a class written out; another factor as it is."""
        known = tuple(box.items()), place
        if known not in self._terms_of:
            content = self.algebra.atoms.content(place[0])
            at = dict(enumerate(place[1]))
            self._terms_of[known] = (
                self.algebra.substitute(Poly(content.terms), at, box)
                if isinstance(content, Class)
                else product_of((*place, 1))
            )
        return self._terms_of[known]

    def _part(self, box: Extents, place: Place, product: tuple[Factor, ...], terms: Poly) -> _Part:
        known = tuple(box.items()), place, product
        if known not in self._known_parts:
            rest = self._terms(box, place) - terms
            if len(rest) > 1:
                c, atom, access = intern_class(self.algebra, rest, box)
                self.sums.add(atom)
                rest = product_of((atom, access, 1), c=c)
            coefficient = next(iter(terms.values())) if len(terms) == 1 else Fraction(1)
            self._known_parts[known] = _Part(product, coefficient, rest)
        return self._known_parts[known]
