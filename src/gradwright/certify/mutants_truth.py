"""What other checks say of a mutant: f64 evaluation (the truth), and the usual numerical ones."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from gradwright.certify.refute_points import texts_of, with_integers
from gradwright.certify.texts_gradient import Subject
from gradwright.certify.verdicts import Counterexample, Distribution
from gradwright.certify.witness import draw
from gradwright.certify.witness_process import Evaluator
from gradwright.hlo import Function, Module, print_module

Arrays = Sequence[np.ndarray]

POINTS = (
    (101, Distribution.NORMAL),
    (102, Distribution.NORMAL),
    (103, Distribution.POSITIVE),
    (104, Distribution.SMALL),
)
"""Seeds and distributions at which the truth is looked for, none of them the certifier's."""
SAME = 1e-9
"""Relative difference in f64 up to which two results are the same."""
ROUNDED = 1e-3
"""Size, beside the largest result, below which a result counts as 0."""

PROBES = 3
STEP = 1e-2
RELATIVE, ABSOLUTE = 2e-2, 2e-3
"""Finite differences in f32: elements per argument, step, tolerances."""

DIRECTION_STEP = 1e-4
DIRECTION_TOLERANCE = 2e-3
"""Defaults of `jax.test_util.check_grads` for f32 (JAX 0.10): one direction of all arguments."""


class Truth:
    """Whether a changed function returns something else, by evaluation in f64."""

    def __init__(self, original: Function, evaluate: Evaluator) -> None:
        self.evaluate = evaluate
        types = [value.type for value in original.body.arguments]
        self.types = types
        self.texts = texts_of(original, original)
        self.points: list[tuple[Arrays, Arrays]] = []
        for seed, law in POINTS:
            self._add(draw(types, seed, law), seed)

    def _add(self, drawn: Sequence[np.ndarray], seed: int) -> None:
        inputs = with_integers(drawn, self.texts, seed, self.evaluate)
        returned = self.evaluate(self.texts.emitted, inputs)
        if all(np.isfinite(array).all() for array in returned):
            self.points.append((inputs, returned))

    def differs(self, changed: Function) -> bool:
        """Return whether some result differs at some point at which the original is finite."""
        return self._differs(changed, self.points)

    def differs_at(self, changed: Function, examples: Iterable[Counterexample]) -> bool:
        """Return whether it differs at the input of a counterexample, a point from now on.

        Few inputs may show a rare difference, such as one of values beyond a bound.
        """
        before = len(self.points)
        for example in examples:
            laws = {i: each.distribution for i, each in enumerate(example.inputs)}
            self._add(draw(self.types, example.seed, laws[0], laws), example.seed)
        return self._differs(changed, self.points[before:])

    def _differs(self, changed: Function, points: Sequence[tuple[Arrays, Arrays]]) -> bool:
        text = texts_of(changed, changed).emitted
        return any(_differ(wanted, self.evaluate(text, inputs)) for inputs, wanted in points)


def _differ(wanted: Arrays, found: Arrays) -> bool:
    """Return whether some result differs; one that is 0 but for rounding by more than rounding."""
    floor = ROUNDED * max(_size(array) for array in wanted)
    return any(
        not np.isfinite(b).all() or _size(np.subtract(a, b, dtype=np.float64)) > SAME * scale
        for a, b in zip(wanted, found, strict=True)
        for scale in [max(_size(a), floor)]
    )


def _size(array: np.ndarray) -> float:
    return float(np.max(np.abs(np.asarray(array, np.float64)), initial=0.0))


@dataclass(frozen=True, slots=True)
class _Probe:
    argument: int
    result: int
    place: tuple[int, ...]
    slope: float


class FiniteDifferences:
    """The checks that a test suite usually has, made once of the forward function.

    Elements: central differences in f32 of a few elements per argument. Direction: one central
    difference along a random direction of all arguments, in f64, at the tolerance for f32.
    Probes at which the original text fails are left out.
    """

    def __init__(self, subject: Subject, evaluate: Evaluator) -> None:
        self.subject = subject
        self.evaluate = evaluate
        types = [value.type for value in subject.emitted.body.arguments]
        self.wide = texts_of(subject.emitted, subject.forward, subject.seeds)
        self.inputs = with_integers(draw(types, 7, Distribution.NORMAL), self.wide, 7, evaluate)
        self.narrow = [
            array.astype(type_.element.dtype)
            for array, type_ in zip(self.inputs, types, strict=True)
        ]
        self.forward = _text(subject.forward)
        self.direction = self._direction()
        self.probes = list(self._probes())
        self.probes = [p for p in self.probes if not self._missed(p, self._narrow(subject.emitted))]

    def elements_differ(self, changed: Function) -> bool:
        """Return whether an element of f32 differs from its finite difference."""
        returned = self._narrow(changed)
        return any(self._missed(probe, returned) for probe in self.probes)

    def direction_differs(self, changed: Function) -> bool:
        """Return whether the projection on one direction differs."""
        returned = self.evaluate(texts_of(changed, changed).emitted, self.inputs)
        found = sum(float(np.sum(returned[k] * self.direction[i])) for i, k in self.subject.pairs)
        up, down = (self._shifted(sign * DIRECTION_STEP) for sign in (1, -1))
        wanted = (up - down) / (2 * DIRECTION_STEP)
        allowed = DIRECTION_TOLERANCE + DIRECTION_TOLERANCE * abs(wanted)
        return not abs(found - wanted) <= allowed

    def _direction(self) -> dict[int, np.ndarray]:
        generator = np.random.default_rng(11)
        return {i: generator.standard_normal(self.inputs[i].shape) for i, _ in self.subject.pairs}

    def _shifted(self, step: float) -> float:
        inputs = list(self.inputs)
        for i, direction in self.direction.items():
            inputs[i] = inputs[i] + step * direction
        results = self.evaluate(self.wide.value, inputs[: self.wide.count])
        return self._weighed(results, inputs)

    def _weighed(self, results: Arrays, inputs: Arrays) -> float:
        pairs = zip(results, self.subject.seeds, strict=True)
        return sum(
            float(np.sum(result if seed is None else result * inputs[seed]))
            for result, seed in pairs
        )

    def _probes(self) -> "list[_Probe]":
        generator = np.random.default_rng(13)
        found: list[_Probe] = []
        for argument, k in self.subject.pairs:
            shape = self.narrow[argument].shape
            for _ in range(min(PROBES, self.narrow[argument].size)):
                place = tuple(int(generator.integers(extent)) for extent in shape)
                found.append(_Probe(argument, k, place, self._slope(argument, place)))
        return found

    def _slope(self, argument: int, place: tuple[int, ...]) -> float:
        values: list[float] = []
        for step in (STEP, -STEP):
            inputs = list(self.narrow)
            inputs[argument] = inputs[argument].copy()
            inputs[argument][place] += step
            results = self.evaluate(self.forward, inputs[: self.wide.count])
            values.append(self._weighed(results, inputs))
        return (values[0] - values[1]) / (2 * STEP)

    def _narrow(self, function: Function) -> Arrays:
        return self.evaluate(_text(function), self.narrow)

    def _missed(self, probe: _Probe, returned: Arrays) -> bool:
        found = float(returned[probe.result][probe.place])
        return not abs(found - probe.slope) <= ABSOLUTE + RELATIVE * abs(probe.slope)


def _text(function: Function) -> str:
    return print_module(Module("witness", (Function("main", function.body),)))
