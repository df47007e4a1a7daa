"""The operands that hypotheses are about, and how far inside their domains they are."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gradwright.certify.refute_integers import computed_indices
from gradwright.certify.scope import place
from gradwright.hlo import Function, Operation, Value
from gradwright.hlo.writing import without_dead_code

Distance = Callable[[np.ndarray], np.ndarray]
"""How far numbers are inside a domain; negative, 0 or NaN outside."""


def _finite(x: np.ndarray) -> np.ndarray:
    return np.where(np.isfinite(x), np.inf, -np.inf)


def _inside(last: Sequence[int]) -> Distance:
    """Return the distance of indices, which lie from 0 to a last one."""
    return lambda x: np.where((x >= 0) & (x <= np.array(last)), np.inf, -1.0)


def _itself(x: np.ndarray) -> np.ndarray:
    return x


_OPERANDS: dict[str, tuple[int, Distance]] = {
    **dict.fromkeys(("stablehlo.divide", "stablehlo.remainder"), (1, np.abs)),
    **dict.fromkeys(("stablehlo.log", "stablehlo.sqrt", "stablehlo.rsqrt"), (0, _itself)),
    "stablehlo.log_plus_one": (0, lambda x: x + 1),
    **dict.fromkeys(
        ("chlo.acos", "chlo.asin", "chlo.atanh", "chlo.erf_inv"), (0, lambda x: 1 - np.abs(x))
    ),
    "chlo.acosh": (0, lambda x: x - 1),
}
"""The operand that a hypothesis is about; of any other operation the result has to be finite."""


def indexing(functions: Sequence[Function]) -> list[Operation]:
    """Return the operations that read or write at computed indices."""
    walked = (each for function in functions for each in function.body.walk())
    return [each for each in walked if any(computed_indices(each))]


def in_regions(functions: Sequence[Function], doubtful: Sequence[Operation]) -> bool:
    """Return whether some of the operations stand in a region, as the body of a loop."""
    outside = {id(each) for function in functions for each in function.body.operations}
    return any(id(each) not in outside for each in doubtful)


@dataclass(frozen=True, slots=True)
class Read:
    """A value, where it is read, and how far it is inside its domain."""

    where: str
    value: Value
    distance: Distance


@dataclass(frozen=True, slots=True)
class Observed:
    """A function that computes what hypotheses are about."""

    function: Function
    reads: tuple["Read", ...]
    """Where each result is read."""

    @staticmethod
    def of(function: Function, doubtful: Sequence[Operation]) -> "Observed":
        """Return what operations of a function suppose, but for those in regions."""
        body, known = function.body, {id(each) for each in doubtful}
        here = [each for each in body.operations if id(each) in known]
        reads = [found for each in here for found in _read(each)]
        results = tuple(each.value for each in reads)
        computed = Function(function.name, without_dead_code(replace(body, results=results)))
        return Observed(computed, tuple(reads))

    @property
    def work(self) -> int:
        """About how many numbers are computed."""
        return sum(map(_work, self.function.body.operations))


def _read(operation: Operation) -> Iterator[Read]:
    """Yield what is looked at of an operation.

    Where it has indices its results are too: what they may be is found by the operation itself.
    """
    where = place(operation)
    for value, last in computed_indices(operation):
        yield Read(where, value, _inside(last))
    if operation.opcode in _OPERANDS:
        i, distance = _OPERANDS[operation.opcode]
        yield Read(where, operation.operands[i], distance)
    else:
        yield from (Read(where, value, _finite) for value in operation.results)


def _work(operation: Operation) -> int:
    """Return about how many numbers are computed: of a contraction no fewer than its products."""
    size = sum(value.type.size for value in operation.results)
    if operation.opcode in ("stablehlo.dot_general", "stablehlo.convolution"):
        return size * operation.operands[1].type.size
    return size
