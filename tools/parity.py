"""Measure the nets of the zoo beside torchvision and timm; write the table of docs/parity.md.

    PYTHONPATH=tests .venv-torch/bin/python tools/parity.py [WORD …] [--write]

Only comparisons whose name holds one of the words are measured; with --write they take the place
of their rows in the page, and rows that were not measured stay.
"""

import argparse
import sys
import tempfile
from dataclasses import astuple
from pathlib import Path

from zoo.parity import QUICK, THOROUGH, Case, measured

PAGE = Path(__file__).resolve().parents[1] / "docs" / "parity.md"
OPENING, CLOSING = "<!-- parity -->", "<!-- end -->"
HEAD = [
    "| net | reference | pixels | logits | gradients | statistics | step |",
    "|---" * 7 + "|",
]


def main() -> int:
    """Measure, print, and on request write; exit code 1 where one is not its reference's."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("word", nargs="*", help="which comparisons, by a part of their names")
    parser.add_argument("--write", action="store_true", help="put the rows into docs/parity.md")
    options = parser.parse_args()
    good = True
    for case in [*QUICK, *THOROUGH]:
        if options.word and not any(word in str(case) for word in options.word):
            continue
        with tempfile.TemporaryDirectory() as folder:
            found = measured(case, Path(folder))
        good = good and found.is_within(case.tolerance)
        line = _row(case, *astuple(found))
        print(line, flush=True)
        if options.write:
            _write(line)
    return 0 if good else 1


def _row(case: Case, *shares: float) -> str:
    library = {"vision": "torchvision"}.get(case.build.__name__, case.build.__name__)
    numbers = " | ".join(f"{share:.0e}" if share else "none" for share in shares)
    return f"| {case.name} | {library} `{case.model}` | {case.size} | {numbers} |"


def _write(line: str) -> None:
    """Put one row in the place of its comparison's, or where the order of the table has it."""
    before, _, rest = PAGE.read_text("utf-8").partition(OPENING)
    table, _, after = rest.partition(CLOSING)
    rows = {_subject(row): row for row in table.strip().splitlines()[len(HEAD) :]}
    rows[_subject(line)] = line
    order = [_subject(_row(case)) for case in [*QUICK, *THOROUGH]]
    body = "\n".join([*HEAD, *(rows[subject] for subject in order if subject in rows)])
    PAGE.write_text(f"{before}{OPENING}\n{body}\n{CLOSING}{after}", "utf-8")


def _subject(row: str) -> str:
    return row.split("|")[1].strip() + row.split("|")[2]


if __name__ == "__main__":
    sys.exit(main())
