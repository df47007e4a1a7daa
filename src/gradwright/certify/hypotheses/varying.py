"""Which values an input changes at every index, and which indices are alike."""

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cache
from itertools import compress, product
from math import prod

from gradwright.certify.hypotheses.hulls import Hulls
from gradwright.certify.kernel.atoms import (
    Argument,
    Atoms,
    Base,
    Class,
    Dense,
    Factor,
    Function,
    Mask,
    Pi,
    Selector,
    Sign,
    Sum,
    Terms,
    Uninterpreted,
)
from gradwright.certify.kernel.index import Affine, Extents, Guard, guarded, hold

PLACES = 10_000
"""Indices at which it is tried whether guards hold."""
_ANYWHERE = -1
"""An index that is not the same everywhere."""
_Kind = tuple[tuple[int, Fraction, tuple[int, ...]], ...]
"""Atoms and exponents of a product, and indices at which arguments are read."""
_Term = tuple[Sequence[Guard], _Kind, bool]
"""Where a term is there, its kind, whether at every index an input changes it."""


class Varying:
    """Tells what of a table of atoms the inputs change, by looking at each atom once."""

    def __init__(self, atoms: Atoms, hulls: Hulls) -> None:
        self.atoms = atoms
        self.hulls = hulls
        self.is_free = cache(self._search_free)
        self.plain = cache(self._search_plain)

    def are_free(self, terms: Terms, box: Extents) -> bool:
        """Return whether at every index an input changes a sum: a term unlike all others there."""
        kinds = [
            (guards, self._kind(factors), self._is_free_product(factors))
            for (factors, guards), _ in terms
        ]
        if _is_one_unlike([each for each in kinds if not each[0]], kinds):
            return True
        reads = sorted({v for guards, _, _ in kinds for v in guarded(guards)})
        if not any(free for _, _, free in kinds) or prod(box[v] for v in reads) > PLACES:
            return False
        there = {
            tuple(hold(guards, dict(zip(reads, place, strict=True))) for guards, _, _ in kinds)
            for place in product(*(range(box[v]) for v in reads))
        }
        found = (list(compress(kinds, each)) for each in there)
        return all(_is_one_unlike(each, each) for each in found)

    def _kind(self, factors: Sequence[Factor]) -> _Kind:
        """Return atoms and exponents, and what is fixed of the index of an argument read once."""
        read = Counter(atom for atom, _, _ in factors)
        return tuple(
            sorted(
                (atom, Fraction(q), self._fixed(atom, access if read[atom] == 1 else ()))
                for atom, access, q in factors
            )
        )

    def _fixed(self, atom: int, access: Sequence[Affine]) -> tuple[int, ...]:
        is_argument = isinstance(self.atoms.content(atom), Argument)
        return tuple(_ANYWHERE if e[1] else e[0] for e in access if is_argument)

    def _is_free_product(self, factors: Sequence[Factor]) -> bool:
        free = [self.is_free(atom) for atom, _, _ in factors]
        rest = zip(free, factors, strict=True)
        return any(free) and all(each or self._is_never_0(f[0]) for each, f in rest)

    def _is_never_0(self, atom: int) -> bool:
        content = self.atoms.content(atom)
        dense = isinstance(content, Dense) and 0 not in content.entries
        if dense or self.atoms.sign(atom) is Sign.POSITIVE:
            return True
        return not self.hulls.atom(atom).holds_zero

    def _search_free(self, atom: int) -> bool:
        """Return whether some input changes an atom at each of its indices."""
        if not self.atoms.reached(atom):
            return False
        extents = dict(enumerate(self.atoms.extents(atom)))
        match self.atoms.content(atom):
            case Argument() | Selector() | Uninterpreted():
                return True
            case Function(inner=int(inner)) | Mask(inner=inner):
                return self.is_free(inner)
            case Class(terms=terms):
                return self.are_free(terms, extents)
            case Sum(factors=factors) as content:
                return self._is_free_product(factors) and _is_never_empty(content)
            case _:
                return False

    def _search_plain(self, atom: int) -> frozenset[int]:
        """Return the places of an atom's indices that it does not tell apart."""
        extents = dict(enumerate(self.atoms.extents(atom)))
        match self.atoms.content(atom):
            case Argument() | Base() | Pi() | Selector() | Uninterpreted() if self.atoms.reached(
                atom
            ):
                return frozenset(extents)
            case Function(inner=int(inner)) | Mask(inner=inner):
                return self.plain(inner)
            case Class(terms=terms):
                return self.plain_variables(terms, extents)
            case Sum() as content:
                term = (content.factors, content.guards), Fraction(1)
                every = dict(enumerate(content.extents))
                return self.plain_variables((term,), every) & frozenset(range(content.outputs))
            case _:
                return frozenset()

    def plain_variables(self, terms: Terms, box: Extents) -> frozenset[int]:
        """Return the variables that occur as they are, at places that are not told apart."""
        found = set(box)
        for (factors, guards), _ in terms:
            found -= guarded(guards)
            for atom, access, _ in factors:
                same = self.plain(atom)
                for i, e in enumerate(access):
                    if i not in same or e.lone is None:
                        found.difference_update(e.variables)
        return frozenset(found)


def _is_never_empty(content: Sum) -> bool:
    """Return whether at every index some summand is there: guards without a common index apart."""
    left = PLACES
    for guards in _apart(content.guards):
        reads = sorted(guarded(guards))
        outer = [range(content.extents[v]) for v in reads if v < content.outputs]
        inner = [range(content.extents[v]) for v in reads if v >= content.outputs]
        for place in product(*outer):
            for rest in product(*inner):
                left -= 1
                here = dict(zip(reads, (*place, *rest), strict=True))
                if hold(guards, here):
                    break
                if left < 0:
                    return False
            else:
                return False
    return True


def _apart(guards: Iterable[Guard]) -> list[list[Guard]]:
    """Return guards in groups of which no two read the same variable."""
    groups: list[list[Guard]] = []
    for guard in guards:
        reads = set(guard[0].variables)
        met = [g for g in groups if reads & guarded(g)]
        groups = [g for g in groups if g not in met] + [[*(each for g in met for each in g), guard]]
    return groups


def _is_one_unlike(some: Sequence[_Term], all_: Sequence[_Term]) -> bool:
    """Return whether one of some terms is unlike all others, and an input changes it."""
    return any(free and sum(_are_alike(kind, k) for _, k, _ in all_) == 1 for _, kind, free in some)


def _are_alike(a: _Kind, b: _Kind) -> bool:
    """Return whether products may be of the same entries: some index of an argument may agree."""
    return len(a) == len(b) and all(
        (x[0], x[1]) == (y[0], y[1])
        and all(i == j or _ANYWHERE in (i, j) for i, j in zip(x[2], y[2], strict=True))
        for x, y in zip(a, b, strict=True)
    )
