"""The reader: any StableHLO text, or portable bytecode, to the representation it prints from."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from gradwright.errors import ParseError
from gradwright.hlo.bindings import Mlir, new_context, parse, refusal, tensor_type
from gradwright.hlo.ir import Block, Function, Module, Operation, Value
from gradwright.hlo.locations import placed
from gradwright.hlo.reading import UnreadableAttribute, read_attributes
from gradwright.hlo.types import TensorType

_NAMED = rb"%[A-Za-z0-9_.$-]+(?::\d+)?"
_RESULTS = re.compile(rb"(%s(?:\s*,\s*%s)*)\s*=\s*[\w.\"]*$" % (_NAMED, _NAMED))
_ARGUMENT = re.compile(rb"%([A-Za-z0-9_.$-]+)")
_TERMINATORS = frozenset(("func.return", "stablehlo.return"))


def read_module(source: str | bytes) -> Module:
    """Return the module of a StableHLO text or of portable bytecode.

    Operations outside the vocabulary become `Opaque`; sharding annotations are dropped. Values
    keep the names of the text where it shows them; operations know their line in it, and the
    comment above them as their section.

    Errors: ParseError with line and column for what the official parser or verifier refuses, and
    for types other than static tensors of `ElementType`.
    """
    context = new_context()
    module = parse(source, context)
    text = source if isinstance(source, str) else _text_of(source)
    return _Reader(text).module(placed(module, text, context))


def _text_of(source: bytes) -> str:
    """Return the text to look names up in: none in bytecode."""
    return "" if source.startswith(b"ML\xefR") else source.decode()


class _Reader:
    """Reads one MLIR module; `text` is where its locations point."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._lines = text.encode().split(b"\n")
        self._comments = [
            (number, line.strip()[2:].strip().decode())
            for number, line in enumerate(self._lines, start=1)
            if line.lstrip().startswith(b"//")
        ]
        self._types: dict[Mlir, TensorType] = {}
        self._values: dict[Mlir, Value] = {}
        self._unnamed = 0

    def module(self, module: Mlir) -> Module:
        """Return the module, with every function of it."""
        functions: list[Function] = []
        for operation in module.body.operations:
            name = operation.operation.name
            if name == "func.func":
                functions.append(self._function(operation))
            elif name != "sdy.mesh":
                raise self._refusal(operation, f"{name} at the top of a module is not supported")
        if not functions:
            raise self._refusal(module.operation, "a module without functions")
        attributes = module.operation.attributes
        symbol = attributes["sym_name"].value if "sym_name" in attributes else "module"
        replicas = attributes["mhlo.num_replicas"].value if "mhlo.num_replicas" in attributes else 1
        return Module(symbol, tuple(functions), replicas)

    def _function(self, function: Mlir) -> Function:
        if len(function.regions[0].blocks) != 1:
            raise self._refusal(function, "a function of one block was expected")
        self._values = {}
        body = self._with_sections(
            self._block(function.regions[0].blocks[0]), self._position(function.location)[0]
        )
        name: str = function.attributes["sym_name"].value
        return Function(name, body, tuple(_aliases(function)))

    def _with_sections(self, body: Block, start: int) -> Block:
        """Return the body with the comment above it, if any, as the section of each operation."""
        comments = iter(comment for comment in self._comments if comment[0] > start)
        ahead = next(comments, None)
        section = ""
        operations: list[Operation] = []
        for operation in body.operations:
            while ahead is not None and ahead[0] < operation.line:
                section = ahead[1]
                ahead = next(comments, None)
            operations.append(replace(operation, section=section) if section else operation)
        return replace(body, operations=tuple(operations))

    def _block(self, block: Mlir) -> Block:
        taken: set[str] = set()
        arguments = tuple([self._argument(argument, taken) for argument in block.arguments])
        operations: list[Operation] = []
        for view in block.operations:
            operation = view.operation
            if operation.name in _TERMINATORS:
                return Block(arguments, tuple(operations), self._operands(operation))
            if operation.name == "sdy.sharding_constraint":
                self._values[operation.results[0]] = self._values[operation.operands[0]]
                continue
            operations.append(self._operation(operation))
        raise self._refusal(block.owner, "a region that ends in stablehlo.return was expected")

    def _operation(self, operation: Mlir) -> Operation:
        line, column = self._position(operation.location)
        operands = self._operands(operation)
        regions = tuple(self._region(operation, region) for region in operation.regions)
        types = [self._type(result.type, operation) for result in operation.results]
        results = tuple(map(Value, types, self._names(line, column, len(types))))
        self._values.update(zip(operation.results, results, strict=True))
        try:
            attributes = read_attributes(operation, operands, results)
        except UnreadableAttribute as problem:
            raise self._refusal(operation, str(problem)) from None
        return Operation(operation.name, operands, results, attributes, regions, "", line)

    def _region(self, operation: Mlir, region: Mlir) -> Block:
        if len(region.blocks) != 1:
            raise self._refusal(operation, "regions of one block were expected")
        return self._block(region.blocks[0])

    def _operands(self, operation: Mlir) -> tuple[Value, ...]:
        return tuple([self._values[operand] for operand in operation.operands])

    def _argument(self, argument: Mlir, taken: set[str]) -> Value:
        """Return an argument; a location of the text's own may say any name, and twice the same."""
        type = self._type(argument.type, argument)
        line, column = self._position(argument.location)
        found = _ARGUMENT.match(self._lines[line - 1], column - 1) if line else None
        name = found[1].decode() if found else self._fresh()
        while name in taken:
            name = self._fresh()
        taken.add(name)
        value = Value(type, name)
        self._values[argument] = value
        return value

    def _names(self, line: int, column: int, count: int) -> Sequence[str]:
        """Return the names before the `=` that ends left of a position, one per result."""
        found = _RESULTS.search(self._lines[line - 1][: column - 1]) if line and count else None
        names: list[str] = []
        for word in found[1].decode().split(",") if found else ():
            name, _, many = word.strip()[1:].partition(":")
            stem = f"v{name}" if many and name.isdigit() else name
            names.extend(f"{stem}.{i}" for i in range(int(many))) if many else names.append(name)
        return names if len(names) == count else [self._fresh() for _ in range(count)]

    def _fresh(self) -> str:
        self._unnamed += 1
        return f"unnamed{self._unnamed}"

    def _position(self, location: Mlir) -> tuple[int, int]:
        """Return line and column in the text, (0, 0) for a location elsewhere."""
        if not self._text or getattr(location, "filename", "") != "-":
            return 0, 0
        line: int = location.start_line
        column: int = location.start_col
        return (line, column) if line <= len(self._lines) else (0, 0)

    def _type(self, type: Mlir, holder: Mlir) -> TensorType:
        known = self._types.get(type)
        if known is None:
            known = tensor_type(type)
            if known is None:
                raise self._refusal(holder, f"type {type} is not supported")
            self._types[type] = known
        return known

    def _refusal(self, holder: Mlir, message: str) -> ParseError:
        return refusal(self._text, str(holder.location), message)


def _aliases(function: Mlir) -> Iterator[tuple[int, int]]:
    """Yield (argument, result) for each argument marked with `tf.aliasing_output`."""
    if "arg_attrs" not in function.attributes:
        return
    for index, entries in enumerate(function.attributes["arg_attrs"]):
        if "tf.aliasing_output" in entries:
            yield index, entries["tf.aliasing_output"].value
