"""What a declaration may not say: every refusal names the layer, what was expected and found."""

from collections.abc import Callable

import numpy as np
import pytest

from gradwright.errors import ShapeError, SpecError
from gradwright.layers import (
    Activation,
    AvgPool,
    BatchNorm,
    Conv2d,
    ConvBn,
    Dense,
    DepthwiseConv2d,
    Dropout,
    DropPath,
    Explicit,
    Flatten,
    Function,
    Gate,
    GlobalAvgPool,
    MaxPool,
    OneHot,
    Padding,
    Residual,
    Sequential,
)
from gradwright.programs import forward
from gradwright.spec import Flat, Image, NetSpec, Tokens

PICTURE = Image(3, 8, 6)
COUNTS = "extents, strides and counts >= 1 (plain integers up to 2147483647)"


def net(*layers: object, input: object = PICTURE) -> NetSpec:
    """Declare a net of whatever a caller may write."""
    return NetSpec("n", input, layers)  # type: ignore[arg-type]  # wrong on purpose


def conv(**fields: object) -> Conv2d:
    """Declare a convolution of whatever a caller may write."""
    return Conv2d(**{"out_channels": 4, "kernel": 3, **fields})  # type: ignore[arg-type]  # same


def bad(kind: Callable[..., object], *fields: object, **named: object) -> object:
    """Call a constructor past its type."""
    return kind(*fields, **named)


def conv_text(**fields: object) -> str:
    return str(conv(**fields))


CASES: dict[str, tuple[Callable[[], object], str]] = {
    "dense on a picture": (
        lambda: net(Dense(4)),
        "dense1: expected a feature vector [I], found shape [3, 8, 6]. "
        "Put Flatten() or GlobalAvgPool() before it",
    ),
    "declared features (bugs T23: flatten to dense is checked)": (
        lambda: net(Flatten(), ("head", Dense(4, in_features=100))),
        "head: expected 100 input features, as declared, found 144",
    ),
    "declared channels": (
        lambda: net(Sequential([("stem", Conv2d(4, 3, in_channels=1))])),
        "seq1.stem: expected 1 input channels, as declared, found 3",
    ),
    "convolution of features": (
        lambda: net(conv(), input=Flat(5)),
        f"conv1: expected a picture [C, H, W] as input of {conv_text()}, found shape [5]",
    ),
    "unnamed padding at a stride": (
        lambda: net(conv(strides=2)),
        "conv1: expected a named padding, since conventions differ at a stride or an even window, "
        f"found none in {conv_text(strides=2)}. "
        "Say Padding.SYMMETRIC, Padding.SAME_UPPER, Padding.VALID or Explicit(...)",
    ),
    "unnamed padding of an even kernel": (
        lambda: net(conv(kernel=(3, 2))),
        "conv1: expected a named padding, since conventions differ at a stride or an even window, "
        f"found none in {conv_text(kernel=(3, 2))}. "
        "Say Padding.SYMMETRIC, Padding.SAME_UPPER, Padding.VALID or Explicit(...)",
    ),
    "kernel larger than the picture": (
        lambda: net(conv(kernel=7, padding=Padding.VALID)),
        "conv1: expected at least one window of (7, 7) in (3, 8, 6) padded by ((0, 0), (0, 0)), "
        "found (2, 0) windows",
    ),
    "dilated kernel larger than the picture": (
        lambda: net(("body", Residual(conv(dilation=4, padding=Padding.VALID)))),
        "body.body: expected at least one window of (9, 9) in (3, 8, 6) padded by "
        "((0, 0), (0, 0)), found (0, 0) windows",
    ),
    "pad reaches the window (bugs B4, apache/mxnet#6191)": (
        lambda: net(MaxPool(2, 2, Explicit((0, 2), (0, 0)))),
        "maxpool1: expected padding below the window (2, 2), so that no window lies outside, "
        "found ((0, 2), (0, 0))",
    ),
    "groups do not divide": (
        lambda: net(conv(groups=2)),
        "conv1: expected channels divisible by 2 groups, found 3 in, 4 out",
    ),
    "pool of features": (
        lambda: net(GlobalAvgPool(), GlobalAvgPool()),
        "gap2: expected a picture [C, H, W] as input of GlobalAvgPool(), found shape [3]",
    ),
    "batch norm of a matrix": (
        lambda: net(OneHot(4), BatchNorm(), input=Tokens(5, 4)),
        "bn1: expected [C, H, W] or [C] as input, found shape [5, 4]",
    ),
    "one-hot of a picture": (
        lambda: net(conv(), OneHot(4)),
        "onehot1: expected token ids [T], found shape [4, 8, 6]",
    ),
    "paths of different shapes": (
        lambda: net(Residual(Conv2d(4, 3))),
        "residual1: expected both paths to end in one shape, the body's [4, 8, 6], "
        "found [3, 8, 6] from the shortcut. "
        "Project the shortcut, e.g. with a 1x1 convolution at the body's stride",
    ),
    "gate of another width": (
        lambda: net(Gate(Sequential([GlobalAvgPool(), Dense(4)]))),
        "gate1: expected a picture and a body that ends in [C] = [3], found [4]",
    ),
    "two layers of one name": (
        lambda: net(Sequential([("a", Flatten()), ("a", Dense(2))])),
        "seq1.a: expected each layer name once, found two layers so named",
    ),
    "a name that repeats a default name": (
        lambda: net(("conv1", Conv2d(3, 3)), Conv2d(3, 3)),
        "conv1: expected each layer name once, found two layers so named",
    ),
    "bad layer name": (
        lambda: net(("a.b", Flatten())),
        "NetSpec.layers: expected a letter, then letters, digits or '_', found 'a.b'",
    ),
    "layer name that is no string": (
        lambda: net((3, Flatten())),
        "NetSpec.layers: expected a letter, then letters, digits or '_', found 3",
    ),
    "layer in a triple": (
        lambda: net(("a", Flatten(), 1)),
        "NetSpec.layers: expected a layer or a pair (name, layer), found ('a', Flatten(), 1)",
    ),
    "bad net name": (
        lambda: NetSpec("1st net", PICTURE, [Flatten()]),
        "NetSpec.name: expected a letter, then letters, digits, '_', '-' or '.', found '1st net'",
    ),
    "no layers": (
        lambda: net(),
        "NetSpec.layers: expected at least one layer, found none",
    ),
    "no layers inside": (
        lambda: net(("stage", Sequential([]))),
        "stage: expected at least one layer, found none",
    ),
    "layers that are no list": (
        lambda: bad(NetSpec, "n", PICTURE, Flatten()),
        "NetSpec.layers: expected a list of layers, found Flatten()",
    ),
    "input that is a shape": (
        lambda: net(Flatten(), input=(3, 8, 6)),
        "NetSpec.input: expected an Image, Flat or Tokens, found (3, 8, 6)",
    ),
    "class for a layer": (
        lambda: net(Residual(bad(lambda: Flatten))),  # type: ignore[arg-type]  # wrong on purpose
        "residual1.body: expected a layer, found <class 'gradwright.layers.dense.Flatten'>. "
        "Write it with its arguments, e.g. Flatten()",
    ),
    "function for a layer": (
        lambda: net(Function.RELU),
        "layer1: expected a layer, found Function.RELU",
    ),
    "token ids for numbers": (
        lambda: net(Dense(4), input=Tokens(5, 4)),
        "dense1: expected a layer that reads token ids, as Tokens(length=5, vocabulary=4) "
        f"delivers, found {Dense(4)}",
    ),
    "numbers for token ids": (
        lambda: net(Sequential([OneHot(4)]), input=Flat(5)),
        "seq1.onehot1: expected a layer that reads floating-point numbers, as Flat(features=5) "
        "delivers, found OneHot(classes=4)",
    ),
    "rate of one": (
        lambda: net(Dropout(1.0)),
        "drop1: expected a number with 0 <= rate < 1, found 1.0",
    ),
    "negative rate": (
        lambda: net(DropPath(-0.1)),
        "droppath1: expected a number with 0 <= rate < 1, found -0.1",
    ),
    "epsilon of zero": (
        lambda: net(BatchNorm(epsilon=0)),
        "bn1: expected numbers with epsilon > 0 that f32 holds and 0 <= decay < 1, found "
        "BatchNorm(epsilon=0, decay=0.9, running_variance=RunningVariance.UNBIASED)",
    ),
    "decay of one": (
        lambda: net(ConvBn(3, 3, norm=BatchNorm(decay=1))),
        "convbn1.bn: expected numbers with epsilon > 0 that f32 holds and 0 <= decay < 1, found "
        "BatchNorm(epsilon=1e-05, decay=1, running_variance=RunningVariance.UNBIASED)",
    ),
    "activation by its name": (
        lambda: net(bad(Activation, "relu")),
        "act1: expected Function in Activation(function='relu'), found 'relu'",
    ),
    "divisor by its name": (
        lambda: net(bad(AvgPool, 2, divisor="include-padding")),
        "avgpool1: expected Divisor in AvgPool(kernel=2, strides=None, padding=Padding.VALID, "
        "divisor='include-padding'), found 'include-padding'",
    ),
    "running variance by its name": (
        lambda: net(bad(BatchNorm, running_variance="biased")),
        "bn1: expected RunningVariance in BatchNorm(epsilon=1e-05, decay=0.9, "
        "running_variance='biased'), found 'biased'",
    ),
    "padding by its name": (
        lambda: net(conv(padding="same")),
        f"conv1: expected Padding or Explicit in {conv_text(padding='same')}, found 'same'",
    ),
    "bias by a number": (
        lambda: net(conv(bias=0)),
        f"conv1: expected bool in {conv_text(bias=0)}, found 0",
    ),
    "negative padding": (
        lambda: Explicit((0, -1), (0, 0)),
        "padding: expected two pairs (low, high) of integers >= 0, "
        "found Explicit(height=(0, -1), width=(0, 0))",
    ),
    "padding of one number": (
        lambda: bad(Explicit, 1, 1),
        "padding: expected two pairs (low, high) of integers >= 0, "
        "found Explicit(height=1, width=1)",
    ),
    "kernel of three extents": (
        lambda: net(conv(kernel=(3, 3, 3))),
        f"conv1: expected an integer or a pair of them, found {conv_text(kernel=(3, 3, 3))}",
    ),
}


@pytest.mark.parametrize(("declare", "message"), CASES.values(), ids=CASES)
def test_refusals(declare: Callable[[], object], message: str) -> None:
    with pytest.raises(SpecError) as refusal:
        declare()
    assert str(refusal.value) == message


NO_COUNTS = (0, -1, True, 3.0, "3", None, np.int64(3), [3], 2**31, float("nan"))
"""Kinds of numbers, and values, that are no extent, stride or count."""

COUNTED: dict[str, Callable[[object], object]] = {
    "conv kernel": lambda n: conv(kernel=n, padding=Padding.VALID),
    "conv kernel height": lambda n: conv(kernel=(n, 3), padding=Padding.VALID),
    "conv stride": lambda n: conv(strides=n, padding=Padding.VALID),
    "conv dilation": lambda n: conv(dilation=n, padding=Padding.VALID),
    "conv groups": lambda n: conv(groups=n),
    "conv channels": lambda n: conv(out_channels=n),
    "depthwise kernel": lambda n: bad(DepthwiseConv2d, n, padding=Padding.VALID),
    "pool kernel": lambda n: bad(MaxPool, n),
    "pool stride": lambda n: bad(AvgPool, 2, (1, n)),
    "block channels": lambda n: bad(ConvBn, n, 3),
}


@pytest.mark.parametrize("number", NO_COUNTS, ids=repr)
@pytest.mark.parametrize("declare", COUNTED.values(), ids=COUNTED)
def test_what_is_no_count(declare: Callable[[object], object], number: object) -> None:
    layer = declare(number)
    with pytest.raises(SpecError) as refusal:
        net(layer)
    assert refusal.value.expected == COUNTS


EXTENTS: dict[str, Callable[[object], object]] = {
    "dense": lambda n: net(bad(Dense, n), input=Flat(3)),
    "one-hot": lambda n: net(bad(OneHot, n), input=Tokens(3, 4)),
    "image": lambda n: bad(Image, 1, n, 3),
    "flat": lambda n: bad(Flat, n),
    "tokens": lambda n: bad(Tokens, 4, n),
}


@pytest.mark.parametrize("number", NO_COUNTS, ids=repr)
@pytest.mark.parametrize("declare", EXTENTS.values(), ids=EXTENTS)
def test_what_is_no_extent(declare: Callable[[object], object], number: object) -> None:
    with pytest.raises(SpecError, match=r">= 1 \(plain integers up to 2147483647\)"):
        declare(number)


NO_REALS = (True, "0.5", None, np.float32(0.5), np.float64(0.5), float("nan"), float("inf"))


@pytest.mark.parametrize("epsilon", [1e-50, 1e39], ids=repr)
def test_an_epsilon_that_f32_rounds_to_0_or_infinity(epsilon: float) -> None:
    with pytest.raises(SpecError, match=r"^bn1: expected numbers with epsilon > 0 that f32 holds"):
        net(BatchNorm(epsilon=epsilon))


@pytest.mark.parametrize("number", NO_REALS, ids=repr)
@pytest.mark.parametrize("field", ["epsilon", "decay"])
def test_what_is_no_number(field: str, number: object) -> None:
    with pytest.raises(SpecError, match=r"^bn1: expected numbers with epsilon > 0"):
        net(bad(BatchNorm, **{field: number}))
    with pytest.raises(SpecError, match=r"^drop1: expected a number with 0 <= rate < 1"):
        net(bad(Dropout, number))


@pytest.mark.parametrize("layers", [None, 3, "abc", Dense, Dense(3)], ids=repr)
def test_what_is_no_list_of_layers(layers: object) -> None:
    with pytest.raises(SpecError) as refusal:
        bad(Sequential, layers)
    assert str(refusal.value) == f"Sequential: expected a list of layers, found {layers!r}"


def test_token_ids_in_the_middle_are_refused_when_emitted() -> None:
    """The rank fits, the element type does not: no text is written."""
    late = net(Dense(4), OneHot(3), input=Flat(5))
    with pytest.raises(ShapeError) as refusal:
        forward(late, batch=2)
    assert str(refusal.value) == (
        "onehot1: OneHot: expected integer token ids, found tensor<2x4xf32>"
    )
