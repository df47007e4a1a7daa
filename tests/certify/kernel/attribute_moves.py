"""Texts of operations that move, compare and convert elements, and what changes one of them."""

from certify.kernel.attribute_cases import ADDING, BODIES, Case, function, number

ONE = function("%x: tensor<3x3xf64>, %w: tensor<3x3xf64>", "tensor<3x3xf64>", "{}")


def single(operation: str, constants: str = "") -> str:
    """Return a text of one operation from x and w, all of 3 by 3."""
    types = "(tensor<3x3xf64>) -> tensor<3x3xf64>"
    return ONE.replace("{}", f"{constants}  %r = {operation.replace('TYPES', types)}")


ALONG_0 = """dimension = 0 : i64}> : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<4x2xf64>
  %r = stablehlo.reshape %q : (tensor<4x2xf64>) -> tensor<8xf64>"""
ALONG_1 = ALONG_0.replace("dimension = 0", "dimension = 1").replace("4x2", "2x4")

MOVED: dict[str, Case] = {
    "transpose": Case(
        single("stablehlo.transpose %x, dims = [1, 0] : TYPES"), (("[1, 0]", "[0, 1]"),)
    ),
    "broadcast_in_dim": Case(
        single("stablehlo.broadcast_in_dim %x, dims = [1, 0] : TYPES"), (("[1, 0]", "[0, 1]"),)
    ),
    "reverse": Case(
        single("stablehlo.reverse %x, dims = [0] : tensor<3x3xf64>"),
        (
            ("dims = [0]", "dims = [1]"),
            ("dims = [0]", "dims = [0, 1]"),
            ("dims = [0]", "dims = []"),
        ),
    ),
    "slice": Case(
        function(
            "%x: tensor<6xf64>",
            "tensor<2xf64>",
            "  %r = stablehlo.slice %x [1:4:2] : (tensor<6xf64>) -> tensor<2xf64>",
        ),
        (("[1:4:2]", "[2:4:1]"), ("[1:4:2]", "[0:4:2]"), ("[1:4:2]", "[1:5:3]")),
    ),
    "pad": Case(
        function(
            "%x: tensor<3xf64>, %v: tensor<f64>",
            "tensor<6xf64>",
            "  %r = stablehlo.pad %x, %v, low = [2], high = [-1], interior = [1]"
            " : (tensor<3xf64>, tensor<f64>) -> tensor<6xf64>",
        ),
        (
            ("low = [2], high = [-1]", "low = [1], high = [0]"),
            ("low = [2], high = [-1]", "low = [-1], high = [2]"),
            ("high = [-1], interior = [1]", "high = [1], interior = [0]"),
        ),
    ),
    "concatenate": Case(
        function(
            "%x: tensor<2x2xf64>, %w: tensor<2x2xf64>",
            "tensor<8xf64>",
            f"""  %q = "stablehlo.concatenate"(%x, %w) <{{{ALONG_0}""",
        ),
        (
            (ALONG_0, ALONG_1),
            ("(%x, %w)", "(%w, %x)"),
            ("(%x, %w)", "(%x, %x)"),
        ),
    ),
    "iota": Case(
        single(
            "stablehlo.multiply %x, %i : tensor<3x3xf64>",
            "  %i = stablehlo.iota dim = 0 : tensor<3x3xf64>\n",
        ),
        (("dim = 0", "dim = 1"),),
    ),
    "constant": Case(
        single(
            "stablehlo.multiply %x, %i : tensor<3x3xf64>",
            "  %i = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]>"
            " : tensor<3x3xf64>\n",
        ),
        (("9.0]]", "9.0000001]]"), ("1.0, 2.0", "2.0, 1.0"), ("[7.0", "[-7.0")),
    ),
    "compare": Case(
        single(
            "stablehlo.select %c, %x, %w : tensor<3x3xi1>, tensor<3x3xf64>",
            "  %c = stablehlo.compare GT, %x, %w, FLOAT"
            " : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xi1>\n",
        ),
        (
            ("GT, %x, %w", "LT, %x, %w"),
            ("GT, %x, %w", "EQ, %x, %w"),
            ("GT, %x, %w", "NE, %x, %w"),
            ("FLOAT", "TOTALORDER"),
        ),
    ),
    "clamp": Case(
        single(
            "stablehlo.clamp %l, %x, %h : (tensor<f64>, tensor<3x3xf64>, tensor<f64>)"
            " -> tensor<3x3xf64>",
            number("l", "-0.5") + number("h", "0.25"),
        ),
        (("-0.5", "-0.25"), ("0.25", "0.75"), ("%l, %x, %h", "%h, %x, %l")),
    ),
    "convert": Case(
        single(
            "stablehlo.convert %c : (tensor<3x3xi32>) -> tensor<3x3xf64>",
            "  %c = stablehlo.convert %x : (tensor<3x3xf64>) -> tensor<3x3xi32>\n",
        ),
        (("i32", "i1"),),
    ),
    "reduce_precision": Case(
        single("stablehlo.reduce_precision %x, format = e11m52 : tensor<3x3xf64>"),
        (),
        (("e11m52", "e8m23"),),
    ),
    "dynamic_slice": Case(
        function(
            "%x: tensor<6x6xf64>",
            "tensor<2x2xf64>",
            "  %i = stablehlo.constant dense<1> : tensor<i32>\n"
            "  %k = stablehlo.constant dense<3> : tensor<i32>\n"
            "  %r = stablehlo.dynamic_slice %x, %i, %k, sizes = [2, 2]"
            " : (tensor<6x6xf64>, tensor<i32>, tensor<i32>) -> tensor<2x2xf64>",
        ),
        (("%i, %k", "%k, %i"), ("dense<3>", "dense<4>"), ("dense<3>", "dense<5>")),
    ),
    "dynamic_update_slice": Case(
        function(
            "%x: tensor<3x3xf64>, %w: tensor<2x2xf64>",
            "tensor<3x3xf64>",
            "  %i = stablehlo.constant dense<1> : tensor<i32>\n"
            "  %k = stablehlo.constant dense<0> : tensor<i32>\n"
            "  %r = stablehlo.dynamic_update_slice %x, %w, %i, %k : (tensor<3x3xf64>,"
            " tensor<2x2xf64>, tensor<i32>, tensor<i32>) -> tensor<3x3xf64>",
        ),
        (("%i, %k", "%k, %i"), ("dense<1>", "dense<0>"), ("dense<1>", "dense<2>")),
    ),
    "all_reduce": Case(
        single(
            f""""stablehlo.all_reduce"(%x) <{{replica_groups = dense<[[0, 1], [2, 3]]>
      : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}}>
      ({ADDING}) : TYPES"""
        ),
        (
            ("[[0, 1], [2, 3]]", "[[0, 2], [1, 3]]"),
            ("[[0, 1], [2, 3]]", "[[0, 1], [3, 2]]"),
            *BODIES,
        ),
        (("handle = 1", "handle = 2"),),
        evaluated=False,
    ),
}
