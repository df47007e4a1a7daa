"""Which values an input changes at every index, and which indices are alike."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from itertools import islice, product

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
    Monomial,
    Pi,
    Selector,
    Sign,
    Sum,
    Terms,
    Uninterpreted,
)
from gradwright.certify.kernel.index import (
    Extents,
    always,
    constant,
    substitute,
    variable,
    variables,
)

PLACES = 10_000
"""Summands of which one is looked for that is there at every index."""


class Varying:
    """Tells what of a table of atoms the inputs change, by looking at each atom once."""

    def __init__(self, atoms: Atoms, hulls: Hulls) -> None:
        self.atoms = atoms
        self.hulls = hulls
        self.is_free = cache(self._search_free)
        self.plain = cache(self._search_plain)

    def are_free(self, terms: Terms) -> bool:
        """Return whether at every index an input changes a sum: a term unlike all others."""
        kinds = Counter(_kind(monomial) for monomial, _ in terms)
        return any(
            not monomial[1] and kinds[_kind(monomial)] == 1 and self._is_free_product(monomial[0])
            for monomial, _ in terms
        )

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
        match self.atoms.content(atom):
            case Argument() | Selector() | Uninterpreted():
                return True
            case Function(inner=int(inner)) | Mask(inner=inner):
                return self.is_free(inner)
            case Class(terms=terms):
                return self.are_free(terms)
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
            for e, _, _ in guards:
                found.difference_update(variables(e))
            for atom, access, _ in factors:
                same = self.plain(atom)
                for i, e in enumerate(access):
                    if i not in same or len(e[1]) != 1 or e != variable(e[1][0][0]):
                        found.difference_update(variables(e))
        return frozenset(found)


def _is_never_empty(content: Sum) -> bool:
    """Return whether one summand at least is there at every index: the same one is looked for."""
    outer = {v: n if v < content.outputs else 1 for v, n in enumerate(content.extents)}
    inner = sorted({v for e, _, _ in content.guards for v in variables(e) if v >= content.outputs})
    for place in islice(product(*(range(content.extents[v]) for v in inner)), PLACES):
        at = dict(zip(inner, map(constant, place), strict=True))
        if all(always((substitute(e, at), low, high), outer) for e, low, high in content.guards):
            return True
    return False


def _kind(monomial: Monomial) -> tuple[tuple[int, Fraction], ...]:
    return tuple(sorted((atom, Fraction(q)) for atom, _, q in monomial[0]))
