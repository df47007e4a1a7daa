"""Integers that a text's constants alone make too large for their type: nothing is proved of those.

That integers computed from arguments fit their type is in the scope of every proof.
"""

from fractions import Fraction

from gradwright.certify.kernel.algebra import Undenotable
from gradwright.certify.kernel.arithmetic import Arithmetic
from gradwright.certify.kernel.atoms import Dense
from gradwright.certify.kernel.tensor import Tensor
from gradwright.hlo import ElementType


def require_fit(arithmetic: Arithmetic, a: Tensor, element: ElementType) -> None:
    """Refuse a tensor of integers that are known, and of which one is outside of its type."""
    if not _surely_fits(arithmetic, a, element) and _overflows(arithmetic, a, element):
        raise Undenotable(f"an integer that {element.value} does not hold")


def _surely_fits(arithmetic: Arithmetic, a: Tensor, element: ElementType) -> bool:
    """Return whether a bound says so, at little cost, or nothing is known of an entry."""
    atoms = arithmetic.algebra.atoms
    total = Fraction(0)
    for (factors, _), c in a.poly.items():
        for atom, _, q in factors:
            content = atoms.content(atom)
            if atoms.is_mask(atom):
                continue
            if not atoms.is_constant(atom) or q != int(q) or q < 0:
                return True
            known = content.entries if isinstance(content, Dense) else (atoms.size(atom),)
            c *= max(map(abs, known)) ** int(q)
            if element.is_unsigned and min(known) < 0:
                return False
        if element.is_unsigned and c < 0:
            return False
        total += abs(c)
    return total <= element.highest


def _overflows(arithmetic: Arithmetic, a: Tensor, element: ElementType) -> bool:
    """Return whether an entry may be outside, with masks of any value."""
    split = arithmetic.few_cases(a)
    if split is not None:
        return any(_overflows(arithmetic, case, element) for case in split[1:])
    box = arithmetic.algebra.box(a.digits)
    entries = arithmetic.contractions.summation.entries(a.poly, box)
    return entries is None or not all(
        element.lowest <= entry <= element.highest for entry in entries
    )
