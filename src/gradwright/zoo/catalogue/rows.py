"""The lines: name, input, number of parameters, layers. They stand in two files beside this one.

A layer is a kind and its arguments, `conv-bn 64 7 2`; `3x` in front of it repeats it. The kinds
are those of `gradwright.zoo.catalogue.kinds`, and others that no layer here has yet.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files

from gradwright.spec.inputs import Flat, Image

SOURCES = ("bestiary", "baseline")
"""The files, whose nets are called after them: reference layer lists, and nets that were trained.

Source: lean4-mlir's Bestiary and its tables of training runs.
"""
_REPEATED = re.compile(r"(?:(\d+)x )?(.+)")


@dataclass(frozen=True, slots=True)
class Word:
    """One layer of a line: its kind, its numbers in order, and what else is said of it."""

    kind: str
    numbers: tuple[int, ...]
    marks: frozenset[str]


@dataclass(frozen=True, slots=True)
class Row:
    """One net. `extents` are those of one example of its input: [C, H, W] or [features]."""

    name: str
    extents: tuple[int, ...]
    parameters: int
    words: Sequence[Word]

    @property
    def input(self) -> Image | Flat:
        """What the net reads."""
        return Image(*self.extents) if len(self.extents) == 3 else Flat(*self.extents)


def _read(source: str) -> list[Row]:
    text = files(__package__).joinpath(f"{source}.tsv").read_text("utf-8")
    return [_row(source, *line.split("\t")) for line in text.splitlines()]


def _row(source: str, name: str, extents: str, parameters: str, layers: str) -> Row:
    words = [word for part in layers.split("; ") for word in _words(part)]
    shape = tuple(map(int, extents.split("x")))
    return Row(f"{source}-{name}", shape, int(parameters), words)


def _words(part: str) -> list[Word]:
    found = _REPEATED.fullmatch(part)
    assert found is not None  # any text that is not empty fits
    kind, *rest = found[2].split()
    numbers = tuple(int(word) for word in rest if word.isdigit())
    marks = frozenset(word for word in rest if not word.isdigit())
    return int(found[1] or 1) * [Word(kind, numbers, marks)]


ROWS: Mapping[str, Row] = {row.name: row for source in SOURCES for row in _read(source)}
"""Every line by the name of its net."""
