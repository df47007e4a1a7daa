"""Texts that carry locations of their own, as exporters write: `loc("layer1"("model.py":7:2))`."""

import re

from gradwright.errors import ParseError
from gradwright.hlo.bindings import Mlir, parse

_STRING = r'"(?:[^"\\\n]|\\.)*"'
# A string, a comment, the definition of an alias, or the beginning of a location.
_TOKEN = re.compile(rf"{_STRING}|//[^\n]*|^#loc\w* = [^\n]*|(?<![\w@%#.$-])loc\(", re.MULTILINE)
_BRACKET = re.compile(rf"{_STRING}|[()]")


def placed(module: Mlir, text: str, context: Mlir) -> Mlir:
    """Return the same module with each operation at its place in the text.

    A location in the text hides where the operation stands in it. The module is parsed anew
    without them, and is taken where nothing else differs.
    """
    if "loc(" not in text:
        return module
    bare = without_locations(text)
    try:
        again = parse(bare, context)
    except ParseError:
        return module
    return again if _content(again) == _content(module) else module


def without_locations(text: str) -> str:
    """Return a text with its locations blanked out; what is left keeps its lines and columns."""
    parts: list[str] = []
    end = 0
    for token in _TOKEN.finditer(text):
        if token.start() < end or token[0].startswith(('"', "//")):
            continue
        close = token.end() if token[0].startswith("#") else _closing(text, token.end())
        parts += text[end : token.start()], " " * len(text[token.start() : close].encode())
        end = close
    return "".join(parts) + text[end:]


def _closing(text: str, start: int) -> int:
    """Return the place behind the bracket that closes the one that ends at a place."""
    depth = 1
    for token in _BRACKET.finditer(text, start):
        depth += {"(": 1, ")": -1}.get(token[0], 0)
        if depth == 0:
            return token.end()
    return len(text)


def _content(module: Mlir) -> str:
    return module.operation.get_asm(enable_debug_info=False)
