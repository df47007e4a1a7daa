"""Results of many theorems as one table."""

from collections.abc import Iterator, Sequence

from gradwright.theory.lemmas import LEMMAS
from gradwright.theory.survey import Result

HEADS = ("theorem", "statement", "hypotheses", "cases", "verdict", "in Coq")


def markdown(results: Sequence[Result]) -> str:
    """Return a Markdown table; `cases` counts those that were proved or refuted."""
    return "\n".join(_lines(results)) + "\n"


def _lines(results: Sequence[Result]) -> Iterator[str]:
    yield f"| {' | '.join(HEADS)} |"
    yield "|---" * len(HEADS) + "|"
    for result in results:
        cells = (
            f"`{result.theorem.name}`",
            f"`{result.theorem.title}`" if "*" in result.theorem.title else result.theorem.title,
            "; ".join(result.hypotheses) or "none",
            str(len(result.settled)),
            result.verdict.value,
            f"`{lemma}`" if (lemma := LEMMAS.get(result.theorem.name)) else "no",
        )
        yield f"| {' | '.join(cells)} |"
