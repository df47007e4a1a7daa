"""Gradients by definition: central differences of the inner product of dy and the forward."""

import random
from collections.abc import Callable, Iterable, Mapping

import numpy as np

from oracles.closeness import DIFFERENCE, STEP, magnitude
from oracles.subject import Array, Arrays, Subject

COORDINATES = 8
"""Coordinates probed per slot and input (all of them where there are fewer)."""

Forward = Callable[[Mapping[str, Array]], Array]


def central_difference(
    forward: Forward, arrays: Arrays, name: str, index: int, step: float = STEP
) -> float:
    """Return d <dy, forward> / d arrays[name].flat[index]."""
    values: list[float] = []
    for sign in (1, -1):
        moved = arrays[name].copy()
        moved.flat[index] += sign * step
        values.append(float(np.sum(arrays["dy"] * forward({**arrays, name: moved}))))
    return (values[0] - values[1]) / (2 * step)


def extrapolated_difference(
    forward: Forward, arrays: Arrays, name: str, index: int, step: float = STEP
) -> float:
    """Return the central difference without its error of second order.

    Source: Richardson's extrapolation, of one step and twice that. Behind norms of small variances
    third derivatives reach 1e6, and with them that error 1e-5.
    """
    near, far = (
        central_difference(forward, arrays, name, index, width) for width in (step, 2 * step)
    )
    return (4 * near - far) / 3


def assert_gradients(subject: Subject, arrays: Arrays, seed: int = 1) -> None:
    """Check the emitted pullback against differences of the emitted forward, slot by slot."""
    gradients = subject.gradients(arrays)
    for name, gradient in gradients.items():
        assert gradient.shape == arrays[name].shape, name
        for index in coordinates(gradient, seed):
            bound = DIFFERENCE * magnitude(gradient)
            expected = central_difference(subject.forward, arrays, name, index)
            if abs(gradient.flat[index] - expected) > bound:
                expected = extrapolated_difference(subject.forward, arrays, name, index)
            error = abs(gradient.flat[index] - expected)
            assert error <= bound, f"{name}[{index}]: {gradient.flat[index]}, not {expected}"


def coordinates(array: Array, seed: int) -> Iterable[int]:
    """Draw flat indices without repetition."""
    return random.Random(seed).sample(range(array.size), min(COORDINATES, array.size))
