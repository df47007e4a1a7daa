"""Negative controls: one changed operation in a pullback is seen by the gradient gate."""

import numpy as np
import pytest

from gradwright.errors import GradwrightError
from gradwright.hlo import evaluate, print_module
from gradwright.layers import (
    PORTABLE,
    TEXTBOOK,
    Activation,
    AvgPool,
    BatchNorm,
    Branches,
    ChannelShuffle,
    ChannelSlice,
    Conv2d,
    Dense,
    DepthwiseConv2d,
    Divisor,
    Explicit,
    Formulation,
    Function,
    Gate,
    GlobalAvgPool,
    LayerNorm,
    LayerScale,
    MaxPool,
    MaxPoolForm,
    Padding,
    Sequential,
    Spread,
    Statistics,
    Upsample,
)
from gradwright.programs import Standard
from gradwright.spec import Flat, Image
from oracles.arithmetic import Patches, max_pool_gradient
from oracles.closeness import DIFFERENCE, magnitude
from oracles.differences import central_difference
from oracles.mutants import Mutant, mutants
from oracles.subject import Arrays, Subject, forms

pytestmark = pytest.mark.interpreter

EACH = Standard(statistics=Statistics.EXAMPLE)
SQUARE = Image(2, 4, 4)
"""Equal extents, so that swapped axes are not given away by a shape."""

SUBJECTS = {
    "dense": Subject([Dense(3)], Flat(3), 3),
    "convolution": Subject([Conv2d(2, 3, 2, Padding.SAME_UPPER)], SQUARE),
    "dilated": Subject([Conv2d(2, 2, 1, Explicit((1, 0), (0, 1)), 2)], Image(2, 3, 3)),
    "grouped": Subject([Conv2d(4, 2, 2, Padding.VALID, groups=2)], Image(4, 4, 4)),
    "depthwise": Subject([DepthwiseConv2d(3, 2, Padding.SYMMETRIC)], SQUARE),
    "average pool": Subject(
        [AvgPool(3, 2, Explicit((1, 1), (0, 2)), Divisor.EXCLUDE_PADDING)], SQUARE
    ),
    "batch norm": Subject([BatchNorm(0.1)], Image(2, 2, 2)),
    "norm of each example": Subject([BatchNorm(0.1)], Image(2, 2, 2), abi=EACH),
    "layer norm": Subject([LayerNorm(0.1)], Image(2, 2, 2)),
    "channels": Subject([ChannelShuffle(2), ChannelSlice(1, 3)], Image(4, 2, 2)),
    "branches": Subject(
        [Branches([LayerScale(0.5), ("two", LayerScale(0.7))]), ChannelSlice(1, 3)],
        Image(2, 2, 2),
    ),
    "spread": Subject([GlobalAvgPool(), Spread(2, 2)], Image(2, 2, 2)),
    "upsampling": Subject([LayerScale(0.5), Upsample(2), LayerScale(0.7)], Image(2, 1, 2)),
    "swish": Subject([Activation(Function.SWISH)], Flat(4)),
    "gate": Subject([Gate(Sequential([GlobalAvgPool(), Dense(2)]))], Image(2, 2, 2)),
}
FORMS = {"textbook": TEXTBOOK, "portable": PORTABLE}
EQUIVALENT: dict[object, tuple[str, ...]] = {
    # With one channel per group, the axes that change places have extent 1. The loop counts by one
    # to where it ends, and nothing reads the count that it returns.
    "depthwise": (
        "%dwconv1.transpose: ",
        "%dwconv1.pictures: region 0: Compare LT -> NE",
        "%dwconv1.pictures: stablehlo.while dropped, operand 0 kept",
    ),
    # What comes back through a mean is the same at every position.
    "spread": (
        "%dy_2: Transpose(permutation=(0, 2, 3, 1)) -> Transpose(permutation=(0, 3, 2, 1))",
        "%dx: Transpose(permutation=(0, 3, 1, 2)) -> Transpose(permutation=(0, 3, 2, 1))",
    ),
    # The last maximum is the forward's output, which a barrier keeps beside the comparisons.
    MaxPoolForm.WINNER: ("%maxpool1.y_2: ",),
    # y is never negative, and y > 0 exactly where x > 0.
    Function.RELU: ("%act1.y: ", "%act1.on: Compare GT -> NE"),
    # The same between 0 and 6; min(max(x, 0), 6) may be written with its bounds in other places.
    Function.RELU6: (
        "%act1.y: ",
        "%act1.compare: Compare GT -> NE",
        "%act1.compare_2: Compare LT -> NE",
    ),
    # clamp(x + 3, 0, 6) is clamp(0, x + 3, 6): the lower bound and the operand are a maximum.
    Function.HARD_SWISH: ("%act1.clamp: operands 0 and 1 swapped",),
}
"""Changes that leave the function as it is, each with its reason."""
FEWEST = 12
"""Well-typed defects that the shortest pullback admits."""


def by_differences(subject: Subject, arrays: Arrays) -> Arrays:
    """Return every coordinate of every gradient by central differences of the forward."""
    return {
        name: np.array(
            [central_difference(subject.forward, arrays, name, i) for i in range(arrays[name].size)]
        ).reshape(arrays[name].shape)
        for name in arrays
        if name != "dy"
    }


def passes(found: Arrays, expected: Arrays) -> bool:
    """The gate: every coordinate within the error of a difference."""
    return all(
        bool(np.all(np.abs(found[name] - gradient) <= DIFFERENCE * magnitude(gradient)))
        for name, gradient in expected.items()
    )


def run(subject: Subject, mutant: Mutant, arrays: Arrays) -> Arrays | None:
    """Return the gradients of a mutant; None where the verifier refuses it."""
    program = subject.vjp_program()
    try:
        results = evaluate(print_module(mutant.module), [arrays[p.name] for p in program.inputs])
    except GradwrightError:
        return None
    return {p.name[2:]: r.astype(np.float64) for p, r in zip(program.outputs, results, strict=True)}


def survivors(subject: Subject, arrays: Arrays, expected: Arrays) -> tuple[int, list[str]]:
    """Return how many mutants ran, and which of them passed the gate."""
    assert passes(subject.gradients(arrays), expected)
    ran, passed = 0, list[str]()
    for mutant in mutants(subject.vjp_program().module):
        found = run(subject, mutant, arrays)
        ran += found is not None
        if found is not None and passes(found, expected):
            passed.append(mutant.label)
    return ran, passed


def unexplained(passed: list[str], subject: object) -> list[str]:
    """Return the survivors that are no other way to write the same function."""
    return [label for label in passed if not label.startswith(EQUIVALENT.get(subject, ("-",)))]


@pytest.mark.parametrize("form", ["textbook", pytest.param("portable", marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", SUBJECTS)
def test_defects_of_a_pullback_are_seen(name: str, form: str) -> None:
    subject = SUBJECTS[name].under(FORMS[form])
    arrays = subject.draw()
    ran, passed = survivors(subject, arrays, by_differences(subject, arrays))
    assert ran >= FEWEST
    assert unexplained(passed, name) == []


@pytest.mark.parametrize("form", forms("max_pool"), ids=["scatter", "winner"])
def test_defects_of_a_max_pool_are_seen(form: Formulation) -> None:
    """Ties in every pattern: pictures of zeros, ones and twos."""
    subject = Subject([MaxPool(2, 1)], Image(1, 6, 6), 4, form)
    arrays = subject.draw()
    arrays["x"] = np.random.default_rng(5).integers(0, 3, arrays["x"].shape).astype(np.float64)
    patches = Patches((6, 6), (2, 2), (1, 1), (1, 1), ((0, 0), (0, 0)))
    gradient = max_pool_gradient(patches, arrays["x"], arrays["dy"])
    ran, passed = survivors(subject, arrays, {"x": gradient})
    assert ran >= FEWEST
    assert unexplained(passed, form.max_pool) == []


KINKED: dict[Function, list[float]] = {
    Function.RELU: [-1, 0, 2],
    Function.RELU6: [-1, 0, 2, 6, 7],
    Function.HARD_SIGMOID: [-4, -3, -2.5, 0.5, 3, 4],
    Function.HARD_SWISH: [-4, -3, -2.5, 0.5, 3, 4],
}
SLOPES: dict[Function, list[float]] = {
    Function.RELU: [0, 0, 1],
    Function.RELU6: [0, 0, 1, 0, 0],
    Function.HARD_SIGMOID: [0, 0, 1 / 6, 1 / 6, 0, 0],
    Function.HARD_SWISH: [0, 0, -2 / 6, 4 / 6, 1, 1],
}


@pytest.mark.parametrize("function", KINKED)
def test_defects_at_kinks_are_seen(function: Function) -> None:
    """bugs E1, E2: among them GT for GE, which only a point at the kink tells apart."""
    points = np.array([KINKED[function]], dtype=np.float64)
    subject = Subject([Activation(function)], Flat(points.size), 1)
    arrays = {"x": points, "dy": subject.draw()["dy"]}
    expected = np.array([SLOPES[function]]) * arrays["dy"]
    ran, passed = survivors(subject, arrays, {"x": expected})
    assert ran >= FEWEST
    assert unexplained(passed, function) == []
