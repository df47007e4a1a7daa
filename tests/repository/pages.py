"""Pages of documentation and the runnable fences in them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Fence:
    """One fenced block: its language, its text and the line of the page it starts on."""

    language: str
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Command:
    """One `$ gradwright ...` of a console fence and the standard output shown below it."""

    line: str
    shown: str


def fences(page: Path) -> Iterator[Fence]:
    """Yield the fenced blocks of a page in order."""
    text = page.read_text(encoding="utf-8")
    for match in _FENCE.finditer(text):
        yield Fence(match[1], match[2], text.count("\n", 0, match.start()) + 2)


def commands(fence: Fence) -> Iterator[Command]:
    """Yield the `gradwright` commands of a console fence; other commands are only read."""
    text = fence.text.replace("\\\n", " ")
    for block in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        line, _, shown = block.partition("\n")
        if line.startswith("gradwright "):
            yield Command(line, shown)
