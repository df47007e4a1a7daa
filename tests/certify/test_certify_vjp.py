"""Vector-Jacobian products are proved, and wrong ones are not."""

from dataclasses import replace
from fractions import Fraction

import pytest

from gradwright import layers, programs, zoo
from gradwright.certify import Search, Verdict, certify_vjp
from gradwright.certify.kernel.denote import new_denotation
from gradwright.layers import (
    Activation,
    Conv2d,
    ConvBn,
    Dense,
    Flatten,
    Function,
    Layout,
    MaxPool,
    Padding,
)
from gradwright.layers.formulation import Formulation, MaxPoolForm
from gradwright.spec import Image, NetSpec

WINNER = replace(layers.TEXTBOOK, layout=Layout.NHWC, max_pool=MaxPoolForm.WINNER)
PROOF_ONLY = Search(seconds=0)
SMALL = NetSpec(
    "small",
    Image(2, 5, 6),
    [
        Conv2d(3, 3, strides=2, padding=Padding.SAME_UPPER),
        Activation(Function.RELU),
        Flatten(),
        Dense(4),
    ],
)


def texts(net: NetSpec, formulation: Formulation) -> tuple[str, str]:
    forward = programs.forward(net, batch=3, formulation=formulation).text
    return forward, programs.vjp(net, batch=3, formulation=formulation).text


def proved(forward: str, backward: str) -> list[bool]:
    report = certify_vjp(forward, backward, search=PROOF_ONLY)
    return [claim.verdict is Verdict.PROVED for claim in report.claims]


@pytest.mark.parametrize("name", list(zoo.NETS))
def test_every_gradient_of_the_named_nets_is_proved(name: str) -> None:
    assert all(proved(*texts(zoo.get(name), layers.PORTABLE)))


def test_a_batch_norm_behind_borders_and_winners_of_many_windows_is_proved() -> None:
    """Its variance is divided by, whose first 200,000 products lie outside the picture."""
    pool = MaxPool(3, 2, padding=Padding.SYMMETRIC)
    stem = ConvBn(24, 1), pool, ConvBn(2, 3, padding=Padding.SYMMETRIC)
    net = NetSpec("stem", Image(3, 32, 32), [*stem, Flatten(), Dense(3)])
    assert all(proved(*texts(net, layers.TEXTBOOK)))


def test_a_convolution_written_as_convolutions_is_proved() -> None:
    assert all(proved(*texts(SMALL, WINNER)))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("stablehlo.reverse", "stablehlo.optimization_barrier"),
        ("pad = [[1, 1], [2, 1]]", "pad = [[1, 1], [1, 2]]"),
        ("stablehlo.compare GT", "stablehlo.compare LT"),
    ],
)
def test_a_wrong_gradient_is_not_proved(old: str, new: str) -> None:
    forward, backward = texts(SMALL, WINNER)
    line = next(line for line in backward.splitlines() if old in line)
    changed = line.replace(old, new)
    if "optimization_barrier" in new:
        changed = changed.replace(", dims = [2, 3]", "")
    assert not all(proved(forward, backward.replace(line, changed)))


def test_the_root_of_a_square_is_not_the_number() -> None:
    den = new_denotation()
    x = den.argument("x", (3,))
    root = den.pointwise.power(den.pointwise.multiply(x, x), Fraction(1, 2))
    assert root.poly != x.poly


def test_pooling_is_proved_in_the_form_of_winners() -> None:
    net = NetSpec("pool", Image(2, 4, 4), [Conv2d(3, 3), MaxPool(2), Flatten(), Dense(2)])
    assert all(proved(*texts(net, WINNER)))
