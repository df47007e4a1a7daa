"""How deep the brackets of a text are nested: MLIR's parser recurses, and a deep one ends it."""

import re

import numpy as np

from gradwright.errors import ParseError

NESTING_LIMIT = 100
"""Brackets within brackets; what compilers write has twenty. MLIR falls at several thousand."""
SIGN_LIMIT = 1000
"""Signs in a row, as of an affine map, at each of which the parser recurses too."""

_NO_CODE = re.compile(rb'"(?:[^"\\\n]|\\.)*"|//[^\n]*|->|>=')
_SIGNS = re.compile(rb"-(?:\s*-){%d}" % SIGN_LIMIT)
_STEPS = np.zeros(256, np.int8)
_STEPS[list(b"{([<")] = 1
_STEPS[list(b"})]>")] = -1


def require_shallow(text: str) -> None:
    """Refuse a text that is nested too deep to be parsed safely.

    Errors: ParseError with line and column of the first bracket that is too deep.
    """
    # Blanks take the place of strings, comments and arrows, so that positions stay.
    code = _NO_CODE.sub(lambda found: b" " * len(found[0]), text.encode())
    depths = np.cumsum(_STEPS[np.frombuffer(code, np.uint8)], dtype=np.int64)
    deep = np.flatnonzero(depths > NESTING_LIMIT)
    if deep.size:
        found = f"brackets nested more than {NESTING_LIMIT} deep"
        raise _refused(code, int(deep[0]), found)
    signs = _SIGNS.search(code)
    if signs is not None:
        raise _refused(code, signs.start(), f"more than {SIGN_LIMIT} signs in a row")


def _refused(code: bytes, position: int, found: str) -> ParseError:
    line = code.count(b"\n", 0, position) + 1
    column = position - code.rfind(b"\n", 0, position)
    return ParseError(where=f"{line}:{column}", expected="a StableHLO module", found=found)
