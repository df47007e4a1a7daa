"""What a loss refuses, word for word, and how it describes itself."""

from typing import Any

import pytest

from gradwright.errors import SpecError
from gradwright.hlo import ElementType, TensorType
from gradwright.losses import (
    BinaryCrossEntropy,
    Labels,
    MeanSquaredError,
    Normalization,
    SoftmaxCrossEntropy,
)

NAN, INF = float("nan"), float("inf")
HEAD = "SoftmaxCrossEntropy: expected "


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        *(
            (
                {"label_smoothing": value},
                f"0 <= label_smoothing < 1, found {value}",
            )
            for value in (-0.1, 1.0, NAN, INF)
        ),
        *(
            ({"focal_gamma": value}, f"focal_gamma >= 0 that f32 holds, found {value}")
            for value in (-0.5, NAN, INF, 1e39)
        ),
        *(
            (
                {"class_weights": value},
                f"class weights >= 0 that f32 holds, not all 0, found {value}",
            )
            for value in (
                (0.0, 0.0),
                (1.0, -1.0),
                (1.0, NAN),
                (INF, 1.0),
                (1e39, 1.0),
                (1e-50,),
                (),
            )
        ),
        ({"ignore_index": 2**31}, "an ignore_index that i32 holds, found 2147483648"),
        (
            {"labels": Labels.SOFT, "ignore_index": 3},
            "index labels for ignore_index, found ignore_index=3 with soft labels",
        ),
    ],
)
def test_a_declaration_that_makes_no_sense_is_refused(
    settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(SpecError) as caught:
        SoftmaxCrossEntropy(**settings)
    assert str(caught.value) == HEAD + message


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"labels": "soft"}, "labels: expected one of Labels.INDEX, Labels.SOFT, found 'soft'"),
        (
            {"normalization": "count"},
            "normalization: expected one of Normalization.WEIGHT, Normalization.COUNT, "
            "found 'count'",
        ),
        ({"label_smoothing": "0.1"}, "label_smoothing: expected a plain number, found '0.1'"),
        ({"focal_gamma": True}, "focal_gamma: expected a plain number, found True"),
        ({"ignore_index": 1.0}, "ignore_index: expected a plain integer or None, found 1.0"),
        (
            {"class_weights": (1.0, None)},
            "class_weights: expected a tuple, each a plain number or None, found (1.0, None)",
        ),
    ],
)
def test_a_field_holds_what_its_annotation_says(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(SpecError) as caught:
        SoftmaxCrossEntropy(**settings)
    assert str(caught.value) == f"SoftmaxCrossEntropy.{message}"


@pytest.mark.parametrize("settings", [{"labels": Labels.SOFT}, {"label_smoothing": 0.1}])
def test_a_focal_loss_takes_hard_labels_only(settings: dict[str, Any]) -> None:
    with pytest.raises(SpecError) as caught:
        SoftmaxCrossEntropy(focal_gamma=2.0, **settings)
    expected = f"{HEAD}index labels and no smoothing for a focal loss, found SoftmaxCrossEntropy("
    assert str(caught.value).startswith(expected)


@pytest.mark.parametrize("shape", [(8,), (8, 10, 2), (8, 10, 2, 2), (8, 0)])
def test_only_a_batch_of_logits_can_be_classified(shape: tuple[int, ...]) -> None:
    output = TensorType(shape)
    with pytest.raises(SpecError) as caught:
        SoftmaxCrossEntropy().label(output)
    assert str(caught.value) == f"{HEAD}logits [B, K] as output of the net, found {output}"


@pytest.mark.parametrize("count", [2, 4])
def test_there_is_one_weight_per_class(count: int) -> None:
    with pytest.raises(SpecError) as caught:
        SoftmaxCrossEntropy(class_weights=(1.0,) * count).label(TensorType((8, 3)))
    assert str(caught.value) == f"{HEAD}3 class weights, one per logit, found {count}"


def test_the_labels_have_the_type_that_the_loss_declares() -> None:
    output = TensorType((8, 10), ElementType.F64)
    assert SoftmaxCrossEntropy().label(output) == TensorType((8,), ElementType.I32)
    assert SoftmaxCrossEntropy(Labels.SOFT).label(output) == output
    assert MeanSquaredError().label(output) == BinaryCrossEntropy().label(output) == output


def test_weights_given_as_a_list_are_frozen() -> None:
    weights: Any = [1.0, 2.0]
    assert hash(SoftmaxCrossEntropy(class_weights=weights))


@pytest.mark.parametrize(
    ("loss", "statements"),
    [
        (
            SoftmaxCrossEntropy(),
            ["target[n,k] = truth[n,k]", "loss = -mean(n) (sum(k) target[n,k] * logp[n,k])"],
        ),
        (
            SoftmaxCrossEntropy(label_smoothing=0.1, normalization=Normalization.COUNT),
            ["target[n,k] = 0.9 * truth[n,k] + 0.1 / 3"],
        ),
        (
            SoftmaxCrossEntropy(Labels.SOFT, class_weights=(1.0, 2.0, 3.0)),
            [
                "weights = {1.0, 2.0, 3.0}",
                "total = sum(n,k) truth[n,k] * weights[k]",
                "norm = [total = 0] + (1 - [total = 0]) * total",
            ],
        ),
        (
            SoftmaxCrossEntropy(focal_gamma=2.0),
            [
                "factor[n] = (1 - sure[n]) * safe[n]^2.0",
                "loss = -mean(n) (sum(k) target[n,k] * logp[n,k]) * factor[n]",
            ],
        ),
        (
            SoftmaxCrossEntropy(ignore_index=-100),
            ["counted[n] = 1 - [y[n] = (0 - 100)]", "total = sum(n) counted[n]"],
        ),
    ],
)
def test_a_loss_states_its_meaning(loss: SoftmaxCrossEntropy, statements: list[str]) -> None:
    stated = loss.meaning((8, 3)).split("; ")
    assert [line for line in stated if line in statements] == statements


def test_the_other_losses_state_theirs() -> None:
    assert MeanSquaredError().meaning((8, 3)) == "loss = mean(n,i0) (x[n,i0] - y[n,i0])^2"
    assert BinaryCrossEntropy().meaning((8, 3)) == (
        "ramp[n,i0] = max(x[n,i0], 0); size[n,i0] = abs(x[n,i0]); "
        "loss = mean(n,i0) (ramp[n,i0] - x[n,i0] * y[n,i0] + log(1 + exp(-size[n,i0])))"
    )
