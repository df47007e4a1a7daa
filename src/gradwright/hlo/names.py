"""Names that MLIR accepts: of values (%…), of functions and modules (@…), and of scopes."""

import re
from collections.abc import Iterable

from gradwright.hlo.ir import Value

_SUFFIX_ID = re.compile(r"[A-Za-z$._-][A-Za-z0-9$._-]*|[0-9]+")
_ILLEGAL = re.compile(r"[^A-Za-z0-9$._-]")
_BARE_SYMBOL = re.compile(r"[A-Za-z_][A-Za-z0-9_$.]*")


def legal(name: str) -> str:
    """Return the name if MLIR accepts it after `%`, else the closest that it accepts."""
    if _SUFFIX_ID.fullmatch(name):
        return name
    plain = _ILLEGAL.sub("_", name)
    return plain if _SUFFIX_ID.fullmatch(plain) else f"v{plain}"


def symbol_text(name: str) -> str:
    """Return `@name`, quoted where MLIR needs it."""
    if _BARE_SYMBOL.fullmatch(name):
        return f"@{name}"
    quoted = "".join(
        char if char.isascii() and char.isprintable() and char not in '"\\' else _escaped(char)
        for char in name
    )
    return f'@"{quoted}"'


def _escaped(char: str) -> str:
    return "".join(f"\\{byte:02X}" for byte in char.encode())


class Scopes:
    """The names in use where the printer stands; leaving a region frees the names in it.

    A value keeps its own name; only where that one is taken (two values of a hand-made function,
    or the two regions of a `while`, which MLIR prints with one set of names) it gets `_2`.
    """

    def __init__(self) -> None:
        self._names: dict[int, str] = {}
        self._taken: set[str] = set()
        self._opened: list[list[str]] = [[]]

    def enter(self) -> None:
        """Open a region."""
        self._opened.append([])

    def leave(self) -> None:
        """Close the innermost region."""
        self._taken.difference_update(self._opened.pop())

    def define(self, value: Value) -> str:
        """Return the name under which a value is introduced here, with its `%`."""
        stem = name = legal(value.name)
        count = 1
        while name in self._taken:
            count += 1
            name = f"{stem}_{count}" if not stem.isdigit() else f"v{stem}_{count}"
        self._taken.add(name)
        self._opened[-1].append(name)
        self._names[id(value)] = f"%{name}"
        return f"%{name}"

    def alias(self, value: Value, of: Value) -> None:
        """Let a value go by the name of another one, which stays reserved in this region."""
        name = self._names[id(of)]
        self._names[id(value)] = name
        self._taken.add(name[1:])
        self._opened[-1].append(name[1:])

    def use(self, value: Value) -> str:
        """Return the name of a value that is already introduced, with its `%`."""
        return self._names[id(value)]

    def uses(self, values: Iterable[Value]) -> list[str]:
        """Return the names of several values."""
        return [self._names[id(value)] for value in values]
