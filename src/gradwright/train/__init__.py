"""Training: schedules, checkpoints, metrics, and the loop over epochs."""

from gradwright.train.checkpoint import Checkpoint, Progress, read_checkpoint, write_checkpoint
from gradwright.train.folder import RunFolder, existing_run, new_run
from gradwright.train.masks import draw_mask
from gradwright.train.metrics import Meter, MetricsLog, Row, read_rows
from gradwright.train.schedule import Decay, Schedule
from gradwright.train.storage import write_atomically

__all__ = [
    "Checkpoint",
    "Decay",
    "Meter",
    "MetricsLog",
    "Progress",
    "Row",
    "RunFolder",
    "Schedule",
    "draw_mask",
    "existing_run",
    "new_run",
    "read_checkpoint",
    "read_rows",
    "write_atomically",
    "write_checkpoint",
]
