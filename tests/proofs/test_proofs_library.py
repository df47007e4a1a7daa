"""Nothing in the library is assumed but what Coq's real numbers rest on."""

import re
from pathlib import Path

import pytest

from proofs.coq import ASSUMED, THEORIES, assumptions, library

LEFT_OUT = re.compile(
    r"\b(Admitted|admit|give_up|Axioms?|Parameters?|Conjecture|Abort|Unset Guard Checking)\b"
)


def test_each_file_says_in_a_sentence_what_it_is() -> None:
    for path in sorted(THEORIES.glob("*.v")):
        first = path.read_text("utf-8").split("*)")[0]
        assert re.fullmatch(r"\(\*\* [^.]+\. ", first), path.name


def test_no_proof_is_left_out() -> None:
    found = [path.name for path in THEORIES.glob("*.v") if LEFT_OUT.search(path.read_text("utf-8"))]
    assert found == []
    assert LEFT_OUT.search("Proof. Admitted.")


def test_no_name_stands_for_two_theorems() -> None:
    for names in library().values():
        assert len(names) == len(set(names))


@pytest.mark.usefixtures("built")
def test_every_theorem_rests_on_the_axioms_of_the_reals_alone(tmp_path: Path) -> None:
    theorems = [f"{module}.{name}" for module, names in library().items() for name in names]
    assert assumptions(theorems, tmp_path) == ASSUMED


@pytest.mark.usefixtures("built")
@pytest.mark.parametrize(
    "wrong",
    [
        "Axiom oops : 0%nat = 1%nat.",
        "Lemma oops : 0%nat = 1%nat. Admitted.",
        "Section S. Hypothesis h : 0%nat = 1%nat. Definition oops := h. End S. "
        "Parameter evidence : 0%nat = 1%nat. Definition used := oops evidence.",
    ],
)
def test_an_assumption_is_noticed(wrong: str, tmp_path: Path) -> None:
    name = "used" if "used" in wrong else "oops"
    assert assumptions(["Sums.sumD", name], tmp_path, wrong) - ASSUMED
