"""Refutation: an input at which a claim is false, found, confirmed and evaluated once more.

A claim is refuted only where two independent inputs leave a difference far above its estimated
error, and still do so with every inexact literal moved by half a unit in its last place.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Protocol

import numpy as np

from gradwright.certify.refute_points import (
    FAR,
    NOISE,
    SMALL,
    Difference,
    Point,
    Texts,
    root_mean_square,
    texts_of,
)
from gradwright.certify.refute_supposed import Supposed
from gradwright.certify.verdicts import Counterexample, Distribution
from gradwright.certify.witness import inputs_of
from gradwright.certify.witness_exact import decided
from gradwright.certify.witness_process import Evaluator, Unevaluated
from gradwright.errors import GradwrightError
from gradwright.hlo import Function

Index = tuple[int, ...]

LAWS = (
    Distribution.NORMAL,
    Distribution.POSITIVE,
    Distribution.SMALL,
    Distribution.NEGATIVE,
)
TRIALS = 4 * len(LAWS)
AGREEING = 8
"""Agreeing inputs after which the search ends."""
JITTERS = 4
"""Ways to move literals where a difference is no larger than their rounding."""
NUDGE = 1e-4
"""Relative distance of the second input where no independent one tells the sides apart."""
RATIO_PLACES = 6
RATIO_LIMIT = 100_000
"""Largest denominator with which a ratio is written as a fraction."""
RATIO_ACCURACY = 1e-6
PATTERNS = 4
"""Random weights with which an element that differs is looked for among all of a gradient."""
ROUNDING = 1e-11
"""Relative error of one evaluation in f64; a generous one, for equality is tested at 1e-6."""


class NotRefuted(Exception):
    """No counterexample was found; the message says what was tried."""


class Question(Protocol):
    """How two sides of a claim, result k of the emitted function and another, are compared."""

    @property
    def k(self) -> int:
        """The claimed result."""
        ...

    lost: ClassVar[float]
    """What is lost of what is wanted, relative to the largest number on the way to the value."""

    def screen(self, point: Point) -> Difference:
        """Return a difference that no wrong element escapes, but with probability 0."""
        ...

    def at(self, point: Point, index: Index) -> Difference:
        """Return the difference of one element."""
        ...

    def locate(self, point: Point) -> Index:
        """Return an element that differs, where the screen does."""
        ...

    def both(self, point: Point, index: Index) -> tuple[float, float]:
        """Return emitted and wanted at one element, for a picture: cheaper than `at`."""
        ...


@dataclass(frozen=True, slots=True)
class GradientQuestion:
    """Whether result k of the emitted function is the gradient of an argument."""

    k: int
    argument: int
    lost: ClassVar[float] = NOISE

    def screen(self, point: Point) -> Difference:
        """Compare along one random direction."""
        shape = point.inputs[self.argument].shape
        direction = np.random.default_rng(point.seed + 1000).standard_normal(shape)
        return self._along(point, direction / max(float(np.linalg.norm(direction)), 1e-300))

    def at(self, point: Point, index: Index) -> Difference:
        """Compare one element."""
        direction = np.zeros(point.inputs[self.argument].shape)
        direction[index] = 1.0
        return self._along(point, direction)

    def locate(self, point: Point) -> Index:
        """Halve the set of elements, keeping the half that differs more, until one is told apart.

        Once more with other weights where the one found does not differ: small gaps of many
        elements may leave nothing but noise.
        """
        generator = np.random.default_rng(point.seed + 2000)
        index = self._halved(point, generator)
        for _ in range(PATTERNS - 1):
            if self.at(point, index).is_far:
                break
            index = self._halved(point, generator)
        return index

    def _halved(self, point: Point, generator: np.random.Generator) -> Index:
        """Return one element; sums of gaps of any sizes vanish with probability 0."""
        shape = point.inputs[self.argument].shape
        weights = _weights(generator, int(np.prod(shape)))
        places: np.ndarray = np.arange(weights.size)
        gap = self._rough_gap(point, weights, places)
        while len(places) > 1:
            left, right = places[: len(places) // 2], places[len(places) // 2 :]
            part = self._rough_gap(point, weights, left)
            rest = gap - part
            places, gap = (left, part) if abs(part) > abs(rest) else (right, rest)
        return tuple(int(i) for i in np.unravel_index(int(places[0]), shape))

    def both(self, point: Point, index: Index) -> tuple[float, float]:
        """Return the emitted element, and its difference quotient of one step to each side."""
        direction = np.zeros(point.inputs[self.argument].shape)
        direction[index] = 1.0
        emitted = float(point.returned[self.k][index])
        return emitted, point.rough_slope(self.argument, direction)

    def _rough_gap(self, point: Point, weights: np.ndarray, places: np.ndarray) -> float:
        direction = np.zeros_like(weights)
        direction[places] = weights[places]
        direction = direction.reshape(point.inputs[self.argument].shape)
        emitted = float(np.sum(point.returned[self.k] * direction))
        return emitted - point.rough_slope(self.argument, direction)

    def _along(self, point: Point, direction: np.ndarray) -> Difference:
        gradient = point.returned[self.k]
        slope = point.slope(self.argument, direction)
        size = root_mean_square(gradient) * float(np.linalg.norm(direction))
        return Difference(float(np.sum(gradient * direction)), slope.value, slope.error, size)


@dataclass(frozen=True, slots=True)
class EqualQuestion:
    """Whether result k of the emitted function is result j of the other one."""

    k: int
    j: int
    lost: ClassVar[float] = ROUNDING

    def screen(self, point: Point) -> Difference:
        """Compare the element that differs most."""
        return self.at(point, self.locate(point))

    def at(self, point: Point, index: Index) -> Difference:
        """Compare one element."""
        emitted = np.asarray(point.returned[self.k], np.float64)
        wanted = np.asarray(point.wanted()[self.j], np.float64)
        size = root_mean_square(wanted)
        error = ROUNDING * float(np.max(np.abs(wanted), initial=size))
        return Difference(float(emitted[index]), float(wanted[index]), error, size)

    def locate(self, point: Point) -> Index:
        """Return the place of the greatest difference."""
        emitted = np.asarray(point.returned[self.k], np.float64)
        gap = np.abs(emitted - point.wanted()[self.j])
        place = int(np.argmax(np.nan_to_num(gap, posinf=0.0)))
        return tuple(int(i) for i in np.unravel_index(place, gap.shape))

    def both(self, point: Point, index: Index) -> tuple[float, float]:
        """Return the two elements."""
        found = self.at(point, index)
        return found.emitted, found.wanted


@np.errstate(invalid="ignore", over="ignore")  # what is not finite is no counterexample
def refute(
    emitted: Function,
    value: Function,
    question: Question,
    evaluate: Evaluator,
    *,
    seeds: Sequence[int | None] = (),
    laws: Mapping[int, Distribution] | None = None,
) -> Counterexample:
    """Return an input at which a claim is false.

    `seeds[i]` is the argument of `emitted` that weighs result i of `value` (None: 1). `laws` gives
    arguments a distribution of their own.

    Errors: NotRefuted where both sides agree, or cannot be compared.
    """
    try:
        search = _Search(emitted, value, tuple(seeds), question, evaluate, laws or {})
        return search.run()
    except Unevaluated as problem:
        raise NotRefuted(str(problem)) from None
    except GradwrightError as problem:
        raise NotRefuted(f"the text has no form over f64 ({problem.found})") from None


@dataclass(frozen=True, slots=True)
class _Search:
    """The search for a counterexample to one claim."""

    emitted: Function
    value: Function
    seeds: tuple[int | None, ...]
    question: Question
    evaluate: Evaluator
    laws: Mapping[int, Distribution]

    def run(self) -> Counterexample:
        self.evaluate.require_time()  # before inputs are drawn, which for a large net takes seconds
        texts = texts_of(self.emitted, self.value, self.seeds)
        first, second = self._two_points(texts)
        index = self.question.locate(first)
        found = self.question.at(first, index)
        if not (found.is_far and self._is_seen(first, found)):
            raise NotRefuted("both sides differ, but at no single element by more than the error")
        ratio = self._ratio((first, second), index)
        return self._confirmed(texts, first, index, ratio)

    def _two_points(self, texts: Texts) -> list[Point]:
        """Return two points at which the sides are far apart, if need be close to each other."""
        apart: list[Point] = []
        agreeing = 0
        for seed in range(TRIALS):
            point = self._point(texts, seed, LAWS[seed % len(LAWS)])
            found = self.question.screen(point)
            if found.is_far and self._is_seen(point, found) and self._is_claimed(point):
                apart.append(point)
            agreeing += found.agrees
            if len(apart) == 2:
                return apart
            if agreeing == AGREEING:
                break
        if apart:
            return [*apart, self._neighbour(texts, apart[0])]
        if agreeing:
            raise NotRefuted("both sides agree at every random input that was tried")
        raise NotRefuted("no random inputs were found at which the sides can be compared")

    def _is_seen(self, point: Point, found: Difference) -> bool:
        """Whether a difference is larger than what was lost on the way to both sides."""
        if abs(found.gap) > SMALL:
            return True
        emitted, value = point.largest()
        return abs(found.gap) > FAR * (ROUNDING * emitted + self.question.lost * value)

    def _is_claimed(self, point: Point) -> bool:
        """Whether the claim is about an input: a difference elsewhere is none."""
        both = (Supposed.of(each) for each in (self.emitted, self.value))
        return all(each is None or each.holds(point.inputs, self.evaluate) for each in both)

    def _neighbour(self, texts: Texts, point: Point) -> Point:
        """Return a point near another one, where the sides are far apart too."""
        near = Point(texts, self.evaluate, point.seed, point.law, self.laws, nudge=NUDGE)
        found = self.question.screen(near)
        if not (found.is_far and self._is_seen(near, found) and self._is_claimed(near)):
            raise NotRefuted("both sides differ at a single input and at none beside it")
        return near

    def _point(self, texts: Texts, seed: int, law: Distribution) -> Point:
        return Point(texts, self.evaluate, seed, law, self.laws)

    def _confirmed(
        self, texts: Texts, first: Point, index: Index, ratio: str | None
    ) -> Counterexample:
        """Evaluate again: at the same input drawn anew, and with the inexact literals moved.

        They are moved in several ways where their rounding may be as large as the difference, for
        one way may by chance move them little. Last, all that is computed on the way is moved.
        """
        again = self.question.at(self._point(texts, first.seed, first.law), index)
        explained = not again.is_far
        for jitter in range(1, 1 + (JITTERS if again.is_beside_larger else 1)):
            moved = texts_of(self.emitted, self.value, self.seeds, jitter)
            other = self.question.at(self._point(moved, first.seed, first.law), index)
            explained |= FAR * abs(other.gap - again.gap) > abs(again.gap)
        if explained:
            raise NotRefuted("both sides differ by no more than the rounding of literals explains")
        whole = self.emitted, self.value
        if not self._outlasts_rounding(again, whole, first, index) and not self._is_decided(
            first, index
        ):
            raise NotRefuted("both sides differ by no more than rounding on the way explains")
        return Counterexample(
            first.seed,
            inputs_of(self.emitted.body.arguments, first.inputs, first.law, self.laws),
            index,
            again.emitted,
            again.wanted,
            again.error,
            ratio,
        )

    def _outlasts_rounding(
        self, found: Difference, sides: tuple[Function, Function], first: Point, index: Index
    ) -> bool:
        """Return whether a difference stays where all that is computed on the way is moved."""
        rough = texts_of(*sides, self.seeds, roughness=1)
        other = self.question.at(self._point(rough, first.seed, first.law), index)
        return FAR * abs(other.gap - found.gap) <= abs(found.gap)

    def _is_decided(self, first: Point, index: Index) -> bool:
        """Return whether it stays where rounding flips no comparison that is known exactly."""
        count = len(self.value.body.arguments)
        sides = decided(self.emitted, first.inputs), decided(self.value, first.inputs[:count])
        texts = texts_of(*sides, self.seeds)
        found = self.question.at(self._point(texts, first.seed, first.law), index)
        return found.is_far and self._outlasts_rounding(found, sides, first, index)

    def _ratio(self, points: Sequence[Point], index: Index) -> str | None:
        """Return emitted / wanted where it is one number at several elements of two inputs."""
        shape = points[0].returned[self.question.k].shape
        ratios: list[float] = []
        for point in points:
            for place in {index, *_places(shape, point.seed)}:
                found = self.question.at(point, place)
                if abs(found.wanted) > FAR * found.error / RATIO_ACCURACY:
                    ratios.append(found.emitted / found.wanted)
                elif abs(found.emitted) > FAR * found.error:
                    return None
        if len(ratios) < 2 or max(ratios) - min(ratios) > 2 * RATIO_ACCURACY * abs(ratios[0]):
            return None
        return _written(float(np.mean(ratios)))


def _weights(generator: np.random.Generator, count: int) -> np.ndarray:
    """Return numbers of both signs, uniform in size on [0.5, 1.5]: of equal ones many cancel."""
    return generator.choice((-1.0, 1.0), count) * generator.uniform(0.5, 1.5, count)


def _places(shape: tuple[int, ...], seed: int) -> list[Index]:
    size = int(np.prod(shape))
    flat = np.random.default_rng(seed).choice(size, min(size, RATIO_PLACES), replace=False)
    return [tuple(int(i) for i in np.unravel_index(int(place), shape)) for place in flat.tolist()]


def _written(ratio: float) -> str:
    """Return a ratio as a fraction where one with a small denominator is meant."""
    fraction = Fraction(ratio).limit_denominator(RATIO_LIMIT)
    small = fraction.denominator * max(abs(fraction.numerator), 1) < RATIO_LIMIT
    if small and abs(float(fraction) - ratio) <= RATIO_ACCURACY * abs(ratio):
        return str(fraction)
    return f"{ratio:.7g}"
