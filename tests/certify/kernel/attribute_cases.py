"""A text of each operation with attributes, regions or starts, and what changes one of them."""

from dataclasses import dataclass

Change = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Case:
    """A text of one operation; changes of what it means, changes of what it promises only."""

    text: str
    changes: tuple[Change, ...]
    promises: tuple[Change, ...] = ()
    evaluated: bool = True
    """Whether the interpreter computes it alone (one replica is not enough for an all_reduce)."""


def function(arguments: str, result: str, body: str) -> str:
    return f"func.func @main({arguments}) -> {result} {{\n{body}\n  return %r : {result}\n}}\n"


def region(body: str, *, results: str = "f64", arguments: str = "%a %b") -> str:
    """Return a region over scalars whose body ends in %y."""
    named = ", ".join(f"{name}: tensor<f64>" for name in arguments.split())
    return f"{{\n^bb0({named}):\n{body}\n  stablehlo.return %y : tensor<{results}>\n}}"


def number(name: str, value: str, type: str = "f64") -> str:
    return f"  %{name} = stablehlo.constant dense<{value}> : tensor<{type}>\n"


ADDING = region("  %y = stablehlo.add %a, %b : tensor<f64>")
LARGEST = region("  %y = stablehlo.maximum %a, %b : tensor<f64>")
KEEPING = region(
    "  %y = stablehlo.compare GE, %a, %b, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>",
    results="i1",
)
BODIES: tuple[Change, ...] = (
    ("stablehlo.add %a, %b", "stablehlo.add %a, %a"),
    ("stablehlo.add %a, %b", "stablehlo.add %b, %b"),
    ("stablehlo.add %a, %b", "stablehlo.subtract %a, %b"),
    ("stablehlo.add %a, %b", "stablehlo.multiply %a, %b"),
    ("stablehlo.add %a, %b", "stablehlo.minimum %a, %b"),
)
EXTREMES: tuple[Change, ...] = (
    ("stablehlo.maximum %a, %b", "stablehlo.maximum %a, %a"),
    ("stablehlo.maximum %a, %b", "stablehlo.minimum %a, %b"),
    ("stablehlo.maximum %a, %b", "stablehlo.add %a, %b"),
)
LOWEST = number("z", "0xFFF0000000000000")


def convolved(x: str, w: str, y: str, window: str, counts: str = "1 1") -> str:
    features, batches = counts.split()
    return function(
        f"%x: tensor<{x}xf64>, %w: tensor<{w}xf64>",
        f"tensor<{y}xf64>",
        f"""  %r = "stablehlo.convolution"(%x, %w) <{{
    dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>,
    {window}, feature_group_count = {features} : i64, batch_group_count = {batches} : i64
  }}> : (tensor<{x}xf64>, tensor<{w}xf64>) -> tensor<{y}xf64>""",
    )


def window(strides: str, padding: str, lhs: str, rhs: str, reversal: str) -> str:
    return f"""window_strides = array<i64: {strides}>,
    padding = dense<{padding}> : tensor<2x2xi64>,
    lhs_dilation = array<i64: {lhs}>, rhs_dilation = array<i64: {rhs}>,
    window_reversal = array<i1: {reversal}>"""


REVERSAL = "true, false"
WINDOW = window("1, 2", "[[1, 0], [-1, 2]]", "2, 1", "1, 2", REVERSAL)
"""4 by 4 with a kernel of 2 by 2: 7 + 1 - 2 + 1 = 7, (4 + 1 - 3) / 2 + 1 = 2."""
OF_ONE_SHAPE: tuple[Change, ...] = (
    (WINDOW, window("1, 1", "[[1, 0], [-1, 1]]", "2, 1", "1, 2", REVERSAL)),
    (WINDOW, window("1, 2", "[[3, 1], [-1, 2]]", "1, 1", "1, 2", REVERSAL)),
    (WINDOW, window("1, 2", "[[1, 0], [-1, 1]]", "2, 1", "1, 1", REVERSAL)),
    (WINDOW, window("1, 2", "[[0, 1], [-1, 2]]", "2, 1", "1, 2", REVERSAL)),
    (WINDOW, window("1, 2", "[[1, 0], [2, -1]]", "2, 1", "1, 2", REVERSAL)),
    (WINDOW, window("1, 2", "[[1, 0], [0, 1]]", "2, 1", "1, 2", REVERSAL)),
    (WINDOW, window("1, 2", "[[1, 0], [-1, 2]]", "2, 1", "1, 2", "false, false")),
    (WINDOW, window("1, 2", "[[1, 0], [-1, 2]]", "2, 1", "1, 2", "true, true")),
)
"""Every part of the window changed, the padding along with it where the shape asks for it."""


def dotted(numbers: str) -> str:
    return function(
        "%x: tensor<2x2x2xf64>, %w: tensor<2x2x2xf64>",
        "tensor<2x2x2xf64>",
        f"""  %r = "stablehlo.dot_general"(%x, %w) <{{
    dot_dimension_numbers = #stablehlo.dot<{numbers}>,
    precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]
  }}> : (tensor<2x2x2xf64>, tensor<2x2x2xf64>) -> tensor<2x2x2xf64>""",
    )


PADS = "[[0, 0], [1, 0]]"


def windows(
    extents: str, strides: str, base: str = "2, 1", dilation: str = "1, 2", pads: str = PADS
) -> str:
    return f"""window_dimensions = array<i64: {extents}>, window_strides = array<i64: {strides}>,
    base_dilations = array<i64: {base}>, window_dilations = array<i64: {dilation}>,
    padding = dense<{pads}> : tensor<2x2xi64>"""


REDUCED = windows("2, 2", "3, 2")
"""5 by 4: (9 - 2) / 3 + 1 = 3 by (5 - 3) / 2 + 1 = 2."""
WINDOWS: tuple[Change, ...] = (
    (REDUCED, windows("1, 2", "3, 2")),
    (REDUCED, windows("2, 2", "3, 1", pads="[[0, 0], [0, 0]]")),
    (REDUCED, windows("2, 2", "3, 2", base="1, 1", pads="[[2, 1], [1, 0]]")),
    (REDUCED, windows("2, 2", "3, 2", dilation="1, 1", pads="[[0, 0], [0, 0]]")),
    (REDUCED, windows("2, 2", "3, 2", pads="[[0, 0], [0, 1]]")),
    (REDUCED, windows("2, 2", "3, 2", pads="[[1, -1], [1, 0]]")),
)


def windowed(body: str, start: str) -> str:
    return function(
        "%x: tensor<5x4xf64>",
        "tensor<3x2xf64>",
        f"""{start}  %r = "stablehlo.reduce_window"(%x, %z) <{{
    {REDUCED}
  }}> ({body}) : (tensor<5x4xf64>, tensor<f64>) -> tensor<3x2xf64>""",
    )


GATHERED = function(
    "%x: tensor<3x3xf64>",
    "tensor<2x2xf64>",
    """  %i = stablehlo.constant dense<[[1, 1], [0, 1]]> : tensor<2x2xi32>
  %r = "stablehlo.gather"(%x, %i) <{
    dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0],
      start_index_map = [0, 1], index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 2>, indices_are_sorted = false
  }> : (tensor<3x3xf64>, tensor<2x2xi32>) -> tensor<2x2xf64>""",
)

SCATTERED = function(
    "%x: tensor<3x3xf64>, %u: tensor<2x2xf64>",
    "tensor<3x3xf64>",
    f"""  %i = stablehlo.constant dense<[[1, 1], [0, 1]]> : tensor<2x2xi32>
  %r = "stablehlo.scatter"(%x, %i, %u) <{{
    scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1],
      inserted_window_dims = [0], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>,
    indices_are_sorted = false, unique_indices = false
  }}> ({ADDING}) : (tensor<3x3xf64>, tensor<2x2xi32>, tensor<2x2xf64>) -> tensor<3x3xf64>""",
)

POOLED = f"""window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 2, 2>,
    padding = dense<{PADS}> : tensor<2x2xi64>"""
POOLED_BACK = function(
    "%x: tensor<4x4xf64>, %u: tensor<2x2xf64>",
    "tensor<4x4xf64>",
    f"""{number("z", "0.0")}  %r = "stablehlo.select_and_scatter"(%x, %u, %z) <{{
    {POOLED}
  }}> ({KEEPING}, {ADDING})
    : (tensor<4x4xf64>, tensor<2x2xf64>, tensor<f64>) -> tensor<4x4xf64>""",
)

LOOP = """func.func @main(%x: tensor<4xf64>) -> tensor<4xf64> {
  %i = stablehlo.constant dense<0> : tensor<i32>
  %z = stablehlo.constant dense<0.0> : tensor<4xf64>
  %q:3 = stablehlo.while(%k = %i, %c = %z, %d = %x)
      : tensor<i32>, tensor<4xf64>, tensor<4xf64>
  cond {
    %l = stablehlo.constant dense<3> : tensor<i32>
    %t = stablehlo.compare LT, %k, %l, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %s = stablehlo.constant dense<1> : tensor<i32>
    %m = stablehlo.add %k, %s : tensor<i32>
    %n = stablehlo.add %c, %d : tensor<4xf64>
    stablehlo.return %m, %n, %d : tensor<i32>, tensor<4xf64>, tensor<4xf64>
  }
  return %q#1 : tensor<4xf64>
}
"""

WINDOWED: dict[str, Case] = {
    "convolution": Case(
        convolved("1x4x4x2", "2x2x2x3", "1x7x2x3", WINDOW),
        (
            ("[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]", "[b, 0, 1, f]x[1, 0, i, o]->[b, 0, 1, f]"),
            *OF_ONE_SHAPE,
        ),
    ),
    "convolution, features in groups": Case(
        convolved("2x4x4x2", "2x2x1x4", "2x7x2x4", WINDOW, "2 1"),
        (("[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]", "[f, 0, 1, b]x[0, 1, i, o]->[b, 0, 1, f]"),),
    ),
    "convolution, the batch in groups": Case(
        convolved("2x4x4x2", "2x2x2x2", "1x7x2x2", WINDOW, "1 2"),
        (("[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]", "[b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f]"),),
    ),
    "dot_general": Case(
        dotted(
            "lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], "
            "lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]"
        ),
        (
            ("lhs_batching_dimensions = [0]", "lhs_batching_dimensions = [1]"),
            ("rhs_batching_dimensions = [0]", "rhs_batching_dimensions = [2]"),
            ("lhs_contracting_dimensions = [2]", "lhs_contracting_dimensions = [1]"),
            ("rhs_contracting_dimensions = [1]", "rhs_contracting_dimensions = [2]"),
        ),
        (("[#stablehlo<precision DEFAULT>", "[#stablehlo<precision HIGHEST>"),),
    ),
    "reduce_window, a sum": Case(
        windowed(ADDING, number("z", "0.0")),
        (*WINDOWS, *BODIES, (number("z", "0.0"), number("z", "1.0"))),
    ),
    "reduce_window, a maximum": Case(
        windowed(LARGEST, LOWEST),
        (*WINDOWS, *EXTREMES, (LOWEST, number("z", "0.0"))),
    ),
    "select_and_scatter": Case(
        POOLED_BACK,
        (
            ("window_dimensions = array<i64: 2, 3>", "window_dimensions = array<i64: 1, 3>"),
            (POOLED, POOLED.replace("i64: 2, 2", "i64: 2, 1").replace(PADS, "[[0, 0], [0, 0]]")),
            (PADS, "[[0, 0], [0, 1]]"),
            (number("z", "0.0"), number("z", "1.0")),
            ("compare GE, %a, %b", "compare LE, %a, %b"),
            ("compare GE, %a, %b", "compare GT, %a, %b"),
            ("compare GE, %a, %b", "compare GE, %a, %a"),
            ("compare GE, %a, %b", "compare NE, %a, %b"),
            *BODIES,
        ),
    ),
    "reduce": Case(
        function(
            "%x: tensor<3x3xf64>",
            "tensor<3xf64>",
            f"""{number("z", "0.0")}  %r = "stablehlo.reduce"(%x, %z) <{{
    dimensions = array<i64: 1>}}> ({ADDING}) : (tensor<3x3xf64>, tensor<f64>) -> tensor<3xf64>""",
        ),
        (
            ("array<i64: 1>", "array<i64: 0>"),
            (number("z", "0.0"), number("z", "1.0")),
            *BODIES,
        ),
    ),
    "reduce, a maximum": Case(
        function(
            "%x: tensor<3x3xf64>",
            "tensor<3xf64>",
            f"""{LOWEST}  %r = "stablehlo.reduce"(%x, %z) <{{
    dimensions = array<i64: 1>}}> ({LARGEST}) : (tensor<3x3xf64>, tensor<f64>) -> tensor<3xf64>""",
        ),
        (("array<i64: 1>", "array<i64: 0>"), (LOWEST, number("z", "0.5")), *EXTREMES),
    ),
    "gather": Case(
        GATHERED,
        (
            ("start_index_map = [0, 1]", "start_index_map = [1, 0]"),
            ("index_vector_dim = 1", "index_vector_dim = 0"),
            ("offset_dims = [1]", "offset_dims = [0]"),
            ("[[1, 1], [0, 1]]", "[[1, 1], [2, 1]]"),
            ("[[1, 1], [0, 1]]", "[[1, 0], [0, 1]]"),
            ("[[1, 1], [0, 1]]", "[[-1, 1], [0, 1]]"),
        ),
        (("indices_are_sorted = false", "indices_are_sorted = true"),),
    ),
    "scatter": Case(
        SCATTERED,
        (
            ("scatter_dims_to_operand_dims = [0, 1]", "scatter_dims_to_operand_dims = [1, 0]"),
            ("inserted_window_dims = [0]", "inserted_window_dims = [1]"),
            ("update_window_dims = [1]", "update_window_dims = [0]"),
            ("index_vector_dim = 1", "index_vector_dim = 0"),
            ("[[1, 1], [0, 1]]", "[[1, 1], [2, 1]]"),
            ("[[1, 1], [0, 1]]", "[[1, 0], [0, 1]]"),
            ("%y = stablehlo.add %a, %b", "%y = stablehlo.maximum %b, %b"),
            *BODIES,
        ),
        (
            ("indices_are_sorted = false", "indices_are_sorted = true"),
            ("unique_indices = false", "unique_indices = true"),
        ),
    ),
    "while": Case(
        LOOP,
        (
            ("dense<0> : tensor<i32>", "dense<1> : tensor<i32>"),
            ("dense<3> : tensor<i32>", "dense<2> : tensor<i32>"),
            ("compare LT", "compare LE"),
            ("dense<1> : tensor<i32>", "dense<2> : tensor<i32>"),
            ("dense<0.0> : tensor<4xf64>", "dense<1.0> : tensor<4xf64>"),
            ("%n = stablehlo.add %c, %d", "%n = stablehlo.subtract %c, %d"),
            ("%n = stablehlo.add %c, %d", "%n = stablehlo.add %d, %d"),
            ("%n = stablehlo.add %c, %d", "%n = stablehlo.multiply %c, %d"),
            ("%m, %n, %d :", "%m, %n, %c :"),
            ("%m, %n, %d :", "%m, %d, %n :"),
        ),
    ),
}
