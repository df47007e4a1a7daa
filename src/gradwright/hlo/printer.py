"""The printer: a module to StableHLO text. The same module gives the same bytes, everywhere."""

from collections.abc import Sequence

from gradwright.hlo import attributes as attr
from gradwright.hlo.forms import dims, form_of, properties, signature
from gradwright.hlo.ir import Block, Function, Module, Operation, Value
from gradwright.hlo.names import Scopes, symbol_text

_WIDTH = 80
"""Longer lists of arguments are written one to a line."""

_COMMUTATIVE = frozenset(
    f"stablehlo.{name}" for name in ("add", "and", "maximum", "minimum", "multiply", "or", "xor")
)


def print_module(module: Module, header: Sequence[str] = ()) -> str:
    """Return the text of a module, below one comment line per line of `header`.

    Values keep their names. A comment names the section (layer and direction) of the operations
    that follow it.
    """
    extra = f" attributes {{mhlo.num_replicas = {module.replicas} : i32}}"
    lines = [f"// {_one_line(line)}".rstrip() for line in header]
    lines.append(f"module {symbol_text(module.name)}{extra if module.replicas > 1 else ''} {{")
    for function in module.functions:
        visibility = "public" if function is module.main else "private"
        _FunctionPrinter(lines).function(function, visibility)
    lines.append("}")
    return "\n".join(lines) + "\n"


class _FunctionPrinter:
    """Appends the lines of one function."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._scopes = Scopes()
        self._indent = "    "

    def function(self, function: Function, visibility: str) -> None:
        """Append the function, its arguments marked with the results they alias."""
        aliases = dict(function.aliases)
        arguments = [
            f"{self._introduce(value)}{_alias(aliases.get(i))}"
            for i, value in enumerate(function.body.arguments)
        ]
        listed = ", ".join(arguments)
        if len(listed) > _WIDTH:
            listed = f"\n{self._indent}" + f",\n{self._indent}".join(arguments) + "\n  "
        heading = f"func.func {visibility} {symbol_text(function.name)}({listed})"
        types = ", ".join(str(value.type) for value in function.body.results)
        arrow = f" -> ({types})" if types else ""
        self._lines.append(f"  {heading}{arrow} {{")
        self._operations(function.body, commented=True)
        self._terminator("return", function.body)
        self._lines.append("  }")

    def _operations(self, block: Block, *, commented: bool) -> None:
        title = ""
        for operation in block.operations:
            section = _one_line(operation.section) if commented else ""
            if section and section != title:
                title = section
                self._lines.append(f"{self._indent}// {title}")
            self._operation(operation)

    def _operation(self, operation: Operation) -> None:
        form = form_of(operation)
        if form is not None:
            right = form(operation, self._scopes.uses(operation.operands))
            self._lines.append(f"{self._indent}{self._results(operation)}{right}")
        elif operation.opcode == "stablehlo.reduce" and _reduces_pairs(operation):
            self._reduce(operation)
        elif operation.opcode == "stablehlo.while" and operation.operands:
            self._while(operation)
        else:
            self._generic(operation)

    def _results(self, operation: Operation) -> str:
        """Introduce the results and return `%a, %b = `."""
        names = [self._scopes.define(value) for value in operation.results]
        return f"{', '.join(names)} = " if names else ""

    def _reduce(self, operation: Operation) -> None:
        half = len(operation.operands) // 2
        names = self._scopes.uses(operation.operands)
        pairs = zip(names[:half], names[half:], strict=True)
        inputs = ", ".join(f"({name} init: {start})" for name, start in pairs)
        applied = _single_operation(operation.regions[0])
        across = dims(_reduced(operation).dimensions)
        applies = f" applies {applied}" if applied else ""
        types = signature(operation.operands, operation.results)
        right = f"stablehlo.reduce{inputs}{applies} across dimensions = {across} : {types}"
        if applied:
            self._lines.append(f"{self._indent}{self._results(operation)}{right}")
            return
        place = len(self._lines)
        self._reducer(operation.regions[0])
        self._lines.insert(place, f"{self._indent}{self._results(operation)}{right}")

    def _reducer(self, region: Block) -> None:
        half = len(region.arguments) // 2
        self._scopes.enter()
        introduced = [self._introduce(value) for value in region.arguments]
        pairs = zip(introduced[:half], introduced[half:], strict=True)
        pairs_text = " ".join(f"({left}, {right})" for left, right in pairs)
        self._lines.append(f"{self._indent} reducer{pairs_text} {{")
        self._body(region)
        self._lines.append(f"{self._indent}}}")
        self._scopes.leave()

    def _while(self, operation: Operation) -> None:
        condition, body = operation.regions
        starts = self._scopes.uses(operation.operands)
        place = len(self._lines)
        self._scopes.enter()
        carried = [self._scopes.define(value) for value in condition.arguments]
        self._lines.append(f"{self._indent} cond {{")
        self._body(condition)
        self._lines.append(f"{self._indent}}} do {{")
        self._scopes.leave()
        self._scopes.enter()
        for value, same in zip(body.arguments, condition.arguments, strict=True):
            self._scopes.alias(value, same)
        self._body(body)
        self._lines.append(f"{self._indent}}}")
        self._scopes.leave()
        pairs = ", ".join(map("{} = {}".format, carried, starts))
        types = ", ".join(str(value.type) for value in operation.operands)
        left = self._results(operation)
        self._lines.insert(place, f"{self._indent}{left}stablehlo.while({pairs}) : {types}")

    def _generic(self, operation: Operation) -> None:
        names = ", ".join(self._scopes.uses(operation.operands))
        place = len(self._lines)
        for i, region in enumerate(operation.regions):
            self._scopes.enter()
            if i > 0:
                self._lines.append(f"{self._indent}}}, {{")
            if region.arguments:
                introduced = ", ".join(map(self._introduce, region.arguments))
                self._lines.append(f"{self._indent}^bb0({introduced}):")
            self._body(region)
            self._scopes.leave()
        text = properties(operation)
        inherent = f" <{text}>" if text and not _is_opaque(operation) else ""
        trailing = f" {text}" if text and _is_opaque(operation) else ""
        types = signature(operation.operands, operation.results)
        head = f'{self._indent}{self._results(operation)}"{operation.opcode}"({names}){inherent}'
        if not operation.regions:
            self._lines.append(f"{head}{trailing} : {types}")
            return
        self._lines.insert(place, f"{head} ({{")
        self._lines.append(f"{self._indent}}}){trailing} : {types}")

    def _body(self, region: Block) -> None:
        outer = self._indent
        self._indent = f"{outer}  "
        self._operations(region, commented=False)
        self._terminator("stablehlo.return", region)
        self._indent = outer

    def _terminator(self, keyword: str, block: Block) -> None:
        names = ", ".join(self._scopes.uses(block.results))
        types = ", ".join(str(value.type) for value in block.results)
        self._lines.append(
            f"{self._indent}{keyword} {names} : {types}" if names else f"{self._indent}{keyword}"
        )

    def _introduce(self, value: Value) -> str:
        return f"{self._scopes.define(value)}: {value.type}"


def _alias(result: int | None) -> str:
    return "" if result is None else f" {{tf.aliasing_output = {result} : i32}}"


def _one_line(comment: str) -> str:
    return " ".join(comment.split())


def _is_opaque(operation: Operation) -> bool:
    return isinstance(operation.attributes, attr.Opaque)


def _reduced(operation: Operation) -> attr.Dimensions:
    if not isinstance(operation.attributes, attr.Dimensions):
        raise TypeError(f"{operation.opcode} needs Dimensions, has {operation.attributes}")
    return operation.attributes


def _reduces_pairs(operation: Operation) -> bool:
    return isinstance(operation.attributes, attr.Dimensions) and len(operation.operands) >= 2


def _single_operation(region: Block) -> str | None:
    """Return the opcode when the region is `return opcode(lhs, rhs)` of a commutative opcode."""
    if len(region.operations) != 1 or len(region.arguments) != 2:
        return None
    only = region.operations[0]
    direct = (
        only.opcode in _COMMUTATIVE
        and only.operands == region.arguments
        and only.results == region.results
    )
    return only.opcode if direct else None
