"""Random inputs that are tried for all hypotheses of proofs at once."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from gradwright.certify.hypotheses.observing import Observed, Read
from gradwright.certify.refute_points import (
    FAR,
    Arrays,
    Laws,
    NoIntegers,
    Texts,
    texts_of,
    with_integers,
)
from gradwright.certify.verdicts import Distribution
from gradwright.certify.witness import draw
from gradwright.certify.witness_process import Evaluator, Unevaluated
from gradwright.errors import GradwrightError
from gradwright.hlo import TensorType

TRIED = (
    (1, Distribution.POSITIVE),
    (2, Distribution.SMALL),
    (0, Distribution.SIMPLEX),
    (3, Distribution.NEGATIVE),
    (0, Distribution.NORMAL),
)
"""Seeds and laws, in the order in which they mostly meet hypotheses."""
LARGER = (4, 64)
"""Multiples of the best of those that are tried, as where a number has to be above 1."""
MOVES = 60
"""Inputs that are tried beside the best of those, a part of its elements moved."""
MOVED = 1024
"""Elements that are moved at most: of many not all find their way by chance."""
SHARE = 0.25
"""Share of the elements that is moved."""
_BORDER = 1e-3
"""What a number on the border of its domain counts as outside."""
FOUND = "an input that meets the hypotheses was found"
NOT_FOUND = "no input found that meets the hypotheses"
NOT_TRIED = "no input that meets the hypotheses was looked for"


@dataclass(frozen=True, slots=True)
class Met:
    """What is said of the inputs that were tried, and the objection where none meets all."""

    line: str
    objection: str | None = None


def tried(value: Observed, emitted: Observed, evaluate: Evaluator, laws: Laws) -> Met:
    """Try random inputs; from the one at which most numbers are inside, others are reached."""
    try:
        exact, moved = (
            texts_of(emitted.function, value.function, roughness=roughness) for roughness in (0, 1)
        )
    except GradwrightError as error:
        return Met(f"{NOT_TRIED} (the text has no form over f64: {error.found})")
    reads = emitted.reads if value is emitted else (*emitted.reads, *value.reads)
    return _Trial(reads, exact, moved, evaluate, value is emitted, laws).met()


@dataclass(frozen=True, slots=True)
class _Miss:
    """An input at which some numbers are outside of their domains, one of them here."""

    inputs: Arrays
    size: float
    """How far they are outside, all together."""
    where: str


@dataclass(slots=True)
class _Trial:
    reads: Sequence[Read]
    exact: Texts
    moved: Texts
    """The same with every computed number moved by its rounding and more."""
    evaluate: Evaluator
    is_alone: bool
    """Whether there is one function only."""
    laws: Laws
    misses: list[_Miss] = field(default_factory=list[_Miss])
    problem: str = ""
    is_unfit: bool = False
    """Whether the problem is that no integers fit."""

    def met(self) -> Met:
        for seed, law in TRIED:
            if self._meets(draw(self._types(), seed, law, self.laws), seed):
                return Met(f"{FOUND} (seed {seed}, {law.value})")
        if not self.misses:
            found = NOT_FOUND if self.is_unfit else NOT_TRIED
            line = f"{found} ({self.problem})"
            return Met(line, self.problem if self.is_unfit else None)
        best = self._best().inputs
        for times in LARGER:
            larger = self._changed(best, partial(np.multiply, times))
            if not self.problem and self._meets(larger, times):
                return Met(f"{FOUND} ({times} times a random one)")
        generator = np.random.default_rng(0)
        size = sum(each.size for each in self._types())
        for step in range(MOVES):
            if self.problem or size > MOVED:
                break
            if self._meets(self._moved(generator), step):
                return Met(f"{FOUND} (in {step + 1} moves from a random one)")
        count, where = len(self.misses), self._best().where
        return Met(NOT_FOUND, f"none of {count} inputs tried meets the hypotheses: {where}")

    def _best(self) -> _Miss:
        return min(self.misses, key=lambda miss: miss.size)

    def _types(self) -> list[TensorType]:
        return [value.type for value in self.exact.arguments]

    def _moved(self, generator: np.random.Generator) -> Arrays:
        """Return the best input with a part of its floats moved."""

        def moved(x: np.ndarray) -> np.ndarray:
            return x + generator.standard_normal(x.shape) * (generator.random(x.shape) < SHARE)

        return self._changed(self._best().inputs, moved)

    def _changed(self, inputs: Arrays, change: Callable[[np.ndarray], np.ndarray]) -> Arrays:
        """Return inputs with their floats changed, but for those that have a law."""
        return [
            x if i in self.laws or x.dtype.kind != "f" else change(x) for i, x in enumerate(inputs)
        ]

    def _meets(self, inputs: Arrays, seed: int) -> bool:
        """Return whether all numbers are inside at an input; else remember it."""
        try:
            inputs = with_integers(inputs, self.exact, seed, self.evaluate)
            miss = self._missed(inputs)
        except Unevaluated as error:
            self.problem, self.is_unfit = str(error), isinstance(error, NoIntegers)
            return False
        if miss is not None:
            self.misses.append(miss)
        return miss is None

    @np.errstate(all="ignore")
    def _missed(self, inputs: Arrays) -> _Miss | None:
        """Return by how much numbers are outside; those that are near a border for their rounding.

        That shows where they are computed once more, with all numbers on the way moved. What is
        undefined counts as on its border: what makes it so is outside of its own.
        """
        numbers = self._computed(self.exact, inputs)
        distances = [read.distance(x) for read, x in zip(self.reads, numbers, strict=True)]
        if all(bool((d > 0).all()) for d in distances):
            others = self._computed(self.moved, inputs)
            pairs = zip(distances, numbers, others, strict=True)
            distances = [d - FAR * np.abs(1.0 * x - other) for d, x, other in pairs]
        defined = (np.nan_to_num(d, nan=0.0) for d in distances)
        sizes = [float(np.sum(np.where(d > 0, 0, _BORDER - d))) for d in defined]
        if not any(sizes):
            return None
        first = next(read.where for read, size in zip(self.reads, sizes, strict=True) if size)
        return _Miss(inputs, sum(sizes), first)

    def _computed(self, texts: Texts, inputs: Arrays) -> Arrays:
        returned = self.evaluate(texts.emitted, inputs)
        if self.is_alone:
            return returned
        return [*returned, *self.evaluate(texts.value, inputs[: texts.count])]
