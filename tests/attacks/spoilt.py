"""Texts with overlapping pools, error functions, and computed indices, and what spoils each."""

from dataclasses import dataclass
from functools import cache

from gradwright import layers, losses, optim, programs
from gradwright.certify import certify_program, certify_text
from gradwright.programs import Program
from gradwright.spec import Image, NetSpec

INDEXED = """
func.func @main(%x: tensor<5x3xf32>, %i: tensor<4x1xi32>, %w: tensor<4x3xf32>)
    -> (tensor<f32>, tensor<5x3xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %zs = stablehlo.constant dense<0.0> : tensor<5x3xf32>
  %g = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1],
      collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
      indices_are_sorted = false, slice_sizes = array<i64: 1, 3>}>
      : (tensor<5x3xf32>, tensor<4x1xi32>) -> tensor<4x3xf32>
  %p = stablehlo.multiply %g, %w : tensor<4x3xf32>
  %l = stablehlo.reduce(%p init: %z) applies stablehlo.add across dimensions = [0, 1]
      : (tensor<4x3xf32>, tensor<f32>) -> tensor<f32>
  %dx = "stablehlo.scatter"(%zs, %i, %w) <{scatter_dimension_numbers =
      #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0],
      scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = false,
      unique_indices = false}> ({
    ^bb0(%held: tensor<f32>, %next: tensor<f32>):
      %s = stablehlo.add %held, %next : tensor<f32>
      stablehlo.return %s : tensor<f32>
  }) : (tensor<5x3xf32>, tensor<4x1xi32>, tensor<4x3xf32>) -> tensor<5x3xf32>
  return %l, %dx : tensor<f32>, tensor<5x3xf32>
}
"""
"""A loss over rows that indices pick, and its gradient."""


@cache
def bent() -> Program:
    """Return the train step of a net with overlapping windows and an error function."""
    net = NetSpec(
        "bent",
        Image(1, 5, 4),
        [
            layers.Conv2d(2, 1),
            layers.MaxPool(3, 2, padding=layers.Padding.SYMMETRIC),
            layers.Flatten(),
            layers.Dense(3),
            layers.Activation(layers.Function.GELU_ERF),
        ],
    )
    return programs.train_step(
        net,
        batch=2,
        loss=losses.MeanSquaredError(),
        optimizer=optim.Sgd(),
        formulation=layers.TEXTBOOK,
    )


@cache
def certificate_of(subject: str) -> object:
    """Return the honest certificate of a text."""
    if subject == "bent":
        return certify_program(bent()).certificate
    return certify_text(INDEXED, loss=0, wrt=[0], grads=[1]).certificate


def text_of(subject: str) -> str:
    """Return the right text."""
    return bent().text if subject == "bent" else INDEXED


@dataclass(frozen=True, slots=True)
class Spoilt:
    """A piece of a text and what takes its place."""

    subject: str
    old: str
    new: str

    @property
    def text(self) -> str:
        """The wrong text."""
        right = text_of(self.subject)
        assert self.old in right
        return right.replace(self.old, self.new)


SPOILT = {
    "the last winner takes the cotangent": Spoilt("bent", "compare GE", "compare GT"),
    "the least entry takes the cotangent": Spoilt("bent", "compare GE", "compare LE"),
    "a pool of minima": Spoilt("bent", "maximum %maxpool1", "minimum %maxpool1"),
    "a border of zeros": Spoilt("bent", "dense<0xFF800000>", "dense<0.0>"),
    "a border of infinities": Spoilt("bent", "dense<0xFF800000>", "dense<0x7F800000>"),
    "the border on one side": Spoilt(
        "bent",
        "low = [0, 0, 1, 1], high = [0, 0, 1, 1]",
        "low = [0, 0, 2, 1], high = [0, 0, 0, 1]",
    ),
    "cotangents of the border": Spoilt("bent", "[0:2, 0:2, 1:6, 1:5]", "[0:2, 0:2, 0:5, 1:5]"),
    "the bell of another width": Spoilt("bent", "dense<0.3989423>", "dense<0.7978846>"),
    "the complement of the error function": Spoilt("bent", "chlo.erf ", "chlo.erfc "),
    "the last update overwrites": Spoilt("indexed", "add %held, %next", "maximum %held, %next"),
    "rows of another tensor": Spoilt("indexed", '"(%zs, %i, %w)', '"(%x, %i, %w)'),
}
