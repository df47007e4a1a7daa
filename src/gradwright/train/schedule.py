"""Learning-rate schedules: what the host feeds a train step as `lr`."""

import enum
import math
from dataclasses import dataclass

from gradwright.errors import SpecError
from gradwright.spec.fields import check_fields
from gradwright.spec.numbers import LARGEST_REAL


class Decay(enum.StrEnum):
    """What the learning rate does after the warm-up."""

    CONSTANT = "constant"
    COSINE = "cosine"


@dataclass(frozen=True, slots=True)
class Schedule:
    """Linear warm-up to a peak, then constant or a half cosine down to a fraction of the peak.

    Units: `peak` and the result per step; `total_steps`, `warmup_steps` and `step` in optimizer
    steps, the first of which is 1.

    Math (p = peak, w = warmup_steps, T = total_steps, f = final_fraction):
        lr(s) = p * s / w                                             for s <= w
        lr(s) = p                                                     for s > w, CONSTANT
        lr(s) = p * (f + (1 - f) * (1 + cos(pi * (s - w) / (T - w))) / 2)     for s > w, COSINE

    So lr(w) = p, and the last step of COSINE trains with lr(T) = f * p.

    Domain: 0 <= peak, 0 <= warmup_steps <= total_steps, 1 <= total_steps,
    0 <= final_fraction <= 1; `step` in 1..total_steps.
    """

    peak: float
    total_steps: int
    warmup_steps: int = 0
    decay: Decay = Decay.CONSTANT
    final_fraction: float = 0.0

    def __post_init__(self) -> None:
        """Refuse values of another type and numbers outside the domain."""
        check_fields(self)
        if not 0 <= self.peak <= LARGEST_REAL:
            raise _wrong("peak", "a number of at least 0 that f32 holds", self.peak)
        if self.total_steps < 1:
            raise _wrong("total_steps", "at least 1", self.total_steps)
        if not 0 <= self.warmup_steps <= self.total_steps:
            expected = f"0 to {self.total_steps} (total_steps)"
            raise _wrong("warmup_steps", expected, self.warmup_steps)
        if not 0 <= self.final_fraction <= 1:
            raise _wrong("final_fraction", "a number from 0 to 1", self.final_fraction)

    def lr(self, step: int) -> float:
        """Return the learning rate of one step (counted from 1)."""
        if not 1 <= step <= self.total_steps:
            raise _wrong("step", f"1 to {self.total_steps} (total_steps)", step)
        if step <= self.warmup_steps:
            return self.peak * step / self.warmup_steps
        if self.decay is Decay.CONSTANT:
            return self.peak
        passed = (step - self.warmup_steps) / (self.total_steps - self.warmup_steps)
        cosine = (1 + math.cos(math.pi * passed)) / 2
        return self.peak * (self.final_fraction + (1 - self.final_fraction) * cosine)


def _wrong(name: str, expected: str, found: float) -> SpecError:
    return SpecError(where=f"Schedule.{name}", expected=expected, found=str(found))
