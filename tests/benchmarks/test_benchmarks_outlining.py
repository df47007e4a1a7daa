"""Blocks of a text that occur twice become functions, and the text means what it did."""

import sys
from importlib import import_module
from types import ModuleType

import pytest

import gradwright as gw
from gradwright.certify import Declared, Verdict
from gradwright.hlo import print_module, read_module, verify
from repository.tree import ROOT


@pytest.fixture
def outlined(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.setattr(sys, "path", [str(ROOT / "benchmarks"), *sys.path])
    return import_module("outlined")


def step(*widths: int) -> gw.programs.Program:
    """Return the train step of a net with a convolution and a norm for each width."""
    padding = gw.layers.Padding.SYMMETRIC
    layers = [gw.layers.ConvBn(width, 3, padding=padding) for width in widths]
    net = gw.NetSpec("net", gw.Image(4, 3, 3), [*layers, gw.layers.Flatten(), gw.layers.Dense(2)])
    loss, rule = gw.losses.SoftmaxCrossEntropy(), gw.optim.Sgd()
    return gw.programs.train_step(net, batch=2, loss=loss, optimizer=rule)


@pytest.mark.parametrize(("widths", "functions"), [((4, 4, 4), 2), ((4, 5, 6), 0)])
def test_equal_blocks_become_a_function_each_way(
    outlined: ModuleType, widths: tuple[int, ...], functions: int
) -> None:
    plain = step(*widths)
    module, count = outlined.outlined(read_module(plain.text))
    text = print_module(module)
    verify(text)
    assert count == functions
    # The first layer's backward makes no gradient of the pictures: it is like no other.
    assert text.count("call @convbn") == len(widths) * functions - bool(functions)
    assert gw.certify(Declared.of(plain, text)).verdict is Verdict.PROVED
