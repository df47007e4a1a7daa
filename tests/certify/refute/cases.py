"""Small texts with known defects: a forward function, its right pullback, and wrong ones.

Each defect stands for public reports, which the docstrings of the tests name.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Case:
    """A forward text, the right backward text, and what turns it into wrong ones."""

    forward: str
    backward: str
    defects: tuple[tuple[str, str], ...]

    def wrong(self, number: int) -> str:
        """Return the backward text with one defect."""
        old, new = self.defects[number]
        assert self.backward.count(old) == 1, old
        return self.backward.replace(old, new)


def main(arguments: str, results: str, body: str) -> str:
    """Return a function of this signature."""
    return f"func.func @main({arguments}) -> {results} {{\n{body}\n}}\n"


def conv_1d(text: str, window: str, types: str, groups: int = 1) -> str:
    """Return a 1-D convolution over [N, C, W] (the caller names the dimensions)."""
    return (
        f"stablehlo.convolution{text}, window = {{{window}}} "
        f"{{batch_group_count = 1 : i64, feature_group_count = {groups} : i64}} : {types}"
    )


TANH = Case(
    main(
        "%x: tensor<3xf32>",
        "tensor<3xf32>",
        "%y = stablehlo.tanh %x : tensor<3xf32>\nreturn %y : tensor<3xf32>",
    ),
    main(
        "%x: tensor<3xf32>, %g: tensor<3xf32>",
        "tensor<3xf32>",
        """
  %one = stablehlo.constant dense<1.0> : tensor<3xf32>
  %y = stablehlo.tanh %x : tensor<3xf32>
  %y2 = stablehlo.multiply %y, %y : tensor<3xf32>
  %s = stablehlo.subtract %one, %y2 : tensor<3xf32>
  %dx = stablehlo.multiply %g, %s : tensor<3xf32>
  return %dx : tensor<3xf32>""",
    ),
    # g 1 - y^2 instead of g (1 - y^2)
    (("stablehlo.multiply %g, %s", "stablehlo.subtract %g, %y2"),),
)

WEIGHT = Case(
    main(
        "%x: tensor<1x1x5xf32>, %w: tensor<1x1x2xf32>",
        "tensor<1x1x2xf32>",
        "%y = "
        + conv_1d(
            "(%x, %w) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0]",
            "stride = [2]",
            "(tensor<1x1x5xf32>, tensor<1x1x2xf32>) -> tensor<1x1x2xf32>",
        )
        + "\nreturn %y : tensor<1x1x2xf32>",
    ),
    main(
        "%x: tensor<1x1x5xf32>, %w: tensor<1x1x2xf32>, %g: tensor<1x1x2xf32>",
        "(tensor<1x1x5xf32>, tensor<1x1x2xf32>)",
        "%flipped = stablehlo.reverse %w, dims = [2] : tensor<1x1x2xf32>\n%dx = "
        + conv_1d(
            "(%g, %flipped) dim_numbers = [b, f, 0]x[i, o, 0]->[b, f, 0]",
            "pad = [[1, 2]], lhs_dilate = [2]",
            "(tensor<1x1x2xf32>, tensor<1x1x2xf32>) -> tensor<1x1x5xf32>",
        )
        + "\n%dw = "
        + conv_1d(
            "(%x, %g) dim_numbers = [f, b, 0]x[i, o, 0]->[f, b, 0]",
            "stride = [1], pad = [[0, -1]], rhs_dilate = [2]",
            "(tensor<1x1x5xf32>, tensor<1x1x2xf32>) -> tensor<1x1x2xf32>",
        )
        + "\nreturn %dx, %dw : tensor<1x1x5xf32>, tensor<1x1x2xf32>",
    ),
    (
        (
            "stride = [1], pad = [[0, -1]], rhs_dilate = [2]",
            "stride = [2], pad = [[0, 0]], rhs_dilate = [1]",
        ),
        ("stablehlo.reverse %w, dims = [2]", "stablehlo.optimization_barrier %w"),
        ("pad = [[1, 2]]", "pad = [[2, 1]]"),
    ),
)

DEPTHWISE = Case(
    main(
        "%x: tensor<1x2x4xf32>, %w: tensor<2x1x2xf32>",
        "tensor<1x2x2xf32>",
        "%y = "
        + conv_1d(
            "(%x, %w) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0]",
            "stride = [2]",
            "(tensor<1x2x4xf32>, tensor<2x1x2xf32>) -> tensor<1x2x2xf32>",
            groups=2,
        )
        + "\nreturn %y : tensor<1x2x2xf32>",
    ),
    main(
        "%x: tensor<1x2x4xf32>, %w: tensor<2x1x2xf32>, %g: tensor<1x2x2xf32>",
        "(tensor<1x2x4xf32>, tensor<2x1x2xf32>)",
        "%flipped = stablehlo.reverse %w, dims = [2] : tensor<2x1x2xf32>\n"
        "%spread = stablehlo.broadcast_in_dim %w, dims = [0, 1, 2]"
        " : (tensor<2x1x2xf32>) -> tensor<2x2x2xf32>\n%dx = "
        + conv_1d(
            "(%g, %flipped) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0]",
            "pad = [[1, 1]], lhs_dilate = [2]",
            "(tensor<1x2x2xf32>, tensor<2x1x2xf32>) -> tensor<1x2x4xf32>",
            groups=2,
        )
        + """
  %g1 = stablehlo.reshape %g : (tensor<1x2x2xf32>) -> tensor<2x2xf32>
  %x0 = stablehlo.reshape %x : (tensor<1x2x4xf32>) -> tensor<2x2x2xf32>
  %dw = stablehlo.dot_general %g1, %x0, batching_dims = [0] x [0], contracting_dims = [1] x [1]
      : (tensor<2x2xf32>, tensor<2x2x2xf32>) -> tensor<2x2xf32>
  %dw1 = stablehlo.reshape %dw : (tensor<2x2xf32>) -> tensor<2x1x2xf32>
  return %dx, %dw1 : tensor<1x2x4xf32>, tensor<2x1x2xf32>""",
    ),
    # Groups ignored: every channel of dy reaches every channel of dx.
    (
        (
            "(%g, %flipped) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], "
            "window = {pad = [[1, 1]], lhs_dilate = [2]} "
            "{batch_group_count = 1 : i64, feature_group_count = 2 : i64} : "
            "(tensor<1x2x2xf32>, tensor<2x1x2xf32>) -> tensor<1x2x4xf32>",
            "(%g, %spread) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], "
            "window = {pad = [[1, 1]], lhs_dilate = [2]} "
            "{batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "
            "(tensor<1x2x2xf32>, tensor<2x2x2xf32>) -> tensor<1x2x4xf32>",
        ),
    ),
)


def max_pool(scatter: str, winner: str = "GE") -> str:
    """Return the pullback of a max pool, window 2, stride 1, with a combining region."""
    return main(
        "%x: tensor<5xf32>, %g: tensor<4xf32>",
        "tensor<5xf32>",
        f"""
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %dx = "stablehlo.select_and_scatter"(%x, %g, %z) ({{
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %c = stablehlo.compare {winner}, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
  }}, {{
    ^bb0(%acc: tensor<f32>, %upd: tensor<f32>):
      {scatter}
  }}) {{window_dimensions = array<i64: 2>, window_strides = array<i64: 1>}}
   : (tensor<5xf32>, tensor<4xf32>, tensor<f32>) -> tensor<5xf32>
  return %dx : tensor<5xf32>""",
    )


ADDING = "%s = stablehlo.add %acc, %upd : tensor<f32>\n      stablehlo.return %s : tensor<f32>"
MAX_POOL = Case(
    main(
        "%x: tensor<5xf32>",
        "tensor<4xf32>",
        """
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %y = "stablehlo.reduce_window"(%x, %low) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %m = stablehlo.maximum %a, %b : tensor<f32>
      stablehlo.return %m : tensor<f32>
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 1>}
   : (tensor<5xf32>, tensor<f32>) -> tensor<4xf32>
  return %y : tensor<4xf32>""",
    ),
    max_pool(ADDING),
    (
        (ADDING, ADDING.replace("add", "maximum")),
        (ADDING, "stablehlo.return %upd : tensor<f32>"),
        ("%s = stablehlo.add %acc, %upd", "%s = stablehlo.add %upd, %upd"),
    ),
)

GATHER = Case(
    main(
        "%t: tensor<3x2xf32>, %i: tensor<4x1xi32>",
        "tensor<4x2xf32>",
        """
  %y = "stablehlo.gather"(%t, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1],
      collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
      slice_sizes = array<i64: 1, 2>} : (tensor<3x2xf32>, tensor<4x1xi32>) -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>""",
    ),
    main(
        "%t: tensor<3x2xf32>, %i: tensor<4x1xi32>, %g: tensor<4x2xf32>",
        "tensor<3x2xf32>",
        """
  %z = stablehlo.constant dense<0.0> : tensor<3x2xf32>
  %dt = "stablehlo.scatter"(%z, %i, %g) ({
    ^bb0(%old: tensor<f32>, %upd: tensor<f32>):
      %s = stablehlo.add %old, %upd : tensor<f32>
      stablehlo.return %s : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1],
      inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}
   : (tensor<3x2xf32>, tensor<4x1xi32>, tensor<4x2xf32>) -> tensor<3x2xf32>
  return %dt : tensor<3x2xf32>""",
    ),
    (
        (
            "%s = stablehlo.add %old, %upd : tensor<f32>\n      stablehlo.return %s",
            "stablehlo.return %upd",
        ),
    ),
)

LOG_SOFTMAX = Case(
    main(
        "%x: tensor<2x3xf32>",
        "tensor<2x3xf32>",
        """
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %e = stablehlo.exponential %x : tensor<2x3xf32>
  %s = stablehlo.reduce(%e init: %z) applies stablehlo.add across dimensions = [1]
      : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  %l = stablehlo.log %s : tensor<2xf32>
  %b = stablehlo.broadcast_in_dim %l, dims = [0] : (tensor<2xf32>) -> tensor<2x3xf32>
  %y = stablehlo.subtract %x, %b : tensor<2x3xf32>
  return %y : tensor<2x3xf32>""",
    ),
    main(
        "%x: tensor<2x3xf32>, %g: tensor<2x3xf32>",
        "tensor<2x3xf32>",
        """
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %e = stablehlo.exponential %x : tensor<2x3xf32>
  %s = stablehlo.reduce(%e init: %z) applies stablehlo.add across dimensions = [1]
      : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  %b = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<2xf32>) -> tensor<2x3xf32>
  %p = stablehlo.divide %e, %b : tensor<2x3xf32>
  %t = stablehlo.reduce(%g init: %z) applies stablehlo.add across dimensions = [1]
      : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  %u = stablehlo.broadcast_in_dim %t, dims = [0] : (tensor<2xf32>) -> tensor<2x3xf32>
  %v = stablehlo.multiply %p, %u : tensor<2x3xf32>
  %dx = stablehlo.subtract %g, %v : tensor<2x3xf32>
  return %dx : tensor<2x3xf32>""",
    ),
    (("%dx = stablehlo.subtract", "%dx = stablehlo.add"),),
)


def average_pool(divisor: str) -> str:
    """Return the pullback of an average pool, window 3, padding 1, over a sum divided so."""
    return main(
        "%x: tensor<4xf32>, %g: tensor<4xf32>",
        "tensor<4xf32>",
        f"""
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.constant dense<{divisor}> : tensor<4xf32>
  %h = stablehlo.divide %g, %n : tensor<4xf32>
  %dx = "stablehlo.reduce_window"(%h, %z) ({{
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %m = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %m : tensor<f32>
  }}) {{window_dimensions = array<i64: 3>, padding = dense<[[1, 1]]> : tensor<1x2xi64>}}
   : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %dx : tensor<4xf32>""",
    )


COUNTS = "[2.0, 3.0, 3.0, 2.0]"
AVERAGE_POOL = Case(
    main(
        "%x: tensor<4xf32>",
        "tensor<4xf32>",
        f"""
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.constant dense<{COUNTS}> : tensor<4xf32>
  %s = "stablehlo.reduce_window"(%x, %z) ({{
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %m = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %m : tensor<f32>
  }}) {{window_dimensions = array<i64: 3>, padding = dense<[[1, 1]]> : tensor<1x2xi64>}}
   : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %y = stablehlo.divide %s, %n : tensor<4xf32>
  return %y : tensor<4xf32>""",
    ),
    average_pool(COUNTS),
    ((COUNTS, "3.0"),),
)

GELU = Case(
    main(
        "%x: tensor<3xf32>",
        "tensor<3xf32>",
        """
  %h = stablehlo.constant dense<0.5> : tensor<3xf32>
  %one = stablehlo.constant dense<1.0> : tensor<3xf32>
  %k = stablehlo.constant dense<0.7978845608> : tensor<3xf32>
  %c = stablehlo.constant dense<0.044715> : tensor<3xf32>
  %x2 = stablehlo.multiply %x, %x : tensor<3xf32>
  %x3 = stablehlo.multiply %x2, %x : tensor<3xf32>
  %cx = stablehlo.multiply %c, %x3 : tensor<3xf32>
  %i = stablehlo.add %x, %cx : tensor<3xf32>
  %u = stablehlo.multiply %k, %i : tensor<3xf32>
  %t = stablehlo.tanh %u : tensor<3xf32>
  %p = stablehlo.add %one, %t : tensor<3xf32>
  %q = stablehlo.multiply %h, %x : tensor<3xf32>
  %y = stablehlo.multiply %q, %p : tensor<3xf32>
  return %y : tensor<3xf32>""",
    ),
    main(
        "%x: tensor<3xf32>, %g: tensor<3xf32>",
        "tensor<3xf32>",
        """
  %h = stablehlo.constant dense<0.5> : tensor<3xf32>
  %one = stablehlo.constant dense<1.0> : tensor<3xf32>
  %three = stablehlo.constant dense<3.0> : tensor<3xf32>
  %k = stablehlo.constant dense<0.7978845608> : tensor<3xf32>
  %c = stablehlo.constant dense<0.044715> : tensor<3xf32>
  %x2 = stablehlo.multiply %x, %x : tensor<3xf32>
  %x3 = stablehlo.multiply %x2, %x : tensor<3xf32>
  %cx = stablehlo.multiply %c, %x3 : tensor<3xf32>
  %i = stablehlo.add %x, %cx : tensor<3xf32>
  %u = stablehlo.multiply %k, %i : tensor<3xf32>
  %t = stablehlo.tanh %u : tensor<3xf32>
  %p = stablehlo.add %one, %t : tensor<3xf32>
  %left = stablehlo.multiply %h, %p : tensor<3xf32>
  %t2 = stablehlo.multiply %t, %t : tensor<3xf32>
  %dt = stablehlo.subtract %one, %t2 : tensor<3xf32>
  %c3 = stablehlo.multiply %c, %x2 : tensor<3xf32>
  %c9 = stablehlo.multiply %three, %c3 : tensor<3xf32>
  %di = stablehlo.add %one, %c9 : tensor<3xf32>
  %du = stablehlo.multiply %k, %di : tensor<3xf32>
  %q = stablehlo.multiply %h, %x : tensor<3xf32>
  %r = stablehlo.multiply %q, %dt : tensor<3xf32>
  %right = stablehlo.multiply %r, %du : tensor<3xf32>
  %slope = stablehlo.add %left, %right : tensor<3xf32>
  %dx = stablehlo.multiply %g, %slope : tensor<3xf32>
  return %dx : tensor<3xf32>""",
    ),
    # 3 dropped from 3 * 0.044715 * x^2
    (("stablehlo.add %one, %c9", "stablehlo.add %one, %c3"),),
)
