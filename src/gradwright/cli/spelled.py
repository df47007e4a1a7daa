"""Errors about records of the package, said of the options that fill them."""

from collections.abc import Generator
from contextlib import contextmanager

from gradwright.errors import GradwrightError

_SPELLED = {
    "TrainOptions.warmup_epochs": "--warmup",
    "TrainOptions.epochs": "--epochs",
    "TrainOptions.batch": "--batch",
    "TrainOptions.last": "--last-batch",
    "Schedule.peak": "--lr",
    "LastBatch.PAD": "--last-batch pad",
    "LastBatch.DROP": "--last-batch drop",
}
"""What Python calls something, and how the command line spells it."""
_PLACES = {"loss": "--loss", "wrt": "--wrt", "grads": "--grads", "wrt and grads": "--wrt, --grads"}
"""Arguments of `certify_text` by their options, where an error is about nothing else."""


@contextmanager
def as_options() -> Generator[None]:
    """Spell fields and values in an error as the options of a verb spell them."""
    try:
        yield
    except GradwrightError as error:
        raise type(error)(
            where=_PLACES.get(error.where) or _spelled(error.where),
            expected=_spelled(error.expected),
            found=_spelled(error.found),
            remedy=_spelled(error.remedy),
        ) from error


def _spelled(said: str) -> str:
    for name, option in _SPELLED.items():
        said = said.replace(name, option)
    return said
