"""Backward texts with a known defect: refuted at its site, and the right form proved."""

from collections.abc import Callable, Sequence

import pytest

import gradwright as gw
from certify.programs.edited import edited
from certify.refute.cases import main
from certify.refute.dilated import GRID, IN_CI, Dilated
from certify.refute.formulas import text
from gradwright.certify import Declared, Effort, Report, Search, Verdict, certify_equal, certify_vjp
from gradwright.hlo import Builder, Module, Shape, TensorType, Value, print_module
from gradwright.hlo.attributes import ScatterWindow, Window
from gradwright.layers import Activation, Dense, Function
from gradwright.losses import SoftmaxCrossEntropy
from gradwright.optim import Sgd
from gradwright.spec import Flat, NetSpec

QUICK = Search(effort=Effort.QUICK)
LINEAR = NetSpec("linear", Flat(2), [Dense(2)])
pytestmark = pytest.mark.interpreter


def refuted(report: Report) -> list[str]:
    """Return the names of the claims with a counterexample, each of which has its site."""
    found = [claim for claim in report.claims if claim.counterexample is not None]
    assert all(claim.site for claim in found)
    return [claim.name for claim in found]


@pytest.mark.parametrize(
    "conv",
    [
        pytest.param(conv, id=f"bugs A4 {conv}", marks=[] if conv in IN_CI else pytest.mark.slow)
        for conv in GRID
    ],
)
def test_the_input_gradient_of_a_dilated_convolution(conv: Dilated) -> None:
    """bugs A4: jax-ml/jax#567, padding from the kernel's extent before dilation."""
    right, wrong = conv.backward(reach=conv.reach), conv.backward(reach=conv.kernel - 1)
    assert certify_vjp(conv.forward, right, wrt=[0]).verdict is Verdict.PROVED
    report = certify_vjp(conv.forward, wrong, wrt=[0])
    assert report.verdict is Verdict.REFUTED
    [(site, _)] = report.findings
    assert "%dx" in site


def smoothed_step(*, ignored: bool) -> gw.programs.Program:
    loss = SoftmaxCrossEntropy(label_smoothing=0.2, ignore_index=1 if ignored else None)
    return gw.programs.train_step(LINEAR, batch=2, loss=loss, optimizer=Sgd())


def test_smoothing_of_ignored_rows_is_refuted() -> None:
    """bugs D4: pytorch/pytorch#73205, the uniform share of rows that do not count."""
    step = smoothed_step(ignored=True)
    assert gw.certify(step).verdict is Verdict.PROVED
    wrong = edited(step, "stablehlo.multiply %loss.counted, %c0.1", "stablehlo.add %c0.1, %zeros")
    head = "    %c0.1 = stablehlo.constant"
    zeros = "    %zeros = stablehlo.constant dense<0.0> : tensor<2xf32>\n"
    spoiled = Declared.of(step, wrong.text.replace(head, zeros + head, 1))
    assert refuted(gw.certify(spoiled, search=QUICK)) == ["loss as declared"]


def test_a_reported_loss_other_than_the_differentiated_one_is_refuted() -> None:
    """bugs D9: the loss is reported without smoothing; the gradient is that of the smoothed one."""
    step = smoothed_step(ignored=False)
    assert gw.certify(step).verdict is Verdict.PROVED
    wrong = edited(step, "multiply %loss.target, %loss.logp", "multiply %loss.onehot, %loss.logp")
    assert refuted(gw.certify(wrong, search=QUICK)) == [
        "loss as declared",
        "gradient of dense1.weight",
        "gradient of dense1.bias",
    ]


@pytest.mark.parametrize(
    ("one", "other"), [(0, 1), pytest.param(1, 0, marks=pytest.mark.slow)], ids=["tanh", "erf"]
)
def test_one_gelu_with_the_gradient_of_the_other_is_refuted(one: int, other: int) -> None:
    """bugs E4: tanh forward with erf backward, and the reverse."""
    nets = [
        NetSpec("net", Flat(2), [Activation(function)])
        for function in (Function.GELU_TANH, Function.GELU_ERF)
    ]
    forward = [gw.programs.forward(net, batch=1).text for net in nets]
    backward = [gw.programs.vjp(net, batch=1).text for net in nets]
    assert certify_vjp(forward[one], backward[one]).verdict is Verdict.PROVED
    assert refuted(certify_vjp(forward[one], backward[other])) == ["d/d%x (result 0)"]


SHARDS = ((1,), (3,))


def written(write: Callable[[Builder, Sequence[Value]], Sequence[Value]], *shapes: Shape) -> str:
    """Return a text of several results."""
    b = Builder()
    arguments = [b.argument(f"x{i}", TensorType(shape)) for i, shape in enumerate(shapes)]
    return print_module(Module("m", (b.finish("main", write(b, arguments)),)))


def mean(b: Builder, shards: Sequence[Value], *, weighted: bool = True) -> Value:
    """The mean over shards of 1 and 3 entries, or that of their two means."""
    first, rest = (b.sum(each, (0,)) for each in shards)
    return (first + rest) / 4 if weighted else (first + rest / 3) / 2


def less(b: Builder, shards: Sequence[Value], amount: Value) -> list[Value]:
    return [each - b.broadcast(amount, each.shape) for each in shards]


def synchronised(b: Builder, x: Sequence[Value]) -> tuple[list[Value], Value]:
    """Return the normalised shards and 1 / sqrt(var + 0.001)."""
    centred = less(b, x, mean(b, x))
    scale = b.rsqrt(mean(b, [each * each for each in centred]) + 0.001)
    return [each * b.broadcast(scale, each.shape) for each in centred], scale


def synchronised_back(b: Builder, v: Sequence[Value], *, weighted: bool) -> list[Value]:
    y, scale = synchronised(b, v[:2])
    g = v[2:]
    turned = mean(b, [a * c for a, c in zip(g, y, strict=True)], weighted=weighted)
    inner = less(b, g, mean(b, g, weighted=weighted))
    spread = [each * b.broadcast(turned, each.shape) for each in y]
    return [b.broadcast(scale, a.shape) * (a - c) for a, c in zip(inner, spread, strict=True)]


def test_a_synchronised_norm_weights_its_shards() -> None:
    """bugs C5: pytorch/pytorch#36382, means of shards of 1 and 3 taken for equal parts."""
    forward = written(lambda b, v: synchronised(b, v)[0], *SHARDS)
    right, wrong = (
        written(lambda b, v, w=weighted: synchronised_back(b, v, weighted=w), *SHARDS, *SHARDS)
        for weighted in (True, False)
    )
    assert certify_vjp(forward, right).verdict is Verdict.PROVED
    assert refuted(certify_vjp(forward, wrong)) == ["d/d%x0 (result 0)", "d/d%x1 (result 1)"]


def pooled(b: Builder, v: Sequence[Value]) -> Value:
    window = Window((3,), (2,), (1,), (1,), ((1, 1),))
    return b.reduce_window(v[0], float("-inf"), window, b.maxima)


def pooled_back(b: Builder, v: Sequence[Value], border: float) -> Value:
    """The gradient of `pooled`, by way of an input padded with `border`."""
    x, g = v
    padded = b.pad(x, border, (1,), (1,), (0,))
    spread = b.select_and_scatter(padded, g, ScatterWindow((3,), (2,), ((0, 0),)))
    return b.slice(spread, (1,), (6,), (1,))


def test_the_gradient_of_a_max_pool_over_zeros_is_refuted() -> None:
    """bugs B4: pytorch/pytorch#33382, zeros at the border win over negative inputs."""
    forward = text(pooled, (5,))
    right, wrong = (
        text(lambda b, v, at=border: pooled_back(b, v, at), (5,), (3,))
        for border in (float("-inf"), 0.0)
    )
    assert certify_vjp(forward, right).verdict is Verdict.PROVED
    assert refuted(certify_vjp(forward, wrong)) == ["d/d%x0 (result 0)"]


def aspect(b: Builder, v: Sequence[Value]) -> Value:
    """The aspect-ratio term of CIoU: (angle - atan(w / h))^2, angle the target's."""
    w, h, angle = v
    gap = angle - b.binary("stablehlo.atan2", w, h)
    return gap * gap


def aspect_back(b: Builder, v: Sequence[Value], *, scaled: bool) -> tuple[Value, Value]:
    """Return (dw, dh); scaled by w^2 + h^2 as in the public code, or as it is."""
    w, h, angle, g = v
    gap = angle - b.binary("stablehlo.atan2", w, h)
    norm = b.splat(1, w.type) if scaled else w * w + h * h
    return g * gap * (h * -2) / norm, g * gap * (w * 2) / norm


def test_a_surrogate_gradient_is_no_gradient() -> None:
    """bugs G4: Zzh-tju/DIoU#19, w^2 + h^2 left out on purpose; equal to a text that says so."""
    forward = text(aspect, (3,), (3,), (3,))
    true, surrogate = (
        written(lambda b, v, s=scaled: aspect_back(b, v, scaled=s), *[(3,)] * 4)
        for scaled in (False, True)
    )
    assert certify_vjp(forward, true, wrt=[0, 1]).verdict is Verdict.PROVED
    report = certify_vjp(forward, surrogate, wrt=[0, 1])
    assert refuted(report) == ["d/d%x0 (result 0)", "d/d%x1 (result 1)"]
    assert certify_equal(surrogate, surrogate).verdict is Verdict.PROVED


OVERWRITTEN = main(
    "%t: tensor<3xf32>, %i: tensor<4x1xi32>, %u: tensor<4xf32>",
    "tensor<3xf32>",
    """
  %y = "stablehlo.scatter"(%t, %i, %u) ({
    ^bb0(%old: tensor<f32>, %new: tensor<f32>):
      stablehlo.return %new : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0],
      scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}
   : (tensor<3xf32>, tensor<4x1xi32>, tensor<4xf32>) -> tensor<3xf32>
  return %y : tensor<3xf32>""",
)
EVERY_WRITE = main(
    "%t: tensor<3xf32>, %i: tensor<4x1xi32>, %u: tensor<4xf32>, %g: tensor<3xf32>",
    "tensor<4xf32>",
    """
  %du = "stablehlo.gather"(%g, %i) {dimension_numbers = #stablehlo.gather<
      collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
      slice_sizes = array<i64: 1>} : (tensor<3xf32>, tensor<4x1xi32>) -> tensor<4xf32>
  return %du : tensor<4xf32>""",
)


def test_writes_over_one_another_have_no_gradient() -> None:
    """bugs F7: each write gets a cotangent though one survives; the order is not defined."""
    [claim] = certify_vjp(OVERWRITTEN, EVERY_WRITE, wrt=[2], search=Search(seconds=0)).claims
    assert claim.verdict is Verdict.UNKNOWN
    assert claim.reason is not None
    assert "a scatter that overwrites" in claim.reason
