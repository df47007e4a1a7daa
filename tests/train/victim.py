"""A training process to be killed: `python victim.py FOLDER` starts or resumes the run in it.

Writes `started` when the first step is about to run, `step` for each, and `done` at the end.
"""

import sys
from pathlib import Path

from gradwright.data import Augmentation, Flip, LastBatch
from gradwright.train import RunFacts, TrainOptions, Watcher, train_parts
from train.tiny import BATCH, EVAL_BATCH, tiny_data, tiny_parts

# A checkpoint after every step, so that a random moment is as likely within a save as within one.
OPTIONS = TrainOptions(
    epochs=40,
    batch=BATCH,
    eval_batch=EVAL_BATCH,
    lr=0.05,
    last=LastBatch.PAD,
    augmentation=Augmentation(flip=Flip.HALF, padding=1),
    log_every=4,
    checkpoint_every=1,
    keep=2,
)


def say(word: str) -> None:
    """Write a line for the killer to read."""
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


class Announce(Watcher):
    """Tells the killer how far training has come."""

    def started(self, facts: RunFacts) -> None:
        """Say so."""
        say("started")

    def stepped(self, step: int) -> None:
        """Say so."""
        say("step")


def main(folder: Path) -> None:
    """Run to the end."""
    resume = (folder / "manifest.json").exists()
    train_parts(
        tiny_parts(), tiny_data(), OPTIONS, out=folder, resume=resume, watchers=[Announce()]
    )
    say("done")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
