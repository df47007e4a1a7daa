"""What tuning finds at one site, and which forms it chooses."""

from collections.abc import Sequence
from dataclasses import dataclass

from gradwright.layers import Choice, Site
from gradwright.layers.forms import Form
from gradwright.tune.clock import Clock

MARGIN = 0.03
"""What a form must gain, of the time of the whole site, to replace the usual one."""
LARGEST_ERROR = 1e-4
"""Difference from the usual forms that is allowed, unless one says otherwise."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One form in its part, the usual forms in the others: ms per call, forward and backward.

    `error` is the largest difference of a result from that of the usual forms in f32, divided by
    the largest entry of the result.
    """

    form: Form
    ms: float
    error: float


@dataclass(frozen=True, slots=True)
class Tuning:
    """What was measured at a site: the usual forms together, others, and those chosen together."""

    site: Site
    clock: Clock
    usual: tuple[Form, ...]
    usual_ms: float
    trials: tuple[Trial, ...]
    forms: tuple[Form, ...]
    chosen_ms: float
    error: float

    @property
    def choices(self) -> tuple[Choice, ...]:
        """The chosen forms as choices of a formulation."""
        return tuple(Choice(self.site, form) for form in self.forms)

    @property
    def changed(self) -> tuple[Form, ...]:
        """The chosen forms that are not the usual ones."""
        return tuple(form for form in self.forms if form not in self.usual)


def best(
    usual: Sequence[Form], usual_ms: float, trials: Sequence[Trial], largest_error: float
) -> tuple[Form, ...]:
    """Return, part by part, the fastest form if it gains more than the margin, else the usual."""
    chosen: list[Form] = []
    for form in usual:
        rivals = [
            trial
            for trial in trials
            if type(trial.form) is type(form) and trial.error <= largest_error
        ]
        fastest = min(rivals, key=lambda trial: trial.ms, default=None)
        gains = fastest is not None and fastest.ms < (1 - MARGIN) * usual_ms
        chosen.append(fastest.form if fastest is not None and gains else form)
    return tuple(chosen)
