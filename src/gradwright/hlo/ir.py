"""The intermediate representation: values, operations, blocks, functions, modules.

Everything is immutable. A value is itself (compared by identity); whether two functions are the
same up to names is `same_function`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from gradwright.hlo.attributes import Attributes
from gradwright.hlo.types import Shape, TensorType

Number = int | float


class Arithmetic(Protocol):
    """What a value needs from its builder so that formulas can be written with operators."""

    def add(self, lhs: "Value", rhs: "Value") -> "Value":
        """Return lhs + rhs."""
        ...

    def subtract(self, lhs: "Value", rhs: "Value") -> "Value":
        """Return lhs - rhs."""
        ...

    def multiply(self, lhs: "Value", rhs: "Value") -> "Value":
        """Return lhs * rhs."""
        ...

    def divide(self, lhs: "Value", rhs: "Value") -> "Value":
        """Return lhs / rhs."""
        ...

    def negate(self, operand: "Value") -> "Value":
        """Return -operand."""
        ...

    def splat_like(self, number: Number, like: "Value") -> "Value":
        """Return the constant `number` at the type of `like`."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """One SSA value: an argument or a result.

    While a builder is open, `+ - * /` with another value of the same type or with a Python number
    append the elementwise operation.
    """

    type: TensorType
    name: str
    owner: Arithmetic | None = field(default=None, repr=False)

    @property
    def shape(self) -> Shape:
        """Extents, outermost first."""
        return self.type.shape

    def _pair(self, other: "Value | Number") -> tuple[Arithmetic, "Value"]:
        if self.owner is None:
            raise TypeError(f"%{self.name} belongs to a finished function: nothing can be appended")
        if isinstance(other, Value):
            return self.owner, other
        return self.owner, self.owner.splat_like(other, self)

    def __add__(self, other: "Value | Number") -> "Value":
        """Append self + other."""
        owner, rhs = self._pair(other)
        return owner.add(self, rhs)

    def __radd__(self, other: Number) -> "Value":
        """Append other + self."""
        owner, lhs = self._pair(other)
        return owner.add(lhs, self)

    def __sub__(self, other: "Value | Number") -> "Value":
        """Append self - other."""
        owner, rhs = self._pair(other)
        return owner.subtract(self, rhs)

    def __rsub__(self, other: Number) -> "Value":
        """Append other - self."""
        owner, lhs = self._pair(other)
        return owner.subtract(lhs, self)

    def __mul__(self, other: "Value | Number") -> "Value":
        """Append self * other."""
        owner, rhs = self._pair(other)
        return owner.multiply(self, rhs)

    def __rmul__(self, other: Number) -> "Value":
        """Append other * self."""
        owner, lhs = self._pair(other)
        return owner.multiply(lhs, self)

    def __truediv__(self, other: "Value | Number") -> "Value":
        """Append self / other."""
        owner, rhs = self._pair(other)
        return owner.divide(self, rhs)

    def __rtruediv__(self, other: Number) -> "Value":
        """Append other / self."""
        owner, lhs = self._pair(other)
        return owner.divide(lhs, self)

    def __neg__(self) -> "Value":
        """Append -self."""
        owner, _ = self._pair(self)
        return owner.negate(self)


@dataclass(frozen=True, slots=True, eq=False)
class Operation:
    """One operation: `results = opcode(operands) {attributes} (regions)`.

    `opcode` carries its dialect ("stablehlo.add", "chlo.erf", "func.call"). `section` is the layer
    and direction it was written for; `line` is its line in the text it was read from (0: none).
    """

    opcode: str
    operands: tuple[Value, ...]
    results: tuple[Value, ...]
    attributes: Attributes = None
    regions: tuple["Block", ...] = ()
    section: str = ""
    line: int = 0

    @property
    def reads(self) -> tuple[Value, ...]:
        """What the results depend on: the operands, and what regions read from outside."""
        return (*self.operands, *(v for region in self.regions for v in region.captured))


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Arguments, operations in order, and the values that its terminator returns."""

    arguments: tuple[Value, ...]
    operations: tuple[Operation, ...]
    results: tuple[Value, ...]

    def walk(self) -> Iterator[Operation]:
        """Yield every operation, nested ones before the operation that holds them."""
        for operation in self.operations:
            for region in operation.regions:
                yield from region.walk()
            yield operation

    @property
    def captured(self) -> tuple[Value, ...]:
        """Values that the block reads and does not define, each once."""
        own = {id(v) for v in self.arguments}
        own.update(id(v) for operation in self.operations for v in operation.results)
        used = (v for operation in self.operations for v in operation.reads)
        return tuple({id(v): v for v in (*used, *self.results) if id(v) not in own}.values())


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """A named block; `aliases` pairs (argument, result) that may share a buffer."""

    name: str
    body: Block
    aliases: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Module:
    """Functions under one name; `main` is the entry point."""

    name: str
    functions: tuple[Function, ...]
    replicas: int = 1

    @property
    def main(self) -> Function:
        """The function that a runtime calls: `main`, or the first."""
        named = [function for function in self.functions if function.name == "main"]
        return (named or list(self.functions))[0]


def same_module(left: Module, right: Module) -> bool:
    """Return whether two modules are equal up to the names of values."""
    return (
        left.name == right.name
        and left.replicas == right.replicas
        and len(left.functions) == len(right.functions)
        and all(map(same_function, left.functions, right.functions))
    )


def same_function(left: Function, right: Function) -> bool:
    """Return whether two functions are equal up to the names of values."""
    same_head = left.name == right.name and left.aliases == right.aliases
    return same_head and _same_block(left.body, right.body, {})


def _same_block(left: Block, right: Block, partner: dict[int, Value]) -> bool:
    if not _bind(left.arguments, right.arguments, partner):
        return False
    if len(left.operations) != len(right.operations):
        return False
    for mine, theirs in zip(left.operations, right.operations, strict=True):
        if not _same_operation(mine, theirs, partner):
            return False
    return _refer(left.results, right.results, partner)


def _same_operation(left: Operation, right: Operation, partner: dict[int, Value]) -> bool:
    return (
        left.opcode == right.opcode
        and left.attributes == right.attributes
        and len(left.regions) == len(right.regions)
        and _refer(left.operands, right.operands, partner)
        and all(
            _same_block(a, b, partner) for a, b in zip(left.regions, right.regions, strict=True)
        )
        and _bind(left.results, right.results, partner)
    )


def _bind(left: Sequence[Value], right: Sequence[Value], partner: dict[int, Value]) -> bool:
    if [value.type for value in left] != [value.type for value in right]:
        return False
    partner.update((id(a), b) for a, b in zip(left, right, strict=True))
    return True


def _refer(left: Sequence[Value], right: Sequence[Value], partner: dict[int, Value]) -> bool:
    return len(left) == len(right) and all(
        partner.get(id(a)) is b for a, b in zip(left, right, strict=True)
    )
