"""A point at which sums of coefficients over sets of points differ from 0, if it is found fast.

Most values that are not equal are told apart so, without a question to isl.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from random import Random

from gradwright.certify.kernel.index import Guards, hold
from gradwright.certify.kernel.reading import Reading

Place = tuple[Mapping[int, int], tuple[int, ...]]
"""Values of the outputs, and all indices read."""
ATTEMPTS = 16
"""Attempts to find a point of a set inside its box."""
SAMPLES = 8
"""Sets of which a point is looked at."""


def differs_somewhere(parts: Sequence[tuple[Reading, Fraction]]) -> bool:
    """Return whether a point was found at which the coefficients do not add up to 0."""
    for seed, (reading, _) in enumerate(parts[:SAMPLES]):
        place = sample(reading, seed)
        held = [] if place is None else [(holds(other, place), c) for other, c in parts]
        if sum(c for holds, c in held if holds) and all(holds is not None for holds, _ in held):
            return True
    return False


def sample(reading: Reading, seed: int) -> Place | None:
    """Return outputs and the indices read at an arbitrary point, None where none is found."""
    choice = Random(seed)
    for _ in range(ATTEMPTS):
        at: dict[int, int] = {}
        for v in (*reading.outputs, *reading.summed):
            solved = _solved(reading.guards, v, at)
            at[v] = choice.randrange(reading.extents[v]) if solved is None else solved
        if _admits(reading, at):
            outputs = {v: at[v] for v in reading.outputs}
            return outputs, tuple(e.value(at) for read in reading.reads for e, _ in read)
    return None


def holds(reading: Reading, place: Place) -> bool | None:
    """Return whether a place is among the points; None where that takes more than solving.

    Equations with one unknown each are solved one after the other.
    """
    outputs, values = place
    at, unknown = dict(outputs), set(reading.summed)
    read = [e for each in reading.reads for e, _ in each]
    equations = [*zip(read, values, strict=True)]
    equations += [(e, low) for e, low, high in reading.guards if high == low + 1]
    while unknown:
        ready = ((e, value, [v for v in e.variables if v in unknown]) for e, value in equations)
        found = next((each for each in ready if len(each[2]) == 1), None)
        if found is None:
            return None
        e, value, [v] = found
        k = dict(e[1])[v]
        rest = value - e.value({**at, v: 0})
        if rest % k:
            return False
        at[v] = rest // k
        unknown.discard(v)
    return _admits(reading, at) and all(e.value(at) == value for e, value in equations)


def _admits(reading: Reading, at: Mapping[int, int]) -> bool:
    inside = all(0 <= x < reading.extents[v] for v, x in at.items())
    return inside and hold(reading.guards, at)


def _solved(guards: Guards, v: int, at: Mapping[int, int]) -> int | None:
    """Return what an equation makes of a variable, given values of all others in it."""
    for (c, terms), low, high in guards:
        k = dict(terms).get(v, 0)
        if high == low + 1 and abs(k) == 1 and all(w == v or w in at for w, _ in terms):
            return k * (low - c - sum(q * at[w] for w, q in terms if w != v))
    return None
