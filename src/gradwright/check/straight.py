"""Texts in a straight line: calls and loops that count integers written out, reductions parted."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from gradwright.check.loops import counting
from gradwright.check.operations import combiner_of, opcode_of
from gradwright.errors import UnsupportedError
from gradwright.hlo import (
    Block,
    Function,
    Module,
    Operation,
    Value,
    with_batch_norms_written,
)
from gradwright.hlo import attributes as attr

DEPTH = 50
"""Calls inside calls."""
OPERATIONS = 20_000
"""Operations that all loops of a text may become; a loop beyond that stays, and means nothing. Also
the calls of a text."""
_REACH = 1 << 31


def straightened(module: Module, differentiated: Sequence[int] | None = ()) -> Function:
    """Return the main function, written out; UnsupportedError for calls without end.

    Loops that count and add stay, but for those that differentiated results (None: all) depend on.
    """
    module = with_batch_norms_written(module)
    functions = {function.name: function.body for function in module.functions}
    body = module.main.body
    count = len(body.results)
    behind = [body.results[k] for k in (range(count) if differentiated is None else differentiated)]
    written_out = {id(each) for each in ancestors(behind, body.operations, frozenset())}
    new: dict[int, Value] = {}
    operations: list[Operation] = []
    writer = _Writer(functions)
    for operation in body.operations:
        writer.keeps_loops = id(operation) not in written_out
        operations += writer.one(operation, new, 0)
    parts = tuple(part for operation in operations for part in _parted(operation))
    return replace(module.main, body=Block(body.arguments, parts, _renamed(body.results, new)))


@dataclass(slots=True)
class _Writer:
    """`integers` are the scalar integers whose value is known."""

    functions: Mapping[str, Block]
    integers: dict[int, int] = field(default_factory=dict[int, int])
    keeps_loops: bool = True
    """Whether loops that count and add stay."""
    looped: int = 0
    calls: int = 0

    def written(self, block: Block, new: dict[int, Value], depth: int) -> list[Operation]:
        """Return the operations of a block in the names `new`, which their results join."""
        return [each for operation in block.operations for each in self.one(operation, new, depth)]

    def one(self, operation: Operation, new: dict[int, Value], depth: int) -> list[Operation]:
        """Return what an operation becomes, in the names `new`, which its results join."""
        operands = _renamed(operation.operands, new)
        inner: tuple[list[Operation], Sequence[Value]] | None = None
        if isinstance(operation.attributes, attr.Call):
            inner = self._called(operation.attributes.callee, operands, depth)
        elif operation.opcode == "stablehlo.while" and not self._stays(operation, operands):
            inner = self._looped(operation, operands, new, depth)
        if inner is not None:
            new.update(_bound(operation.results, inner[1]))
            return inner[0]
        results = tuple(Value(r.type, r.name) for r in operation.results)
        new.update(_bound(operation.results, results))
        regions = tuple(self._in_names(region, new, depth) for region in operation.regions)
        operation = replace(operation, operands=operands, results=results, regions=regions)
        self._learn(operation)
        return [operation]

    def _stays(self, operation: Operation, operands: Sequence[Value]) -> bool:
        """Return whether a loop counts from a known integer and adds, where such ones stay."""
        loop = counting(operation) if self.keeps_loops else None
        return loop is not None and id(operands[loop.counter]) in self.integers

    def _called(
        self, callee: str, operands: Sequence[Value], depth: int
    ) -> tuple[list[Operation], Sequence[Value]]:
        """Return the body of a function at operands, and its results."""
        self.calls += 1
        body = self.functions.get(callee)
        for expected, found, holds in (
            ("functions that end", "calls without end", depth < DEPTH),
            ("a function", callee, body is not None),
            (f"at most {OPERATIONS:,} calls in all", "more", self.calls <= OPERATIONS),
        ):
            if not holds:
                raise UnsupportedError(where="call", expected=expected, found=found)
        assert body is not None  # by the second line
        new = _bound(body.arguments, operands)
        return self.written(body, new, depth + 1), _renamed(body.results, new)

    def _looped(
        self, operation: Operation, carried: Sequence[Value], new: dict[int, Value], depth: int
    ) -> tuple[list[Operation], Sequence[Value]] | None:
        """Return the bodies of a loop, one after the other; None where its trips are not known."""
        condition, body = operation.regions
        operations: list[Operation] = []
        before = self.looped
        while self.looped < OPERATIONS:
            inner = {**new, **_bound(condition.arguments, carried)}
            self.written(condition, inner, depth)
            goes_on = self.integers.get(id(_renamed(condition.results, inner)[0]))
            if goes_on is None:
                break
            if not goes_on:
                return operations, carried
            inner = {**new, **_bound(body.arguments, carried)}
            operations += self.written(body, inner, depth)
            carried = _renamed(body.results, inner)
            self.looped += len(body.operations) + 1
        self.looped = before
        return None

    def _in_names(self, block: Block, new: Mapping[int, Value], depth: int) -> Block:
        """Return a region that reads outer values under their new names."""
        inner = dict(new)
        operations = tuple(self.written(block, inner, depth))
        return Block(block.arguments, operations, _renamed(block.results, inner))

    def _learn(self, operation: Operation) -> None:
        """Remember the result of an operation on known integers, as long as nothing overflows."""
        for made in operation.results:
            self.integers.pop(id(made), None)  # of a value that is gone, under the same id
        result = operation.results[0] if len(operation.results) == 1 else None
        if result is None or result.type.rank or result.type.element.is_float:
            return
        if isinstance(operation.attributes, attr.Constant):
            self.integers[id(result)] = int(operation.attributes.array.reshape(-1)[0])
            return
        x = [self.integers.get(id(v)) for v in operation.operands]
        known = [n for n in x if n is not None]
        if len(known) != len(x) or not x:
            return
        value = _value(operation, known)
        if value is not None and abs(value) < _REACH:
            self.integers[id(result)] = value


def _value(operation: Operation, x: Sequence[int]) -> int | None:
    opcode, attributes = operation.opcode.removeprefix("stablehlo."), operation.attributes
    element = operation.results[0].type.element
    if element.value not in ("i32", "i64", "i1"):
        return None
    match opcode:
        case "add" | "subtract" if element.is_integer:
            return x[0] + (x[1] if opcode == "add" else -x[1])
        case "multiply":
            return x[0] * x[1]
        case "compare" if isinstance(attributes, attr.Compare):
            a, b = x
            answers = {"LT": a < b, "LE": a <= b, "GT": a > b, "GE": a >= b, "EQ": a == b}
            return int({**answers, "NE": a != b}[attributes.direction.value])
        case "select":
            return x[1] if x[0] else x[2]
        case _:
            return None


def _bound(names: Sequence[Value], values: Sequence[Value]) -> dict[int, Value]:
    return {id(a): b for a, b in zip(names, values, strict=True)}


def _renamed(values: Sequence[Value], new: dict[int, Value]) -> tuple[Value, ...]:
    return tuple(new.get(id(v), v) for v in values)


def _parted(operation: Operation) -> list[Operation]:
    """Return a reduction of several operands that do not mix as reductions of one each."""
    count = len(operation.results)
    if opcode_of(operation) not in ("reduce", "reduce_window") or count < 2:
        return [operation]
    block = operation.regions[0]
    makers = {id(inner.results[0]): inner for inner in block.operations}
    parts: list[Operation] = []
    for i, result in enumerate(block.results):
        combined = tuple(makers[id(result)] for _ in range(id(result) in makers))
        pair = block.arguments[i], block.arguments[count + i]
        region = Block(pair, combined, (result,))
        if combiner_of(region) is None:
            return [operation]
        operands = operation.operands[i], operation.operands[count + i]
        results = (operation.results[i],)
        parts.append(replace(operation, operands=operands, results=results, regions=(region,)))
    return parts


def ancestors(
    results: Iterable[Value], operations: Sequence[Operation], stops: frozenset[int]
) -> list[Operation]:
    """Return the operations that results depend on, in order, none behind `stops`."""
    wanted = {id(value) for value in results}
    found: list[Operation] = []
    for operation in reversed(operations):
        results_here = {id(r) for r in operation.results}
        if results_here & wanted and not results_here & stops:
            found.append(operation)
            wanted.update(id(v) for v in operation.reads)
    return found[::-1]
