"""Reading a module text with the official MLIR bindings: verified, or a typed error."""

import re
from dataclasses import dataclass
from importlib import import_module
from typing import Any, cast

from jaxlib.mlir import ir

from gradwright.errors import ParseError, UnsupportedError
from gradwright.hlo.signature import Port, Role, Signature
from gradwright.hlo.types import ElementType, TensorType

# These bindings carry no types.
_extension: Any = import_module("jaxlib.mlir._mlir_libs._jax_mlir_ext")
_chlo: Any = import_module("jaxlib.mlir.dialects.chlo")
stablehlo: Any = import_module("jaxlib.mlir.dialects.stablehlo")

_POSITION = re.compile(r'error: "-":(\d+):(\d+): (.*)')
_ALIAS = "tf.aliasing_output"
_ACCEPTED = "StableHLO that the official parser and verifier accept"


def make_context() -> ir.Context:
    """Return a context that knows the dialects of StableHLO programs."""
    registry = ir.DialectRegistry()
    _extension.register_dialects(registry)
    context = ir.Context()
    context.append_dialect_registry(registry)
    context.load_all_available_dialects()
    stablehlo.register_dialect(context)
    _chlo.register_dialect(context)
    return context


@dataclass(frozen=True, slots=True)
class Main:
    """What a module says about itself: its name and the signature of its function `main`."""

    name: str
    signature: Signature


def read_main(text: str) -> Main:
    """Parse and verify a module and return what it is.

    Inputs are named arg0, arg1, …, outputs out0, out1, …. An argument that the text aliases to a
    result (`tf.aliasing_output`) is state: both get the role of a parameter and its name.

    Errors: ParseError with line, column and the line itself where the text is not valid, or
    where it has no function `main`; UnsupportedError for anything but static tensors.
    """
    with make_context():
        try:
            module = ir.Module.parse(text)
        except ir.MLIRError as error:
            raise _parse_error(text, str(error)) from None
        operations = cast(list[Any], list(module.body.operations))
        functions = {op.name.value: op for op in operations if op.operation.name == "func.func"}
        if "main" not in functions:
            names = ", ".join(f"@{name}" for name in functions)
            raise ParseError(
                where="module", expected="a function @main", found=names or "no function"
            )
        attributes = cast(Any, module.operation.attributes)
        name = str(attributes["sym_name"].value) if "sym_name" in attributes else "main"
        return Main(name, _signature_of(functions["main"]))


def without_aliases(text: str) -> str:
    """Return the same module with no `tf.aliasing_output` on the arguments of any function."""
    with make_context():
        module = ir.Module.parse(text)
        for function in cast(list[Any], list(module.body.operations)):
            if "arg_attrs" not in function.attributes:
                continue
            kept = [
                ir.DictAttr.get(
                    {named.name: named.attr for named in attributes if named.name != _ALIAS}
                )
                for attributes in function.arg_attrs
            ]
            function.attributes["arg_attrs"] = ir.ArrayAttr.get(kept)
        return str(module)


def _parse_error(text: str, message: str) -> ParseError:
    match = _POSITION.search(message)
    if match is None:
        return ParseError(where="module", expected=_ACCEPTED, found=message.strip())
    row, column, reason = int(match[1]), int(match[2]), match[3]
    lines = text.splitlines()
    line = lines[row - 1].strip() if row <= len(lines) else ""
    return ParseError(
        where=f"line {row}, column {column}",
        expected=_ACCEPTED,
        found=f"«{reason}» at `{line}`",
    )


def tensor_type(type_: Any) -> TensorType:
    """Return the static tensor type of an MLIR type.

    Errors: UnsupportedError for anything else (dynamic extents, tokens, complex numbers).
    """
    spelling = str(type_)
    try:
        ranked = ir.RankedTensorType(type_)
        element = ElementType(str(ranked.element_type))
    except ValueError:
        raise _unsupported(spelling) from None
    if not ranked.has_static_shape:
        raise _unsupported(spelling)
    return TensorType(tuple(ranked.shape), element)


def _unsupported(spelling: str) -> UnsupportedError:
    elements = ", ".join(ElementType)
    return UnsupportedError(
        where="signature of @main",
        expected=f"ranked tensors of static shape with elements {elements}",
        found=spelling,
    )


def _signature_of(function: Any) -> Signature:
    types = function.type
    aliases = _aliases(function, len(types.inputs))
    inputs = [
        Port(f"arg{i}", Role.PARAMETER if i in aliases else Role.DATA, tensor_type(type_))
        for i, type_ in enumerate(types.inputs)
    ]
    sources = {output: i for i, output in aliases.items()}
    outputs = [
        Port(f"arg{sources[j]}", Role.PARAMETER, tensor_type(type_))
        if j in sources
        else Port(f"out{j}", Role.OUTPUT, tensor_type(type_))
        for j, type_ in enumerate(types.results)
    ]
    return Signature(tuple(inputs), tuple(outputs))


def _aliases(function: Any, count: int) -> dict[int, int]:
    if "arg_attrs" not in function.attributes:
        return {}
    aliases: dict[int, int] = {}
    for index, attributes in zip(range(count), function.arg_attrs, strict=True):
        if _ALIAS in attributes:
            aliases[index] = int(attributes[_ALIAS].value)
    return aliases
