"""Curves and progress: what people see of a run."""

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from gradwright.errors import CheckpointError
from gradwright.report import (
    CurvePicture,
    ProgressBar,
    ProgressLines,
    curves_png,
    draw_curves,
    progress_on,
)
from gradwright.train import EpochFacts, MetricsLog, Row, RunFacts

ROWS = (
    Row(5, 0.5, 0.1, 2.25, 0.25),
    Row(10, 1.0, 0.1, 1.5, 0.5, 1.25, 0.625),
    Row(15, 1.5, 0.1, 0.125, 0.75),
    Row(20, 2.0, 0.1, 0.0625, 0.875, 0.25, 0.9375),
)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def facts(folder: Path | None, first_step: int = 0) -> RunFacts:
    return RunFacts("net on data", 20, 10, first_step, folder)


def decoded(content: bytes) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(content)).convert("RGB"))


def test_the_picture_has_its_size_and_equal_rows_give_equal_bytes() -> None:
    content = curves_png(ROWS, title="net on data")
    assert decoded(content).shape == (640, 1600, 3)
    assert curves_png(ROWS, title="net on data") == content


def test_other_rows_give_another_picture() -> None:
    other = (*ROWS[:-1], Row(20, 2.0, 0.1, 0.0625, 0.875, 0.25, 0.5))
    assert not np.array_equal(decoded(curves_png(ROWS)), decoded(curves_png(other)))


@pytest.mark.parametrize(
    "rows",
    [
        (),
        ROWS[:1],
        ROWS[1:2],
        tuple(Row(row.step, row.epoch, row.lr, row.loss) for row in ROWS),
        tuple(Row(row.step, row.epoch, row.lr, row.loss - 1) for row in ROWS),
    ],
    ids=["none", "one", "one-tested", "without-accuracy", "negative-losses"],
)
def test_every_kind_of_rows_can_be_drawn(rows: tuple[Row, ...]) -> None:
    assert decoded(curves_png(rows)).shape == (640, 1600, 3)


def test_curves_are_drawn_beside_the_metrics(tmp_path: Path) -> None:
    log = MetricsLog(tmp_path / "metrics.csv")
    for row in ROWS:
        log.append(row)
    assert draw_curves(tmp_path) == tmp_path / "curves.png"
    assert (tmp_path / "curves.png").read_bytes() == curves_png(ROWS)


def test_curves_need_metrics(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError) as caught:
        draw_curves(tmp_path)
    assert str(caught.value) == (
        f"{tmp_path / 'metrics.csv'}: expected a readable metrics.csv, "
        "found No such file or directory"
    )
    assert not (tmp_path / "curves.png").exists()


def test_the_picture_of_a_run_is_drawn_after_its_last_step(tmp_path: Path) -> None:
    log = MetricsLog(tmp_path / "metrics.csv")
    picture = CurvePicture()
    picture.started(facts(tmp_path))
    for row in ROWS:
        assert not (tmp_path / "curves.png").exists()
        log.append(row)
        picture.logged(row, None)
    assert (tmp_path / "curves.png").read_bytes() == curves_png(ROWS, title="net on data")


def test_a_run_without_a_folder_has_no_picture() -> None:
    picture = CurvePicture()
    picture.started(facts(None))
    picture.logged(ROWS[-1], None)


EPOCHS = (
    EpochFacts(1, 1.875, 0.375, 1.25, 0.625, 3.25),
    EpochFacts(2, 0.09375, None, 0.25, 0.9375, None),
)


def test_lines_tell_of_epochs_and_notes() -> None:
    stream = io.StringIO()
    lines = progress_on(stream)
    assert isinstance(lines, ProgressLines)
    lines.noted("Passed over: something.")
    lines.started(facts(None, first_step=5))
    for row in ROWS:
        lines.stepped(row.step)
        lines.logged(row, 3.25)
    for epoch in EPOCHS:
        lines.epoch_ended(epoch)
    lines.ended()
    assert stream.getvalue() == (
        "Passed over: something.\n"
        "net on data: 20 steps, 5 of them done\n"
        "epoch 1: test loss 1.2500, test accuracy 62.50%, "
        "loss 1.8750, accuracy 37.50%, 3.2 ms/step\n"
        "epoch 2: test loss 0.2500, test accuracy 93.75%, loss 0.0938\n"
    )


def test_a_terminal_gets_a_bar_with_loss_accuracy_and_time() -> None:
    stream = Terminal()
    bar = progress_on(stream)
    assert isinstance(bar, ProgressBar)
    bar.started(facts(None))
    for row in ROWS:
        bar.stepped(row.step)
        bar.logged(row, 3.25)
    bar.epoch_ended(EPOCHS[0])
    bar.noted("[bold] is no markup")
    bar.ended()
    shown = stream.getvalue()
    assert "20/20" in shown
    assert "loss 0.0625, accuracy 87.50%, 3.2 ms/step" in shown
    assert "epoch 1: test loss 1.2500, test accuracy 62.50%, loss 1.8750" in shown
    assert "[bold] is no markup" in shown


def test_a_bar_that_never_started_ends_quietly() -> None:
    stream = Terminal()
    ProgressBar(stream).ended()
    assert "/" not in stream.getvalue()
