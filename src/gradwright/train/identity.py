"""What must be equal for one run to go on from the checkpoint of another."""

import hashlib
from collections.abc import Mapping

from gradwright.data import Dataset
from gradwright.errors import CheckpointError
from gradwright.train.options import TrainOptions
from gradwright.train.parts import Parts

# Options that change what is kept on disk, but no number that the run computes.
_HARMLESS = ("keep", "checkpoint_every")
_SHOWN = 3


def identity_of(parts: Parts, dataset: Dataset, options: TrainOptions) -> dict[str, str]:
    """Return everything that the numbers of a run depend on, by name, as text."""
    texts = {
        "net": parts.net.name,
        "net.sha256": parts.net.fingerprint,
        "loss": repr(parts.loss),
        "optimizer": repr(parts.optimizer),
        "data": dataset.name,
        "data.sha256": dataset.fingerprint(),
        "program.sha256": text_digest(parts.step.text),
        "evaluator.sha256": text_digest(parts.evaluator.text),
    }
    chosen = options.as_texts().items()
    return texts | {f"options.{name}": text for name, text in chosen if name not in _HARMLESS}


def refuse_other(where: str, found: Mapping[str, str], expected: Mapping[str, str]) -> None:
    """Raise CheckpointError with the first names whose values differ, where any do."""
    names = [name for name in {**expected, **found} if expected.get(name) != found.get(name)]
    if not names:
        return
    shown = names[:_SHOWN]
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    raise CheckpointError(
        where=where,
        expected=", ".join(f"{name} {_short(expected.get(name))}" for name in shown),
        found=", ".join(f"{name} {_short(found.get(name))}" for name in shown) + more,
        remedy="Resume with the options that the run was started with, or use another folder.",
    )


def text_digest(text: str) -> str:
    """Return the SHA-256 of a program text, hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()


def _short(value: str | None) -> str:
    if value is None:
        return "absent"
    return f"{value[:12]}…" if len(value) == 64 and " " not in value else value
