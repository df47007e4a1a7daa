"""The closed family of errors that Gradwright raises.

Every message says where, what was expected, what was found, and what to do.
"""

import difflib
from collections.abc import Iterable
from typing import ClassVar, Self


class GradwrightError(Exception):
    """Base of every error that a user can cause or meet.

    Attributes:
        where: layer path, file name, or line and column.
        expected: what would have been right, in words or numbers.
        found: what was there instead.
        remedy: what the reader can do about it ("" when it is obvious).
    """

    exit_code: ClassVar[int] = 3

    def __init__(self, *, where: str, expected: str, found: str, remedy: str = "") -> None:
        self.where = where
        self.expected = expected
        self.found = found
        self.remedy = remedy
        message = f"{where}: expected {expected}, found {found}"
        super().__init__(f"{message}. {remedy}" if remedy else message)

    def at(self, where: str, *, remedy: str = "") -> Self:
        """Return the same error said of another place, and with a remedy where it has none."""
        remedy = self.remedy or remedy
        return type(self)(where=where, expected=self.expected, found=self.found, remedy=remedy)


class SpecError(GradwrightError):
    """A declaration (net, layer, loss, optimizer, option) contradicts itself or its input."""


class ShapeError(GradwrightError):
    """An operation was built from operands whose shapes or element types do not fit."""


class ParseError(GradwrightError):
    """A text is not StableHLO that the official parser and verifier accept."""


class UnsupportedError(GradwrightError):
    """A sound request that cannot be emitted or run faithfully, so it is refused."""

    exit_code = 2


class LowererError(GradwrightError):
    """A backend rejected a program, aborted while compiling it, or failed to run it."""


class DataError(GradwrightError):
    """A data file or array is not what it claims to be."""


class CheckpointError(GradwrightError):
    """A checkpoint or run folder is missing, damaged, or belongs to another run."""


class DivergedError(GradwrightError):
    """A net came to numbers that are not finite."""

    exit_code = 1


class CertificateError(GradwrightError):
    """A certificate is not one: not JSON, not of this format, or about no such text."""


# Names that a remedy offers at most.
_NEAR = 3


def perhaps(found: str, names: Iterable[str]) -> str:
    """Return a remedy for a misspelt name: "Perhaps a or b", or "" where no name is like it.

    Names that begin with the word come first, those that it is like next, those that hold it last.
    """
    known = list(names)
    begun = [name for name in known if found and name.startswith(found)]
    held = [name for name in known if found and found in name]
    near = list(dict.fromkeys([*begun, *difflib.get_close_matches(found, known), *held]))
    return f"Perhaps {' or '.join(near[:_NEAR])}" if near else ""
