"""A probe's gradients by central differences in f64, and what f32 makes of them.

Both evaluate the text that the prover reads: for f64 it is widened, its literals read as decimals.
Differences need its value alone, so that what is compiled is what that value is made of.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gradwright.certify.programs_inner import GRADIENT_PREFIX
from gradwright.certify.refute_points import restricted
from gradwright.certify.witness import widened
from gradwright.hlo import Module, Port, Role, Signature, print_module, read_module
from gradwright.run import Backend, Options, compile

EPSILON = float(np.finfo(np.float64).eps)
STEP = EPSILON ** (1 / 4)
"""Of the coarser difference, 1.2e-4. Two, extrapolated, are off by h^4 = eps and by rounding,
eps / h, which a batch norm over few elements makes larger; a longer step would meet more kinks.

Source: Fornberg 1988, "Generation of Finite Difference Formulas", for the order; see `slope`.
"""
CURVATURE = 100
"""Bound on a sixth of the third derivatives of the probes, at inputs of order 1."""
KINK = CURVATURE * STEP**2
"""By how much differences with steps h and h / 2 disagree only where a kink lies inside: 1.5e-6."""
LITERALS = 4
"""Constants in a row, such as those of gelu, that a text of f32 holds to half a unit each."""
DIFFERENCE_TOLERANCE = LITERALS * float(np.finfo(np.float32).eps) / 2
"""Of an extrapolated difference, beside the largest element of the gradient, at least 1: 2.4e-7.

That is what the literals are off by, in forward and gradient each for itself; eps / h is far below.
"""
TERMS = 1024
"""Summed one after the other at most: what the probes sum over is smaller."""
ROUNDING_TOLERANCE = TERMS * float(np.finfo(np.float32).eps)
"""Of a gradient in f32, beside its largest element, at least 1: 1.2e-4.

Source: Higham 2002, "Accuracy and Stability of Numerical Algorithms", section 4.2: a sum of n terms
is off by less than n eps times the sum of their sizes.
"""
COORDINATES = 8
"""Elements of each gradient that are measured alone (all where there are fewer); one random
direction goes through all of them."""
QUICKLY = Options(xla_flags=(("xla_backend_optimization_level", "0"),))
"""Compiling is most of the time of a probe, and takes half of it so.

What runs once, all of the text, is left to the reference interpreter, which does not compile.
"""
MEASURED = 0.5
"""Least share of the measurements that no kink may disturb."""

Arrays = list[NDArray[np.generic]]


@dataclass(frozen=True, slots=True)
class Measured:
    """How far one gradient is from what was measured of it, beside its largest element.

    `disturbed` of `tried` differences met a kink: those of two step sizes disagree, so that
    neither says anything.
    """

    name: str
    difference: float
    rounding: float
    tried: int
    disturbed: int

    @property
    def is_right(self) -> bool:
        """Whether both errors are within their tolerances, and enough was measured."""
        return (
            self.difference <= DIFFERENCE_TOLERANCE
            and self.rounding <= ROUNDING_TOLERANCE
            and self.tried - self.disturbed >= MEASURED * self.tried
        )


def measure(
    text: str, signature: Signature, *, classes: int, seed: int = 0
) -> tuple[Measured, ...]:
    """Measure every gradient that a probe's text returns, at one input drawn from a seed.

    Integers are drawn below `classes`.
    """
    function = _Function(text, signature)
    inputs = _drawn(signature.inputs, classes, seed)
    wide = print_module(function.module)
    gradients, narrow = function.gradients(wide, inputs), function.gradients(text, inputs)
    generator = np.random.default_rng(seed + 1)
    found: list[Measured] = []
    for name, gradient in gradients.items():
        scale = max(1.0, float(np.abs(gradient).max(initial=0)))
        tried = [
            function.slope(inputs, name, direction, scale) - float(np.sum(gradient * direction))
            for direction in _directions(gradient.shape, generator)
        ]
        clear = [abs(error) / scale for error in tried if np.isfinite(error)]
        found.append(
            Measured(
                name,
                max(clear, default=0.0),
                float(np.abs(narrow[name] - gradient).max(initial=0)) / scale,
                len(tried),
                len(tried) - len(clear),
            )
        )
    return tuple(found)


class _Function:
    """A probe's text in f64, and its value compiled."""

    def __init__(self, text: str, signature: Signature) -> None:
        self.signature = signature
        self.module = widened(read_module(text))
        self.places = {port.name: i for i, port in enumerate(signature.inputs)}
        weights = [i for i, port in enumerate(signature.inputs) if port.role is Role.COTANGENT]
        self.weight = weights[0] if weights else None
        roles = (Role.LOSS, Role.OUTPUT)
        value = next(k for k, port in enumerate(signature.outputs) if port.role in roles)
        self.value = compile(print_module(_returning(self.module, value)), options=QUICKLY)

    def gradients(self, text: str, inputs: Arrays) -> dict[str, NDArray[np.float64]]:
        """Return what a text, this one in f64 or as it is, has for the gradients."""
        ready = compile(text, backend=Backend.INTERPRETER)
        pairs = zip(inputs, ready.signature.inputs, strict=True)
        given = {f"arg{i}": array.astype(port.dtype) for i, (array, port) in enumerate(pairs)}
        return {
            port.name.removeprefix(GRADIENT_PREFIX): result.astype(np.float64)
            for port, result in zip(self.signature.outputs, ready(**given).values(), strict=True)
            if port.role is Role.GRADIENT
        }

    def slope(
        self, inputs: Arrays, name: str, direction: NDArray[np.float64], scale: float
    ) -> float:
        """Return the slope along a direction of one input; NaN where a kink disturbs it.

        Richardson's extrapolation takes the h^2 out of differences with steps h and h / 2.
        """
        coarse, fine = (self._difference(inputs, name, h * direction) / h for h in (STEP, STEP / 2))
        return (4 * fine - coarse) / 3 if abs(coarse - fine) <= KINK * scale else float("nan")

    def _difference(self, inputs: Arrays, name: str, step: NDArray[np.float64]) -> float:
        place = self.places[name]
        values: list[float] = []
        at = inputs[place].astype(np.float64)
        for moved in (at + step, at - step):
            changed: Arrays = [*inputs[:place], moved, *inputs[place + 1 :]]
            given = {f"arg{i}": array for i, array in enumerate(changed)}
            [result] = self.value(**given).values()
            value = result.astype(np.float64)
            weight = 1.0 if self.weight is None else inputs[self.weight].astype(np.float64)
            values.append(float(np.sum(weight * value)))
        return (values[0] - values[1]) / 2


def _returning(module: Module, result: int) -> Module:
    """Return a module that computes one result only."""
    main = restricted(module.main, [module.main.body.results[result]])
    functions = (main if each is module.main else each for each in module.functions)
    return replace(module, functions=tuple(functions))


def _drawn(ports: Sequence[Port], classes: int, seed: int) -> Arrays:
    """Return one array per input, floats in f64 with the values of f32."""
    generator = np.random.default_rng(seed)
    return [
        generator.standard_normal(port.shape).astype(np.float32).astype(np.float64)
        if port.type.element.is_float
        else generator.integers(0, classes, port.shape).astype(port.dtype)
        for port in ports
    ]


def _directions(
    shape: tuple[int, ...], generator: np.random.Generator
) -> list[NDArray[np.float64]]:
    """Return unit directions: one through every element, and some along one element each."""
    through = generator.standard_normal(shape)
    found = [through / np.linalg.norm(through)]
    size = through.size
    for place in generator.permutation(size)[:COORDINATES].tolist():
        alone = np.zeros(size)
        alone[place] = 1.0
        found.append(alone.reshape(shape))
    return found
