"""Probes: every loss and block is one, each is measured and proved, and a wrong one is caught."""

import numpy as np
import pytest

import gradwright as gw
from gradwright.certify import Declared, Search, Verdict, certify_program
from gradwright.errors import SpecError, UnsupportedError
from gradwright.hlo import ElementType, verify
from gradwright.layers import Activation, Conv2d, Dense, Flatten, Function, OneHot, blocks
from gradwright.losses import Loss
from gradwright.probes import (
    DIFFERENCE_TOLERANCE,
    PROBES,
    ROUNDING_TOLERANCE,
    Checked,
    LayerProbe,
    LossProbe,
    check_probe,
    probe_named,
)
from gradwright.probes.differences import measure
from gradwright.programs.probes import layer_probe
from gradwright.spec import Flat, Image, NetSpec, Tokens

QUICK = Search(seconds=0)
SQUEEZED = {"x", "fire1.squeeze.conv.weight", "fire1.squeeze.conv.bias"}
FEW = ("mse", "bce", "cross-entropy-smoothed", "focal", "fire", "basic-projected")
"""Those that are measured at each run; the sweep takes all."""


def test_every_loss_and_every_block_is_probed() -> None:
    losses = {type(probe.loss).kind for probe in PROBES.values() if isinstance(probe, LossProbe)}
    ours = [loss for loss in Loss.__subclasses__() if loss.__module__.startswith("gradwright.")]
    assert losses == {loss.kind for loss in ours}
    probes = [(name, each) for name, each in PROBES.items() if isinstance(each, LayerProbe)]
    nets = [probe.program(name).net for name, probe in probes]
    held = {type(plan.layer).__name__ for net in nets for plan in net.walk()}
    assert held >= set(blocks.__all__)


@pytest.mark.parametrize("name", PROBES)
def test_a_probe_is_valid_and_returns_a_gradient_of_each_input(name: str) -> None:
    for element in (ElementType.F32, ElementType.F64):
        program = probe_named(name).program(name, element)
        verify(program.text)
        masks = {"mask", "label", "cotangent"}
        wanted = [f"d.{port.name}" for port in program.inputs if port.role.value not in masks]
        assert [p.name for p in program.outputs if p.role.value == "gradient"] == wanted
        assert {port.type.element for port in program.outputs} == {element}


@pytest.mark.xla
@pytest.mark.parametrize("name", FEW)
def test_a_probe_is_measured_right_and_proved(name: str) -> None:
    accept(check_probe(name, search=QUICK))


@pytest.mark.xla
@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in PROBES if name not in FEW])
def test_every_probe_is_measured_right_and_proved(name: str) -> None:
    accept(check_probe(name, search=QUICK))


def accept(checked: Checked) -> None:
    assert checked.is_measured_right, checked.gradients
    assert checked.verdict is Verdict.PROVED


@pytest.mark.xla
@pytest.mark.interpreter
@pytest.mark.parametrize(
    ("name", "old", "new", "wrong"),
    [
        ("mse", "dense<2.0>", "dense<2.001>", {"output"}),
        ("focal", "dlogits = stablehlo.divide", "dlogits = stablehlo.multiply", {"output"}),
        ("fire", "dsum = stablehlo.add", "dsum = stablehlo.subtract", SQUEEZED),
    ],
)
def test_a_wrong_probe_is_caught_by_both(name: str, old: str, new: str, wrong: set[str]) -> None:
    text = probe_named(name).program(name).text
    assert text.count(old) == 1, text
    checked = check_probe(name, text.replace(old, new), search=Search(seconds=60))
    assert {gradient.name for gradient in checked.gradients if not gradient.is_right} == wrong
    unproved = {claim.name for claim in checked.report.claims if claim.verdict != "proved"}
    assert unproved == {f"gradient of {each}" for each in wrong}
    assert checked.verdict is Verdict.REFUTED


@pytest.mark.xla
def test_what_f32_spoils_is_seen() -> None:
    """Right over the reals, and wrong in f32: 1e8 added to a difference and taken away."""
    program = probe_named("mse").program("mse")
    big = "%big = stablehlo.constant dense<1.0e8> : tensor<2x3x4x5xf32>"
    up = "%up = stablehlo.add %loss.multiply_2, %big : tensor<2x3x4x5xf32>"
    down = "%down = stablehlo.subtract %up, %big : tensor<2x3x4x5xf32>"
    line = "%loss.doutput = stablehlo.divide %loss.multiply_2,"
    assert line in program.text
    spoilt = "\n".join([big, up, down, line.replace("%loss.multiply_2", "%down")])
    text = program.text.replace(line, spoilt)
    [gradient] = measure(text, program.signature, classes=1)
    assert gradient.rounding > ROUNDING_TOLERANCE
    assert not gradient.is_right
    assert certify_program(Declared.of(program, text), search=QUICK).verdict is Verdict.PROVED


@pytest.mark.xla
def test_a_kink_inside_the_steps_disturbs_a_difference() -> None:
    """A function with a kink in every step: nothing is measured, so nothing is right."""
    probe = LayerProbe([("kink", Activation(Function.RELU))], Flat(4))
    program = probe.program("kink")
    far = "stablehlo.maximum %x,"
    assert program.text.count(far) == 1, program.text
    sharp = program.text.replace(far, "stablehlo.maximum %sharp,")
    head, _, rest = sharp.partition("%kink")
    lines = [
        "%scale = stablehlo.constant dense<1.0e6> : tensor<2x4xf32>",
        "%scaled = stablehlo.multiply %x, %scale : tensor<2x4xf32>",
        "%sharp = stablehlo.sine %scaled : tensor<2x4xf32>",
    ]
    [gradient] = measure("\n".join([head, *lines, f"%kink{rest}"]), program.signature, classes=1)
    assert gradient.disturbed == gradient.tried == 9
    assert not gradient.is_right


def test_a_layer_of_a_net_is_a_probe() -> None:
    net = NetSpec("net", Image(1, 4, 4), [("first", Conv2d(2, 3)), Flatten(), ("last", Dense(3))])
    for path, shape in (("first", (5, 1, 4, 4)), ("last", (5, 32))):
        program = layer_probe(net, path, batch=5)
        assert program.name == f"net_{path}_probe"
        assert [port.shape for port in program.inputs if port.name == "x"] == [shape]
        assert gw.certify(program, search=QUICK).verdict is Verdict.PROVED
    tokens = NetSpec("tokens", Tokens(3, 4), [("hot", OneHot(4)), ("flat", Flatten()), Dense(2)])
    assert layer_probe(tokens, "hot", batch=2).inputs[0].type.element.value == "i32"
    with pytest.raises(UnsupportedError, match=r"tokens: flat: expected a layer that reads a pict"):
        layer_probe(tokens, "flat", batch=2)
    with pytest.raises(SpecError, match="net: layer: expected the path of a layer, such as last"):
        layer_probe(net, "lost", batch=2)


def test_an_unknown_probe() -> None:
    with pytest.raises(SpecError, match=r"probe: expected one of mse, bce, .*, found 'mae'"):
        check_probe("mae")


def test_tolerances_are_what_they_are_said_to_be() -> None:
    assert f"{DIFFERENCE_TOLERANCE:.1e} {ROUNDING_TOLERANCE:.1e}" == "2.4e-07 1.2e-04"
    assert np.finfo(np.float32).eps < ROUNDING_TOLERANCE
