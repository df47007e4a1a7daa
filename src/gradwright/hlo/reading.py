"""Reading the attributes of an MLIR operation into the record of its family."""

import re
from collections.abc import Callable, Sequence

import numpy as np

from gradwright.hlo import attributes as attr
from gradwright.hlo.bindings import Mlir, mlir, to_constant
from gradwright.hlo.elementwise import natural_order
from gradwright.hlo.forms import CHLO, RETYPED, SAME_TYPE
from gradwright.hlo.ir import Value


class UnreadableAttribute(Exception):
    """An attribute of a kind that the bindings hand out no value of, as locations are."""


Entries = dict[str, Mlir]
Values = Sequence[Value]
Read = Callable[[Entries, Values, Values], attr.Attributes]

_HINTS = frozenset(("result_accuracy",))
"""Requests to the compiler that change no function over the reals; they are dropped."""

_BARE = re.compile(r"[A-Za-z_][A-Za-z0-9_$.]*")


def read_attributes(operation: Mlir, operands: Values, results: Values) -> attr.Attributes:
    """Return the record of an operation's attributes.

    `Opaque` where the opcode, or an attribute it carries, is outside the vocabulary. Attributes
    of other dialects (a dot in the name) do not change what a known operation computes.

    Errors: UnreadableAttribute.
    """
    opcode: str = operation.name
    entries: Entries = {name: _entry(operation, name) for name in operation.attributes}
    read = _READERS.get(opcode)
    if read is None:
        plain = opcode in _PLAIN and all("." in name or name in _HINTS for name in entries)
        return None if plain else _opaque(entries)
    reader, known = read
    if any("." not in name and name not in known for name in entries):
        return _opaque(entries)
    found = reader(entries, operands, results)
    return _opaque(entries) if found is None else found


def _entry(operation: Mlir, name: str) -> Mlir:
    try:
        return operation.attributes[name]
    except TypeError:
        raise UnreadableAttribute(f"attribute {name} is not supported") from None


def _opaque(entries: Entries) -> attr.Opaque:
    words = [
        f"{name if _BARE.fullmatch(name) else _quoted(name)} = {value}"
        for name, value in sorted(entries.items())
        if not name.startswith("sdy.")
    ]
    return attr.Opaque(f"{{{', '.join(words)}}}" if words else "")


def _quoted(name: str) -> str:
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _ints(entries: Entries, name: str, default: Sequence[int] = ()) -> attr.Dims:
    return tuple(entries[name]) if name in entries else tuple(default)


def _flag(entries: Entries, name: str) -> bool:
    return bool(entries[name].value) if name in entries else False


def _padding(entries: Entries, name: str, rank: int) -> attr.Padding2:
    if name not in entries:
        return ((0, 0),) * rank
    pairs = np.array(entries[name]).reshape(-1, 2).tolist()
    return tuple((low, high) for low, high in pairs)


def _precision(entries: Entries) -> tuple[str, ...]:
    words = entries.get("precision_config", ())
    precision = mlir().stablehlo.PrecisionAttr
    return tuple(str(precision(word).value) for word in words)


def _constant(entries: Entries, _: Values, results: Values) -> attr.Attributes:
    elements = entries["value"]
    return to_constant(elements, results[0].type) if hasattr(elements, "is_splat") else None


def _iota(entries: Entries, *_: Values) -> attr.Attributes:
    return attr.Iota(entries["iota_dimension"].value)


def _compare(entries: Entries, operands: Values, _: Values) -> attr.Attributes:
    stablehlo = mlir().stablehlo
    direction = stablehlo.ComparisonDirectionAttr(entries["comparison_direction"]).value
    ordering = natural_order(operands[0].type.element)
    if "compare_type" in entries:
        ordering = attr.CompareType(stablehlo.ComparisonTypeAttr(entries["compare_type"]).value)
    return attr.Compare(attr.Direction(direction), ordering)


def _reduce_precision(entries: Entries, *_: Values) -> attr.Attributes:
    return attr.ReducePrecision(entries["exponent_bits"].value, entries["mantissa_bits"].value)


def _transpose(entries: Entries, *_: Values) -> attr.Attributes:
    return attr.Transpose(_ints(entries, "permutation"))


def _broadcast_in_dim(entries: Entries, *_: Values) -> attr.Attributes:
    return attr.BroadcastInDim(_ints(entries, "broadcast_dimensions"))


def _slice(entries: Entries, *_: Values) -> attr.Attributes:
    names = ("start_indices", "limit_indices", "strides")
    return attr.Slice(*(_ints(entries, name) for name in names))


def _pad(entries: Entries, *_: Values) -> attr.Attributes:
    names = ("edge_padding_low", "edge_padding_high", "interior_padding")
    return attr.Pad(*(_ints(entries, name) for name in names))


def _dimension(entries: Entries, *_: Values) -> attr.Attributes:
    return attr.Dimension(entries["dimension"].value)


def _dimensions(entries: Entries, *_: Values) -> attr.Attributes:
    return attr.Dimensions(_ints(entries, "dimensions"))


def _dynamic_slice(entries: Entries, *_: Values) -> attr.Attributes:
    return attr.DynamicSlice(_ints(entries, "slice_sizes"))


def _dot_general(entries: Entries, *_: Values) -> attr.Attributes:
    dims = mlir().stablehlo.DotDimensionNumbers(entries["dot_dimension_numbers"])
    return attr.DotGeneral(
        tuple(dims.lhs_batching_dimensions),
        tuple(dims.rhs_batching_dimensions),
        tuple(dims.lhs_contracting_dimensions),
        tuple(dims.rhs_contracting_dimensions),
        _precision(entries),
    )


def _convolution(entries: Entries, operands: Values, _: Values) -> attr.Attributes:
    dims = mlir().stablehlo.ConvDimensionNumbers(entries["dimension_numbers"])
    spatial = operands[0].type.rank - 2
    ones = (1,) * spatial
    return attr.Convolution(
        attr.ConvolutionDims(
            dims.input_batch_dimension,
            dims.input_feature_dimension,
            tuple(dims.input_spatial_dimensions),
            dims.kernel_input_feature_dimension,
            dims.kernel_output_feature_dimension,
            tuple(dims.kernel_spatial_dimensions),
            dims.output_batch_dimension,
            dims.output_feature_dimension,
            tuple(dims.output_spatial_dimensions),
        ),
        _ints(entries, "window_strides", ones),
        _padding(entries, "padding", spatial),
        _ints(entries, "lhs_dilation", ones),
        _ints(entries, "rhs_dilation", ones),
        tuple(map(bool, _ints(entries, "window_reversal", (0,) * spatial))),
        entries["feature_group_count"].value,
        entries["batch_group_count"].value,
        _precision(entries),
    )


def _window(entries: Entries, operands: Values, _: Values) -> attr.Attributes:
    ones = (1,) * operands[0].type.rank
    return attr.Window(
        _ints(entries, "window_dimensions"),
        _ints(entries, "window_strides", ones),
        _ints(entries, "base_dilations", ones),
        _ints(entries, "window_dilations", ones),
        _padding(entries, "padding", len(ones)),
    )


def _scatter_window(entries: Entries, operands: Values, _: Values) -> attr.Attributes:
    ones = (1,) * operands[0].type.rank
    return attr.ScatterWindow(
        _ints(entries, "window_dimensions", ones),
        _ints(entries, "window_strides", ones),
        _padding(entries, "padding", len(ones)),
    )


def _gather(entries: Entries, *_: Values) -> attr.Attributes:
    dims = mlir().stablehlo.GatherDimensionNumbers(entries["dimension_numbers"])
    return attr.Gather(
        tuple(dims.offset_dims),
        tuple(dims.collapsed_slice_dims),
        tuple(dims.operand_batching_dims),
        tuple(dims.start_indices_batching_dims),
        tuple(dims.start_index_map),
        dims.index_vector_dim,
        _ints(entries, "slice_sizes"),
        _flag(entries, "indices_are_sorted"),
    )


def _scatter(entries: Entries, *_: Values) -> attr.Attributes:
    dims = mlir().stablehlo.ScatterDimensionNumbers(entries["scatter_dimension_numbers"])
    return attr.Scatter(
        tuple(dims.update_window_dims),
        tuple(dims.inserted_window_dims),
        tuple(dims.input_batching_dims),
        tuple(dims.scatter_indices_batching_dims),
        tuple(dims.scattered_dims_to_operand_dims),
        dims.index_vector_dim,
        _flag(entries, "indices_are_sorted"),
        _flag(entries, "unique_indices"),
    )


def _call(entries: Entries, *_: Values) -> attr.Attributes:
    return attr.Call(entries["callee"].value)


def _all_reduce(entries: Entries, *_: Values) -> attr.Attributes:
    groups = entries["replica_groups"]
    if not hasattr(groups, "is_splat"):
        return None
    rows: list[list[int]] = np.asarray(groups).tolist()
    channel = entries.get("channel_handle")
    handle = None if channel is None else mlir().stablehlo.ChannelHandle(channel)
    return attr.AllReduce(
        tuple(tuple(replica for replica in row if replica >= 0) for row in rows),
        handle.handle if handle else 0,
        handle.channel_type if handle else 0,
        "use_global_device_ids" in entries,
    )


_PLAIN = (
    SAME_TYPE
    | RETYPED
    | CHLO
    | {
        "stablehlo.clamp",
        "stablehlo.dynamic_update_slice",
        "stablehlo.optimization_barrier",
        "stablehlo.select",
        "stablehlo.while",
    }
)
"""Opcodes of the vocabulary that have no attributes."""

_READERS: dict[str, tuple[Read, frozenset[str]]] = {
    f"{'func' if name == 'call' else 'stablehlo'}.{name}": (read, frozenset(known.split()))
    for name, read, known in (
        ("all_reduce", _all_reduce, "replica_groups channel_handle use_global_device_ids"),
        ("broadcast_in_dim", _broadcast_in_dim, "broadcast_dimensions"),
        ("call", _call, "callee no_inline"),
        ("compare", _compare, "comparison_direction compare_type"),
        ("concatenate", _dimension, "dimension"),
        ("constant", _constant, "value"),
        (
            "convolution",
            _convolution,
            "dimension_numbers window_strides padding lhs_dilation rhs_dilation window_reversal "
            "feature_group_count batch_group_count precision_config",
        ),
        ("dot_general", _dot_general, "dot_dimension_numbers precision_config"),
        ("dynamic_slice", _dynamic_slice, "slice_sizes"),
        ("gather", _gather, "dimension_numbers slice_sizes indices_are_sorted"),
        ("iota", _iota, "iota_dimension"),
        ("pad", _pad, "edge_padding_low edge_padding_high interior_padding"),
        ("reduce", _dimensions, "dimensions"),
        ("reduce_precision", _reduce_precision, "exponent_bits mantissa_bits"),
        (
            "reduce_window",
            _window,
            "window_dimensions window_strides base_dilations window_dilations padding",
        ),
        ("reverse", _dimensions, "dimensions"),
        ("scatter", _scatter, "scatter_dimension_numbers indices_are_sorted unique_indices"),
        ("select_and_scatter", _scatter_window, "window_dimensions window_strides padding"),
        ("slice", _slice, "start_indices limit_indices strides"),
        ("transpose", _transpose, "permutation"),
    )
}
"""How to read the attributes of an opcode, and the names of those it knows."""
