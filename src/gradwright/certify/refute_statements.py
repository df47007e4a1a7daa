"""Questions about results that index notation states: the text beside the evaluated statements."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from gradwright.certify.notation import Statement
from gradwright.certify.notation_values import Arrays, evaluated
from gradwright.certify.refute import ROUNDING, Index, NotRefuted
from gradwright.certify.refute_points import NOISE, Difference, Point, root_mean_square

TRIED = 6
"""Elements at which an update is measured where the text holds no gradient to update by."""


@dataclass(slots=True)
class Stated:
    """Statements over arguments by name; what they define at one point is computed once."""

    statements: Sequence[Statement]
    arguments: Sequence[str]
    _last: tuple[Point, Arrays] | None = field(default=None, repr=False)

    def at(self, point: Point) -> Arrays:
        """Return every value at the inputs of a point."""
        if self._last is None or self._last[0] is not point:
            inputs = dict(zip(self.arguments, point.inputs, strict=True))
            self._last = point, evaluated(self.statements, inputs)
        return self._last[1]

    def value(self, point: Point, target: str) -> np.ndarray:
        """Return one value at the inputs of a point; NotRefuted where no statement defines it."""
        values = self.at(point)
        if target not in values:
            raise NotRefuted("there is nothing to compare it with")
        return values[target]


@dataclass(frozen=True, slots=True)
class StatedQuestion:
    """Whether result k of the text is the value that statements define under a name."""

    k: int
    stated: Stated
    target: str
    lost: ClassVar[float] = ROUNDING

    def screen(self, point: Point) -> Difference:
        """Compare the element that differs most."""
        return self.at(point, self.locate(point))

    def at(self, point: Point, index: Index) -> Difference:
        """Compare one element."""
        return difference(point, self.k, self.stated.value(point, self.target), index)

    def locate(self, point: Point) -> Index:
        """Return the place of the greatest difference."""
        return farthest(point, self.k, self.stated.value(point, self.target))

    def both(self, point: Point, index: Index) -> tuple[float, float]:
        """Return the two elements."""
        found = self.at(point, index)
        return found.emitted, found.wanted


@dataclass(frozen=True, slots=True)
class Rule:
    """An update rule over local names: those of arguments, and `g`, the gradient.

    `arguments` are (local name, argument by index).
    """

    statements: Sequence[Statement]
    arguments: Sequence[tuple[str, int]]

    def apply(self, point: Point, g: np.ndarray) -> Arrays:
        """Return what the rule makes of a gradient."""
        inputs = {name: point.inputs[i] for name, i in self.arguments}
        return evaluated(self.statements, {**inputs, "g": g})

    def without(self, point: Point, target: str) -> np.ndarray:
        """Return what the rule makes of no gradient; 0 where that is no number.

        Errors are shares of how far the gradient moves a number: what it does to a parameter is
        often a thousandth of it.
        """
        i = dict(self.arguments)["theta"]
        found = self.apply(point, np.zeros_like(point.inputs[i]))[target]
        return np.where(np.isfinite(found), found, 0.0)


@dataclass(frozen=True, slots=True)
class UpdateQuestion:
    """Whether result k is what a rule makes of the gradient that the text holds or is given.

    `gradient` is its number among the results, or among the arguments where it is `given`.
    """

    k: int
    rule: Rule
    target: str
    gradient: int
    given: bool
    lost: ClassVar[float] = ROUNDING

    def screen(self, point: Point) -> Difference:
        """Compare the element that differs most."""
        return self.at(point, self.locate(point))

    def at(self, point: Point, index: Index) -> Difference:
        """Compare one element."""
        start = self.rule.without(point, self.target)
        return difference(point, self.k, self._wanted(point), index, start)

    def locate(self, point: Point) -> Index:
        """Return the place of the greatest difference."""
        return farthest(point, self.k, self._wanted(point))

    def both(self, point: Point, index: Index) -> tuple[float, float]:
        """Return the two elements."""
        found = self.at(point, index)
        return found.emitted, found.wanted

    def _wanted(self, point: Point) -> np.ndarray:
        g = point.inputs[self.gradient] if self.given else point.returned[self.gradient]
        return self.rule.apply(point, g)[self.target]


@dataclass(frozen=True, slots=True)
class MeasuredQuestion:
    """Whether result k is what a rule makes of the measured derivative by an argument."""

    k: int
    rule: Rule
    target: str
    argument: int
    lost: ClassVar[float] = NOISE

    def screen(self, point: Point) -> Difference:
        """Compare the element that differs most among a few."""
        return self.at(point, self.locate(point))

    def at(self, point: Point, index: Index) -> Difference:
        """Compare one element; rules act element by element."""
        direction = np.zeros(point.inputs[self.argument].shape)
        direction[index] = 1.0
        slope = point.slope(self.argument, direction)
        ends = (slope.value - slope.error, slope.value, slope.value + slope.error)
        low, middle, high = (float(self._wanted(point, index, g)) for g in ends)
        error = max(abs(high - middle), abs(low - middle)) + ROUNDING * abs(middle)
        emitted = float(point.returned[self.k][index])
        start = float(self.rule.without(point, self.target)[index])
        return Difference(emitted, middle, error, abs(middle - start), start)

    def locate(self, point: Point) -> Index:
        """Return the element among a few whose difference is greatest."""
        shape = point.inputs[self.argument].shape
        size = int(np.prod(shape))
        generator = np.random.default_rng(point.seed + 3000)
        flat = generator.choice(size, min(size, TRIED), replace=False)
        places = [tuple(int(i) for i in np.unravel_index(int(f), shape)) for f in flat]
        return max(places, key=lambda place: abs(np.subtract(*self.both(point, place))))

    def both(self, point: Point, index: Index) -> tuple[float, float]:
        """Return the emitted element, and the rule's at a difference quotient."""
        direction = np.zeros(point.inputs[self.argument].shape)
        direction[index] = 1.0
        slope = point.rough_slope(self.argument, direction)
        return float(point.returned[self.k][index]), self._wanted(point, index, slope)

    def _wanted(self, point: Point, index: Index, slope: float) -> float:
        g = np.full(point.inputs[self.argument].shape, slope)
        return float(self.rule.apply(point, g)[self.target][index])


Question = StatedQuestion | UpdateQuestion | MeasuredQuestion


def difference(
    point: Point, k: int, wanted: np.ndarray, index: Index, start: np.ndarray | None = None
) -> Difference:
    """Return how one element of result k, moved from `start`, differs from what it should be."""
    before = np.zeros_like(wanted) if start is None else start
    error = ROUNDING * float(np.max(np.abs(wanted), initial=root_mean_square(wanted)))
    emitted = float(np.asarray(point.returned[k], np.float64)[index])
    moved = root_mean_square(wanted - before)
    return Difference(emitted, float(wanted[index]), error, moved, float(before[index]))


def farthest(point: Point, k: int, wanted: np.ndarray) -> Index:
    """Return the place of the greatest difference."""
    gap = np.abs(np.asarray(point.returned[k], np.float64) - wanted)
    place = int(np.argmax(np.nan_to_num(gap, nan=0.0, posinf=0.0)))
    return tuple(int(i) for i in np.unravel_index(place, gap.shape))
