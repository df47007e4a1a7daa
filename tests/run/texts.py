"""Small module texts, and the backends to run them on."""

import pytest

from gradwright.hlo import ElementType, TensorType
from gradwright.run import Backend

BACKENDS = (
    pytest.param(Backend.XLA, marks=pytest.mark.xla),
    pytest.param(Backend.IREE, marks=pytest.mark.iree),
    pytest.param(Backend.INTERPRETER, marks=pytest.mark.interpreter),
)


def identity(shape: tuple[int, ...], element: ElementType) -> str:
    """A module that returns its argument."""
    tensor = TensorType(shape, element)
    return f"""module @identity {{
  func.func public @main(%x: {tensor}) -> {tensor} {{
    return %x : {tensor}
  }}
}}
"""


# state' = state + x, and the sum of state'.
ACCUMULATE = """module @accumulate {
  func.func public @main(%state: tensor<3xf32> {tf.aliasing_output = 0 : i32}, %x: tensor<3xf32>)
      -> (tensor<3xf32>, tensor<f32>) {
    %next = stablehlo.add %state, %x : tensor<3xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %sum = stablehlo.reduce(%next init: %zero) applies stablehlo.add across dimensions = [0]
        : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    return %next, %sum : tensor<3xf32>, tensor<f32>
  }
}
"""

# One layer trained on z = h w: the gradient of h must read the weight from before the update.
OVERWRITTEN = """module @overwritten {
  func.func public @main(%w: tensor<5x2xf32> {tf.aliasing_output = 0 : i32}, %h: tensor<3x5xf32>)
      -> (tensor<5x2xf32>, tensor<3x5xf32>) {
    %z = stablehlo.dot_general %h, %w, contracting_dims = [1] x [0]
        : (tensor<3x5xf32>, tensor<5x2xf32>) -> tensor<3x2xf32>
    %dw = stablehlo.dot_general %h, %z, contracting_dims = [0] x [0]
        : (tensor<3x5xf32>, tensor<3x2xf32>) -> tensor<5x2xf32>
    %next = stablehlo.subtract %w, %dw : tensor<5x2xf32>
    %dh = stablehlo.dot_general %z, %w, contracting_dims = [1] x [1]
        : (tensor<3x2xf32>, tensor<5x2xf32>) -> tensor<3x5xf32>
    return %next, %dh : tensor<5x2xf32>, tensor<3x5xf32>
  }
}
"""

# The verifier accepts a window with negative padding; XLA's simplifier aborts on it.
ABORTS_XLA = """module @negative_padding {
  func.func public @main(%x: tensor<4xf32>) -> tensor<2xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %y = "stablehlo.reduce_window"(%x, %zero) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %sum = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %sum : tensor<f32>
    }) {window_dimensions = array<i64: 1>, padding = dense<[[-1, -1]]> : tensor<1x2xi64>}
      : (tensor<4xf32>, tensor<f32>) -> tensor<2xf32>
    return %y : tensor<2xf32>
  }
}
"""

# The verifier accepts it; every compiler runs out of stack, or of time.
CALLS_ITSELF = """module @calls_itself {
  func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %y = func.call @main(%x) : (tensor<4xf32>) -> tensor<4xf32>
    return %y : tensor<4xf32>
  }
}
"""

# XLA refuses it; the reference interpreter aborts.
UNKNOWN_CALL = """module @unknown_call {
  func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %y = stablehlo.custom_call @nowhere(%x) : (tensor<4xf32>) -> tensor<4xf32>
    return %y : tensor<4xf32>
  }
}
"""

BATCH_NORM_GRAD = """module @batch_norm_grad {
  func.func public @main(%x: tensor<2x3xf32>, %g: tensor<3xf32>)
      -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) {
    %r:3 = "stablehlo.batch_norm_grad"(%x, %g, %g, %g, %x)
        {epsilon = 1.0e-5 : f32, feature_index = 1 : i64}
        : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3xf32>)
        -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
    return %r#0, %r#1, %r#2 : tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>
  }
}
"""

SELECT_AND_SCATTER = """module @pool_backward {
  func.func public @main(%x: tensor<4xf32>, %dy: tensor<2xf32>) -> tensor<4xf32> {
    // stablehlo.select_and_scatter in a comment is no reason to refuse
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %dx = "stablehlo.select_and_scatter"(%x, %dy, %zero) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %first = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %first : tensor<i1>
    }, {
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %sum = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %sum : tensor<f32>
    }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}
      : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
    return %dx : tensor<4xf32>
  }
}
"""


def many(count: int) -> str:
    """A module that adds one to each of `count` tiny states."""
    tensor = "tensor<2xf32>"
    arguments = ", ".join(
        f"%s{i}: {tensor} {{tf.aliasing_output = {i} : i32}}" for i in range(count)
    )
    types = ", ".join([tensor] * count)
    lines = "\n".join(f"    %r{i} = stablehlo.add %s{i}, %one : {tensor}" for i in range(count))
    results = ", ".join(f"%r{i}" for i in range(count))
    return f"""module @many {{
  func.func public @main({arguments}) -> ({types}) {{
    %one = stablehlo.constant dense<1.0> : {tensor}
{lines}
    return {results} : {types}
  }}
}}
"""
