"""Arguments and results of a text as options name them: by numbers, ranges, and names."""

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from gradwright.errors import SpecError, perhaps

if TYPE_CHECKING:
    from gradwright.hlo import Value

EXPECTED = "indices from 0, ranges as 0-3 or names, separated by commas"
# Digits of an index; no text has so many arguments.
_RANGE = re.compile(r"(\d{1,6})(?:-(\d{1,6}))?")

Values = Callable[[], "Sequence[Value]"]
"""What can be named; asked for where a name is given, since a large text takes long to read."""


def indices(option: str, text: str, values: Values) -> list[int]:
    """Return the indices that `0,2-4,%x,%a-%b` stands for.

    Errors: SpecError for a word that is neither index, range nor name, for a name of several, and
    for a range that goes down.
    """
    return [index for word in text.split(",") for index in _indices(option, word.strip(), values)]


def _indices(option: str, word: str, values: Values) -> list[int]:
    found = _RANGE.fullmatch(word) if word.isascii() else None
    if found is None:
        names = [value.name for value in values()]
        ends = _ends(word, names)
        if ends is None:
            return [_named(option, word, names)]
        first, last = (_named(option, end, names) for end in ends)
    else:
        first = int(found[1])
        last = int(found[2] or first)
    if last < first:
        raise SpecError(where=option, expected="a range that goes up", found=repr(word))
    return list(range(first, last + 1))


def _ends(word: str, names: Sequence[str]) -> tuple[str, str] | None:
    """Return the two names of a range; a name may hold hyphens, and a whole name is no range."""
    if word.removeprefix("%") in names:
        return None
    for at, letter in enumerate(word):
        ends = word[:at], word[at + 1 :]
        if letter == "-" and all(end.removeprefix("%") in names for end in ends):
            return ends
    return None


def _named(option: str, word: str, names: Sequence[str]) -> int:
    name = word.removeprefix("%")
    count = names.count(name)
    if count == 1:
        return names.index(name)
    if count:
        expected = "the index of a value that has several"
        places = ", ".join(str(i) for i, each in enumerate(names) if each == name)
        raise SpecError(where=option, expected=expected, found=repr(word), remedy=f"Say {places}")
    raise SpecError(
        where=option,
        expected=EXPECTED,
        found=repr(word),
        remedy=perhaps(name, dict.fromkeys(names)),
    )
