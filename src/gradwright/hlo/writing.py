"""The state of a function under construction: where operations go and what values are called."""

import re
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import cast

import numpy as np

from gradwright.errors import ShapeError
from gradwright.hlo.attributes import Attributes, Constant
from gradwright.hlo.ir import Arithmetic, Block, Function, Number, Operation, Value
from gradwright.hlo.types import ElementType, TensorType

_ILLEGAL = re.compile(r"[^A-Za-z0-9_.$-]")


_NEVER_SHARED = ("stablehlo.optimization_barrier",)
"""Operations written for their place in the text, so that a second one is not the first."""

_Key = tuple[str, tuple[int, ...], TensorType, Attributes]


class Writer:
    """Appends operations to the innermost open block and gives values readable, unique names.

    A name is `scope.hint`, e.g. `%stage2.block1.conv1.dw`; a second one gets `_2`.
    `section` is the comment above the operations of one layer and direction. An operation that
    the open block holds already is not written again: the first result is returned.
    """

    def __init__(self) -> None:
        self._blocks: list[list[Operation]] = [[]]
        self._known: list[dict[_Key, Value]] = [{}]
        self._taken: dict[str, int] = {}
        self._arguments: list[Value] = []
        self._scope = ""
        self._section = ""

    @property
    def _arithmetic(self) -> Arithmetic:
        """Return self as what values need; `Builder`, the only subclass in use, completes it."""
        return cast("Arithmetic", self)

    @property
    def scope_path(self) -> str:
        """Path of the layer that is being written ("" outside every layer)."""
        return self._scope

    @contextmanager
    def scope(self, path: str, section: str) -> Generator[None, None, None]:
        """Write the operations of layer `path` under the comment `section`."""
        outer = self._scope, self._section
        self._scope, self._section = path, section
        try:
            yield
        finally:
            self._scope, self._section = outer

    def argument(self, name: str, type: TensorType) -> Value:
        """Add an argument of the function; its name is taken as it is."""
        value = Value(type, self._unique(name), self._arithmetic)
        self._arguments.append(value)
        return value

    def emit(
        self,
        opcode: str,
        operands: Sequence[Value],
        types: Sequence[TensorType],
        attributes: Attributes = None,
        *,
        hint: str | Sequence[str] = "",
        regions: tuple[Block, ...] = (),
    ) -> tuple[Value, ...]:
        """Append an operation whose result types are already known to be right.

        `hint` names all results, or each.
        """
        base = hint or opcode.rpartition(".")[2]
        names = [base] * len(types) if isinstance(base, str) else base
        results = tuple(map(self._value, types, names))
        self._blocks[-1].append(
            Operation(opcode, tuple(operands), results, attributes, regions, self._section)
        )
        return results

    def emit_one(
        self,
        opcode: str,
        operands: Sequence[Value],
        type: TensorType,
        attributes: Attributes = None,
        *,
        hint: str = "",
        regions: tuple[Block, ...] = (),
    ) -> Value:
        """Append an operation with a single result; the same one is not written twice."""
        if regions or opcode in _NEVER_SHARED:
            return self.emit(opcode, operands, (type,), attributes, hint=hint, regions=regions)[0]
        key = opcode, tuple(map(id, operands)), type, attributes
        value = self._known[-1].get(key)
        if value is None:
            value = self.emit(opcode, operands, (type,), attributes, hint=hint)[0]
            self._known[-1][key] = value
        return value

    def constant(self, array: np.ndarray, *, hint: str = "constant") -> Value:
        """Return a dense constant holding `array`; equal ones of a block are written once."""
        return self._constant(Constant.of(array), hint)

    def splat(self, number: Number, type: TensorType, *, hint: str = "") -> Value:
        """Return the constant whose every element is `number`, rounded to the element type."""
        if not _holds(type.element, number):
            raise self.mismatch("stablehlo.constant", f"a number of {type.element}", str(number))
        # A float beyond the largest one rounds to infinity, which is meant.
        with np.errstate(over="ignore"):
            element = np.full((1,), number, dtype=type.element.dtype)
        return self._constant(Constant.repeated(element, type.shape), hint or _spell(number))

    def splat_like(self, number: Number, like: Value) -> Value:
        """Return the constant `number` at the type of `like`."""
        return self.splat(number, like.type)

    def region(
        self,
        types: Sequence[TensorType],
        write: Callable[..., Sequence[Value]],
        names: Sequence[str] = (),
    ) -> Block:
        """Return the block that `write(*arguments)` fills; its results are the terminator's."""
        labels = names or [f"arg{i}" for i in range(len(types))]
        if len(labels) != len(types):
            raise self.mismatch("region", f"{len(types)} names", str(list(labels)))
        arguments = tuple(map(self._value, types, labels))
        self._blocks.append([])
        self._known.append({})
        try:
            results = tuple(write(*arguments))
        finally:
            self._known.pop()
            operations = self._blocks.pop()
        return Block(arguments, tuple(operations), results)

    def finish(
        self, name: str, results: Sequence[Value], aliases: tuple[tuple[int, int], ...] = ()
    ) -> Function:
        """Close the function, dropping every operation that no result depends on."""
        body = Block(tuple(self._arguments), tuple(self._blocks[0]), tuple(results))
        return Function(name, without_dead_code(body), aliases)

    def mismatch(self, opcode: str, expected: str, found: str) -> ShapeError:
        """Return the error of a constructor whose operands do not fit, to be raised."""
        where = f"{self._scope}: {opcode}" if self._scope else opcode
        return ShapeError(where=where, expected=expected, found=found)

    def _constant(self, constant: Constant, hint: str) -> Value:
        array = constant.array
        type = TensorType(array.shape, ElementType.of(array.dtype))
        with self.scope("", self._section):  # a constant belongs to no layer
            return self.emit_one("stablehlo.constant", (), type, constant, hint=hint)

    def _value(self, type: TensorType, hint: str) -> Value:
        path = f"{self._scope}.{hint}" if self._scope else hint
        return Value(type, self._unique(path), self._arithmetic)

    def _unique(self, path: str) -> str:
        name = _ILLEGAL.sub("_", path)
        if not name or name[0].isdigit():
            name = f"v{name}"
        while (count := self._taken.get(name, 0)) > 0:
            self._taken[name] = count + 1
            name = f"{name}_{count + 1}"
        self._taken[name] = 1
        return name


def without_dead_code(block: Block) -> Block:
    """Return the block, and the blocks in it, without operations that no result depends on."""
    return _pruned(block, {id(value) for value in block.results})


def _pruned(block: Block, live: set[int]) -> Block:
    """Prune backwards; `live` gains what the kept operations and their regions use."""
    kept: list[Operation] = []
    for operation in reversed(block.operations):
        if any(id(result) in live for result in operation.results):
            live.update(id(value) for value in operation.operands)
            kept.append(_with_pruned_regions(operation, live))
    return Block(block.arguments, tuple(reversed(kept)), block.results)


def _with_pruned_regions(operation: Operation, live: set[int]) -> Operation:
    if not operation.regions:
        return operation
    live.update(id(value) for region in operation.regions for value in region.results)
    regions = tuple(_pruned(region, live) for region in operation.regions)
    return replace(operation, regions=regions)


def _holds(element: ElementType, number: Number) -> bool:
    """Return whether a number can be rounded to an element type; integers do not round."""
    if element.is_float:
        return True
    return element.lowest <= number <= element.highest and number == int(number)


def _spell(number: Number) -> str:
    return f"c{number:g}".replace("-", "m").replace("+", "")
