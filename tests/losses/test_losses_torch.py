"""Value and seed of every loss against PyTorch's autograd, in float64."""

import importlib
from typing import Any, TypeAlias

import numpy as np
import pytest

from gradwright.losses import (
    BinaryCrossEntropy,
    Labels,
    MeanSquaredError,
    Normalization,
    SoftmaxCrossEntropy,
)
from losses.cases import CASES, LOGITS, Case
from losses.closeness import ROUNDING, assert_ulps
from losses.probe import measure

pytestmark = [pytest.mark.torch, pytest.mark.interpreter]

Torch: TypeAlias = Any
"""PyTorch's module and its tensors: this checkout need not have it."""

# Where the conventions differ: smoothing spread by the mass of a row that does not sum to 1.
OTHER_CONVENTION = {"uneven rows, smoothed", "uneven rows, weights, smoothed"}
ROWS = [(name, case) for name, case in CASES.items() if name not in OTHER_CONVENTION]


def cross_entropy(case: Case, logits: Torch) -> Torch:
    """Return the loss as PyTorch's own functions give it."""
    torch: Torch = importlib.import_module("torch")
    loss, labels = case.loss, torch.tensor(case.labels)
    soft = loss.labels is Labels.SOFT
    labels = labels if soft else labels.long()
    weight = None if loss.class_weights is None else torch.tensor(loss.class_weights).double()
    ignored = -100 if loss.ignore_index is None else loss.ignore_index
    if loss.focal_gamma:
        return _focal(torch, loss, logits, labels, weight, ignored)
    total = torch.nn.functional.cross_entropy(
        logits,
        labels,
        weight=weight,
        ignore_index=ignored,
        reduction="sum",
        label_smoothing=loss.label_smoothing,
    )
    counted = len(labels) if soft else (labels != ignored).sum()
    if loss.normalization is Normalization.COUNT or weight is None:
        return total / counted
    if soft:
        return total / (labels * weight).sum()
    return torch.nn.functional.cross_entropy(
        logits, labels, weight=weight, ignore_index=ignored, label_smoothing=loss.label_smoothing
    )


def _focal(
    torch: Torch, loss: SoftmaxCrossEntropy, logits: Torch, y: Torch, w: Torch, out: int
) -> Torch:
    kept = y != out
    logits, y = logits[kept], y[kept]
    logp = torch.log_softmax(logits, 1).gather(1, y[:, None])[:, 0]
    each = -((1 - logp.exp()) ** loss.focal_gamma) * logp
    return each.mean() if w is None else (w[y] * each).sum() / w[y].sum()


@pytest.mark.parametrize(("name", "case"), ROWS, ids=[name for name, _ in ROWS])
def test_cross_entropy_and_its_seed_are_those_of_pytorch(name: str, case: Case) -> None:
    del name
    torch: Torch = importlib.import_module("torch")
    logits = torch.tensor(LOGITS, requires_grad=True)
    value = cross_entropy(case, logits)
    value.backward()
    found = measure(case.loss, LOGITS, case.labels)
    assert_ulps(found.value, value.item(), ROUNDING)
    assert_ulps(found.seed, logits.grad.numpy(), ROUNDING)


@pytest.mark.parametrize(
    ("loss", "function"),
    [
        (MeanSquaredError(), "mse_loss"),
        (BinaryCrossEntropy(), "binary_cross_entropy_with_logits"),
    ],
)
@pytest.mark.parametrize("shape", [(3, 5), (3, 5, 2, 4)], ids=str)
def test_the_other_losses_are_those_of_pytorch(
    loss: MeanSquaredError | BinaryCrossEntropy, function: str, shape: tuple[int, ...]
) -> None:
    torch: Torch = importlib.import_module("torch")
    rng = np.random.default_rng(2)
    output, target = rng.normal(0, 3, shape), rng.uniform(0, 1, shape)
    x = torch.tensor(output, requires_grad=True)
    value = getattr(torch.nn.functional, function)(x, torch.tensor(target))
    value.backward()
    found = measure(loss, output, target)
    assert_ulps(found.value, value.item(), ROUNDING)
    assert_ulps(found.seed, x.grad.numpy(), ROUNDING)
