"""Every layer and composition: the emitted pullback is the derivative of the emitted forward."""

import dataclasses
from collections.abc import Mapping

import numpy as np
import pytest

from gradwright import layers
from gradwright.errors import UnsupportedError
from gradwright.hlo import Shape, Value
from gradwright.layers import PORTABLE, TEXTBOOK, Layer
from gradwright.layers.walk import Walk
from gradwright.spec import Plan
from oracles.closeness import assert_rounded
from oracles.differences import assert_gradients
from oracles.subject import FORMULATIONS, MIXED, RARE, Arrays, Subject
from oracles.subjects import SUBJECTS

pytestmark = pytest.mark.interpreter

TERMS = 4096
"""Roundings in the longest chain of sums of the table; equal forms differ by no more."""

OTHERS = (PORTABLE, *MIXED, *RARE)
EVERY = pytest.mark.parametrize("subject", SUBJECTS.values(), ids=SUBJECTS)


def test_the_table_holds_every_layer() -> None:
    plans = [plan for subject in SUBJECTS.values() for plan in subject.net.walk()]
    present = {type(plan.layer) for plan in plans}
    public = {getattr(layers, name) for name in layers.__all__}
    declared = {
        kind
        for kind in public
        if isinstance(kind, type) and issubclass(kind, Layer) and hasattr(kind, "kind")
    }
    # A block's own plan carries the block; Sequential and the rest are there under their names.
    assert declared <= present


@EVERY
def test_central_differences(subject: Subject) -> None:
    """Random cotangent, at least eight coordinates of every slot and input (emitter 12)."""
    assert_gradients(subject, subject.draw())


@EVERY
def test_formulations_agree(subject: Subject) -> None:
    """Forward and gradients of the textbook form, in the other forms, to rounding."""
    arrays = subject.draw()
    expected, gradients = subject.forward(arrays), subject.gradients(arrays)
    for formulation in OTHERS:
        other = subject.under(formulation)
        assert_rounded(other.forward(arrays), expected, terms=TERMS)
        for name, gradient in other.gradients(arrays).items():
            assert_rounded(gradient, gradients[name], terms=TERMS, name=name)


def test_the_formulations_compared_hold_every_choice() -> None:
    for field in dataclasses.fields(layers.Formulation):
        chosen = {getattr(formulation, field.name) for formulation in (TEXTBOOK, *OTHERS)}
        assert chosen == {getattr(formulation, field.name) for formulation in FORMULATIONS}


def test_a_seeded_defect_is_seen() -> None:
    """Negative control: a gradient off by one part in a million does not pass."""
    subject = SUBJECTS["batch norm"]

    class Off(Subject):
        __slots__ = ()

        def gradients(self, arrays: Mapping[str, np.ndarray]) -> Arrays:
            found = subject.gradients(arrays)
            return {**found, "x": found["x"] * (1 + 1e-6)}

    with pytest.raises(AssertionError, match=r"^x\["):
        assert_gradients(Off(subject.layers, subject.input, subject.batch), subject.draw())


def test_one_object_at_two_places_has_two_sets_of_slots() -> None:
    """Layers are declarations; parameters belong to places (bugs F8 asks for every gradient)."""
    shared = layers.Dense(5)
    subject = Subject(
        [shared, layers.Activation(layers.Function.TANH), shared], SUBJECTS["dense"].input
    )
    names = [slot.name for slot in subject.net.parameters]
    assert names == ["dense1.weight", "dense1.bias", "dense2.weight", "dense2.bias"]
    arrays = subject.draw()
    assert_gradients(subject, arrays)
    gradients = subject.gradients(arrays)
    assert not np.allclose(gradients["dense1.weight"], gradients["dense2.weight"])


def test_every_parameter_has_a_gradient() -> None:
    """bugs F8, huggingface/candle#3613: a layer without a backward never trains."""
    for subject in SUBJECTS.values():
        gradients = subject.gradients(subject.draw())
        for slot in subject.net.parameters:
            assert gradients[slot.name].any(), slot.name


def test_a_parameter_without_a_path_is_refused() -> None:
    """What does not reach the output has no gradient, and no program is written for it."""

    class Cut(layers.Dense):
        def forward(self, walk: Walk, plan: Plan, x: Value) -> Value:
            super().forward(walk, plan, x)
            return x

        def plan(self, path: str, input: Shape) -> Plan:
            return dataclasses.replace(super().plan(path, input), output=input)

    with pytest.raises(UnsupportedError, match="no path from it, so it would never train"):
        Subject([Cut(4), layers.Dense(3)], SUBJECTS["dense"].input).vjp_program()
