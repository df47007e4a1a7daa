"""What a certificate tells the checker: where to name values, and which names are one value.

A guide is never believed. Names need no proof (any value may have one), and what a recognition
states is verified by substitution; without an answer the checker makes a new atom.
"""

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from gradwright.check.affine import Affine, Box
from gradwright.check.atoms import Monomial
from gradwright.check.poly import Poly


class Way(enum.StrEnum):
    """How what a statement binds is made; what it is does not depend on it."""

    PLAIN = "plain"
    """One sum of a product; an extreme by one choice over its window."""
    EXPANDED = "expanded"
    """A product under a sum is multiplied out first."""
    UNROLLED = "unrolled"
    """Place by place, in the order of the indices."""
    SEPARATED = "separated"
    """An extreme along one index after the other, the last one first, each place by place."""


class FalseStatement(Exception):
    """What a guide stated is not so; the message says what."""


@dataclass(frozen=True, slots=True)
class Recognized:
    """A polynomial is `scale` * a named atom read at `access`."""

    scale: Fraction
    atom: int
    access: tuple[Affine, ...]


@dataclass(frozen=True, slots=True)
class SameSum:
    """A sum is a known Sum atom read at `access`, by a bijection of the summed points.

    `to_mine[i]`: my summed variable i in terms of my outputs and the atom's summed variables.
    `to_theirs[i]`: the atom's summed variable i in terms of my outputs and my summed variables.
    The atom's summed variable i is numbered -1 - i.
    """

    atom: int
    access: tuple[Affine, ...]
    to_mine: tuple[Affine, ...]
    to_theirs: tuple[Affine, ...]


@dataclass(frozen=True, slots=True)
class Split:
    """A Sum atom, the place of one of its summed variables, and where that one's range is cut."""

    atom: int
    variable: int
    cuts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Parted:
    """A Sum atom, the place of one of its guards, and where the range of that one is cut."""

    atom: int
    guard: int
    cuts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Opened:
    """A Sum atom, and the place of a factor that is a named polynomial, to be multiplied out."""

    atom: int
    factor: int


Writing = Split | Parted | Opened
"""How a sum is written out."""


@dataclass(frozen=True, slots=True)
class Contraction:
    """A connected sum: a term, its output variables, its summed variables, all extents."""

    term: Monomial
    outputs: tuple[int, ...]
    summed: tuple[int, ...]
    box: Box


class Guide(Protocol):
    """Answers to the questions that would need a search."""

    def cuts(self, value: int, p: Poly, box: Box) -> bool:
        """Return whether a value of the text is named from here on."""
        ...

    def cuts_cotangent(self, value: int, p: Poly, box: Box) -> bool:
        """Return whether the cotangent of a value is named."""
        ...

    def recognize(self, p: Poly, box: Box) -> Recognized | None:
        """Return which named polynomial this one is a multiple of, if it is one."""

    def recognize_sum(self, contraction: Contraction) -> SameSum | None:
        """Return which known sum this one is."""

    def split(self, p: Poly) -> Writing | None:
        """Return a sum in p that is to be written out, and how."""

    def made(self, atom: int, variables: Sequence[int]) -> None:
        """Hear which atom a question without answer led to, and its variables in order."""
