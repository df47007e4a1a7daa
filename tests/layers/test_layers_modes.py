"""One walk, three modes: training forward, train step and evaluation say the same net."""

import math

import numpy as np
import pytest

from gradwright import programs
from gradwright.hlo import ElementType
from gradwright.layers import (
    BatchNorm,
    Conv2d,
    Dense,
    Dropout,
    DropPath,
    Flatten,
    OneHot,
    Residual,
    RunningVariance,
)
from gradwright.layers import weight_gradient as forms_of_dw
from gradwright.losses import MeanSquaredError
from gradwright.optim import Sgd
from gradwright.spec import Flat, Image, NetSpec, Tokens
from oracles.closeness import assert_rounded
from oracles.subject import Subject, forms, interpret
from oracles.subjects import SUBJECTS

pytestmark = pytest.mark.interpreter

TERMS = 4096
EVERY = pytest.mark.parametrize("subject", SUBJECTS.values(), ids=SUBJECTS)
BOTH_MASKS = pytest.mark.parametrize("layer", [Dropout(0.4), DropPath(0.5)], ids=["drop", "path"])


@EVERY
def test_the_train_step_has_the_training_forward(subject: Subject) -> None:
    """emitter T2: the loss of the step is that of the forward's own output."""
    arrays = subject.draw()
    step = programs.train_step(
        subject.net,
        batch=subject.batch,
        loss=MeanSquaredError(),
        optimizer=Sgd(),
        element=ElementType.F64,
        formulation=subject.formulation,
    )
    given = {port.name: np.ones(port.shape) for port in step.inputs} | arrays
    target = np.full_like(arrays["dy"], 0.5)
    after = interpret(step, given | {"y": target, "lr": np.array(0.0)})
    expected = np.mean((subject.forward(arrays) - target) ** 2)
    assert_rounded(after["loss"], np.array(expected), terms=TERMS)


@EVERY
def test_evaluation_at_the_batchs_own_statistics_is_training(subject: Subject) -> None:
    """emitter T2: what differs between the modes is statistics and masks, nothing else.

    With a decay of nearly 0 one step's running statistics are the batch's; masks of ones.
    """
    arrays = subject.draw()
    arrays |= {mask.name: np.ones_like(arrays[mask.name]) for mask in subject.net.masks}
    arrays |= {slot.name: np.zeros(slot.shape) for slot in subject.net.statistics}
    step = programs.train_step(
        subject.net,
        batch=subject.batch,
        loss=MeanSquaredError(),
        optimizer=Sgd(),
        element=ElementType.F64,
        formulation=subject.formulation,
    )
    given = {port.name: np.zeros(port.shape) for port in step.inputs} | arrays | {"t": np.array(1)}
    after = interpret(step, given)
    for plan in subject.net.walk():
        if isinstance(plan.layer, BatchNorm):
            count = subject.batch * math.prod(plan.input[1:])
            mean, variance = plan.full("running_mean"), plan.full("running_var")
            fresh = 1 - plan.layer.decay
            arrays[mean] = after[mean] / fresh
            arrays[variance] = after[variance] / fresh * (count - 1) / count
            assert plan.layer.running_variance is RunningVariance.UNBIASED
    assert_rounded(subject.evaluation(arrays), subject.forward(arrays), terms=TERMS)


@BOTH_MASKS
def test_a_mask_of_ones_is_the_identity(layer: Dropout | DropPath) -> None:
    subject = Subject([layer], Image(2, 3, 5), 3)
    arrays = subject.draw()
    arrays |= {mask.name: np.ones_like(arrays[mask.name]) for mask in subject.net.masks}
    assert (subject.forward(arrays) == arrays["x"]).all()
    assert (subject.gradients(arrays)["x"] == arrays["dy"]).all()


@BOTH_MASKS
def test_evaluation_drops_nothing(layer: Dropout | DropPath) -> None:
    subject = Subject([layer], Image(2, 3, 5), 3)
    arrays = subject.draw()
    assert (subject.evaluation(arrays) == arrays["x"]).all()


@pytest.mark.parametrize("form", forms("layout"), ids=["nchw", "nhwc"])
def test_masks_reach_the_elements_they_name(form: object) -> None:
    """An element of a picture's mask, and one number per example of a path's."""
    layers = [("drop", Dropout(0.4)), ("path", DropPath(0.5))]
    subject = Subject(layers, Image(2, 3, 5), 4)  # type: ignore[arg-type]  # a list of pairs
    subject = subject.under(form)  # type: ignore[arg-type]  # parametrised
    arrays = subject.draw()
    arrays["path.mask"] = np.array([0.0, 2.0, 0.0, 2.0])
    scale = arrays["drop.mask"] * arrays["path.mask"][:, None, None, None]
    assert_rounded(subject.forward(arrays), arrays["x"] * scale, terms=2)
    assert_rounded(subject.gradients(arrays)["x"], arrays["dy"] * scale, terms=2)


@pytest.mark.parametrize("form", forms("layout"), ids=["nchw", "nhwc"])
def test_flatten_keeps_channels_slowest(form: object) -> None:
    """Row-major [C, H, W] in either layout, forward and back."""
    subject = Subject([Flatten()], Image(2, 3, 5), 2).under(form)  # type: ignore[arg-type]  # same
    arrays = subject.draw()
    assert (subject.forward(arrays) == arrays["x"].reshape(2, 30)).all()
    assert (subject.gradients(arrays)["x"] == arrays["dy"].reshape(2, 2, 3, 5)).all()


def test_a_bigram_net_reads_rows_and_adds_up_repeated_ids() -> None:
    """bugs F6, pytorch/pytorch#1631: idx = [0, 0], dy = [0.2, 0.3] gives 0.5, not 0.3."""
    net = [OneHot(4), Flatten(), Dense(3, bias=False)]
    subject = Subject(net, Tokens(1, 4), 2)
    weight = np.arange(12.0).reshape(4, 3)
    dy = np.array([[0.2, 1, 2], [0.3, 3, 4]])
    arrays = {"x": np.array([[0], [0]]), "dense1.weight": weight, "dy": dy}
    assert (subject.forward(arrays) == weight[[0, 0]]).all()
    gradient = subject.gradients(arrays)["dense1.weight"]
    assert_rounded(gradient[0], np.array([0.5, 4, 6]), terms=2)
    assert not gradient[1:].any()
    outside = subject.forward({**arrays, "x": np.array([[4], [-1]])})
    assert not outside.any()  # an id outside the classes is the zero vector


def test_dense_gradients_are_sums_over_the_batch() -> None:
    """Examples differ, so that one example's gradient cannot pass for the batch's."""
    subject = SUBJECTS["dense"]
    arrays = subject.draw()
    gradients = subject.gradients(arrays)
    x, dy = arrays["x"], arrays["dy"]
    assert_rounded(gradients["dense1.weight"], np.einsum("ni,no->io", x, dy), terms=8)
    assert_rounded(gradients["dense1.bias"], dy.sum(axis=0), terms=8)
    expected = np.einsum("no,io->ni", dy, arrays["dense1.weight"])
    assert_rounded(gradients["x"], expected, terms=8)


@pytest.mark.parametrize("form", forms("weight_gradient"), ids=lambda f: f.weight_gradient.value)
def test_a_weight_gradient_in_several_blocks(form: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of one picture: the loop runs as often as the batch has pictures."""
    subject = Subject([Conv2d(4, 3)], Image(3, 5, 7), 6)
    arrays = subject.draw()
    expected = subject.gradients(arrays)
    monkeypatch.setattr(forms_of_dw, "BLOCK_BYTES", 1)
    monkeypatch.setattr(forms_of_dw, "FEW_CHANNELS", 0)
    monkeypatch.setattr(forms_of_dw, "MAX_ROW_COEFFICIENTS", 1)
    found = subject.under(form).gradients(arrays)  # type: ignore[arg-type]  # parametrised
    for name, gradient in expected.items():
        assert_rounded(found[name], gradient, terms=TERMS, name=name)


def test_a_sum_of_a_path_with_itself_doubles() -> None:
    """A value used twice gets both cotangents."""
    subject = Subject([Residual(Dense(3))], Flat(3), 2)
    arrays = subject.draw()
    own = np.einsum("no,io->ni", arrays["dy"], arrays["residual1.body.weight"])
    assert_rounded(subject.gradients(arrays)["x"], own + arrays["dy"], terms=8)


def test_a_net_of_identities_returns_what_it_got() -> None:
    net = NetSpec("n", Flat(3), [Dropout(0)])
    program = programs.eval(net, batch=2, element=ElementType.F64)
    x = np.arange(6.0).reshape(2, 3)
    assert (interpret(program, {"x": x})["output"] == x).all()
