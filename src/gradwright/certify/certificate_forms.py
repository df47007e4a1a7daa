"""Polynomials and sums that were met, found again whatever the names of their variables.

A form that equal polynomials share takes time to find, so that it is looked for only where two of
them have as many terms of the same atoms.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Generic, TypeVar

from gradwright.certify.advice.naming import refine, suggested_orders
from gradwright.check.affine import Affine, Box, Guards, span, variable
from gradwright.check.atoms import Exponent, Factor
from gradwright.check.names import merged
from gradwright.check.poly import Algebra, Poly, in_order, variables_of

ORDERS = 24
"""Orders of indistinguishable variables that are tried."""
T = TypeVar("T")
Reaches = dict[tuple[int, Exponent], tuple[tuple[int, int] | None, ...]]


@dataclass(frozen=True, slots=True)
class Label:
    """A form that equal polynomials up to names and a factor share."""

    key: tuple[object, ...]
    order: Sequence[int]
    """Variables of the merged polynomial."""
    lead: Fraction
    """The factor."""
    origin: Mapping[int, Affine]
    """What these variables are in terms of the polynomial's own."""


@dataclass(slots=True)
class _Entry(Generic[T]):
    p: Poly
    box: Box
    what: T
    label: Label | None = None


@dataclass(slots=True)
class Forms(Generic[T]):
    """What is known of polynomials."""

    _known: dict[object, list[_Entry[T]]] = field(default_factory=dict[object, list[_Entry[T]]])

    def add(self, p: Poly, box: Box, what: T) -> None:
        """Remember something of a polynomial."""
        self._known.setdefault(_likeness(p), []).append(_Entry(p, box, what))

    def find(self, algebra: Algebra, p: Poly, box: Box) -> tuple[T, Label, Label] | None:
        """Return what is known of a polynomial, with its form and that of what was remembered."""
        alike = self._known.get(_likeness(p), [])
        mine = label(algebra, p, box) if alike else None
        for entry in alike:
            if entry.label is None:
                entry.label = label(algebra, entry.p, entry.box)
            if mine is not None and entry.label.key == mine.key:
                return entry.what, mine, entry.label
        return None


def _likeness(p: Poly) -> object:
    kinds = [hash(tuple(sorted((a, q) for a, _, q in factors))) for factors, _ in p]
    return len(p), hash(tuple(sorted(kinds)))


def label(algebra: Algebra, p: Poly, box: Box) -> Label:
    """Return the least form in the orders of variables that are tried."""
    p, box, origin = merged(algebra, p, box)
    colours = refine(p, {v: (box[v],) for v in sorted(variables_of(p))})
    best: Label | None = None
    for order in suggested_orders(colours, ORDERS):
        places = {v: variable(i) for i, v in enumerate(order)}
        extents = tuple(box[v] for v in order)
        terms = in_order(algebra.substitute(p, places, dict(enumerate(extents))))
        lead = terms[0][1]
        key = (extents, tuple((m, c / lead) for m, c in terms))
        if best is None or key < best.key:
            best = Label(key, order, lead, origin)
    assert best is not None  # there is one order at least
    return best


def reaches(factors: Sequence[Factor], guards: Guards, summed: Iterable[int], box: Box) -> Reaches:
    """Return between which indices a sum reads each factor that it has once.

    None for an index that depends on the outputs, or on variables that guards narrow.
    """
    free = {*summed} - {v for e, _, _ in guards for v, _ in e[1]}
    kinds = [(atom, q) for atom, _, q in factors]
    return {
        (atom, q): tuple(span(e, box) if {v for v, _ in e[1]} <= free else None for e in access)
        for atom, access, q in factors
        if kinds.count((atom, q)) == 1
    }


def may_meet(mine: Reaches, theirs: Reaches) -> bool:
    """Return whether two sums of the same factors read no index in two ranges."""
    pairs = (pair for kind in mine for pair in zip(mine[kind], theirs[kind], strict=True))
    return all(None in pair or pair[0] == pair[1] for pair in pairs)
