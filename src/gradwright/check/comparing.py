"""Whether two tensors are equal: term by term, in parts, or after clearing denominators."""

from gradwright.check.affine import Affine, Box, linear
from gradwright.check.atoms import Atoms, Mask, Named, Numbers, Test, Unknown
from gradwright.check.functions import Functions
from gradwright.check.poly import Poly, add
from gradwright.check.tensor import Tensor

SPLITS = 64
"""Sums that are written out in one comparison."""
CLEARED_TERMS = 500
"""Terms beyond which clearing is given up."""
CLEARED = 8
"""Denominators that are cleared in one comparison."""


def same(f: Functions, a: Tensor, b: Tensor, *, off_kinks: bool = False) -> bool:
    """Return whether two tensors are equal; `off_kinks`, but for a null set of inputs."""
    a, b = f.align(a, b)
    if a.poly == b.poly:
        return True
    difference = add(f.algebra.opened(a.poly, a.box), f.algebra.opened(b.poly, a.box), -1)
    if off_kinks:
        difference = _off_kinks(f.algebra.atoms, difference)
    return _vanishes(f, difference, a.box)


def _vanishes(f: Functions, p: Poly, box: Box) -> bool:
    """Return whether p is 0: on each box that guards on one index cut, in parts, then by values.

    A sum that is read on a box is another one, and is named as such.
    """
    boxes = f.algebra.cases(p, box)
    if boxes is None or not any(len(e[1]) == 1 for _, guards in p for e, _, _ in guards):
        p = _cleared(f, _in_parts(f, p, box), box)
        boxes = f.algebra.cases(p, box)
    renewed = f.contractions.summation.renewed
    return not p or (
        boxes is not None and all(_vanishes(f, renewed(*case), case[1]) for case in boxes)
    )


def _in_parts(f: Functions, p: Poly, box: Box) -> Poly:
    """Return p with sums written out where the guide says so."""
    for _ in range(SPLITS):
        chosen = f.contractions.names.guide.split(p) if p else None
        if chosen is None:
            break
        p = f.contractions.summation.split(p, chosen, box)
    return p


def _cleared(f: Functions, difference: Poly, box: Box) -> Poly:
    """Return a difference times powers of what it divides by, these written out.

    What is divided by is not 0: the division has made that a hypothesis.
    """
    algebra, p = f.algebra, difference
    for _ in range(CLEARED):
        found = _denominator(algebra.atoms, p)
        if found is None or not p:
            return p
        atom, access, power = found
        content = algebra.atoms.contents[atom]
        assert isinstance(content, Named)  # as _denominator says
        if not algebra.inside(access, content.extents, (), box):
            return p
        base = algebra.substitute(dict(content.terms), dict(enumerate(access)), box)
        total: Poly = {}
        for (factors, guards), c in p.items():
            q = sum(k for a, e, k in factors if (a, e) == (atom, access)) - power
            rest = tuple(factor for factor in factors if factor[:2] != (atom, access))
            term: Poly = {(rest, guards): c}
            if q != int(q) or q > CLEARED:
                return p
            for _ in range(int(q)):
                term = algebra.multiply(term, base, box)
            total = add(total, term)
            if len(total) > CLEARED_TERMS:
                return difference
        p = total
    return p


def _denominator(atoms: Atoms, p: Poly) -> tuple[int, tuple[Affine, ...], int] | None:
    """Return a named polynomial that terms divide by, and its least power."""
    least: dict[tuple[int, tuple[Affine, ...]], int] = {}
    for factors, _ in p:
        for atom, access, q in factors:
            if q < 0 and isinstance(atoms.contents[atom], Named):
                key = (atom, access)
                least[key] = min(least.get(key, 0), q)  # pyright: ignore[reportArgumentType]
    if not least:
        return None
    place = max(least)
    return *place, least[place]


def _off_kinks(atoms: Atoms, p: Poly) -> Poly:
    """Return p without the terms that are 0 but on a null set: those with [P = 0] of a free P."""
    kept: dict[object, bool] = {}

    def is_null(atom: int) -> bool:
        content = atoms.contents[atom]
        if not isinstance(content, Mask) or content.test is not Test.ZERO:
            return False
        return kept.setdefault(atom, _is_free(atoms, content.inner))

    return {m: c for m, c in p.items() if not any(is_null(atom) for atom, _, _ in m[0])}


def _is_free(atoms: Atoms, atom: int) -> bool:
    """Return whether an atom is x[e], or c x[e] + rest where the rest does not read x[e]."""
    content = atoms.contents[atom]
    if not isinstance(content, Named):
        return _is_real(atoms, atom)
    for i, ((factors, guards), _) in enumerate(content.terms):
        if guards or len(factors) != 1 or factors[0][2] != 1 or not _is_real(atoms, factors[0][0]):
            continue
        others = [m for j, (m, _) in enumerate(content.terms) if j != i]
        x, access, _ = factors[0]
        if all(_avoids(atoms, factor[0], factor[1], x, access) for m in others for factor in m[0]):
            return True
    return False


def _is_real(atoms: Atoms, atom: int) -> bool:
    content = atoms.contents[atom]
    if not isinstance(content, Unknown):
        return False
    return content.is_argument and content.numbers is Numbers.REAL


def _avoids(
    atoms: Atoms, atom: int, read: tuple[Affine, ...], x: int, access: tuple[Affine, ...]
) -> bool:
    """Return whether an atom read somewhere does not depend on the entry of x at an access."""
    if atom != x:
        unknowns = {a: atoms.contents[a] for a in atoms.unknowns[atom]}
        return all(a != x and u.is_argument for a, u in unknowns.items() if isinstance(u, Unknown))
    differences = (linear(((1, a), (-1, b))) for a, b in zip(read, access, strict=True))
    return any(not terms and offset for offset, terms in differences)
