"""Denotations of loops.

A loop that counts from a constant to a constant is denoted once, for trip k, where k is a variable
of its own: values that the body returns unchanged are invariant, and a value that only grows by a
term free of itself is its start plus the sum of that term over all trips.
"""

from collections.abc import Iterator, Sequence

from gradwright.certify.kernel.algebra import Poly, Undenotable, product_of
from gradwright.certify.kernel.atoms import Coordinate, Monomial
from gradwright.certify.kernel.denotation import Denotation, Rule, Step
from gradwright.certify.kernel.equality import Depth, equal
from gradwright.certify.kernel.index import variable
from gradwright.certify.kernel.tensor import Tensor
from gradwright.hlo import Block, Operation
from gradwright.hlo.writing import without_dead_code

TRIP_LIMIT = 100_000
"""Trips of a loop that are counted before the proof is given up."""


def _while(at: Step) -> Sequence[Tensor]:
    den, operands = at.den, at.x
    body = at.operation.regions[1]
    symbols = [den.fresh("carried", value) for value in body.arguments]
    counter, step = counter_of(den, body, operands, symbols)
    trips = trips_of(den, at.operation, operands, symbols, counter, step)
    if trips == 0:
        return operands
    results = list(operands)
    results[counter] = den.pointwise.add(
        operands[counter], den.splat(step * trips, operands[counter].shape)
    )
    with den.algebra.loop(trips) as k:
        carried = _with(operands, [counter], [_at_trip(den, operands[counter], k, trips, step)])
        for i, term in _grown(den, body, carried, symbols, counter):
            results[i] = den.pointwise.add(operands[i], _over_trips(den, term, k))
    return results


def _grown(
    den: Denotation,
    body: Block,
    carried: Sequence[Tensor],
    symbols: Sequence[Tensor],
    counter: int,
) -> Iterator[tuple[int, Tensor]]:
    """Yield what changes in a trip, beside the counter, with what is added to it.

    That is what is left of it after a trip, less what it was before, if what that reads of itself
    is 0: a block of one element is read at its place, and elsewhere at that of the block.
    """
    pairs = enumerate(zip(body.arguments, body.results, strict=True))
    growing = [i for i, (before, after) in pairs if after is not before and i != counter]
    after = den.region(body, _with(carried, growing, [symbols[i] for i in growing]))
    own = {atom for i in growing for m in symbols[i].poly for atom in _reached(den, m)}
    for i in growing:
        added = den.pointwise.add(after[i], symbols[i], -1)
        reads = ((m, c) for m, c in added.poly.items() if not own.isdisjoint(_reached(den, m)))
        held, nothing = Poly(reads), den.splat(0, added.shape)
        if held and not equal(den.algebra, Tensor(added.digits, held), nothing, Depth.SUMS):
            raise Undenotable("a loop that carries more than a counter, constants and sums")
        yield i, Tensor(added.digits, added.poly - held)


def _reached(den: Denotation, monomial: Monomial) -> Iterator[int]:
    """Yield the arguments and unknowns that a product depends on."""
    for atom, _, _ in monomial[0]:
        yield from den.atoms.reached(atom)


def counter_of(
    den: Denotation, body: Block, start: Sequence[Tensor], symbols: Sequence[Tensor]
) -> tuple[int, int]:
    """Return the carried integer that starts at a constant and grows by one, and by how much."""
    for i, (first, symbol) in enumerate(zip(start, symbols, strict=True)):
        if symbol.shape != () or first.poly.constant is None:
            continue
        after = den.region(_only(body, i), symbols)[0]
        step = (after.poly - symbol.poly).constant
        if step and step.denominator == 1:
            return i, int(step)
    raise Undenotable("a loop without a counter that starts at a constant")


def _only(body: Block, result: int) -> Block:
    """Return the part of a region that one of its results depends on."""
    return without_dead_code(Block(body.arguments, body.operations, (body.results[result],)))


def trips_of(
    den: Denotation,
    loop: Operation,
    start: Sequence[Tensor],
    symbols: Sequence[Tensor],
    counter: int,
    step: int,
) -> int:
    """Return how often the condition holds, which may read nothing but the counter.

    The body is asked at each number that is counted: no integer on the way may leave its type.
    """
    condition, body = loop.regions
    counts = _only(body, counter)
    first = start[counter].poly.constant
    assert first is not None  # `counter_of` chose it so
    for trip in range(TRIP_LIMIT):
        at = _with(symbols, [counter], [den.splat(first + step * trip, ())])
        holds = den.region(condition, at)[0].poly.constant
        if holds is None:
            raise Undenotable("a loop whose end depends on what it computes")
        if not holds:
            return trip
        following = den.region(counts, at)[0].poly.constant
        if following != first + step * (trip + 1):
            raise Undenotable("a loop whose counter takes no equal steps")
    raise Undenotable(f"a loop of more than {TRIP_LIMIT} trips")


def _at_trip(den: Denotation, start: Tensor, k: int, trips: int, step: int) -> Tensor:
    """Return start + step * k."""
    atom = den.atoms.intern(Coordinate(trips), (trips,))
    return den.pointwise.add(start, Tensor((), product_of((atom, (variable(k),), 1))), step)


def _over_trips(den: Denotation, term: Tensor, k: int) -> Tensor:
    box = den.algebra.box(term.digits)
    return Tensor(term.digits, den.summation.total(term.poly, {k}, box))


def _with(values: Sequence[Tensor], places: Sequence[int], new: Sequence[Tensor]) -> list[Tensor]:
    changed = list(values)
    for place, tensor in zip(places, new, strict=True):
        changed[place] = tensor
    return changed


LOOPS: dict[str, Rule] = {"stablehlo.while": _while}
