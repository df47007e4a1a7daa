"""Short names of parameters: a letter for what it is, a digit for the layer that it belongs to."""

from collections.abc import Iterator, Mapping

from gradwright.spec import Decay, NetSpec, Plan

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
"""Layers are counted 1 … 9, a, b, …; in nets of more, by decimal numbers."""
_NORM = {"weight": "g", "bias": "bt", "running_mean": "mu", "running_var": "var"}
_KERNEL_RANK = 4


def names(net: NetSpec, *, first: int = 1, convolution_bias: str = "b") -> Mapping[str, str]:
    """Return the short name of each slot by its full name.

    A kernel or matrix opens a new number and is called W, its bias b (of a convolution, as said);
    scale and shift of a normalisation are g and bt, its statistics mu and var, under the number of
    the kernel before it, or a new one where that has a normalisation already. `first` is the
    number of the first layer.
    """
    numbered = list(_numbered(net, first))
    last = max((number for _, number in numbered), default=first)
    found: dict[str, str] = {}
    for plan, number in numbered:
        digit = _DIGITS[number] if last < len(_DIGITS) else str(number)
        has_kernel = any(slot.decay is Decay.DECAYS for slot in plan.slots)
        is_convolution = any(len(slot.shape) == _KERNEL_RANK for slot in plan.slots)
        kernel = {"weight": "W", "bias": convolution_bias if is_convolution else "b"}
        for slot in plan.slots:
            letter = (kernel if has_kernel else _NORM).get(slot.name, slot.name)
            found[plan.full(slot.name)] = f"{letter}{digit}"
    return found


def _numbered(net: NetSpec, first: int) -> Iterator[tuple[Plan, int]]:
    """Yield each plan that has slots with its number."""
    number, is_normalised = first - 1, True
    for plan in net.walk():
        if not plan.slots:
            continue
        opens = any(slot.decay is Decay.DECAYS for slot in plan.slots) or is_normalised
        number += opens
        is_normalised = not any(slot.decay is Decay.DECAYS for slot in plan.slots)
        yield plan, number
