"""Integers that a text's constants alone make too large for their type: nothing is proved of those.

That integers computed from arguments fit their type is in the scope of every proof.
"""

from fractions import Fraction

from gradwright.certify.kernel.algebra import Undenotable
from gradwright.certify.kernel.faces import Unspanned
from gradwright.certify.kernel.masks import Masks
from gradwright.certify.kernel.tensor import Tensor
from gradwright.hlo import ElementType


def require_fit(masks: Masks, a: Tensor, element: ElementType) -> None:
    """Refuse integers of which one is outside of its type, or may be, whatever the input."""
    try:
        fits = _surely_fit(masks, a, element) or _fit(masks, a, element)
    except Unspanned as problem:
        raise Undenotable(f"an integer that {element.value} may not hold: {problem}") from None
    if not fits:
        raise Undenotable(f"an integer that {element.value} does not hold")


def _surely_fit(masks: Masks, a: Tensor, element: ElementType) -> bool:
    """Return whether a bound says so, at little cost."""
    low, high = masks.fixed(a)
    return element.lowest <= low and high <= element.highest


def _fit(masks: Masks, a: Tensor, element: ElementType) -> bool:
    """Return whether all entries that no input changes are inside, with masks of any value."""
    split = masks.few_cases(a)
    if split is not None:
        return all(_fit(masks, case, element) for case in split[1:])
    return all(_holds(element, *span) for span in masks.spans(a))


def _holds(element: ElementType, low: Fraction | None, high: Fraction | None) -> bool:
    """Return whether a type holds all of a span, or some of one without bounds."""
    if low is None or high is None:
        below = low is None or low <= element.highest
        return below and (high is None or high >= element.lowest)
    return element.lowest <= low and high <= element.highest
