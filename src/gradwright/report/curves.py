"""The picture of a training run: loss and accuracy over its epochs."""

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FormatStrFormatter, MaxNLocator, PercentFormatter

from gradwright.train import Row, read_rows, write_atomically

# The stubs of matplotlib leave most keyword arguments unknown.
Axes: TypeAlias = Any

_TRAIN = "#7a8ca3"
_TEST = "#0b6e99"
_INK = "#22303c"
_FAINT = "#e3e8ee"


def draw_curves(folder: Path, *, title: str = "") -> Path:
    """Draw `metrics.csv` of a run folder into `curves.png` beside it, and return that path.

    Errors: CheckpointError where the metrics are missing or damaged, or the picture cannot be
    written.
    """
    picture = folder / "curves.png"
    write_atomically(picture, curves_png(read_rows(folder / "metrics.csv"), title=title))
    return picture


def curves_png(rows: Sequence[Row], *, title: str = "") -> bytes:
    """Return a PNG (1600 x 640 pixels) of loss and accuracy over epochs; equal rows, equal bytes.

    The left panel shows the training loss (its mean between two rows) and the test loss at each
    epoch's end; the right panel the accuracies, with the last and best test accuracy in figures.
    """
    figure: Any = Figure(figsize=(10, 4), dpi=160, facecolor="white")
    FigureCanvasAgg(figure)
    figure.subplots_adjust(left=0.05, right=0.985, top=0.84, bottom=0.12, wspace=0.13)
    loss_axes, accuracy_axes = figure.subplots(1, 2)
    _draw_loss(loss_axes, rows)
    _draw_accuracy(accuracy_axes, rows)
    for axes in (loss_axes, accuracy_axes):
        _dress(axes)
    if title:
        figure.suptitle(
            title, x=0.014, y=0.97, ha="left", color=_INK, fontsize=12, fontweight="bold"
        )
    stream = io.BytesIO()
    figure.savefig(stream, format="png", metadata={"Software": None})
    return stream.getvalue()


def _draw_loss(axes: Axes, rows: Sequence[Row]) -> None:
    axes.set_title("loss", loc="left", color=_INK, fontsize=11)
    _line(axes, [(row.epoch, row.loss) for row in rows], "training")
    _dots(axes, [(r.epoch, r.test_loss) for r in rows if r.test_loss is not None])
    losses = [row.loss for row in rows if row.loss > 0]
    # A loss that falls by more than a decade is read on a logarithmic axis.
    if len(losses) == len(rows) and losses and max(losses) > 10 * min(losses):
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter(FormatStrFormatter("%g"))


def _draw_accuracy(axes: Axes, rows: Sequence[Row]) -> None:
    axes.set_title("accuracy", loc="left", color=_INK, fontsize=11)
    _line(axes, [(r.epoch, r.accuracy) for r in rows if r.accuracy is not None], "training")
    tests = [(r.epoch, r.test_accuracy) for r in rows if r.test_accuracy is not None]
    _dots(axes, tests)
    axes.yaxis.set_major_formatter(PercentFormatter(1.0))
    if tests:
        last, best = tests[-1][1], max(accuracy for _, accuracy in tests)
        text = f"test {last:.2%} after epoch {tests[-1][0]:g}, best {best:.2%}"
        axes.set_title(text, loc="right", color=_TEST, fontsize=9)


def _line(axes: Axes, points: Sequence[tuple[float, float]], label: str) -> None:
    if points:
        x, y = zip(*points, strict=True)
        axes.plot(x, y, color=_TRAIN, linewidth=1.2, label=label)


def _dots(axes: Axes, points: Sequence[tuple[float, float]]) -> None:
    if points:
        x, y = zip(*points, strict=True)
        axes.plot(x, y, color=_TEST, linewidth=1.8, marker="o", markersize=4, label="test")


def _dress(axes: Axes) -> None:
    axes.set_xlabel("epoch", color=_INK, fontsize=9)
    axes.set_xlim(left=0)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.grid(visible=True, color=_FAINT, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.tick_params(which="both", colors=_INK, labelsize=8, length=0)
    for side, spine in axes.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(_FAINT)
    if axes.get_legend_handles_labels()[0]:
        axes.legend(frameon=False, fontsize=9, labelcolor=_INK)
