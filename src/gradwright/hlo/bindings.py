"""The one place that touches jaxlib's MLIR bindings: parse, verify, serialise, evaluate.

The bindings are untyped: what comes from them is an `Mlir`, here and in the reader.
"""

import functools
import importlib
import re
import sys
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from gradwright.errors import ParseError, ShapeError, UnsupportedError
from gradwright.hlo.attributes import Constant
from gradwright.hlo.ir import Module
from gradwright.hlo.nesting import require_shallow
from gradwright.hlo.printer import print_module
from gradwright.hlo.types import ElementType, TensorType, first_difference

Mlir: TypeAlias = Any
"""An object of the untyped bindings."""

_BYTECODE_MAGIC = b"ML\xefR"
_POSITION = re.compile(r'loc\("-":(\d+):(\d+)')
_LEGALIZE_CHLO = "builtin.module(func.func(chlo-legalize-to-stablehlo))"
_SMALL_FLOATS = (ElementType.BF16, ElementType.F8E4M3FN, ElementType.F8E5M2)
_MAX_RANK, _MAX_SIZE = 64, 1 << 60
"""Dimensions of a tensor, and elements, beyond which NumPy has no array of it."""
_QUOTED, _SAID = 200, 1000
"""Characters of a line that a message quotes, and of what MLIR says."""
_LITERAL = re.compile(r"0x[0-9A-Fa-f]+|[-+]?[0-9][0-9.]*(?:[eE][-+]?[0-9]+)?")


class _Bindings(NamedTuple):
    """Modules of jaxlib.mlir, and the registry that holds its dialects."""

    ir: Mlir
    passmanager: Mlir
    stablehlo: Mlir
    chlo: Mlir
    sdy: Mlir
    mhlo: Mlir
    registry: Mlir


@functools.cache
def mlir() -> _Bindings:
    """Return the bindings; UnsupportedError where this jaxlib lacks a part that we need."""
    names = ("ir", "passmanager", *(f"dialects.{d}" for d in ("stablehlo", "chlo", "sdy", "mhlo")))
    try:
        modules: list[Mlir] = [importlib.import_module(f"jaxlib.mlir.{name}") for name in names]
        extension: Mlir = importlib.import_module("jaxlib.mlir._mlir_libs._jax_mlir_ext")
        found = _Bindings(*modules, registry=modules[0].DialectRegistry())
        extension.register_dialects(found.registry)
        found.stablehlo.register_stablehlo_passes()
        _ = found.stablehlo.eval_module, found.stablehlo.deserialize_portable_artifact
    except (ImportError, AttributeError) as error:
        raise UnsupportedError(
            where="jaxlib",
            expected="the MLIR bindings of jaxlib 0.10.2 to 0.12",
            found=str(error),
            remedy="Install jaxlib>=0.10.2,<0.13.",
        ) from error
    return found


def new_context() -> Mlir:
    """Return a fresh MLIR context that knows every dialect met in StableHLO texts."""
    bindings = mlir()
    context = bindings.ir.Context()
    context.append_dialect_registry(bindings.registry)
    context.load_all_available_dialects()
    bindings.stablehlo.register_dialect(context)
    bindings.chlo.register_dialect(context)
    bindings.sdy.register_dialect(context)
    bindings.mhlo.register_mhlo_dialect(context)
    return context


def parse(source: str | bytes, context: Mlir = None) -> Mlir:
    """Return the MLIR module of a text or of portable bytecode, verified.

    Errors: ParseError with line and column, the line itself and MLIR's message.
    """
    context = new_context() if context is None else context
    if isinstance(source, bytes) and source.startswith(_BYTECODE_MAGIC):
        return _deserialize(source, context)
    text = _text(source)
    require_shallow(text)
    ir = mlir().ir
    try:
        return ir.Module.parse(text, context)
    except ir.MLIRError as error:
        first = error.error_diagnostics[0]
        raise refusal(text, str(first.location), str(first.message)) from None


def verify(text: str) -> None:
    """Check a text with the official parser and verifier; ParseError says what is wrong."""
    parse(text)


def refusal(text: str, location: str, message: str) -> ParseError:
    """Return the error that quotes the line of `text` at a location `loc("-":line:column)`."""
    position = _POSITION.match(location)
    if position is None:
        where = location.removeprefix("loc(").removesuffix(")") if text else "bytecode"
        return ParseError(where=where, expected="a StableHLO module", found=message.strip())
    line, column = int(position[1]), int(position[2])
    message = message.strip()[:_SAID]
    lines = text.split("\n")
    quoted = _excerpt(lines[line - 1], column) if line <= len(lines) else ""
    return ParseError(
        where=f"{line}:{column}",
        expected="a StableHLO module",
        found=f"`{quoted}`: {message}" if quoted else message,
    )


def _excerpt(line: str, column: int) -> str:
    """Return a line without its indentation, or the part of a long one around a column."""
    start = max(0, min(column - _QUOTED // 2, len(line) - _QUOTED))
    return line[start : start + _QUOTED].strip()


def to_bytecode(text: str) -> bytes:
    """Return the portable bytecode of a text, readable by StableHLO of the last twelve weeks."""
    stablehlo = mlir().stablehlo
    module = parse(text)
    window = stablehlo.StablehloCompatibilityRequirement.WEEK_12
    target = stablehlo.get_version_from_compatibility_requirement(window)
    with module.context:
        # CHLO is no part of the portable dialect; it travels beside it.
        result: bytes = stablehlo.serialize_portable_artifact(
            module, target, allow_other_dialects=True
        )
    return result


def evaluate(program: str | Module, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Return what `main`, or the only function, computes, on StableHLO's reference interpreter.

    CHLO functions are first expressed in StableHLO, in the element type at hand.
    The interpreter aborts the whole process on an operation that it does not know (CHLO other
    than above, custom calls); where that matters, run it in another process, as `gradwright.run`
    does.

    Errors: ParseError for a bad text, ShapeError for arrays that do not fit its arguments.
    """
    text = program if isinstance(program, str) else print_module(program)
    bindings = mlir()
    module = parse(text)
    with module.context, bindings.ir.Location.unknown():
        try:
            bindings.passmanager.PassManager.parse(_LEGALIZE_CHLO).run(module.operation)
        except bindings.ir.MLIRError as error:
            first = error.error_diagnostics[0]
            raise UnsupportedError(
                where="interpreter", expected="CHLO that has a StableHLO form", found=first.message
            ) from None
        _name_main(module)
        _check_arguments(module, arrays)
        results = bindings.stablehlo.eval_module(module, [_to_elements(a) for a in arrays])
        return [to_array(result) for result in results]


def _name_main(module: Mlir) -> None:
    """Call the only function `main`, which the interpreter looks for."""
    functions = list(module.body.operations)
    if len(functions) == 1:
        functions[0].attributes["sym_name"] = mlir().ir.StringAttr.get("main")


def tensor_type(type: Mlir) -> TensorType | None:
    """Return the type of an MLIR value; None unless it is a static tensor of a known element."""
    text = str(type)
    if not text.startswith("tensor<") or "?" in text or not text.endswith(">"):
        return None
    *extents, element = text[7:-1].split("x")
    try:
        known = TensorType(tuple(map(int, extents)), ElementType(element))
    except ValueError:
        return None
    return known if known.rank <= _MAX_RANK and known.size < _MAX_SIZE else None


def to_constant(elements: Mlir, type: TensorType) -> Constant:
    """Return the constant of an MLIR elements attribute; a splat is not unfolded."""
    if not elements.is_splat:
        return Constant.of(to_array(elements, type))
    if type.element in _SMALL_FLOATS:
        one = _small_floats(str(elements), type.with_shape((1,)))
    else:
        one = np.asarray(elements).reshape(-1)[:1]
    return Constant.repeated(one, type.shape)


def to_array(elements: Mlir, type: TensorType | None = None) -> np.ndarray:
    """Return the array of an MLIR elements attribute, at its own shape (splats repeated)."""
    known = type or tensor_type(elements.type)
    if known is None:
        raise UnsupportedError(where="interpreter", expected="a tensor", found=str(elements.type))
    if known.element in _SMALL_FLOATS:
        return _small_floats(str(elements), known)
    view: np.ndarray = np.asarray(elements).reshape(known.shape)
    # A splat arrives with strides of 0; what it views dies with the MLIR context.
    return view.copy()


def _small_floats(text: str, type: TensorType) -> np.ndarray:
    """Return floats that the buffer protocol does not know (bf16, f8), read from MLIR's text."""
    dtype = type.element.dtype
    body = text.rpartition(" : tensor<")[0].removeprefix("dense<").removesuffix(">")
    if body.startswith('"0x'):
        values = np.ndarray((type.size,), dtype, bytes.fromhex(body[3:-1]))
    else:
        values = np.array([_small_float(word, dtype) for word in _LITERAL.findall(body)], dtype)
    array = np.empty(type.shape, dtype)
    array[...] = values.reshape(type.shape if values.size == type.size else ())
    return array


def _small_float(word: str, dtype: np.dtype[np.generic]) -> np.ndarray:
    if not word.startswith("0x"):
        return np.asarray(float(word)).astype(dtype)
    return np.ndarray((), dtype, int(word, 16).to_bytes(dtype.itemsize, sys.byteorder))


def _to_elements(array: np.ndarray) -> Mlir:
    ir = mlir().ir
    type = TensorType(array.shape, ElementType.of(array.dtype))
    if array.dtype == np.bool_:
        # Making an array contiguous gives a scalar a dimension: the shape is said apart.
        flat, boolean = np.ascontiguousarray(array), ir.IntegerType.get_signless(1)
        return ir.DenseElementsAttr.get(flat, type=boolean, shape=list(array.shape))
    raw = np.ndarray((array.nbytes,), np.uint8, array.tobytes())
    return ir.DenseElementsAttr.get(raw, type=ir.Type.parse(str(type)))


def _check_arguments(module: Mlir, arrays: Sequence[np.ndarray]) -> None:
    functions = list(module.body.operations)
    entry = next((f for f in functions if f.name.value == "main"), functions[0])
    wanted = [tensor_type(type) for type in entry.type.inputs]
    given = [TensorType(array.shape, ElementType.of(array.dtype)) for array in arrays]
    if (apart := first_difference(wanted, given)) is not None:
        _, expected, found = apart
        raise ShapeError(where="arguments of main", expected=expected, found=found)


def _text(source: str | bytes) -> str:
    """Return the source as text; MLIR would stop at a NUL in silence."""
    text = _decode(source if isinstance(source, bytes) else _encoded(source))
    position = text.find("\0")
    if position >= 0:
        line = text.count("\n", 0, position) + 1
        column = position - text.rfind("\n", 0, position)
        where = f"{line}:{column}"
        raise ParseError(where=where, expected="a StableHLO module", found="a NUL character")
    return text


def _encoded(source: str) -> bytes:
    try:
        return source.encode()
    except UnicodeEncodeError as error:
        raise ParseError(
            where=f"character {error.start}",
            expected="UTF-8 text or portable bytecode",
            found=f"0x{ord(source[error.start]):04x}, half of a pair",
        ) from None


def _decode(source: bytes) -> str:
    try:
        return source.decode()
    except UnicodeDecodeError as error:
        raise ParseError(
            where=f"byte {error.start}",
            expected="UTF-8 text or portable bytecode",
            found=f"0x{source[error.start]:02x}",
        ) from None


def _deserialize(source: bytes, context: Mlir) -> Mlir:
    messages: list[str] = []

    def keep(diagnostic: Mlir) -> bool:
        messages.append(str(diagnostic.message))
        return True

    handler = context.attach_diagnostic_handler(keep)
    try:
        return mlir().stablehlo.deserialize_portable_artifact(context, source)
    except ValueError:
        found = "; ".join(messages) or "damaged bytes"
        raise ParseError(where="bytecode", expected="a StableHLO module", found=found) from None
    finally:
        handler.detach()
