"""Depthwise convolutions by channels and by rows of columns: the same values, all proved."""

import numpy as np
import pytest

import gradwright as gw
from gradwright.certify import Declared, Effort, Search, Verdict, certify_program
from gradwright.layers import (
    PORTABLE,
    TEXTBOOK,
    DepthwiseConv2d,
    Explicit,
    Formulation,
    Padding,
    depthwise,
    joined_rows,
)
from gradwright.spec import Image, NetSpec

LAYERS = (DepthwiseConv2d(3), DepthwiseConv2d(3, (2, 1), Explicit((1, 0), (2, 1))))
OTHERS = (
    DepthwiseConv2d(3, 2, Padding.SAME_UPPER),
    DepthwiseConv2d(2, (1, 2), Padding.VALID),
    DepthwiseConv2d((3, 2), 1, Explicit((3, 0), (0, 3)), 2),
)
ROWS = ("tensor<1x1x15xf32>", "tensor<1x1x18xf32>")
"""Five columns of the result of the first, six of that of the second, of three channels each."""
BATCH = 2


def net(layer: DepthwiseConv2d) -> NetSpec:
    return NetSpec("one", Image(3, 4, 5), [layer])


def backward(layer: DepthwiseConv2d, formulation: Formulation = PORTABLE) -> gw.Program:
    return gw.programs.vjp(net(layer), batch=BATCH, formulation=formulation)


def always(columns: int, channels: int) -> bool:
    """Say of any picture that joining its columns pays."""
    del columns, channels
    return True


def plain(layer: DepthwiseConv2d) -> str:
    return gw.programs.forward(net(layer), batch=BATCH, formulation=TEXTBOOK).text


@pytest.mark.interpreter
@pytest.mark.parametrize("few", [0, 3])
@pytest.mark.parametrize(("layer", "row"), list(zip(LAYERS, ROWS, strict=True)), ids=str)
def test_rows_and_channels_are_the_same(
    layer: DepthwiseConv2d, row: str, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(depthwise, "FEW_CHANNELS", few)
    program = backward(layer)
    lines = [line for line in program.text.splitlines() if "dynamic_slice" in line]
    assert any(line.endswith(f"-> {row}") for line in lines) == (few > 0)
    random = np.random.default_rng(0)
    ports = program.inputs
    inputs = {port.name: random.standard_normal(port.shape).astype(port.dtype) for port in ports}
    ours, usual = (
        gw.run.compile(each, backend="interpreter")(**inputs)
        for each in (program, backward(layer, TEXTBOOK))
    )
    for name, value in usual.items():
        found, expected = (np.asarray(each, np.float64) for each in (ours[name], value))
        assert np.abs(found - expected).max() < 2e-5 * np.abs(expected).max(), name
    assert gw.certify_vjp(plain(layer), program.text).verdict is Verdict.PROVED


@pytest.mark.interpreter
def test_a_row_that_is_read_one_column_off_is_refuted() -> None:
    layer = LAYERS[0]
    right = backward(layer).text
    wrong = right.replace("[0:1, 0:1, 3:18]", "[0:1, 0:1, 6:21]", 1)
    assert wrong != right
    search = Search(seconds=20, effort=Effort.QUICK)
    assert gw.certify_vjp(plain(layer), wrong, search=search).verdict is Verdict.REFUTED


@pytest.mark.parametrize("group", [1, 6, 10**6])
@pytest.mark.parametrize("layer", [*LAYERS, *OTHERS], ids=str)
def test_groups_of_columns_are_proved(
    layer: DepthwiseConv2d, group: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(joined_rows, "GROUP", group)
    monkeypatch.setattr(depthwise, "pays", always)
    assert gw.certify_vjp(plain(layer), backward(layer).text).verdict is Verdict.PROVED
    forward = gw.programs.forward(net(layer), batch=BATCH)
    assert gw.certify(forward).verdict is Verdict.PROVED
    given = gw.programs.vjp(net(layer), batch=BATCH)
    assert gw.certify_vjp(forward.text, given.text).verdict is Verdict.PROVED


@pytest.mark.parametrize(
    ("columns", "channels", "joined"), [(8, 32, True), (7, 32, False), (1, 255, False)]
)
def test_where_columns_are_joined(columns: int, channels: int, joined: bool) -> None:
    wide = NetSpec("wide", Image(channels, 2, columns), [DepthwiseConv2d(3)])
    text = gw.programs.forward(wide, batch=1).text
    assert ("taps" in text) == joined
    assert joined_rows.pays(columns, channels) == joined
    assert not joined_rows.pays(columns, joined_rows.GROUP)


@pytest.mark.interpreter
def test_weights_of_another_column_are_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(depthwise, "pays", always)
    layer = LAYERS[0]
    right = gw.programs.forward(net(layer), batch=BATCH)
    wrong = right.text.replace("[1:2, 0:1, 0:15]", "[1:2, 1:2, 0:15]", 1)
    assert wrong != right.text
    claimed = Declared.of(right, wrong)
    search = Search(seconds=20, effort=Effort.QUICK)
    assert certify_program(claimed, search=search).verdict is Verdict.REFUTED
