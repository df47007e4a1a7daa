"""What the script of the page works on: texts with their statements, and claims in them."""

import base64
import json
import re
import zlib
from collections.abc import Iterable, Sequence

from gradwright.certify.anchors import Spot
from gradwright.certify.claims import Claim
from gradwright.certify.verdicts import Grid
from gradwright.report.proof_page.statements import Statements

Record = dict[str, object]

DIGITS = 7
"""Significant digits of the values of a grid."""
_SITE = re.compile(r"lines? (\d+)(?: to (\d+))?:")


def packed(
    claims: Iterable[Claim], judged: Statements, reference: Statements, names: Sequence[str]
) -> str:
    """Return the record of the page, deflated and in base64: a text of megabytes takes a tenth.

    `names` are those of the texts, one where both are the same.
    """
    texts = [judged] if reference is judged else [judged, reference]
    record = {
        "texts": [_text(each, name) for each, name in zip(texts, names, strict=True)],
        "claims": [_claim(claim, judged, reference) for claim in claims],
    }
    words = json.dumps(record, separators=(",", ":"), ensure_ascii=False)
    return base64.b64encode(zlib.compress(words.encode(), 9)).decode()


def _text(statements: Statements, name: str) -> Record:
    """Return a text; a statement is its first line, its length, and how far back its uses are."""
    listed = [
        [each.first, each.last - each.first, *(number - use for use in each.uses)]
        for number, each in enumerate(statements.listed)
    ]
    return {"name": name, "text": statements.text, "statements": listed}


def _claim(claim: Claim, judged: Statements, reference: Statements) -> Record:
    record: Record = {}
    if claim.site is not None and (found := _SITE.match(claim.site)):
        record["site"] = [int(found[1]), int(found[2] or found[1])]
    anchors = claim.anchors
    if anchors is not None:
        record["result"] = judged.find(anchors.result)
        record["reference"] = _numbers(reference, anchors.reference)
        record["wrt"] = reference.find(anchors.wrt) if anchors.wrt is not None else None
    if claim.counterexample is not None:
        record["index"] = list(claim.counterexample.index)
        if claim.counterexample.grid is not None:
            record["grid"] = _grid(claim.counterexample.grid)
    return record


def _numbers(statements: Statements, spots: Sequence[Spot]) -> list[int]:
    found = (statements.find(spot) for spot in spots)
    return [number for number in found if number is not None]


def _grid(grid: Grid) -> Record:
    return {
        "shape": grid.shape,
        "split": grid.split,
        "rows": grid.rows,
        "columns": grid.columns,
        "emitted": [_short(value) for value in grid.emitted],
        "wanted": [_short(value) for value in grid.wanted],
    }


def _short(value: float) -> float | None:
    """Return a number with few digits; None for what JSON has no word for."""
    rounded = float(f"{value:.{DIGITS}g}")
    return rounded if abs(rounded) < float("inf") else None
