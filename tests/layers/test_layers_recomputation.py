"""Layers that the backward computes again: the same function, proved, in less memory."""

from dataclasses import replace

import numpy as np
import pytest

import gradwright as gw
from gradwright.certify import Effort, Search, Verdict
from gradwright.certify.programs_reading import Declared
from gradwright.errors import SpecError
from gradwright.layers import (
    PORTABLE,
    ConvBn,
    Dense,
    Dropout,
    Flatten,
    Function,
    Padding,
    blocks_of,
)
from gradwright.layers.blocks import BasicBlock, InvertedResidual
from gradwright.spec import Image, NetSpec

NET = NetSpec(
    "two-blocks",
    Image(2, 6, 6),
    [
        BasicBlock(3, 1, Padding.SYMMETRIC, Function.RELU),
        Dropout(0.5),
        ("wide", InvertedResidual(3, 6, 3, 1, Padding.SYMMETRIC, Function.RELU6)),
        Flatten(),
        ("head", Dense(3)),
    ],
)
BLOCKS = replace(PORTABLE, recomputed=blocks_of(NET))
RESIDUAL = replace(
    NET,
    name="residual",
    layers=[
        BasicBlock(3, 1, Padding.SYMMETRIC, Function.RELU),
        Dropout(0.5),
        ("wide", BasicBlock(3, 1, Padding.SYMMETRIC, Function.RELU)),
        Flatten(),
        ("head", Dense(3)),
    ],
)
QUICK = Search(seconds=30)


def step(formulation: gw.layers.Formulation, net: NetSpec = NET) -> gw.Program:
    loss, rule = gw.losses.SoftmaxCrossEntropy(), gw.optim.Momentum()
    return gw.programs.train_step(net, batch=2, loss=loss, optimizer=rule, formulation=formulation)


def test_blocks_are_the_outermost_compositions() -> None:
    assert blocks_of(NET) == ("block1", "wide")
    assert BLOCKS.described[-2:] == ("recomputed: block1", "recomputed: wide")


@pytest.mark.xla
def test_a_step_is_the_same_and_running_statistics_move_once() -> None:
    random = np.random.default_rng(0)
    kept, again = step(PORTABLE), step(BLOCKS)
    state = gw.programs.initial_state(kept, seed=0)
    fed = {
        "x": random.standard_normal((2, 2, 6, 6)).astype(np.float32),
        "y": np.array([0, 2], np.int32),
        "lr": np.float32(0.1),
        "t": np.float32(1),
        "drop1.mask": (2 * random.integers(0, 2, (2, 3, 6, 6))).astype(np.float32),
    }
    states: list[dict[str, np.ndarray]] = []
    for program in (kept, again):
        session = gw.run.compile(program, cache=gw.run.NO_CACHE).session(state)
        session.step(**{port.name: fed[port.name] for port in program.inputs if port.name in fed})
        states.append(session.state())
    assert states[0].keys() == states[1].keys()
    for name, array in states[0].items():
        assert np.allclose(states[1][name], array, rtol=1e-4, atol=1e-5), name
    assert not np.allclose(states[0]["head.weight"], state["head.weight"])


@pytest.mark.interpreter
@pytest.mark.parametrize("paths", [("block1", "wide"), ("wide",), ("block1.sum.body", "head")])
def test_every_claim_is_proved(paths: tuple[str, ...]) -> None:
    report = gw.certify(step(replace(PORTABLE, recomputed=paths)), search=QUICK)
    assert report.verdict is Verdict.PROVED
    assert len(report.claims) == len(gw.certify(step(PORTABLE), search=QUICK).claims)


@pytest.mark.interpreter
@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("optimization_barrier %drop1.y, ", "optimization_barrier %block1.act.y, "),
        ("%block1.sum.y_2 = stablehlo.add", "%block1.sum.y_2 = stablehlo.subtract"),
        ("bn.y_2, %block1.sum.shortcut", "bn.y, %block1.sum.body.conv2"),
    ],
    ids=["another input", "another operation", "another value of the first forward"],
)
def test_a_second_forward_that_is_another_one_is_refuted(right: str, wrong: str) -> None:
    program = step(BLOCKS, RESIDUAL)
    assert program.text.count(right) == 1
    text = program.text.replace(right, wrong)
    report = gw.certify(Declared.of(program, text), search=Search(20, effort=Effort.QUICK))
    assert report.verdict is Verdict.REFUTED


@pytest.mark.xla
def test_less_is_kept() -> None:
    padding = Padding.SYMMETRIC
    deep = NetSpec(
        "deep",
        Image(3, 16, 16),
        [
            ConvBn(8, 3, padding=padding),
            *(InvertedResidual(8, 48, 3, 1, padding, Function.RELU6) for _ in range(4)),
            Flatten(),
            Dense(3),
        ],
    )
    quickly = gw.run.Options(xla_flags=(("xla_backend_optimization_level", "0"),))
    kept, again = (
        gw.run.compile(step(form, deep), options=quickly, cache=gw.run.NO_CACHE).memory
        for form in (PORTABLE, replace(PORTABLE, recomputed=blocks_of(deep)))
    )
    assert kept is not None
    assert again is not None
    assert again.temporaries < 0.7 * kept.temporaries
    assert again.in_all - again.temporaries == kept.in_all - kept.temporaries


def test_a_path_of_no_layer_is_refused() -> None:
    with pytest.raises(SpecError, match="expected paths of its layers, found 'wider'"):
        step(replace(PORTABLE, recomputed=("wider",)))
    with pytest.raises(SpecError, match=r"Formulation\.recomputed"):
        replace(PORTABLE, recomputed="wide")  # pyright: ignore[reportArgumentType]


def test_what_has_no_backward_stays_as_it_is() -> None:
    for emit in (gw.programs.forward, gw.programs.eval):
        kept, again = (emit(NET, batch=2, formulation=form) for form in (PORTABLE, BLOCKS))
        assert kept.text == again.text
    kept, again = (
        gw.programs.saliency(NET, batch=2, layer="block1", formulation=form)
        for form in (PORTABLE, BLOCKS)
    )
    assert kept.text == again.text
