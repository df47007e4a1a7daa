"""Training: schedules, checkpoints, metrics, and the loop over epochs."""

from gradwright.train.checkpoint import (
    Checkpoint,
    Progress,
    State,
    read_checkpoint,
    write_checkpoint,
)
from gradwright.train.evaluate import Evaluation, Evaluator, evaluate
from gradwright.train.feed import Feed
from gradwright.train.folder import RunFolder, existing_run, new_run
from gradwright.train.loop import Loop, Records
from gradwright.train.masks import draw_mask
from gradwright.train.metrics import Meter, MetricsLog, Row, read_rows
from gradwright.train.options import TrainOptions
from gradwright.train.parts import Parts, emit_parts
from gradwright.train.result import Summary, TrainResult
from gradwright.train.schedule import Decay, Schedule
from gradwright.train.storage import write_atomically
from gradwright.train.training import train, train_parts
from gradwright.train.watch import EpochFacts, RunFacts, Watcher

__all__ = [
    "Checkpoint",
    "Decay",
    "EpochFacts",
    "Evaluation",
    "Evaluator",
    "Feed",
    "Loop",
    "Meter",
    "MetricsLog",
    "Parts",
    "Progress",
    "Records",
    "Row",
    "RunFacts",
    "RunFolder",
    "Schedule",
    "State",
    "Summary",
    "TrainOptions",
    "TrainResult",
    "Watcher",
    "draw_mask",
    "emit_parts",
    "evaluate",
    "existing_run",
    "new_run",
    "read_checkpoint",
    "read_rows",
    "train",
    "train_parts",
    "write_atomically",
    "write_checkpoint",
]
