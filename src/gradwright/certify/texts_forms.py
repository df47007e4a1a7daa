"""Normal forms as text for people: both sides of what was not proved equal, differences marked."""

from collections.abc import Iterable
from fractions import Fraction

from gradwright.certify.effort import TooLarge
from gradwright.certify.kernel.atoms import (
    Argument,
    Atoms,
    Base,
    Coordinate,
    Factor,
    Function,
    Mask,
    Monomial,
    Relation,
    Sum,
)
from gradwright.certify.kernel.denotation import Denotation
from gradwright.certify.kernel.index import Affine, Guard
from gradwright.certify.kernel.tensor import Tensor

TERMS = 6
"""Terms of one side that are written; the rest is counted."""
DEPTH = 2
"""How far atoms are opened; below, an atom is its kind and number."""
_LETTERS = "ijklmnopqrstuvwxyz"
_SIGNS = {Relation.POSITIVE: ">", Relation.NEGATIVE: "<", Relation.ZERO: "="}


def both_forms(den: Denotation, wanted: Tensor, emitted: Tensor) -> str:
    """Return `derived: … / emitted: …` over common digits; terms of one side only between «»."""
    den.algebra.grant(len(wanted.poly) + len(emitted.poly))
    try:
        ours, theirs = den.pointwise.align(wanted, emitted)
    except TooLarge as problem:
        return f"the forms are not written out: {problem}"
    writer = _Writer(den.atoms)
    derived = writer.side(ours.poly.terms, dict(theirs.poly))
    returned = writer.side(theirs.poly.terms, dict(ours.poly))
    return f"derived: {derived} / emitted: {returned}"


class _Writer:
    """Writes terms over one table of atoms."""

    def __init__(self, atoms: Atoms) -> None:
        self.atoms = atoms

    def side(
        self, terms: Iterable[tuple[Monomial, Fraction]], other: dict[Monomial, Fraction]
    ) -> str:
        """Return a sum; terms that the other side lacks come first and are marked."""
        listed = sorted(terms, key=lambda term: other.get(term[0]) == term[1])
        words = [
            word if other.get(monomial) == c else f"«{word}»"
            for monomial, c in listed[:TERMS]
            for word in [self.term(monomial, c)]
        ]
        rest = len(listed) - TERMS
        return (" + ".join(words) or "0") + (f" + {rest} more" if rest > 0 else "")

    def term(self, monomial: Monomial, c: Fraction, depth: int = DEPTH) -> str:
        """Return coefficient * factors * guards."""
        factors, guards = monomial
        words = [self.factor(factor, depth) for factor in factors]
        words += [_guard(guard) for guard in guards]
        return "*".join(words if c == 1 and words else [str(c), *words])

    def factor(self, factor: Factor, depth: int) -> str:
        """Return atom[access]^exponent."""
        atom, access, q = factor
        index = f"[{','.join(map(_spell, access))}]" if access else ""
        return f"{self.atom(atom, depth)}{index}{'' if q == 1 else f'^{q}'}"

    def atom(self, atom: int, depth: int) -> str:
        """Return what an atom is, opened to a depth."""
        match self.atoms.content(atom):
            case Argument(name):
                return name
            case Coordinate():
                return "index"
            case Base(value):
                return str(value)
            case Function(name, scale, None):
                return f"{name}({scale})"
            case Function(name, scale, inner) if depth and inner is not None:
                factor = "" if scale == 1 else f"{scale}*"
                return f"{name}({factor}{self.atom(inner, depth - 1)})"
            case Mask(relation, inner) if depth:
                return f"[{self.atom(inner, depth - 1)} {_SIGNS[relation]} 0]"
            case Sum(_, _, factors, guards) if depth:
                return f"sum({self.term((factors, guards), Fraction(1), depth - 1)})"
            case content:
                return f"{type(content).__name__.lower()}{atom}"


def _guard(guard: Guard) -> str:
    e, low, high = guard
    return f"[{low} <= {_spell(e)} < {high}]"


def _spell(e: Affine) -> str:
    words = [f"{'' if k == 1 else f'{k}*'}{_name(v)}" for v, k in e[1]]
    return "+".join([*words, str(e[0])] if e[0] or not words else words)


def _name(v: int) -> str:
    if v < 0:
        return f"trip{-v}"
    return _LETTERS[v] if v < len(_LETTERS) else f"v{v}"
