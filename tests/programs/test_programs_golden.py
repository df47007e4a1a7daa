"""Three small programs as they are shipped, byte for byte.

After a change that is meant, `pytest tests/programs --accept` writes them anew; say why in the
commit.
"""

from pathlib import Path

import pytest

from gradwright import programs
from gradwright.hlo import ElementType, verify
from gradwright.layers import TEXTBOOK, ConvBn, Dense, Flatten, MaxPool, Padding
from gradwright.losses import SoftmaxCrossEntropy
from gradwright.optim import AdamW, Sgd
from gradwright.programs import Program
from gradwright.spec import Image, NetSpec
from programs.nets import LINEAR, MASKED
from repository.tree import ROOT

FOLDER = ROOT / "tests" / "golden" / "programs"
CONV = NetSpec(
    "conv",
    Image(1, 6, 6),
    [ConvBn(2, 3, padding=Padding.SYMMETRIC), MaxPool(2), Flatten(), Dense(3)],
)
GOLDENS: dict[str, Program] = {
    "linear-train-step": programs.train_step(
        LINEAR, batch=2, loss=SoftmaxCrossEntropy(), optimizer=Sgd()
    ),
    "conv-train-step-textbook": programs.train_step(
        CONV,
        batch=2,
        loss=SoftmaxCrossEntropy(label_smoothing=0.1),
        optimizer=AdamW(),
        formulation=TEXTBOOK,
    ),
    "masked-vjp-f64": programs.vjp(MASKED, batch=2, element=ElementType.F64),
}


def compare(path: Path, text: str, *, accept: bool) -> None:
    """Fail unless the file holds the text; on request write it instead."""
    if accept:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert path.read_bytes().decode() == text, f"{path.name}: --accept takes the change over"


@pytest.mark.parametrize("name", GOLDENS)
def test_the_text_is_the_golden_one(name: str, accept: bool) -> None:
    compare(FOLDER / f"{name}.mlir", GOLDENS[name].text, accept=accept)


@pytest.mark.parametrize("name", GOLDENS)
def test_a_golden_text_is_valid(name: str) -> None:
    verify((FOLDER / f"{name}.mlir").read_text(encoding="utf-8"))


def test_no_golden_text_is_left_over() -> None:
    assert {path.stem for path in FOLDER.iterdir()} == set(GOLDENS)


def test_another_byte_is_found_and_taken_over_on_request(tmp_path: Path) -> None:
    path = tmp_path / "some.mlir"
    compare(path, "module {}\n", accept=True)
    with pytest.raises(AssertionError, match="--accept takes the change over"):
        compare(path, "module {} \n", accept=False)
    compare(path, "module {} \n", accept=True)
    compare(path, "module {} \n", accept=False)
