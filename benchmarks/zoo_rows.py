"""Rows of the table of the zoo: what each part fills, and what stays where others are measured."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from zoo_runs import distance

Cells = dict[str, Any]
Row = list[str]

NOT_RUN = "not run"
LIKE = 100.0
"""How much further than the other backend, or than rounding moves it, a gradient may be."""
FLOOR = 1e-5
"""Of a gradient's length: a hundred roundings of float32."""
CROSSED = {"vgg16-bn": 3e-2}
"""How far gradients of a net may be off since a ReLU was seen to fall on the other side.

`zoo_gradients.py` shows where, and docs/running.md says it."""
COLUMNS = (
    "program",
    "text for",
    "operations",
    "KB",
    "emit s",
    "claims proved",
    "prove s",
    "MiB",
    "run for",
    "XLA compile s",
    "XLA ms",
    "IREE compile s",
    "IREE ms",
    "rounding",
    "XLA off",
    "IREE off",
)
WIDTHS = {"emit": 3, "prove": 3, "xla": 2, "iree": 2, "f64": 1, "xla off": 1, "iree off": 1}
GROUPS = {
    "text for": ("emit", "prove"),
    "run for": ("xla", "iree", "f64", "xla off", "iree off"),
}
"""Parts that are of one size of pictures, named in the column before them, in the table's order."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One program: what each part that was run measured, or the words that say why it did not.

    `pictures` are those of each group of parts, by the column that names them.
    """

    name: str
    pictures: Mapping[str, str]
    parts: Mapping[str, Cells | str]

    @property
    def off(self) -> dict[str, float]:
        """How far gradients are from those in float64, by backend, at the best picture."""
        exact = self.parts.get("f64")
        if exact is None or isinstance(exact, str):
            return {}
        ran = {backend: self.parts.get(backend) for backend in ("xla", "iree")}
        return {
            backend: min(
                distance(found, wanted)
                for found, wanted in zip(cells["gradients"], exact["gradients"], strict=True)
            )
            for backend, cells in ran.items()
            if cells is not None and not isinstance(cells, str)
        }

    @property
    def is_good(self) -> bool:
        """Whether nothing that was run failed or was left unproved, and no gradient is wrong.

        Wrong is one further off than rounding, the other backend and a kink seen crossed explain.
        """
        if any(isinstance(found, str) for found in self.parts.values()):
            return False
        proof, exact, off = self.parts.get("prove"), self.parts.get("f64"), self.off.values()
        if isinstance(proof, dict) and proof["proved"] != proof["claims"]:
            return False
        if not isinstance(exact, dict) or not off:
            return True
        best = min(off) if len(off) > 1 else 0.0
        explained = LIKE * max(exact["moved"], best, FLOOR)
        return max(off) <= max(explained, CROSSED.get(self.name, 0.0))

    def row(self, before: Sequence[str] | None = None) -> Row:
        """Return the cells; what was not run now is as before, of pictures of the same size."""
        cells = list(before or unmeasured(self.name))
        fresh = {part: _shown(part, found) for part, found in self.parts.items()}
        for backend in ("xla", "iree"):
            if backend in fresh:
                off = self.off.get(backend)
                fresh[f"{backend} off"] = [NOT_RUN if off is None else f"{off:.0e}"]
        for column, parts in GROUPS.items():
            at = COLUMNS.index(column)
            stale = cells[at] != self.pictures[column]
            if not fresh.keys() & set(parts):
                continue
            cells[at] = self.pictures[column]
            at += 1
            for part in parts:
                end = at + WIDTHS[part]
                if part in fresh or stale:
                    cells[at:end] = fresh.get(part, _words(part, NOT_RUN))
                at = end
        return cells


def unmeasured(name: str) -> Row:
    """Return the row of a program of which nothing has been measured."""
    groups = (["", *_all_not_run(parts)] for parts in GROUPS.values())
    return [name, *(cell for group in groups for cell in group)]


def table(rows: Mapping[str, Row], names: Iterable[str]) -> list[str]:
    """Return the lines of a table with a row for every name, measured or not."""
    head = [f"| {' | '.join(COLUMNS)} |", "|---" * len(COLUMNS) + "|"]
    return [*head, *(line(rows.get(name) or unmeasured(name)) for name in names)]


def line(cells: Sequence[str]) -> str:
    """Return one line of the table."""
    return f"| {' | '.join(cells)} |"


def _all_not_run(parts: Iterable[str]) -> Row:
    return [cell for part in parts for cell in _words(part, NOT_RUN)]


def _words(part: str, words: str) -> Row:
    return [words, *[""] * (WIDTHS[part] - 1)]


def _shown(part: str, found: Cells | str) -> Row:
    if isinstance(found, str):
        return _words(part, found)
    match part:
        case "emit":
            return [
                f"{found['operations']:,}",
                f"{found['bytes'] / 1e3:,.0f}",
                f"{found['cpu']:.2f}",
            ]
        case "prove":
            claims = f"{found['proved']} of {found['claims']}"
            return [claims, f"{found['cpu']:.1f}", f"{found['peak']:.0f}"]
        case "f64":
            return [f"{found['moved']:.0e}"]
        case _:
            return [f"{found['compile']:.1f}", f"{found['ms']:.0f}"]
