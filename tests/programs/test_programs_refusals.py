"""What is not emitted, word for word; no text is made for it."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, cast

import pytest

from gradwright import programs
from gradwright.errors import GradwrightError, SpecError, UnsupportedError
from gradwright.hlo import ElementType, Shape, Value
from gradwright.layers import (
    PORTABLE,
    BatchNorm,
    Dense,
    Flatten,
    Gate,
    GlobalAvgPool,
    Layer,
    Layout,
    OneHot,
)
from gradwright.layers.walk import Walk
from gradwright.losses import Labels, Loss, SoftmaxCrossEntropy
from gradwright.optim import Sgd
from gradwright.programs import Program
from gradwright.spec import Constant, Decay, Flat, Image, NetSpec, Plan, Slot, Tokens
from programs.nets import BLOCKS, LINEAR, PLAIN

CE = SoftmaxCrossEntropy()


def train(
    net: NetSpec, *, batch: int = 2, loss: Loss = CE, element: ElementType = ElementType.F32
) -> Program:
    return programs.train_step(net, batch=batch, loss=loss, optimizer=Sgd(), element=element)


ENTRIES: dict[str, Callable[..., Program]] = {
    "train-step": train,
    "forward": programs.forward,
    "eval": programs.eval,
    "vjp": programs.vjp,
    "capture": programs.capture,
}


def refusal(kind: type[GradwrightError], emit: Callable[[], object]) -> str:
    with pytest.raises(kind) as caught:
        emit()
    assert type(caught.value) is kind
    return str(caught.value)


@dataclass(frozen=True, slots=True)
class Undone:
    """A layer that can be declared and has no lowering."""

    kind: ClassVar[str] = "undone"

    def plan(self, path: str, input: Shape) -> Plan:
        return Plan(path, self, input, input)


@dataclass(frozen=True, slots=True)
class Idle(Layer):
    """A layer whose parameter takes part in nothing."""

    kind: ClassVar[str] = "idle"

    def plan(self, path: str, input: Shape) -> Plan:
        return Plan(path, self, input, input, (Slot("weight", input, Constant(1), Decay.EXEMPT),))

    def forward(self, walk: Walk, plan: Plan, x: Value) -> Value:
        del walk, plan
        return x

    def meaning(self, plan: Plan) -> str:
        del plan
        return "y = x"


@pytest.mark.parametrize("batch", [0, -1, 2**31, 10**30, True], ids=str)
@pytest.mark.parametrize("entry", ENTRIES)
def test_a_batch_that_is_no_count(entry: str, batch: int) -> None:
    message = refusal(SpecError, lambda: ENTRIES[entry](BLOCKS, batch=batch))
    expected = ">= 1 (plain integers up to 2147483647)"
    assert message == f"blocks: batch: expected {expected}, found {batch!r}"


@pytest.mark.parametrize("batch", [1.5, "2", None], ids=repr)
@pytest.mark.parametrize("entry", ENTRIES)
def test_a_batch_that_is_no_number(entry: str, batch: object) -> None:
    message = refusal(SpecError, lambda: ENTRIES[entry](BLOCKS, batch=cast("int", batch)))
    name = entry.replace("-", "_")
    assert message == f"{name}: batch: expected a whole number, found {batch!r}"


@pytest.mark.parametrize("element", [ElementType.BF16, ElementType.F16, ElementType.I32])
@pytest.mark.parametrize("entry", ENTRIES)
def test_an_element_type_that_no_program_is_written_in(entry: str, element: ElementType) -> None:
    message = refusal(UnsupportedError, lambda: ENTRIES[entry](BLOCKS, batch=2, element=element))
    assert message == f"blocks: element type: expected f32 or f64, found {element.value}"


def test_an_update_in_bf16() -> None:
    message = refusal(
        UnsupportedError,
        lambda: programs.optimizer_step(LINEAR, optimizer=Sgd(), element=ElementType.BF16),
    )
    assert message == "linear: element type: expected f32 or f64, found bf16"


@pytest.mark.parametrize("entry", [e for e in ENTRIES if e != "capture"])
def test_a_layer_without_a_lowering(entry: str) -> None:
    net = NetSpec("strange", Flat(4), [Dense(3), ("odd", Undone()), Dense(3)])
    message = refusal(UnsupportedError, lambda: ENTRIES[entry](net, batch=2))
    assert message == (
        "strange: odd: expected a layer with a forward and a backward, found Undone, which has "
        "none. Derive it from gradwright.layers.Layer or leave it out"
    )


@pytest.mark.parametrize("entry", ["train-step", "vjp"])
def test_a_parameter_that_reaches_nothing(entry: str) -> None:
    net = NetSpec("lazy", Flat(4), [("idle", Idle()), Dense(3)])
    message = refusal(UnsupportedError, lambda: ENTRIES[entry](net, batch=2))
    assert message == (
        "lazy: idle.weight: expected every parameter to reach the output, found no path from it, "
        "so it would never train"
    )


def test_a_capture_without_a_pool() -> None:
    message = refusal(UnsupportedError, lambda: programs.capture(PLAIN, batch=2))
    assert message == (
        "plain-conv: capture: expected exactly one GlobalAvgPool, whose input is the map to "
        "capture, found none"
    )


def test_a_capture_of_two_pools() -> None:
    class Pool(GlobalAvgPool):
        """A pool that keeps [C, 1, 1], so that another one may follow."""

        __slots__ = ()

        def plan(self, path: str, input: Shape) -> Plan:
            return Plan(path, self, input, (input[0], 1, 1))

    net = NetSpec("twice", Image(2, 4, 4), [("first", Pool()), ("second", GlobalAvgPool())])
    message = refusal(UnsupportedError, lambda: programs.capture(net, batch=2))
    assert message == (
        "twice: capture: expected exactly one GlobalAvgPool, whose input is the map to capture, "
        "found first, second"
    )


def test_a_pool_inside_a_gate_is_not_the_one_to_capture() -> None:
    layers = [Gate(GlobalAvgPool()), GlobalAvgPool()]
    program = programs.capture(NetSpec("gated", Image(2, 4, 4), layers), batch=2)
    assert program.outputs[0].shape == (2, 2, 4, 4)


def test_the_variance_of_one_value() -> None:
    """PyTorch raises too; ml-explore/mlx#3817 divided by zero."""
    net = NetSpec("single", Flat(4), [BatchNorm(), Dense(3)])
    message = refusal(SpecError, lambda: train(net, batch=1))
    assert message == (
        "single: bn1: expected more than one value per channel for an unbiased variance, found "
        "one. Use a larger batch or RunningVariance.BIASED"
    )


@pytest.mark.parametrize(
    ("loss", "message"),
    [
        (CE, "logits [B, K] as output of the net, found tensor<2x2x4x4xf32>"),
        (
            SoftmaxCrossEntropy(Labels.SOFT),
            "logits [B, K] as output of the net, found tensor<2x2x4x4xf32>",
        ),
    ],
)
def test_a_loss_that_does_not_fit_the_output(loss: SoftmaxCrossEntropy, message: str) -> None:
    net = NetSpec("picture", Image(2, 4, 4), [BatchNorm()])
    found = refusal(SpecError, lambda: train(net, loss=loss))
    assert found == f"picture: SoftmaxCrossEntropy: expected {message}"


@pytest.mark.parametrize("count", [2, 4])
def test_weights_for_another_number_of_classes(count: int) -> None:
    """One weight per class, or a class would vanish in silence."""
    loss = SoftmaxCrossEntropy(class_weights=(1.0,) * count)
    found = refusal(SpecError, lambda: train(LINEAR, loss=loss))
    expected = f"3 class weights, one per logit, found {count}"
    assert found == f"linear: SoftmaxCrossEntropy: expected {expected}"


def test_what_fits_is_emitted() -> None:
    train(NetSpec("single", Flat(4), [BatchNorm(), Dense(3)]), batch=2)
    train(NetSpec("words", Tokens(4, 5), [OneHot(5), Flatten(), Dense(3)]))


WRONG = ("element", "formulation", "loss", "optimizer", "net")


@pytest.mark.parametrize("value", [None, "f32", 1], ids=repr)
@pytest.mark.parametrize("argument", WRONG)
def test_an_argument_of_another_kind(argument: str, value: object) -> None:
    given: dict[str, Any] = {"net": LINEAR, "loss": CE, "optimizer": Sgd(), argument: value}
    message = refusal(SpecError, lambda: programs.train_step(batch=2, **given))
    assert re.fullmatch(rf"train_step: {argument}: expected an? \w+, found {value!r}", message)


def test_a_formulation_of_strings() -> None:
    message = refusal(SpecError, lambda: replace(PORTABLE, layout=cast("Layout", "nhwc")))
    assert message == ("Formulation.layout: expected one of Layout.NCHW, Layout.NHWC, found 'nhwc'")


@pytest.mark.parametrize("seed", [-1, True, 1.5, None, "0"], ids=repr)
def test_a_seed_that_is_none(seed: object) -> None:
    """NumPy takes None for a seed of its own choosing, and no run could be repeated."""
    message = refusal(SpecError, lambda: programs.init(LINEAR, cast("int", seed)))
    expected = (
        ": expected a seed, an integer >= 0"
        if isinstance(seed, int)
        else (": seed: expected a whole number")
    )
    assert message == f"init{expected}, found {seed!r}"
