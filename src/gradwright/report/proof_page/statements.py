"""The statements of a text: which lines each one takes, and which others it uses.

A page cuts the lines that belong to a claim out of the whole text by following the uses.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from gradwright.certify.anchors import Spot
from gradwright.hlo import Function, Module, Operation, Value, print_module, read_module
from gradwright.hlo import attributes as attr

_NO_CODE = re.compile(r"\s*(//.*)?$")
_RETURN = re.compile(r"\s*(func\.)?return\b")
_BYTECODE = b"ML\xefR"


@dataclass(frozen=True, slots=True)
class NamedText:
    """A text, or portable bytecode, under the name that people know it by."""

    name: str
    source: str | bytes

    @property
    def text(self) -> str:
        """The text; bytecode as this package prints it."""
        if isinstance(self.source, str):
            return self.source
        if self.source.startswith(_BYTECODE):
            return print_module(read_module(self.source))
        return self.source.decode()


@dataclass(frozen=True, slots=True)
class Statement:
    """An operation or an argument: its lines, from 1, and the statements it uses, by number."""

    first: int
    last: int
    uses: tuple[int, ...]


@dataclass(slots=True)
class Statements:
    """All statements of a text in its order, arguments before the operations of their function."""

    text: str
    arguments: tuple[str, ...]
    listed: list[Statement]
    _lines: Mapping[tuple[str, int], int]
    _names: Mapping[str, int]

    @staticmethod
    def of(text: str) -> "Statements":
        """Read a text; ParseError for a bad one."""
        module = read_module(text)
        numbering = _Numbering(text.splitlines(), module)
        numbering.run()
        arguments = tuple(value.name for value in module.main.body.arguments)
        return Statements(text, arguments, numbering.listed(), numbering.lines, numbering.names)

    def find(self, spot: Spot) -> int | None:
        """Return the number of the statement that makes a value; by name alone without a line."""
        return self._lines.get((spot.name, spot.line), self._names.get(spot.name))


@dataclass(slots=True)
class _Numbering:
    """Numbers the arguments and operations of every function, with the lines each one takes."""

    text: Sequence[str]
    module: Module
    lines: dict[tuple[str, int], int] = field(default_factory=dict[tuple[str, int], int])
    names: dict[str, int] = field(default_factory=dict[str, int])
    _spans: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    _uses: list[set[int]] = field(default_factory=list[set[int]])
    _makers: dict[int, int] = field(default_factory=dict[int, int])

    def run(self) -> None:
        for function in self.module.functions:
            self._number(function)
        functions = {function.name: function for function in self.module.functions}
        for function in self.module.functions:
            for operation in function.body.operations:
                self._link(operation, functions)

    def listed(self) -> list[Statement]:
        """Return the statements."""
        pairs = zip(self._spans, self._uses, strict=True)
        return [Statement(first, last, tuple(sorted(uses))) for (first, last), uses in pairs]

    def _number(self, function: Function) -> None:
        operations = function.body.operations
        start = operations[0].line if operations else len(self.text) + 1
        is_main = function is self.module.main
        for value in function.body.arguments:
            line = self._argument_line(value.name, start)
            self._add(value, (line, line), is_main=is_main)
        for i, operation in enumerate(operations):
            following = operations[i + 1].line if i + 1 < len(operations) else None
            span = (operation.line, self._end(operation, following))
            for value in operation.results:
                self.lines[value.name, operation.line] = len(self._spans)
            self._add_all(operation.results, span, is_main=is_main)

    def _add(self, value: Value, span: tuple[int, int], *, is_main: bool) -> None:
        self._add_all((value,), span, is_main=is_main)

    def _add_all(self, values: Sequence[Value], span: tuple[int, int], *, is_main: bool) -> None:
        number = len(self._spans)
        self._spans.append(span)
        self._uses.append(set())
        for value in values:
            self._makers[id(value)] = number
            if is_main:
                self.names.setdefault(value.name, number)

    def _argument_line(self, name: str, start: int) -> int:
        """Return the line above the first operation on which an argument is declared, 0 if none."""
        declared = re.compile(rf"%{re.escape(name)}\s*:")
        for line in range(start - 1, 0, -1):
            if declared.search(self.text[line - 1]):
                return line
            if "func.func" in self.text[line - 1]:
                break
        return 0

    def _end(self, operation: Operation, following: int | None) -> int:
        """Return the last line of an operation: before the next one, without comments between."""
        inner = [each.line for region in operation.regions for each in region.walk()]
        last = max([operation.line, *inner])
        if following is None:
            following = last + 1
            while following <= len(self.text) and not _RETURN.match(self.text[following - 1]):
                following += 1
        end = following - 1
        while end > last and _NO_CODE.match(self.text[end - 1]):
            end -= 1
        return max(last, end)

    def _link(self, operation: Operation, functions: Mapping[str, Function]) -> None:
        if not operation.results:
            return
        number = self._makers[id(operation.results[0])]
        used = {self._makers[id(v)] for v in _operands(operation) if id(v) in self._makers}
        if isinstance(operation.attributes, attr.Call):
            called = functions.get(operation.attributes.callee)
            if called is not None:
                used |= {self._makers[id(value)] for value in called.body.results}
                for value, operand in zip(called.body.arguments, operation.operands, strict=True):
                    self._uses[self._makers[id(value)]].add(self._makers[id(operand)])
        self._uses[number] |= used - {number}


def _operands(operation: Operation) -> Iterator[Value]:
    """Yield what an operation uses, what its regions capture and return included."""
    yield from operation.operands
    for region in operation.regions:
        for each in region.operations:
            yield from _operands(each)
        yield from region.results
