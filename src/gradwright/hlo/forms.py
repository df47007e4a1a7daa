"""Spelling of one operation without its regions, per family, as MLIR's parser accepts it."""

from collections.abc import Callable, Iterable, Sequence
from typing import cast

from gradwright.hlo import attributes as attr
from gradwright.hlo.ir import Operation, Value
from gradwright.hlo.literals import constant_text
from gradwright.hlo.names import symbol_text

Names = Sequence[str]
Form = Callable[[Operation, Names], str]

_SAME_TYPE = (
    "abs add and atan2 cbrt ceil cosine count_leading_zeros divide exponential "
    "exponential_minus_one floor log log_plus_one logistic maximum minimum multiply negate not or "
    "popcnt power remainder round_nearest_afz round_nearest_even rsqrt shift_left "
    "shift_right_arithmetic shift_right_logical sign sine sqrt subtract tan tanh xor"
)
SAME_TYPE = frozenset(f"stablehlo.{name}" for name in _SAME_TYPE.split())
"""Elementwise operations without attributes whose result has the type of every operand."""

RETYPED = frozenset(
    f"stablehlo.{name}" for name in ("bitcast_convert", "convert", "is_finite", "reshape")
)
"""Operations of one operand without attributes whose result has another type."""

_CHLO_UNARY = "acos acosh asin asinh atan atanh cosh erf erf_inv erfc sinh square"
CHLO = frozenset(f"chlo.{name}" for name in _CHLO_UNARY.split())
"""Elementwise functions of the dialect CHLO."""


def form_of(operation: Operation) -> Form | None:
    """Return how to spell an operation in MLIR's readable form; None: the generic form."""
    if isinstance(operation.attributes, attr.Opaque):
        return None
    if operation.opcode in SAME_TYPE:
        return _same_type
    return _FORMS.get(operation.opcode)


def signature(operands: Iterable[Value], results: Sequence[Value]) -> str:
    """Return `(operand types) -> result types`."""
    taken = ", ".join(str(value.type) for value in operands)
    given = ", ".join(str(value.type) for value in results)
    return f"({taken}) -> {given if len(results) == 1 else f'({given})'}"


def dims(extents: Sequence[int]) -> str:
    """Return `[1, 2]`."""
    return f"[{', '.join(map(str, extents))}]"


def properties(operation: Operation) -> str:
    """Return the attributes of the generic form, in braces ("" when there are none)."""
    attributes = operation.attributes
    if isinstance(attributes, attr.Opaque):
        return attributes.text
    spell = _PROPERTIES.get(type(attributes))
    if spell is None:
        return ""
    return f"{{{', '.join(entry for entry in spell(attributes) if entry)}}}"


def _same_type(op: Operation, names: Names) -> str:
    return f"{op.opcode} {', '.join(names)} : {op.results[0].type}"


def _retyped(op: Operation, names: Names) -> str:
    return f"{op.opcode} {names[0]} : {signature(op.operands, op.results)}"


def _chlo(op: Operation, names: Names) -> str:
    return f"{op.opcode} {names[0]} : {op.operands[0].type} -> {op.results[0].type}"


def _constant(op: Operation, names: Names) -> str:
    del names
    type = op.results[0].type
    return (
        f"{op.opcode} {constant_text(cast('attr.Constant', op.attributes), type.element)} : {type}"
    )


def _iota(op: Operation, names: Names) -> str:
    del names
    return f"{op.opcode} dim = {cast('attr.Iota', op.attributes).dimension} : {op.results[0].type}"


def _compare(op: Operation, names: Names) -> str:
    how = cast("attr.Compare", op.attributes)
    operands = f"{how.direction}, {names[0]}, {names[1]}, {how.compare_type}"
    return f"{op.opcode} {operands} : {signature(op.operands, op.results)}"


def _select(op: Operation, names: Names) -> str:
    return f"{op.opcode} {', '.join(names)} : {op.operands[0].type}, {op.results[0].type}"


def _clamp(op: Operation, names: Names) -> str:
    if all(value.type == op.results[0].type for value in op.operands):
        return _same_type(op, names)
    return f"{op.opcode} {', '.join(names)} : {signature(op.operands, op.results)}"


def _reduce_precision(op: Operation, names: Names) -> str:
    bits = cast("attr.ReducePrecision", op.attributes)
    layout = f"e{bits.exponent_bits}m{bits.mantissa_bits}"
    return f"{op.opcode} {names[0]}, format = {layout} : {op.results[0].type}"


def _transpose(op: Operation, names: Names) -> str:
    order = dims(cast("attr.Transpose", op.attributes).permutation)
    return f"{op.opcode} {names[0]}, dims = {order} : {signature(op.operands, op.results)}"


def _broadcast_in_dim(op: Operation, names: Names) -> str:
    into = dims(cast("attr.BroadcastInDim", op.attributes).dimensions)
    return f"{op.opcode} {names[0]}, dims = {into} : {signature(op.operands, op.results)}"


def _slice(op: Operation, names: Names) -> str:
    ranges = cast("attr.Slice", op.attributes)
    words = (
        f"{a}:{b}" if s == 1 else f"{a}:{b}:{s}"
        for a, b, s in zip(ranges.start, ranges.limit, ranges.strides, strict=True)
    )
    return f"{op.opcode} {names[0]} [{', '.join(words)}] : {signature(op.operands, op.results)}"


def _pad(op: Operation, names: Names) -> str:
    pad = cast("attr.Pad", op.attributes)
    edges = f"low = {dims(pad.low)}, high = {dims(pad.high)}, interior = {dims(pad.interior)}"
    return f"{op.opcode} {', '.join(names)}, {edges} : {signature(op.operands, op.results)}"


def _concatenate(op: Operation, names: Names) -> str:
    along = cast("attr.Dimension", op.attributes).dimension
    types = signature(op.operands, op.results)
    return f"{op.opcode} {', '.join(names)}, dim = {along} : {types}"


def _reverse(op: Operation, names: Names) -> str:
    flipped = dims(cast("attr.Dimensions", op.attributes).dimensions)
    return f"{op.opcode} {names[0]}, dims = {flipped} : {op.results[0].type}"


def _dynamic_slice(op: Operation, names: Names) -> str:
    sizes = dims(cast("attr.DynamicSlice", op.attributes).sizes)
    types = signature(op.operands, op.results)
    return f"{op.opcode} {', '.join(names)}, sizes = {sizes} : {types}"


def _dynamic_update_slice(op: Operation, names: Names) -> str:
    return f"{op.opcode} {', '.join(names)} : {signature(op.operands, op.results)}"


def _dot_general(op: Operation, names: Names) -> str:
    dot = cast("attr.DotGeneral", op.attributes)
    words = [
        f"contracting_dims = {dims(dot.lhs_contracting)} x {dims(dot.rhs_contracting)}",
    ]
    if dot.lhs_batching:
        words.insert(0, f"batching_dims = {dims(dot.lhs_batching)} x {dims(dot.rhs_batching)}")
    if dot.precision:
        words.append(f"precision = [{', '.join(dot.precision)}]")
    types = signature(op.operands, op.results)
    return f"{op.opcode} {', '.join((*names, *words))} : {types}"


def _convolution(op: Operation, names: Names) -> str:
    conv = cast("attr.Convolution", op.attributes)
    counts = [
        f"batch_group_count = {conv.batch_group_count} : i64",
        f"feature_group_count = {conv.feature_group_count} : i64",
    ]
    if conv.precision:
        words = ", ".join(f"#stablehlo<precision {word}>" for word in conv.precision)
        counts.append(f"precision_config = [{words}]")
    return (
        f"{op.opcode}({', '.join(names)}) dim_numbers = {_layouts(conv.dims)}, "
        f"window = {{{_convolution_window(conv)}}} {{{', '.join(counts)}}} : "
        f"{signature(op.operands, op.results)}"
    )


def _layouts(numbers: attr.ConvolutionDims) -> str:
    lhs = _layout({numbers.input_batch: "b", numbers.input_feature: "f"}, numbers.input_spatial)
    rhs = _layout(
        {numbers.kernel_output_feature: "o", numbers.kernel_input_feature: "i"},
        numbers.kernel_spatial,
    )
    out = _layout({numbers.output_batch: "b", numbers.output_feature: "f"}, numbers.output_spatial)
    return f"{lhs}x{rhs}->{out}"


def _layout(letters: dict[int, str], spatial: Sequence[int]) -> str:
    places = letters | {place: str(axis) for axis, place in enumerate(spatial)}
    return f"[{', '.join(places[i] for i in range(len(places)))}]"


def _convolution_window(conv: attr.Convolution) -> str:
    words: list[str] = []
    if any(n != 1 for n in conv.strides):
        words.append(f"stride = {dims(conv.strides)}")
    if any(n != 0 for pair in conv.padding for n in pair):
        words.append(f"pad = [{', '.join(map(dims, conv.padding))}]")
    if any(n != 1 for n in conv.lhs_dilation):
        words.append(f"lhs_dilate = {dims(conv.lhs_dilation)}")
    if any(n != 1 for n in conv.rhs_dilation):
        words.append(f"rhs_dilate = {dims(conv.rhs_dilation)}")
    if any(conv.window_reversal):
        words.append(f"reverse = [{', '.join(map(_truth, conv.window_reversal))}]")
    return ", ".join(words)


def _call(op: Operation, names: Names) -> str:
    callee = symbol_text(cast("attr.Call", op.attributes).callee)
    return f"{op.opcode} {callee}({', '.join(names)}) : {signature(op.operands, op.results)}"


def _optimization_barrier(op: Operation, names: Names) -> str:
    if not names:
        return f'"{op.opcode}"() : () -> ()'
    return f"{op.opcode} {', '.join(names)} : {', '.join(str(v.type) for v in op.results)}"


def _window(window: attr.Window) -> list[str]:
    return [
        f"window_dimensions = {_array(window.dimensions)}",
        f"window_strides = {_array(window.strides)}",
        f"base_dilations = {_array(window.base_dilations)}",
        f"window_dilations = {_array(window.window_dilations)}",
        f"padding = {_pairs(window.padding)}",
    ]


def _scatter_window(window: attr.ScatterWindow) -> list[str]:
    return [
        f"window_dimensions = {_array(window.dimensions)}",
        f"window_strides = {_array(window.strides)}",
        f"padding = {_pairs(window.padding)}",
    ]


def _gather(gather: attr.Gather) -> list[str]:
    numbers = _numbers(
        offset_dims=gather.offset_dims,
        collapsed_slice_dims=gather.collapsed_slice_dims,
        operand_batching_dims=gather.operand_batching_dims,
        start_indices_batching_dims=gather.start_indices_batching_dims,
        start_index_map=gather.start_index_map,
    )
    return [
        f"dimension_numbers = #stablehlo.gather<{numbers}"
        f"index_vector_dim = {gather.index_vector_dim}>",
        f"slice_sizes = {_array(gather.slice_sizes)}",
        f"indices_are_sorted = {_truth(gather.indices_are_sorted)}",
    ]


def _scatter(scatter: attr.Scatter) -> list[str]:
    numbers = _numbers(
        update_window_dims=scatter.update_window_dims,
        inserted_window_dims=scatter.inserted_window_dims,
        input_batching_dims=scatter.input_batching_dims,
        scatter_indices_batching_dims=scatter.scatter_indices_batching_dims,
        scatter_dims_to_operand_dims=scatter.scatter_dims_to_operand_dims,
    )
    return [
        f"scatter_dimension_numbers = #stablehlo.scatter<{numbers}"
        f"index_vector_dim = {scatter.index_vector_dim}>",
        f"indices_are_sorted = {_truth(scatter.indices_are_sorted)}",
        f"unique_indices = {_truth(scatter.unique_indices)}",
    ]


def _all_reduce(groups: attr.AllReduce) -> list[str]:
    width = max(map(len, groups.replica_groups), default=0)
    # A group shorter than the longest one is filled with -1.
    rows = [dims((*g, *(-1,) * (width - len(g)))) for g in groups.replica_groups]
    listed = f"[{', '.join(rows)}]" if width else ""
    channel = f"handle = {groups.channel_handle}, type = {groups.channel_type}"
    return [
        f"replica_groups = dense<{listed}> : tensor<{len(rows)}x{width}xi64>",
        f"channel_handle = #stablehlo.channel_handle<{channel}>" if groups.channel_handle else "",
        "use_global_device_ids" if groups.use_global_device_ids else "",
    ]


def _dimensions(over: attr.Dimensions) -> list[str]:
    return [f"dimensions = {_array(over.dimensions)}"]


def _numbers(**lists: attr.Dims) -> str:
    return "".join(f"{name} = {dims(entries)}, " for name, entries in lists.items() if entries)


def _array(entries: Sequence[int]) -> str:
    return f"array<i64: {', '.join(map(str, entries))}>" if entries else "array<i64>"


def _pairs(pairs: attr.Padding2) -> str:
    listed = f"[{', '.join(map(dims, pairs))}]" if pairs else ""
    return f"dense<{listed}> : tensor<{len(pairs)}x2xi64>"


def _truth(flag: bool) -> str:
    return "true" if flag else "false"


_PROPERTIES: dict[type, Callable[..., list[str]]] = {
    attr.Window: _window,
    attr.ScatterWindow: _scatter_window,
    attr.Gather: _gather,
    attr.Scatter: _scatter,
    attr.AllReduce: _all_reduce,
    attr.Dimensions: _dimensions,
}

_FORMS: dict[str, Form] = {
    **dict.fromkeys(RETYPED, _retyped),
    **dict.fromkeys(CHLO, _chlo),
    "func.call": _call,
    "stablehlo.broadcast_in_dim": _broadcast_in_dim,
    "stablehlo.clamp": _clamp,
    "stablehlo.compare": _compare,
    "stablehlo.concatenate": _concatenate,
    "stablehlo.constant": _constant,
    "stablehlo.convolution": _convolution,
    "stablehlo.dot_general": _dot_general,
    "stablehlo.dynamic_slice": _dynamic_slice,
    "stablehlo.dynamic_update_slice": _dynamic_update_slice,
    "stablehlo.iota": _iota,
    "stablehlo.optimization_barrier": _optimization_barrier,
    "stablehlo.pad": _pad,
    "stablehlo.reduce_precision": _reduce_precision,
    "stablehlo.reverse": _reverse,
    "stablehlo.select": _select,
    "stablehlo.slice": _slice,
    "stablehlo.transpose": _transpose,
}
