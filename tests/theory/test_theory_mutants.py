"""Statements with one number, sign or index changed: none is proved that numbers contradict."""

import re
from collections.abc import Iterator

import pytest

from gradwright.errors import GradwrightError
from gradwright.theory import THEOREMS, Adjoint, Instance, Proved, Refuted, Theorem, prove
from gradwright.theory.search import search

TOKEN = re.compile(r"\d+\.\d+|\d+|[A-Za-z_]+|\S")
SWAPS = {"+": "-", "-": "+", "*": "+", ">": "<", "sum": "mean", "mean": "sum"}


def mutants(text: str) -> Iterator[str]:
    """Yield the text with one token changed."""
    for match in TOKEN.finditer(text):
        token = match.group()
        if token.isdigit():
            others = [str(int(token) + 1), str(max(int(token) - 1, 0))]
        elif len(token) == 1 and token in "hkuvij" and inside(text, match.start()):
            others = [{"h": "k", "k": "h", "u": "v", "v": "u", "i": "j", "j": "i"}[token]]
        else:
            others = [SWAPS[token]] if token in SWAPS else []
        for other in others:
            if other != token:
                yield text[: match.start()] + other + text[match.end() :]


def inside(text: str, place: int) -> bool:
    """Return whether a place lies inside index brackets, on the right of the equals sign."""
    line = text[text.rfind("\n", 0, place) + 1 : place]
    return " = " in line and line.count("[") > line.count("]")


def judged(instance: Instance) -> tuple[int, int, int]:
    """Return how many mutants were proved, refuted and left open; none falsely proved."""
    right = instance.claim.backward if isinstance(instance.claim, Adjoint) else instance.claim.right
    proved = refuted = left = 0
    for text in mutants(right):
        mutant = instance.claiming(text)
        try:
            outcome = prove(mutant)
            contradicted = isinstance(outcome, Proved) and search(mutant, tried=6) is not None
        except GradwrightError:  # an index without an extent
            left += 1
            continue
        assert not contradicted, text
        proved += isinstance(outcome, Proved)
        refuted += isinstance(outcome, Refuted)
        left += not isinstance(outcome, (Proved, Refuted))
    return proved, refuted, left


SOME = [t for t in THEOREMS if t.name in ("decimation", "mean-squared-error", "hard-sigmoid")]


@pytest.mark.parametrize("theorem", SOME, ids=[t.name for t in SOME])
def test_wrong_statements_are_not_proved(theorem: Theorem) -> None:
    proved, refuted, left = judged(theorem.instance(theorem.quick[0]))
    assert refuted > 2 * (proved + left)


@pytest.mark.slow
@pytest.mark.parametrize("theorem", THEOREMS, ids=[t.name for t in THEOREMS])
def test_no_wrong_statement_is_proved(theorem: Theorem) -> None:
    assert sum(judged(theorem.instance(theorem.quick[0]))) > 0
