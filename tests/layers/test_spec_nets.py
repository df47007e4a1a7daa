"""What a declaration fixes: order and kinds of slots, counts, initial values, fingerprints."""

import dataclasses
import math

import numpy as np
import pytest

from gradwright.layers import (
    Activation,
    AvgPool,
    BatchNorm,
    Conv2d,
    ConvBn,
    Dense,
    DepthwiseConv2d,
    Divisor,
    Dropout,
    Explicit,
    Flatten,
    Function,
    MaxPool,
    Padding,
    Residual,
    RunningVariance,
)
from gradwright.programs import init
from gradwright.spec import Constant, Decay, Flat, HeNormal, Image, NetSpec

PICTURE = Image(3, 8, 6)
NET = NetSpec(
    "Some-Net 2".replace(" ", "."),
    PICTURE,
    [
        ("stem", ConvBn(4, 3, 2, Padding.SYMMETRIC)),
        Residual(Conv2d(4, 3), Conv2d(4, 1, bias=False)),
        DepthwiseConv2d(3),
        Flatten(),
        ("head", Dense(5)),
    ],
)


def test_slots_in_the_order_of_the_forward_pass() -> None:
    assert [(slot.name, slot.shape, slot.decay, slot.trainable) for slot in NET.slots] == [
        ("stem.conv.weight", (4, 3, 3, 3), Decay.DECAYS, True),
        ("stem.bn.weight", (4,), Decay.EXEMPT, True),
        ("stem.bn.bias", (4,), Decay.EXEMPT, True),
        ("stem.bn.running_mean", (4,), Decay.EXEMPT, False),
        ("stem.bn.running_var", (4,), Decay.EXEMPT, False),
        ("residual1.body.weight", (4, 4, 3, 3), Decay.DECAYS, True),
        ("residual1.body.bias", (4,), Decay.EXEMPT, True),
        ("residual1.shortcut.weight", (4, 4, 1, 1), Decay.DECAYS, True),
        ("dwconv1.weight", (4, 1, 3, 3), Decay.DECAYS, True),
        ("dwconv1.bias", (4,), Decay.EXEMPT, True),
        ("head.weight", (48, 5), Decay.DECAYS, True),
        ("head.bias", (5,), Decay.EXEMPT, True),
    ]
    assert NET.output == (5,)
    assert NET.identifier == "some_net_2"


def test_counts_are_sums_of_slots() -> None:
    """emitter T1: one definition of shapes; counts and initial values follow from it."""
    assert NET.parameter_count == 108 + 8 + 144 + 4 + 16 + 36 + 4 + 240 + 5
    arrays = init(NET)
    assert list(arrays) == [slot.name for slot in NET.slots]
    assert sum(arrays[slot.name].size for slot in NET.parameters) == NET.parameter_count


@pytest.mark.parametrize(
    ("name", "fan_in"),
    [
        ("stem.conv.weight", 3 * 9),
        ("residual1.shortcut.weight", 4),
        ("dwconv1.weight", 9),
        ("head.weight", 48),
    ],
)
def test_kernels_start_with_the_variance_of_he(name: str, fan_in: int) -> None:
    """He et al. 2015, eq. 10: variance 2 / fan-in; a depthwise kernel's fan-in is its window."""
    slot = next(slot for slot in NET.slots if slot.name == name)
    assert slot.initializer == HeNormal(fan_in)
    assert HeNormal(fan_in).deviation == math.sqrt(2 / fan_in)


def test_drawn_values_have_that_variance() -> None:
    """Of 200,000 draws the variance is known to 0.32 % (one deviation); five are allowed."""
    net = NetSpec("wide", Flat(500), [Dense(400)])
    weight = init(net, seed=3)["dense1.weight"].astype(np.float64)
    deviation = math.sqrt(2 / weight.size)
    assert abs(weight.var() / (2 / 500) - 1) < 5 * deviation
    assert abs(weight.mean()) < 5 * math.sqrt(2 / 500 / weight.size)


def test_constants_start_as_stated() -> None:
    expected = {
        "weight": Constant(1),
        "bias": Constant(0),
        "running_mean": Constant(0),
        "running_var": Constant(1),
    }
    for name, constant in expected.items():
        slot = next(slot for slot in NET.slots if slot.name == f"stem.bn.{name}")
        assert slot.initializer == constant
        assert (init(NET)[slot.name] == constant.value).all()


def test_initial_values_depend_on_the_seed_and_the_place_only() -> None:
    first, again, other = init(NET, 1), init(NET, 1), init(NET, 2)
    assert all((first[name] == again[name]).all() for name in first)
    assert not (first["head.weight"] == other["head.weight"]).any()


LAYERS = (
    Conv2d(4, 3),
    DepthwiseConv2d(3),
    Dense(4),
    BatchNorm(),
    MaxPool(2),
    AvgPool(2),
    Activation(Function.RELU),
    Dropout(0.5),
    ConvBn(4, 3),
)
OTHER_VALUES: dict[str, object] = {
    "out_channels": 6, "out_features": 5, "in_channels": 3, "in_features": 3, "kernel": (3, 1),
    "strides": 3, "padding": Explicit((0, 0), (1, 1)), "dilation": 2, "groups": 2,
    "epsilon": 1e-3, "decay": 0.5, "running_variance": RunningVariance.BIASED,
    "divisor": Divisor.EXCLUDE_PADDING, "function": Function.TANH, "rate": 0.25,
    "activation": Function.SWISH, "norm": BatchNorm(0.1),
}  # fmt: skip


@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: type(layer).__name__)
def test_every_field_changes_the_fingerprint(layer: object) -> None:
    """What two nets differ in is in their fingerprints, field by field."""

    @dataclasses.dataclass(frozen=True)
    class Declared:
        """A net that is not planned: any field may have any value."""

        name: str
        input: Image
        layers: tuple[object, ...]

    def fingerprint(of: object) -> str:
        assert NetSpec.fingerprint.fget is not None
        return NetSpec.fingerprint.fget(Declared("n", PICTURE, (of,)))  # type: ignore[arg-type]  # same fields

    assert dataclasses.is_dataclass(layer)
    assert not isinstance(layer, type)
    seen = {fingerprint(layer)}
    for field in dataclasses.fields(layer):
        value = getattr(layer, field.name)
        other = not value if isinstance(value, bool) else OTHER_VALUES[field.name]
        changed = dataclasses.replace(layer, **{field.name: other})
        assert fingerprint(changed) not in seen, field.name
        seen.add(fingerprint(changed))


def test_name_and_input_change_the_fingerprint() -> None:
    nets = [
        NetSpec("a", Flat(3), [Dense(3)]),
        NetSpec("b", Flat(3), [Dense(3)]),
        NetSpec("a", Flat(4), [Dense(3)]),
        NetSpec("a", Flat(3), [("head", Dense(3))]),
        NetSpec("a", Flat(3), [Dense(3), Dense(3)]),
    ]
    assert len({net.fingerprint for net in nets}) == len(nets)
    assert nets[0].fingerprint == NetSpec("a", Flat(3), (Dense(3),)).fingerprint
