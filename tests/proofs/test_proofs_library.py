"""Nothing in the library is assumed but what Coq's real numbers rest on."""

import re
from pathlib import Path

import pytest

from gradwright.theory import THEOREMS, Adjoint
from gradwright.theory.lemmas import LEMMAS
from proofs.coq import ASSUMED, THEORIES, assumptions, library, statements

LEFT_OUT = re.compile(
    r"\b(Admitted|admit|give_up|Axioms?|Parameters?|Conjecture|Abort|Unset Guard Checking)\b"
)

BACKWARD = re.compile(r"(vjp_|vjp2_|pull_|grad_)\w+|\w+_(vjp|backward)")
"""Names of theorems that say what a backward pass is."""
DIFFERENTIABLE = re.compile(r"\b(has_vjp2?|is_grad|pulls2?|backward)\b")
"""Words for "differentiable in the sense of Frechet, with this backward pass"; the last two are
notations of files for the first."""


def partial_only(said: dict[str, str]) -> set[str]:
    """Return the theorems on backward passes that do not say that the map is differentiable."""
    about = {name for name in said if BACKWARD.fullmatch(name.split(".")[1])}
    return {name for name in about if not DIFFERENTIABLE.search(said[name])}


def test_every_backward_pass_is_of_a_differentiable_map() -> None:
    assert partial_only(statements()) == set()
    assert partial_only({"Norm.vjp_x": " x : b = pdiv f x"}) == {"Norm.vjp_x"}


def test_notations_for_backward_passes_stand_for_it() -> None:
    texts = [path.read_text("utf-8") for path in sorted(THEORIES.glob("*.v"))]
    meant = [
        m for text in texts for m in re.findall(r"Notation (pulls2?|backward) .*?:= (.*)", text)
    ]
    assert {name for name, _ in meant} == {"pulls", "pulls2", "backward"}
    assert all(said.startswith("(has_vjp") for _, said in meant)


def test_the_lemma_of_a_theorem_on_a_backward_pass_is_one() -> None:
    said = statements()
    for theorem in THEOREMS:
        if isinstance(theorem.instance(theorem.quick[0]).claim, Adjoint):
            assert DIFFERENTIABLE.search(said[LEMMAS[theorem.name]]), theorem.name


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
