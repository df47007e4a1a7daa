"""What a user chooses about a training run."""

import math
from dataclasses import asdict, dataclass, field

from gradwright.data import Augmentation, LastBatch
from gradwright.errors import SpecError
from gradwright.run import Backend
from gradwright.spec.fields import check_fields
from gradwright.spec.numbers import LARGEST_COUNT, is_count
from gradwright.train.schedule import Decay, Schedule


@dataclass(frozen=True, slots=True)
class TrainOptions:
    """Options of a run besides net, loss, optimizer and data.

    Attributes:
        epochs: passes over the training split.
        batch: samples per step; a constant of the compiled program.
        lr: peak learning rate, per step.
        decay: what the learning rate does after the warm-up.
        warmup_epochs: length of the linear warm-up; fractions are rounded to whole steps.
        final_fraction: share of `lr` that a cosine ends with.
        seed: of the initial parameters, the order of each epoch, augmentation and masks.
        last: what becomes of the samples that do not fill the last batch of an epoch.
        augmentation: random changes to training images.
        eval_batch: samples per evaluation call; the result does not depend on it.
        backend: who compiles and runs the programs.
        log_every: steps between rows of metrics.csv, which is also how often losses are fetched
            from the device and looked at.
        checkpoint_every: steps between checkpoints within an epoch; 0 for none but the one that
            each epoch ends with.
        keep: checkpoints kept besides the best one.

    """

    epochs: int = 10
    batch: int = 64
    lr: float = 1e-3
    decay: Decay = Decay.COSINE
    warmup_epochs: float = 0.0
    final_fraction: float = 0.0
    seed: int = 0
    last: LastBatch = LastBatch.DROP
    augmentation: Augmentation = field(default_factory=Augmentation)
    eval_batch: int = 256
    backend: Backend = Backend.XLA
    log_every: int = 20
    checkpoint_every: int = 0
    keep: int = 2

    def __post_init__(self) -> None:
        """Refuse values of another type and numbers outside their domain."""
        check_fields(self)
        for name in ("epochs", "batch", "eval_batch", "log_every", "keep"):
            self._at_least(name, 1)
        for name in ("batch", "eval_batch"):
            if not is_count(getattr(self, name)):
                raise _wrong(name, f"at most {LARGEST_COUNT}", getattr(self, name))
        for name in ("seed", "checkpoint_every", "warmup_epochs"):
            self._at_least(name, 0)
        if self.warmup_epochs > self.epochs:
            expected = f"at most {self.epochs} (epochs)"
            raise _wrong("warmup_epochs", expected, self.warmup_epochs)
        Schedule(self.lr, 1, decay=self.decay, final_fraction=self.final_fraction)

    def schedule(self, steps_per_epoch: int) -> Schedule:
        """Return the schedule of a run with so many steps in each epoch."""
        return Schedule(
            peak=self.lr,
            total_steps=self.epochs * steps_per_epoch,
            warmup_steps=round(self.warmup_epochs * steps_per_epoch),
            decay=self.decay,
            final_fraction=self.final_fraction,
        )

    def as_texts(self) -> dict[str, str]:
        """Return every option as text, for manifests and the comparison of runs."""
        plain = asdict(self) | {
            "decay": self.decay.value,
            "last": self.last.value,
            "augmentation": (
                f"flip={self.augmentation.flip.value},padding={self.augmentation.padding}"
            ),
        }
        return {name: str(value) for name, value in plain.items()}

    def _at_least(self, name: str, least: int) -> None:
        value = getattr(self, name)
        if not (math.isfinite(value) and value >= least):
            raise _wrong(name, f"at least {least}", value)


def _wrong(name: str, expected: str, found: float) -> SpecError:
    return SpecError(where=f"TrainOptions.{name}", expected=expected, found=str(found))
