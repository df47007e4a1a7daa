"""What to write out, and when: sums and classes mean the same as atoms and written out."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from gradwright.certify.kernel.algebra import Poly
from gradwright.certify.kernel.atoms import Atoms, Class, Exponent, Factor, Mask, Sum, Terms
from gradwright.certify.kernel.index import Guards
from gradwright.certify.kernel.multilinear import Multilinear
from gradwright.certify.kernel.pieces import Kind, Piece, terms_of
from gradwright.certify.kernel.tensor import Tensor
from gradwright.certify.kernel.thresholds import Thresholds

Opens = Callable[[int, Exponent], bool]
"""Whether an atom to an exponent may be written out."""


def is_free_to_open(content: Sum) -> bool:
    """Return whether a sum in a sum costs nothing to write out: one factor reads every output.

    One with guards does only where they leave it a point, as where digits are read across; or where
    all of them are intervals that an output is in and nothing reads, as the places of a window that
    are then counted.
    """
    outputs = set(range(content.outputs))
    read = {v for _, access, _ in content.factors for e in access for v in e.variables}
    unread = outputs - read
    if unread and all(
        high > low + 1 and not unread.isdisjoint(e.variables) for e, low, high in content.guards
    ):
        return True
    return (not content.guards or has_one_point(content)) and any(
        outputs <= {v for e in access for v in e.variables} for _, access, _ in content.factors
    )


def has_one_point(content: Sum) -> bool:
    """Return whether each summed variable has one value at most beside those of the outputs.

    A guard gives several theirs at once where they are digits of one number, k times each.
    """
    summed = set(range(content.outputs, len(content.extents)))
    held: set[int] = set()
    for (_, terms), low, high in content.guards:
        own = sorted((abs(k), v) for v, k in terms if v in summed)
        apart = high - low
        for k, v in own:
            if k < apart:
                break
            apart = k * content.extents[v]
        else:
            held.update(v for _, v in own)
    return held == summed


def suggested_opening(
    atoms: Atoms, left: Mapping[Kind, Sequence[Piece]], alone: Iterable[Kind], opens: Opens
) -> int | None:
    """Return the sum or class to write out next in a difference, None where there is none.

    It is the last one made, of those that the pieces of one sign only are made of if there are any:
    what both sides contain may cancel as it is. First come kinds that have pieces of one sign.
    """
    sides: tuple[set[int], set[int]] = set(), set()
    for kind, pieces in left.items():
        for positive in {piece.coefficient > 0 for piece in pieces}:
            sides[positive].update(atom for atom, q in kind if opens(atom, q))
    both = sides[0] & sides[1]
    reached = [_reached(atoms, side - both, opens) for side in sides]
    shared = both | reached[0] & reached[1]
    for among in (alone, left):
        here = {atom for kind in among for atom, q in kind if opens(atom, q)}
        if here:
            return max(here - shared or here)
    return None


def _reached(atoms: Atoms, start: Iterable[int], opens: Opens) -> set[int]:
    """Return sums and classes, and those that are factors in them."""
    found: set[int] = set()
    pending = list(start)
    while pending:
        atom = pending.pop()
        if atom not in found:
            found.add(atom)
            inner = ((a, q) for (factors, _), _ in terms_of(atoms, atom) for a, _, q in factors)
            pending.extend(a for a, q in inner if opens(a, q))
    return found


def fix_some(guards: Guards, bound: Iterable[int]) -> bool:
    """Return whether a sum is worth opening for a variable that a guard fixes, alone of all."""
    own = set(bound)
    solved = (own.intersection(e.variables) for e, low, high in guards if high == low + 1)
    return not own or any(len(alone) == 1 for alone in solved)


def is_piecewise(atoms: Atoms, p: Poly) -> bool:
    """Return whether a value is one class of pieces."""
    contents = [atoms.content(f[0]) for factors, _ in p for f in factors]
    return len(contents) == 1 and any(
        guards
        for content in contents
        if isinstance(content, Class)
        for (_, guards), _ in content.terms
    )


def is_of_one_value(thresholds: Thresholds, p: Poly) -> bool:
    """Return whether a value is one product, or a function of one value only, as a clamp is.

    A mask of it is one of what it clamps, at some threshold.
    """
    if len(p) == 1:
        return True
    places: set[object] = set()
    for factors, guards in p:
        if guards:
            return False
        for atom, access, _ in factors:
            content = thresholds.atoms.content(atom)
            read = content.inner if isinstance(content, Mask) else atom
            places.add(thresholds.line(read).place(access))
    return len(places) == 1


def are_there(part: Iterable[Factor], factors: Iterable[Factor]) -> bool:
    """Return whether a part of a product can be taken out: no exponent changes its sign."""
    exponents = {(atom, access): q for atom, access, q in factors}
    here = ((exponents.get((atom, access), 0), q) for atom, access, q in part)
    return all(abs(have) >= abs(q) and (have > 0) == (q > 0) for have, q in here)


def multiplies_out(form: Multilinear, operand: Tensor) -> bool:
    """Return whether a product under a sum would have many terms for an operand of several.

    Not for one that is joined of pieces.
    """
    where = {guards for _, guards in operand.poly}
    is_piecewise = len(where) > 1 and () not in where
    several = len(form.reads) > 1 and bool(form.summed) and len(operand.poly) > 1
    return several and not is_piecewise


def chooses(atoms: Atoms, masks: Callable[[Terms], Collection[Factor]], atom: int) -> bool:
    """Return whether an atom is a class with masks in it."""
    content = atoms.content(atom)
    return isinstance(content, Class) and any(
        f in masks(content.terms) or chooses(atoms, masks, f[0])
        for (factors, _), _ in content.terms
        for f in factors
    )
