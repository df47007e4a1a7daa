"""Drawn programs of blocks that once had an open claim are proved, wrong texts near them not."""

from collections.abc import Callable

import pytest

import gradwright as gw
from certify.random.random_blocks import drawn
from gradwright import layers as ly
from gradwright import losses
from gradwright.certify import Search, certify_equal
from gradwright.certify.verdicts import Verdict
from gradwright.layers import blocks
from gradwright.programs import Program
from gradwright.spec import Image, NetSpec

F, P = ly.Function, ly.Padding
SEARCH = Search(seconds=0)
SEEDS = 600
"""Programs that a sweep draws."""
OPEN = frozenset({394, 549})
"""Of these claims are open: norms over few positions behind windows that overlap."""
POINT = ly.ConvBn(2, 1, activation=F.TANH)
OVERLAPPING = ly.AvgPool(2, 1, P.SYMMETRIC, ly.Divisor.EXCLUDE_PADDING)


def trained(image: Image, layers: list[ly.Layer], loss: losses.Loss, batch: int) -> Program:
    net = NetSpec("drawn", image, layers)
    formulation = ly.PORTABLE if batch > 1 else ly.TEXTBOOK
    return gw.programs.train_step(
        net, batch=batch, loss=loss, optimizer=gw.optim.Sgd(), formulation=formulation
    )


def graded(image: Image, *layers: ly.Layer) -> Program:
    return graded_in(ly.TEXTBOOK, image, *layers)


def graded_in(formulation: ly.Formulation, image: Image, *layers: ly.Layer) -> Program:
    return gw.programs.vjp(NetSpec("drawn", image, layers), batch=2, formulation=formulation)


def forward(image: Image, formulation: ly.Formulation, *layers: ly.Layer) -> Program:
    return gw.programs.forward(NetSpec("drawn", image, layers), batch=2, formulation=formulation)


DRAWN: dict[str, Callable[[], Program]] = {
    "pairs of columns under squared errors": lambda: trained(
        Image(2, 4, 4), [ly.Conv2d(2, 3), ly.Conv2d(3, 3)], losses.MeanSquaredError(), 2
    ),
    "a mean that no input moves": lambda: trained(
        Image(3, 5, 5),
        [blocks.ConvNeXtStem(3, 2, ly.BatchNorm()), ly.GlobalAvgPool(), ly.Dense(3)],
        losses.BinaryCrossEntropy(),
        1,
    ),
    "joined sums before a convolution": lambda: graded(
        Image(4, 3, 3),
        ly.Branches(
            [ly.Sequential([ly.Activation(F.TANH), ly.Residual(ly.Activation(F.TANH))]), POINT]
        ),
        POINT,
    ),
    "windows that overlap before a mean": lambda: graded(
        Image(2, 4, 4), OVERLAPPING, ly.GlobalAvgPool()
    ),
    "windows that leave entries out": lambda: graded(
        Image(2, 9, 8),
        ly.Activation(F.SIGMOID),
        ly.AvgPool(2, 3, P.SAME_UPPER, ly.Divisor.INCLUDE_PADDING),
        ly.GlobalAvgPool(),
    ),
    "a function of shuffled channels": lambda: forward(
        Image(4, 4, 4),
        ly.TEXTBOOK,
        ly.Conv2d(4, 1),
        blocks.ShuffleV2Unit(4, 2, P.SYMMETRIC),
        ly.Activation(F.SWISH),
    ),
    "a strided block behind a norm": lambda: forward(
        Image(2, 4, 4),
        ly.PORTABLE,
        ly.BatchNorm(),
        blocks.BasicBlock(2, 2, P.SYMMETRIC, F.RELU),
    ),
    "maxima behind pairs of columns": lambda: graded_in(
        ly.PORTABLE,
        Image(3, 4, 4),
        ly.Conv2d(3, 3, padding=P.SYMMETRIC),
        ly.MaxPool(3, 1, P.SYMMETRIC),
    ),
    "maxima of a bordered sum": lambda: forward(
        Image(2, 5, 5), ly.TEXTBOOK, ly.Activation(F.TANH), ly.MaxPool(2, 2, P.SAME_UPPER)
    ),
    "a kernel most of which reads padding": lambda: drawn(25),
    "a loop over rows of windows that overlap": lambda: drawn(275),
    "means of windows that overlap under squared errors, behind a block": lambda: drawn(256),
    "overlapping means of sums before squared errors": lambda: trained(
        Image(3, 6, 6),
        [
            ly.Conv2d(2, 3, bias=False),
            ly.AvgPool(3, 2, P.SYMMETRIC, ly.Divisor.INCLUDE_PADDING),
        ],
        losses.MeanSquaredError(),
        3,
    ),
}


@pytest.mark.parametrize("name", DRAWN)
def test_every_claim_is_proved(name: str) -> None:
    claims = gw.certify(DRAWN[name](), search=SEARCH).claims
    assert [claim.name for claim in claims if claim.verdict is not Verdict.PROVED] == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(SEEDS))
def test_every_claim_about_a_program_drawn_by_a_seed_is_proved(seed: int) -> None:
    claims = gw.certify(drawn(seed), search=SEARCH).claims
    unproved = [claim.name for claim in claims if claim.verdict is not Verdict.PROVED]
    assert bool(unproved) == (seed in OPEN)


def summed(value: str) -> str:
    return f"""
    func.func @main(%x: tensor<5xf32>) -> tensor<f32> {{
      %z = stablehlo.constant dense<0.0> : tensor<f32>
      {value}
      %s = stablehlo.reduce(%y init: %z) applies stablehlo.add across dimensions = [0]
          : (tensor<SIZExf32>, tensor<f32>) -> tensor<f32>
      return %s : tensor<f32>
    }}"""


def window_sums(name: str, extents: str, x: str, types: str) -> str:
    window = f"<{{window_dimensions = array<i64: {extents}>}}>"
    return f"""
      {name} = "stablehlo.reduce_window"({x}, %z) {window} ({{
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %c = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %c : tensor<f32>
      }}) : {types}"""


WINDOWS = summed(
    window_sums("%y", "3", "%x", "(tensor<5xf32>, tensor<f32>) -> tensor<3xf32>")
).replace("SIZE", "3")
WEIGHTED = summed("""
      %w = stablehlo.constant dense<[1.0, 2.0, 3.0, 2.0, 1.0]> : tensor<5xf32>
      %y = stablehlo.multiply %x, %w : tensor<5xf32>""").replace("SIZE", "5")


def test_entries_count_as_often_as_windows_meet_them() -> None:
    assert certify_equal(WINDOWS, WEIGHTED, search=SEARCH).verdict is Verdict.PROVED


@pytest.mark.interpreter
@pytest.mark.parametrize("wrong", ["1.0, 2.0, 2.0, 2.0, 1.0", "1.0, 1.0, 1.0, 1.0, 1.0"])
def test_entries_that_count_less_often_are_noticed(wrong: str) -> None:
    text = WEIGHTED.replace("1.0, 2.0, 3.0, 2.0, 1.0", wrong)
    assert certify_equal(WINDOWS, text).verdict is Verdict.REFUTED


def columns(body: str) -> str:
    return f"""
    func.func @main(%x: tensor<5x7xf32>) -> tensor<4xf32> {{
      %z = stablehlo.constant dense<0.0> : tensor<f32>
      {body}
      return %s : tensor<4xf32>
    }}"""


PICTURE, ROW = "tensor<5x7xf32>, tensor<f32>", "tensor<7xf32>, tensor<f32>"
WINDOWS_OF_COLUMNS = columns(
    window_sums("%y", "3, 4", "%x", f"({PICTURE}) -> tensor<3x4xf32>")
    + """
      %s = stablehlo.reduce(%y init: %z) applies stablehlo.add across dimensions = [0]
          : (tensor<3x4xf32>, tensor<f32>) -> tensor<4xf32>"""
)
WEIGHTED_COLUMNS = columns(
    """%w = stablehlo.constant dense<[1.0, 2.0, 3.0, 2.0, 1.0]> : tensor<5xf32>
      %v = stablehlo.broadcast_in_dim %w, dims = [0] : (tensor<5xf32>) -> tensor<5x7xf32>
      %p = stablehlo.multiply %x, %v : tensor<5x7xf32>
      %y = stablehlo.reduce(%p init: %z) applies stablehlo.add across dimensions = [0]
          : (tensor<5x7xf32>, tensor<f32>) -> tensor<7xf32>"""
    + window_sums("%s", "4", "%y", f"({ROW}) -> tensor<4xf32>")
)


def test_entries_of_a_column_count_as_often_as_windows_meet_them() -> None:
    report = certify_equal(WINDOWS_OF_COLUMNS, WEIGHTED_COLUMNS, search=SEARCH)
    assert report.verdict is Verdict.PROVED


@pytest.mark.interpreter
@pytest.mark.parametrize("wrong", ["1.0, 2.0, 2.0, 2.0, 1.0", "1.0, 2.0, 3.0, 2.0, 2.0"])
def test_entries_of_a_column_that_count_otherwise_are_noticed(wrong: str) -> None:
    text = WEIGHTED_COLUMNS.replace("1.0, 2.0, 3.0, 2.0, 1.0", wrong)
    assert certify_equal(WINDOWS_OF_COLUMNS, text).verdict is Verdict.REFUTED
