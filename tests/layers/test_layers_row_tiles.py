"""Tiles along rows: the values of a convolution, and the proof of their text, blocks included."""

from dataclasses import replace

import numpy as np
import pytest

import gradwright as gw
from gradwright.certify import Declared, Effort, Search, Verdict, certify_program
from gradwright.certify.programs_reading import Program, Reading
from gradwright.layers import (
    PORTABLE,
    TEXTBOOK,
    Conv2d,
    ConvBn,
    ConvolutionForm,
    Dense,
    Explicit,
    Flatten,
    Formulation,
    Padding,
    WeightGradient,
    row_tiles,
)
from gradwright.spec import Image, NetSpec

ROWS = replace(
    PORTABLE,
    convolution=ConvolutionForm.ROW_TILES,
    weight_gradient=WeightGradient.ROW_TILES,
)
BATCH = 4
TWO_PICTURES = 400
"""Bytes that hold two pictures of `net(1, 2)` and their results, or three."""


def net(channels: int, out: int, width: int = 5) -> NetSpec:
    return NetSpec("one", Image(channels, 3, width), [Conv2d(out, 3)])


def backward(formulation: Formulation, of: NetSpec) -> gw.Program:
    return gw.programs.vjp(of, batch=BATCH, formulation=formulation)


def plain(of: NetSpec) -> str:
    return gw.programs.forward(of, batch=BATCH, formulation=TEXTBOOK).text


def in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    for limit in ("MAP_BLOCK_BYTES", "SUM_BLOCK_BYTES"):
        monkeypatch.setattr(row_tiles, limit, TWO_PICTURES)


@pytest.mark.interpreter
@pytest.mark.parametrize("bytes_per_block", [1, 2000, 10**9])
@pytest.mark.parametrize(
    "layer",
    [
        Conv2d(3, 3),
        Conv2d(3, 3, padding=Padding.VALID),
        Conv2d(3, 3, padding=Explicit((2, 0), (0, 3))),
    ],
    ids=str,
)
def test_values_are_those_of_a_convolution(
    layer: Conv2d, bytes_per_block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for limit in ("MAP_BLOCK_BYTES", "SUM_BLOCK_BYTES"):
        monkeypatch.setattr(row_tiles, limit, bytes_per_block)
    one = NetSpec("one", Image(2, 5, 7), [layer])
    random = np.random.default_rng(0)
    programs = [backward(form, one) for form in (TEXTBOOK, ROWS)]
    ports = programs[0].inputs
    inputs = {port.name: random.standard_normal(port.shape).astype(port.dtype) for port in ports}
    usual, tiled = (
        gw.run.compile(program, backend="interpreter")(**inputs) for program in programs
    )
    for name, value in usual.items():
        found, expected = (np.asarray(each, np.float64) for each in (tiled[name], value))
        assert np.abs(found - expected).max() < 2e-5 * np.abs(expected).max(), name


def test_blocks_are_loops(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "stablehlo.while" not in backward(ROWS, net(1, 2)).text
    in_blocks(monkeypatch)
    assert backward(ROWS, net(1, 2)).text.count("stablehlo.while") == 2


def test_blocks_are_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    in_blocks(monkeypatch)
    one = net(1, 2)
    forward = gw.programs.forward(one, batch=BATCH, formulation=ROWS)
    assert "stablehlo.while" in forward.text
    assert gw.certify(forward).verdict is Verdict.PROVED
    assert gw.certify_vjp(plain(one), backward(ROWS, one).text).verdict is Verdict.PROVED


@pytest.mark.interpreter
@pytest.mark.parametrize(
    ("good", "bad"),
    [
        ("dense<4.0>", "dense<5.0>"),
        pytest.param("stablehlo.subtract", "stablehlo.add", marks=pytest.mark.slow),
        pytest.param("dense<24.0>", "dense<12.0>", marks=pytest.mark.slow),
    ],
)
def test_wrong_blocks_are_refuted(good: str, bad: str, monkeypatch: pytest.MonkeyPatch) -> None:
    in_blocks(monkeypatch)
    one = net(1, 2)
    right = backward(ROWS, one).text
    wrong = right.replace(good, bad, 1)
    assert wrong != right
    search = Search(seconds=20, effort=Effort.QUICK)
    assert gw.certify_vjp(plain(one), wrong, search=search).verdict is Verdict.REFUTED


@pytest.mark.slow
def test_a_forward_in_blocks_is_differentiated(monkeypatch: pytest.MonkeyPatch) -> None:
    in_blocks(monkeypatch)
    one = net(1, 2)
    forward = gw.programs.forward(one, batch=BATCH, formulation=ROWS).text
    assert gw.certify_vjp(forward, backward(ROWS, one).text).verdict is Verdict.PROVED


def step_in_blocks(monkeypatch: pytest.MonkeyPatch, height: int = 3) -> gw.Program:
    """Return a step whose convolution goes over its pictures by two, or of more rows one by one."""
    in_blocks(monkeypatch)
    step = gw.programs.train_step(
        NetSpec("normed", Image(1, height, 5), [ConvBn(2, 3), Flatten(), Dense(2)]),
        batch=BATCH,
        loss=gw.losses.SoftmaxCrossEntropy(),
        optimizer=gw.optim.Sgd(),
        formulation=replace(PORTABLE, convolution=ConvolutionForm.ROW_TILES),
    )
    assert step.text.count("stablehlo.while") == 1
    return step


def loops(program: Program) -> int:
    """Return how many loops the prover leaves in a text."""
    operations = Reading.of(program).main.body.operations
    return sum(operation.opcode == "stablehlo.while" for operation in operations)


@pytest.mark.parametrize("height", [3, 4])
def test_a_convolution_in_blocks_is_proved_in_a_step(
    height: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    step = step_in_blocks(monkeypatch, height)
    assert loops(step) == 1
    assert gw.certify(step, search=Search(seconds=0)).verdict is Verdict.PROVED


@pytest.mark.interpreter
@pytest.mark.parametrize(
    ("good", "bad"),
    [
        ("stablehlo.subtract", "stablehlo.add"),
        pytest.param("dense<5.0>", "dense<4.0>", marks=pytest.mark.slow),
        pytest.param("dense<4.0>", "dense<5.0>", marks=pytest.mark.slow),
    ],
)
def test_wrong_blocks_in_a_step_are_refuted(
    good: str, bad: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    step = step_in_blocks(monkeypatch)
    head, loop, body = step.text.partition("stablehlo.while")
    wrong = Declared.of(step, head + loop + body.replace(good, bad, 1))
    assert wrong.text != step.text
    search = Search(seconds=20, effort=Effort.QUICK)
    assert certify_program(wrong, search=search).verdict is Verdict.REFUTED


def test_a_tiled_gradient_before_a_batch_norm_is_proved_in_a_step() -> None:
    gradient = replace(PORTABLE, weight_gradient=WeightGradient.ROW_TILES)
    layers = [ConvBn(4, 3, padding=Padding.SYMMETRIC), Flatten(), Dense(10)]
    step = gw.programs.train_step(
        NetSpec("normed", Image(3, 8, 8), layers),
        batch=BATCH,
        loss=gw.losses.SoftmaxCrossEntropy(),
        optimizer=gw.optim.Sgd(),
        formulation=gradient,
    )
    assert gw.certify(step, search=Search(seconds=0)).verdict is Verdict.PROVED
