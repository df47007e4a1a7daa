"""Integers to draw for a counterexample: those that a text tells apart, and that it may be given.

An index out of range is outside of what is claimed, so that every draw is tried on the operations
that take computed indices. Which numbers are offered decides what is found, never what is true.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from gradwright.hlo import Block, ElementType, Function, Operation, TensorType, Value
from gradwright.hlo import attributes as attr
from gradwright.hlo.writing import without_dead_code

Numbers = frozenset[int]
TRUTHS: Numbers = frozenset((0, 1))
"""What is offered for an argument that a text compares with nothing."""
_MOVES = frozenset(
    f"stablehlo.{name}"
    for name in ("reshape", "broadcast_in_dim", "convert", "transpose", "slice", "concatenate")
)
_LONE = ((0,), (1,), (2,), (3,), (4,), (-1,))
"""Single numbers that are offered last for all arguments."""
_MOST = 4096
"""Numbers offered for one argument."""


@dataclass(frozen=True, slots=True)
class Integers:
    """Numbers for each argument of integers, the widest offer first, and the test of a draw."""

    offers: tuple[Mapping[int, Numbers], ...] = ()
    starts: tuple[Function, ...] = ()
    """Functions of the same arguments, or of the first of them, that return computed indices."""
    limits: tuple[tuple[tuple[int, ...], ...], ...] = ()
    """For each of their results the last number that each of its parts may be."""

    def drawn(self, offer: int, types: Sequence[TensorType], seed: int) -> dict[int, np.ndarray]:
        """Return arguments drawn evenly from the numbers of one offer."""
        generator = np.random.default_rng(seed + 5000)
        return {
            i: generator.choice(np.array(sorted(numbers)), types[i].shape).astype(
                types[i].element.dtype
            )
            for i, numbers in self.offers[offer].items()
        }


def integers_of(*functions: Function) -> Integers:
    """Return what to draw for the arguments that are integers, of functions that share them."""
    arguments = max((function.body.arguments for function in functions), key=len)
    kinds = {i: value.type.element for i, value in enumerate(arguments)}
    places = [i for i, e in kinds.items() if not e.is_float and e is not ElementType.I1]
    if not places:
        return Integers()
    readings = [_Reading.of(function) for function in functions]
    compared, indexed = (
        {i: TRUTHS.union(*(each.get(i, TRUTHS) for each in found)) for i in places}
        for found in ([r.compared for r in readings], [r.indexed for r in readings])
    )
    only_indexed = {
        i: Numbers().union(*(r.indexed.get(i, Numbers()) for r in readings)) or TRUTHS
        for i in places
    }
    both = {i: compared[i] | indexed[i] for i in places}
    narrow = [dict.fromkeys(places, numbers) for numbers in (TRUTHS, *map(Numbers, _LONE))]
    starts = tuple(
        Function("starts", without_dead_code(Block(f.body.arguments, f.body.operations, found)))
        for f, r in zip(functions, readings, strict=True)
        for found in [tuple(value for value, _ in r.starts)]
    )
    limits = tuple(tuple(last for _, last in r.starts) for r in readings)
    return Integers((both, only_indexed, *narrow), starts, limits)


def are_inside(starts: Sequence[np.ndarray], limits: Sequence[tuple[int, ...]]) -> bool:
    """Return whether computed indices are in range."""
    return all(
        bool(np.all(array >= 0) and np.all(array <= np.array(last)))
        for array, last in zip(starts, limits, strict=True)
    )


@dataclass(slots=True)
class _Reading:
    """What a text does with its integers: `origins` are (argument, number added) of each value."""

    origins: dict[int, set[tuple[int, int]]] = field(
        default_factory=dict[int, set[tuple[int, int]]]
    )
    fixed: dict[int, int] = field(default_factory=dict[int, int])
    counted: dict[int, int] = field(default_factory=dict[int, int])
    compared: dict[int, Numbers] = field(default_factory=dict[int, Numbers])
    indexed: dict[int, Numbers] = field(default_factory=dict[int, Numbers])
    starts: list[tuple[Value, tuple[int, ...]]] = field(
        default_factory=list[tuple[Value, tuple[int, ...]]]
    )

    @staticmethod
    def of(function: Function) -> "_Reading":
        reading = _Reading()
        for i, value in enumerate(function.body.arguments):
            if not value.type.element.is_float:
                reading.origins[id(value)] = {(i, 0)}
        for operation in function.body.operations:
            reading.take(operation)
        return reading

    def take(self, operation: Operation) -> None:
        """Follow an operation."""
        a, opcode = operation.attributes, operation.opcode
        if isinstance(a, attr.Constant) and a.splat:
            number = float(a.array.reshape(-1)[0])
            if number == int(number if np.isfinite(number) else 0):
                self.fixed[id(operation.results[0])] = int(number)
        elif isinstance(a, attr.Iota):
            self.counted[id(operation.results[0])] = operation.results[0].shape[a.dimension]
        elif opcode in ("stablehlo.add", "stablehlo.subtract"):
            self._shift(operation, 1 if opcode == "stablehlo.add" else -1)
        elif opcode == "stablehlo.select":
            self._pass(operation, operation.operands[1:])
        elif opcode in _MOVES:
            self._pass(operation, operation.operands)
        elif opcode == "stablehlo.compare":
            self._compare(operation.operands)
        else:
            for start, last in computed_indices(operation):
                self.starts.append((start, last))
                self._offer(self.indexed, start, range(min(last, default=0) + 1))

    def _pass(self, operation: Operation, operands: Sequence[Value]) -> None:
        result = id(operation.results[0])
        self.origins[result] = set().union(*(self.origins.get(id(v), set()) for v in operands))
        for known in (self.fixed, self.counted):
            if len(operands) == 1 and id(operands[0]) in known:
                known[result] = known[id(operands[0])]

    def _shift(self, operation: Operation, sign: int) -> None:
        left, right = map(id, operation.operands)
        if right in self.fixed:
            by = sign * self.fixed[right]
            moved = {(i, shift + by) for i, shift in self.origins.get(left, ())}
            self.origins[id(operation.results[0])] = moved

    def _compare(self, operands: Sequence[Value]) -> None:
        for value, other in (operands, operands[::-1]):
            if id(other) in self.fixed:
                self._offer(self.compared, value, (self.fixed[id(other)],))
            if id(other) in self.counted:
                self._offer(self.compared, value, range(self.counted[id(other)]))

    def _offer(self, offers: dict[int, Numbers], value: Value, numbers: Sequence[int]) -> None:
        for i, shift in self.origins.get(id(value), ()):
            more = {number - shift for number in numbers[:_MOST]}
            offers[i] = offers.get(i, Numbers()) | more


def computed_indices(operation: Operation) -> Iterator[tuple[Value, tuple[int, ...]]]:
    """Yield the computed indices of an operation, with the last number of each of their parts."""
    a, operands = operation.attributes, operation.operands
    if isinstance(a, attr.Gather):
        sizes = a.slice_sizes
        last = [operands[0].shape[d] - sizes[d] for d in a.start_index_map]
        yield operands[1], _along(operands[1], last, a.index_vector_dim)
    elif isinstance(a, attr.Scatter) and len(operands) == 3:
        window = iter(a.update_window_dims)
        hidden = {*a.inserted_window_dims, *a.input_batching_dims}
        rank = len(operands[0].shape)
        sizes = {d: 1 if d in hidden else operands[2].shape[next(window)] for d in range(rank)}
        last = [operands[0].shape[d] - sizes[d] for d in a.scatter_dims_to_operand_dims]
        yield operands[1], _along(operands[1], last, a.index_vector_dim)
    elif operation.opcode in ("stablehlo.dynamic_slice", "stablehlo.dynamic_update_slice"):
        update = operation.opcode.endswith("update_slice")
        block = operands[1] if update else operation.results[0]
        for d, start in enumerate(operands[2 if update else 1 :]):
            yield start, (operands[0].shape[d] - block.shape[d],)


def _along(indices: Value, last: Sequence[int], vector: int) -> tuple[int, ...]:
    """Return limits that fit the indices where their parts lie along the last dimension."""
    parts_last = vector == len(indices.shape) - 1
    return tuple(last) if parts_last else (min(last, default=0),)
