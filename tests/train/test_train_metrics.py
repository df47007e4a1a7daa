"""The file metrics.csv: appended row by row, resumed without duplicates."""

from pathlib import Path

import pytest

from gradwright.errors import CheckpointError
from gradwright.train import Meter, MetricsLog, Row, read_rows

ROWS = (
    Row(2, 0.5, 0.1, 1.25, 0.5),
    Row(4, 1.0, 0.05, 0.1 + 0.2, 0.75, 0.5, 0.625),
    Row(6, 1.5, 1e-9, 0.25, None),
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "metrics.csv"
    log = MetricsLog(path)
    for row in ROWS:
        log.append(row)
    return path


def test_rows_come_back_bit_for_bit(path: Path) -> None:
    assert read_rows(path) == ROWS
    assert path.read_text() == (
        "step,epoch,lr,loss,accuracy,test_loss,test_accuracy\n"
        "2,0.5,0.1,1.25,0.5,,\n"
        "4,1.0,0.05,0.30000000000000004,0.75,0.5,0.625\n"
        "6,1.5,1e-09,0.25,,,\n"
    )


def test_reopening_drops_the_rows_after_the_step_resumed_from(path: Path) -> None:
    log = MetricsLog(path, last_step=4)
    assert read_rows(path) == ROWS[:2]
    log.append(ROWS[2])
    assert read_rows(path) == ROWS


def test_a_line_torn_by_a_kill_is_dropped(path: Path) -> None:
    whole = path.read_text()
    for length in range(len(whole) - len("6,1.5,1e-09,0.25,,,\n"), len(whole)):
        path.write_text(whole[:length])
        assert read_rows(path) == ROWS[:2]
        MetricsLog(path, last_step=6).append(ROWS[2])
        assert path.read_text() == whole


@pytest.mark.parametrize("cut", range(8))
def test_a_torn_header_is_written_anew(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "metrics.csv"
    path.write_text("step,epoch"[:cut])
    MetricsLog(path).append(ROWS[0])
    assert read_rows(path) == ROWS[:1]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "2,0.5,oops,1.0,,,",
            ":2: expected numbers for `step,epoch,lr,loss,accuracy,test_loss,test_accuracy`, "
            "found `2,0.5,oops,1.0,,,`",
        ),
        (
            "2,0.5,0.1",
            ":2: expected numbers for `step,epoch,lr,loss,accuracy,test_loss,test_accuracy`, "
            "found `2,0.5,0.1`",
        ),
    ],
)
def test_a_damaged_line_is_named(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "metrics.csv"
    path.write_text(f"step,epoch,lr,loss,accuracy,test_loss,test_accuracy\n{line}\n")
    with pytest.raises(CheckpointError) as caught:
        read_rows(path)
    assert str(caught.value) == f"{path}{message}"


def test_another_table_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "metrics.csv"
    path.write_text("name,price\ntea,3\n")
    with pytest.raises(CheckpointError) as caught:
        MetricsLog(path)
    assert str(caught.value) == (
        f"{path}:1: expected `step,epoch,lr,loss,accuracy,test_loss,test_accuracy`, "
        "found `name,price`"
    )
    assert path.read_text() == "name,price\ntea,3\n"


def test_a_meter_weights_losses_by_samples() -> None:
    meter = Meter().plus(1.0, 3.0, 4).plus(4.0, 1.0, 2)
    assert meter == Meter(6, 12.0, 4.0)
    assert (meter.loss, meter.accuracy) == (2.0, 4 / 6)


def test_a_meter_without_right_predictions_has_no_accuracy() -> None:
    assert Meter().plus(1.0, None, 4).plus(1.0, 2.0, 4).accuracy is None
