"""Options that several verbs share."""

import pytest

from gradwright.cli.options import augmentation_of, loss_of, losses, optimizer_of, optimizers
from gradwright.data import Augmentation, Flip
from gradwright.errors import SpecError
from gradwright.losses import SoftmaxCrossEntropy
from gradwright.optim import AdamW, Nesterov, NesterovForm


def test_names_are_those_of_the_classes() -> None:
    assert list(losses()) == ["cross-entropy", "mse", "bce"]
    assert list(optimizers()) == ["sgd", "momentum", "nesterov", "adam", "adamw"]


def test_a_loss_takes_fields_and_the_short_option() -> None:
    assert loss_of("cross-entropy") == SoftmaxCrossEntropy()
    assert loss_of("cross-entropy", label_smoothing=0.1) == SoftmaxCrossEntropy(label_smoothing=0.1)
    assert loss_of("cross-entropy:class_weights=1+2", label_smoothing=0.1) == SoftmaxCrossEntropy(
        class_weights=(1.0, 2.0), label_smoothing=0.1
    )


def test_an_optimizer_takes_fields_and_the_short_option() -> None:
    assert optimizer_of("adamw", weight_decay=1e-4) == AdamW(weight_decay=1e-4)
    assert optimizer_of("nesterov:form=sutskever,momentum=0.8") == Nesterov(
        form=NesterovForm.SUTSKEVER, momentum=0.8
    )


def test_a_short_option_that_the_choice_does_not_have_is_refused() -> None:
    with pytest.raises(SpecError) as caught:
        loss_of("mse", label_smoothing=0.1)
    assert str(caught.value) == (
        "--loss mse: expected FIELD=VALUE, but it has no fields, found 'label_smoothing=0.1'"
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("none", Augmentation()),
        ("flip", Augmentation(flip=Flip.HALF)),
        ("crop:4", Augmentation(padding=4)),
        ("flip,crop:2", Augmentation(flip=Flip.HALF, padding=2)),
    ],
)
def test_augmentation_is_read(text: str, expected: Augmentation) -> None:
    assert augmentation_of(text) == expected


@pytest.mark.parametrize("text", ["", "crop", "crop:-1", "crop:2,flip", "flip,", "flips"])
def test_a_wrong_augmentation_says_what_is_right(text: str) -> None:
    with pytest.raises(SpecError) as caught:
        augmentation_of(text)
    assert str(caught.value) == (
        f"--augment: expected none, flip, crop:N or flip,crop:N, found {text!r}"
    )
