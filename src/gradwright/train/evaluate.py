"""Accuracy and loss of a net over a whole split."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gradwright.data import Batch, Split, evaluation_batches
from gradwright.errors import ShapeError
from gradwright.hlo import Role
from gradwright.kinds import checked
from gradwright.run import Executable
from gradwright.train.checkpoint import State
from gradwright.train.feed import fit_images

Logits = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Result over `samples` samples.

    `accuracy` is the share of samples whose label has the largest logit (of equal ones the first
    counts); `loss` the mean of -log softmax(logits)[label], without label smoothing, class weights
    or focus, so that nets trained with different losses compare.
    """

    samples: int
    accuracy: float
    loss: float


@dataclass(frozen=True, slots=True)
class Evaluator:
    """An eval program over a whole split: state in, accuracy and loss out.

    `batch` is the program's; every sample is counted once, whatever it is.
    """

    executable: Executable
    split: Split
    batch: int
    classes: int

    def __call__(self, state: State) -> Evaluation:
        """Evaluate the parameters and running statistics in a state."""
        ports = self.executable.signature.inputs
        kept = {port.name: state[port.name] for port in ports if port.role.is_state}
        session = self.executable.session(kept)
        [images] = [port for port in ports if port.role is Role.DATA]
        [logits] = self.executable.signature.outputs

        def forward(batch: Batch) -> Logits:
            result = session.step(**{images.name: fit_images(batch.images, images)})
            return result[logits.name]

        return evaluate(forward, evaluation_batches(self.split, self.batch), classes=self.classes)


@checked
def evaluate(
    forward: Callable[[Batch], Logits], batches: Iterable[Batch], *, classes: int
) -> Evaluation:
    """Evaluate over batches, counting each true sample once and no padding.

    Shapes: `forward` gives logits [B, classes]. Sums are taken sample by sample in f64, so the
    result depends on neither batch size nor the order of the samples beyond rounding.

    Errors: ShapeError where the logits do not have one column per class.
    """
    samples, correct, losses = 0, 0, [np.zeros(0)]
    for batch in batches:
        logits = np.asarray(forward(batch), np.float64)
        if logits.ndim != 2 or logits.shape[1] != classes:
            raise ShapeError(
                where="evaluation",
                expected=f"logits [B, {classes}], one column per class",
                found=f"shape {list(logits.shape)}",
            )
        true, labels = logits[: batch.count], batch.labels[: batch.count]
        samples += batch.count
        correct += int((true.argmax(axis=1) == labels).sum())
        losses.append(cross_entropy(true, labels))
    return Evaluation(samples, correct / samples, float(np.concatenate(losses).mean()))


def cross_entropy(logits: Logits, labels: NDArray[np.int32]) -> NDArray[np.float64]:
    """Return -log softmax(logits)[label] of each row, in f64.

    Shapes: logits [N, K], labels [N]; result [N].
    Math: m = max(z); loss = log(sum(exp(z - m))) + m - z[label].
    """
    shifted = logits - logits.max(axis=1, keepdims=True)
    return np.log(np.exp(shifted).sum(axis=1)) - shifted[np.arange(len(labels)), labels]
