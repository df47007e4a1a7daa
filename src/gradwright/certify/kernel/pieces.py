"""Pieces of a value: products of atoms, summed over integer points, as sums are written out."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from math import factorial, prod

from gradwright.certify.effort import TooLarge
from gradwright.certify.kernel.algebra import Algebra, factors_at, monomial_variables
from gradwright.certify.kernel.atoms import Atoms, Class, Dense, Exponent, Factor, Monomial, Sum
from gradwright.certify.kernel.index import (
    Affine,
    Extents,
    Guard,
    Guards,
    conjunction,
    guards_at,
    unused,
    variable,
)
from gradwright.certify.kernel.reading import Reading, alike, met_again

PLACES = 16
"""Values of a summed variable that are written out one by one."""
ORDERS = 24
"""Orders of equal factors that are set against each other."""

Kind = tuple[tuple[int, Exponent], ...]
"""Atoms and exponents that pieces are products of, in order."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A coefficient times the sum of a product of factors over variables, where guards hold."""

    coefficient: Fraction
    factors: tuple[Factor, ...]
    guards: Guards
    extents: Extents
    summed: tuple[int, ...] = ()

    @property
    def kind(self) -> Kind:
        """Return the atoms and exponents."""
        return tuple((atom, q) for atom, _, q in self.factors)

    @property
    def outputs(self) -> tuple[int, ...]:
        """The variables that are not summed over."""
        return tuple(v for v in self.extents if v not in self.summed)

    def reading(self, atoms: Atoms, order: Sequence[int]) -> Reading:
        """Return what is read, the factors in some order."""
        reads = (tuple(atoms.reads((self.factors[i],))) for i in order)
        return Reading(tuple(reads), self.guards, self.outputs, self.summed, self.extents)

    def at(self, mapping: Mapping[int, Affine]) -> "Piece | None":
        """Return the piece with expressions for variables; None where its guards are 0."""
        guards = conjunction(guards_at(self.guards, mapping), self.extents)
        if guards is None:
            return None
        factors = tuple(factors_at(self.factors, mapping))
        return Piece(self.coefficient, factors, guards, self.extents, self.summed)

    def without(self, variables: Collection[int], times: int = 1) -> "Piece":
        """Return the piece, times a number, without variables that it does not mention."""
        summed = tuple(v for v in self.summed if v not in variables)
        extents = {v: n for v, n in self.extents.items() if v not in variables}
        return Piece(self.coefficient * times, self.factors, self.guards, extents, summed)

    def solved(self) -> "Piece | None":
        """Return the piece with what guards say of summed variables made use of; None where 0.

        Equations are solved by substitution, and intervals shifted to begin at 0.
        """
        piece = self.at({})
        while piece is not None and (step := _solvable(piece)) is not None:
            guard, v = step
            e, low, high = guard
            others = tuple(g for g in piece.guards if g is not guard)
            if high == low + 1:
                rest = Affine(-low, tuple(term for term in e.terms if term[0] != v))
                place = -dict(e.terms)[v] * rest
                others = (*others, (place, 0, piece.extents[v]))
                piece = replace(piece.without([v]), guards=others)
            else:
                place = variable(v) + low
                extents = {**piece.extents, v: high - low}
                piece = replace(piece, guards=others, extents=extents)
            piece = piece.at({v: place})
        return piece


def _solvable(piece: Piece) -> tuple[Guard, int] | None:
    """Return a guard and a summed variable that it determines or bounds alone."""
    for guard in piece.guards:
        (_, terms), low, high = guard
        if high == low + 1:
            units = [v for v, k in terms if v in piece.summed and abs(k) == 1]
            if units:
                return guard, max(units, key=lambda v: (piece.extents[v], -v))
        elif len(terms) == 1 and terms[0][0] in piece.summed:
            return guard, terms[0][0]
    return None


Orders = Callable[[Piece], Iterator[Sequence[int]]]


def as_they_are(piece: Piece) -> Iterator[Sequence[int]]:
    """Yield the one order that the factors have."""
    yield range(len(piece.factors))


def symmetric(piece: Piece) -> Iterator[Sequence[int]]:
    """Yield the orders of factors in which equal atoms change places: a product has none."""
    if prod(factorial(n) for n in Counter(piece.kind).values()) > ORDERS:
        raise TooLarge("a product of too many equal factors")
    yield from alike(piece.kind)


def met_once(atoms: Atoms, piece: Piece) -> Iterator[Piece]:
    """Yield pieces of the same kind no two of whose summed points read the same entries."""
    read = set(monomial_variables((piece.factors, piece.guards)))
    idle = [v for v in piece.summed if v not in read]
    piece = piece.without(idle, prod(piece.extents[v] for v in idle))
    loose = met_again(piece.reading(atoms, range(len(piece.factors))))
    if not loose:
        yield piece
        return
    v = min(loose, key=lambda v: piece.extents[v])
    if piece.extents[v] > PLACES:
        raise TooLarge("a sum that meets the same entries a varying number of times")
    for place in range(piece.extents[v]):
        at = piece.at({v: Affine(place)})
        if at is not None:
            yield from met_once(atoms, at.without([v]))


def terms_of(atoms: Atoms, atom: int) -> Sequence[tuple[Monomial, Fraction]]:
    """Return the terms that a sum, class or small constant is made of, none for another atom."""
    match atoms.content(atom):
        case Dense(entries=entries) if len(entries) <= PLACES:
            places = product(*map(range, atoms.extents(atom)))
            points = (tuple((variable(d), i, i + 1) for d, i in enumerate(p)) for p in places)
            return [(((), at), c) for at, c in zip(points, entries, strict=True) if c]
        case Sum() as content:
            return (((content.factors, content.guards), Fraction(1)),)
        case Class() as content:
            return content.terms
        case _:
            return ()


def opened(algebra: Algebra, piece: Piece, place: int) -> Iterator[Piece]:
    """Yield a piece with one power of the sum, class or constant at a place written out."""
    atom, access, q = piece.factors[place]
    content = algebra.atoms.content(atom)
    rest = (*piece.factors[:place], *piece.factors[place + 1 :])
    rest = rest if q == 1 else (*rest, (atom, access, q - 1))
    first = unused(piece.extents)
    bound = content.extents[len(access) :] if isinstance(content, Sum) else ()
    fresh = {first + i: n for i, n in enumerate(bound)}
    mapping: dict[int, Affine] = dict(enumerate((*access, *map(variable, fresh))))
    extents, summed = {**piece.extents, **fresh}, (*piece.summed, *fresh)
    for (factors, guards), c in terms_of(algebra.atoms, atom):
        inner = Piece(c * piece.coefficient, factors, guards, extents, summed).at(mapping)
        if inner is None:
            continue
        held = conjunction((*piece.guards, *inner.guards), extents)
        normal = None if held is None else algebra.product((*rest, *inner.factors), held)
        if normal is not None:
            (ordered, held), unit = normal
            coefficient = inner.coefficient * unit
            yield replace(inner, coefficient=coefficient, factors=ordered, guards=held)
