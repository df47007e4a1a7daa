"""Bounds of values: at a few inputs, whether one of them meets all hypotheses; where none enters.

Tried are: all arguments 0; all real ones small, or less than 0; the same with some of them large:
bounds hold at all indices together. With entries that differ also index by index.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import product
from math import ceil, prod

from gradwright.check.affine import Box, filled, hold, value_at
from gradwright.check.atoms import (
    Applied,
    Atoms,
    Chosen,
    Constant,
    Dense,
    Factor,
    Index,
    Mask,
    Named,
    Numbers,
    Sum,
    Term,
    Test,
    Uncheckable,
    Unknown,
    parts,
)
from gradwright.check.enclosures import ONE, PI, UNIT, ZERO, Span, applied, at, powered, times
from gradwright.check.poly import Algebra, Poly, variables_of

SMALL, LARGE = Fraction(1, 2**20), Fraction(2**40)
MIXED = 997
"""Numbers that tell the entries of an argument apart."""
PRODUCTS = 100_000
"""Products that are looked at for one hypothesis, index by index."""
Place = tuple[int, ...] | None
"""The indices at which an atom is read; None for all of them."""
Here = Mapping[int, int] | None
Condition = Callable[[Span], bool]
CONDITIONS: dict[str, Condition] = {
    "nonzero": lambda span: span[0] > 0 or span[1] < 0,
    "nonnegative": lambda span: span[0] >= 0,
    "positive": lambda span: span[0] > 0,
}


@dataclass(frozen=True, slots=True)
class _Input:
    """Real arguments that are all 0 or small, alike or all different, the entries of some large."""

    value: Fraction
    large: frozenset[int] = frozenset()
    differs: bool = False


_Need = tuple[frozenset[Term], tuple[tuple[int, int], ...], Condition]


class Bounds:
    """Bounds of values over one table of atoms, and an input that meets all conditions so far."""

    def __init__(self, algebra: Algebra) -> None:
        self.algebra = algebra
        self._fixed = _Fixed(algebra.atoms, _Input(Fraction(0)))
        self._points: dict[_Input, _Point] = {}
        self._input = _Input(Fraction(0))
        self._needs: dict[_Need, None] = {}

    def fixed(self, p: Poly) -> Span:
        """Return what p lies between at the indices where no input changes it.

        There every term in an input cancels or is 0. Uncheckable where that is not known.
        """
        span = self._fixed.total((term, None) for term in p.items())
        if span is None:
            raise Uncheckable("a value that is made of constants in ways that are not known")
        return span

    def is_met(self, p: Poly, box: Box, condition: Condition) -> bool:
        """Return whether an input that is tried meets a condition on p, and all before, everywhere.

        The input that met those is tried first.
        """
        p, atoms = self.algebra.opened(p, box), self.algebra.atoms
        read = {atom for factors, _ in p for atom, _, _ in factors}
        single = sorted(a for a in read if isinstance(atoms.contents[a], Unknown))
        need = frozenset(p.items()), tuple(box.items()), condition
        for tried in (self._input, *_inputs(self._input.large, single)):
            before = () if tried == self._input else self._needs
            if all(self._meets(tried, each) for each in (need, *before)):
                self._input = tried
                self._needs[need] = None
                return True
        return False

    def _meets(self, tried: _Input, need: _Need) -> bool:
        terms, extents, condition = need
        p, box, point = dict(terms), dict(extents), self._point(tried)
        if self._is_met_at(point, p, box, condition):
            return True
        point.left = PRODUCTS
        reads = sorted(variables_of(p)) if tried.differs else ()
        places = product(*(range(box[v]) for v in reads))
        heres = (dict(zip(reads, place, strict=True)) for place in places)
        return tried.differs and all(_holds(point, p, here, condition) for here in heres)

    def _point(self, tried: _Input) -> "_Point":
        if tried not in self._points:
            self._points[tried] = _Point(self.algebra.atoms, tried)
        return self._points[tried]

    def _is_met_at(self, point: "_Point", p: Poly, box: Box, condition: Condition) -> bool:
        boxes = self.algebra.cases(p, box)
        if boxes is not None:
            return all(self._is_met_at(point, *case, condition) for case in boxes)
        return _holds(point, p, None, condition)


def _inputs(large: frozenset[int], single: Iterable[int]) -> Iterator[_Input]:
    """Yield inputs in which what was large stays so, then with one more large, then from anew.

    Those whose entries differ come last: looking at them index by index takes the longest.
    """
    kept = (large, *(large | {a} for a in single), frozenset[int]())
    yield from (_Input(SMALL, each) for each in kept)
    yield from (_Input(Fraction(0)), _Input(-SMALL))
    yield from (_Input(SMALL, each, differs=True) for each in kept)


def _holds(point: "_Point", p: Poly, here: Here, condition: Condition) -> bool:
    try:
        span = point.total((term, here) for term in p.items())
    except (Uncheckable, RecursionError):
        return False
    return span is not None and condition(span)


class _Point:
    """Bounds of atoms at one input; None for a real number of which nothing is known.

    Uncheckable where a value may be no number.
    """

    def __init__(self, atoms: Atoms, tried: _Input) -> None:
        self.atoms, self.input = atoms, tried
        self._known: dict[tuple[int, Place], Span | None] = {}
        self.left = PRODUCTS

    def total(self, terms: Iterable[tuple[Term, Here]]) -> Span | None:
        """Return the bounds of a sum, each term at an index or at all; with guards it may be 0."""
        low, high = ZERO
        for ((factors, guards), c), here in terms:
            self.left -= here is not None
            if here is not None and not hold(guards, here):
                continue
            holds = UNIT if guards and here is None else ONE
            span = times(times(self._product(factors, here), at(c)), holds)
            if span is None or self.left < 0:
                return None
            low, high = low + span[0], high + span[1]
        return low, high

    def _product(self, factors: Iterable[Factor], here: Here) -> Span | None:
        total: Span | None = ONE
        for atom, access, q in factors:
            place = None if here is None else tuple([value_at(e, here) for e in access])
            total = times(total, powered(self._atom(atom, place), Fraction(q)))
        return total

    def _atom(self, atom: int, place: Place) -> Span | None:
        """Return the bounds of an atom, at all indices after those that it is made of."""
        pending = [atom]
        while pending:
            last = pending[-1]
            inner = parts(self.atoms.contents[last]) if place is None else ()
            unknown = [a for a in inner if (a, place) not in self._known]
            pending += unknown
            if not unknown and (last, place) not in self._known:
                self._known[last, place] = self._found(last, place)
            if not unknown:
                pending.pop()
        return self._known[atom, place]

    def _found(self, atom: int, place: Place) -> Span | None:
        match self.atoms.contents[atom]:
            case Unknown(numbers=numbers, is_argument=True):
                if numbers is not Numbers.REAL:
                    return at(ceil(self.input.value))
                size = LARGE if atom in self.input.large else self.input.value
                if not self.input.differs:
                    return at(size)
                return (size, MIXED * size) if place is None else at(size * _mixed(place))
            case Unknown():
                return None
            case Dense(entries=entries):
                if place is None:
                    return min(entries), max(entries)
                digits = zip(self.atoms.extents[atom], place, strict=True)
                return at(entries[reduce(lambda i, digit: i * digit[0] + digit[1], digits, 0)])
            case Index(extent=extent):
                return (Fraction(0), Fraction(extent - 1)) if place is None else at(place[0])
            case Constant(name=name):
                return PI if name == "pi" else at(int(name))
            case Applied(function=function, scale=scale, inner=inner):
                x = ONE if inner is None else self._atom(inner, place)
                return applied(function, times(at(scale), x))
            case Mask(test=test, inner=inner):
                return _mask(test, self._atom(inner, place))
            case Chosen():
                return UNIT
            case Named(terms=terms):
                here = None if place is None else dict(enumerate(place))
                return self.total((term, here) for term in terms)
            case Sum() as content:
                return self._sum(content, place)
            case _:
                raise Uncheckable("an infinite constant")

    def _sum(self, content: Sum, place: Place) -> Span | None:
        if place is None:
            guards, box = content.guards, dict(enumerate(content.extents))
            count = prod(content.extents[content.outputs :])
            least = filled(guards, content.outputs, box) if guards else count
            return times(self._product(content.factors, None), (Fraction(least), Fraction(count)))
        term: Term = (content.factors, content.guards), Fraction(1)
        points = product(*map(range, content.extents[content.outputs :]))
        return self.total((term, dict(enumerate((*place, *rest)))) for rest in points)


class _Fixed(_Point):
    """Bounds where no input enters: an input is 0 there, or cancels."""

    def _found(self, atom: int, place: Place) -> Span | None:
        if self.atoms.is_mask(atom):
            return UNIT
        is_read = isinstance(self.atoms.contents[atom], Unknown | Applied)
        return ZERO if is_read and self.atoms.unknowns[atom] else super()._found(atom, place)


def _mixed(place: tuple[int, ...]) -> int:
    """Return a number from 1 to MIXED, mostly another one at each place."""
    return 1 + reduce(lambda number, index: (number * 31 + index + 7) % MIXED, place, 0)


def _mask(test: Test, x: Span | None) -> Span:
    if x is None:
        return UNIT
    low, high = x
    holds = low > 0 if test is Test.POSITIVE else low == high == 0
    fails = high <= 0 if test is Test.POSITIVE else low > 0 or high < 0
    return ONE if holds else ZERO if fails else UNIT
