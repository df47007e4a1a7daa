"""Draw the picture of the README: what a net becomes, and that it learns.

    python tools/picture.py TEXT RUN OUT

TEXT is the train step that `gradwright emit` wrote, RUN the folder of `gradwright train`.
`make picture` calls it with those of the demo.
"""

import io
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

from gradwright.train import Row, read_rows, write_atomically

INK, FAINT, TRAIN, TEST = "#22303c", "#e3e8ee", "#7a8ca3", "#0b6e99"
COLUMNS = 104
# The way of one layer through the text: its weight, forward, loss, backward and update.
LAYER = "dense2"
SHOWN = re.compile(
    rf"module|  func|\s+// ({LAYER}|loss)"
    rf"|\s+%{LAYER}\.(weight(\.m)?:|(xw|y|dx|dweight|dbias|weight\.(new|new_m|new_v|direction)) =)"
    r"|\s+%loss\.(logp|loss|dlogits) =|\s+return|\}"
)
# matplotlib's own stubs leave most keyword arguments unknown.
Drawn: TypeAlias = Any


def excerpt(text: str) -> Iterator[str]:
    """Yield the lines of one layer, with an ellipsis where others were left out."""
    left_out = False
    for line in text.splitlines():
        if line.startswith("//"):
            continue
        if not SHOWN.match(line):
            left_out = True
            continue
        if left_out:
            yield "    ..."
        left_out = False
        yield line if len(line) <= COLUMNS else f"{line[: COLUMNS - 1]}…"


def draw(text: str, rows: Sequence[Row]) -> Drawn:
    """Return the figure: an excerpt of the text on the left, accuracy over epochs on the right."""
    figure: Drawn = Figure(figsize=(13.5, 6.4), dpi=130, layout="constrained", facecolor="white")
    FigureCanvasAgg(figure)
    left, right = figure.subplots(1, 2, width_ratios=(2.3, 1))
    _write_text(left, "\n".join(excerpt(text)))
    _draw_accuracy(right, rows)
    return figure


def _write_text(axes: Drawn, text: str) -> None:
    axes.axis("off")
    style = {"family": "monospace", "fontsize": 9.4, "color": INK, "linespacing": 1.3}
    # A text that takes part in the layout would be given all the room.
    axes.text(0, 1, text, va="top", transform=axes.transAxes, in_layout=False, **style)


def _draw_accuracy(axes: Drawn, rows: Sequence[Row]) -> None:
    tests = [(row.epoch, row.test_accuracy) for row in rows if row.test_accuracy is not None]
    axes.plot([r.epoch for r in rows], [r.accuracy for r in rows], color=TRAIN, label="training")
    axes.plot(*zip(*tests, strict=True), color=TEST, marker="o", markersize=4, label="test")
    axes.set_title(f"digits-cnn: test accuracy {tests[-1][1]:.2%}", loc="left", color=INK)
    axes.set_xlabel("epoch", color=INK)
    axes.yaxis.set_major_formatter(PercentFormatter(1.0))
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.grid(visible=True, color=FAINT)
    axes.legend(frameon=False, labelcolor=INK, loc="lower right")
    for spine in axes.spines.values():
        spine.set_visible(False)


def main(arguments: Sequence[str]) -> None:
    """Draw and write."""
    text, run, out = map(Path, arguments)
    figure = draw(text.read_text(encoding="utf-8"), read_rows(run / "metrics.csv"))
    stream = io.BytesIO()
    figure.savefig(stream, format="png", metadata={"Software": None})
    write_atomically(out, stream.getvalue())


if __name__ == "__main__":
    main(sys.argv[1:])
