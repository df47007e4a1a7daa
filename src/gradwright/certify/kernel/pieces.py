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
    Guards,
    conjunction,
    constant,
    guards_at,
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

    def reading(self, atoms: Atoms, order: Sequence[int]) -> Reading:
        """Return what is read, the factors in some order."""
        factors = [self.factors[i] for i in order]
        reads = (zip(access, atoms.extents(atom), strict=True) for atom, access, _ in factors)
        outputs = tuple(v for v in self.extents if v not in self.summed)
        return Reading(tuple(map(tuple, reads)), self.guards, outputs, self.summed, self.extents)


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
    piece = _without(piece, idle, prod(piece.extents[v] for v in idle))
    loose = met_again(piece.reading(atoms, range(len(piece.factors))))
    if not loose:
        yield piece
        return
    v = min(loose, key=lambda v: piece.extents[v])
    if piece.extents[v] > PLACES:
        raise TooLarge("a sum that meets the same entries a varying number of times")
    for place in range(piece.extents[v]):
        at = _moved(piece, {v: constant(place)})
        if at is not None:
            yield from met_once(atoms, _without(at, [v], 1))


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
    first = max((-1, *piece.extents)) + 1
    bound = content.extents[len(access) :] if isinstance(content, Sum) else ()
    fresh = {first + i: n for i, n in enumerate(bound)}
    mapping: dict[int, Affine] = dict(enumerate((*access, *map(variable, fresh))))
    extents, summed = {**piece.extents, **fresh}, (*piece.summed, *fresh)
    for (factors, guards), c in terms_of(algebra.atoms, atom):
        inner = _moved(Piece(c * piece.coefficient, factors, guards, extents, summed), mapping)
        if inner is None:
            continue
        held = conjunction((*piece.guards, *inner.guards), extents)
        normal = None if held is None else algebra.product((*rest, *inner.factors), held)
        if normal is not None:
            (ordered, held), unit = normal
            coefficient = inner.coefficient * unit
            yield replace(inner, coefficient=coefficient, factors=ordered, guards=held)


def _moved(piece: Piece, mapping: Mapping[int, Affine]) -> Piece | None:
    """Return a piece with expressions for variables; None where its guards are 0."""
    guards = conjunction(guards_at(piece.guards, mapping), piece.extents)
    if guards is None:
        return None
    return replace(piece, factors=tuple(factors_at(piece.factors, mapping)), guards=guards)


def _without(piece: Piece, variables: Collection[int], times: int) -> Piece:
    """Return a piece, times a number, without variables that it does not mention."""
    return replace(
        piece,
        coefficient=piece.coefficient * times,
        summed=tuple(v for v in piece.summed if v not in variables),
        extents={v: n for v, n in piece.extents.items() if v not in variables},
    )
