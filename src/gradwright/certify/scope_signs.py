"""Signs that a text shows by itself, so that no hypothesis is printed about what cannot fail.

A value is positive, or at least not negative, at every input, by one forward pass over the
operations. Nothing is proved with this: it only keeps the list of hypotheses short.
"""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence

import numpy as np

from gradwright.certify.kernel.atoms import Sign
from gradwright.hlo import Function, Operation
from gradwright.hlo import attributes as attr

ANY, NONNEGATIVE, POSITIVE = Sign.ANY, Sign.NONNEGATIVE, Sign.POSITIVE

_MOVING = (
    *("stablehlo.broadcast_in_dim", "stablehlo.reshape", "stablehlo.transpose"),
    *("stablehlo.slice", "stablehlo.reverse", "stablehlo.optimization_barrier"),
)
_TRUNCATING = frozenset({"stablehlo.convert", "stablehlo.divide"})

Rule = Callable[[Operation, Sequence[Sign]], Sign]


def signs_of(functions: Iterable[Function]) -> dict[int, Sign]:
    """Return what is known of the sign of each value of functions, by its identity.

    What a region defines, and arguments, have no entry; hypotheses of the text itself (a root is
    taken of numbers >= 0) are made use of.
    """
    found: dict[int, Sign] = {}
    for function in functions:
        for operation in function.body.operations:
            rule = _RULES.get(operation.opcode)
            if rule is None or len(operation.results) != 1:
                continue
            operands = [found.get(id(value), ANY) for value in operation.operands]
            sign = rule(operation, operands)
            if operation.opcode in _TRUNCATING and not operation.results[0].type.element.is_float:
                sign = min(sign, NONNEGATIVE)  # a half becomes 0
            found[id(operation.results[0])] = sign
    return found


def negatives_of(functions: Iterable[Function], signs: Mapping[int, Sign]) -> set[int]:
    """Return the values of functions that are negative everywhere, by their identities.

    Constants are, what is moved of them, and the opposites of what is positive.
    """
    found: set[int] = set()
    for operation in (each for function in functions for each in function.body.operations):
        first = id(operation.operands[0]) if operation.operands else None
        match operation.opcode:
            case "stablehlo.constant":
                constant = operation.attributes
                assert isinstance(constant, attr.Constant)
                is_negative = bool(constant.array.size) and bool(np.all(constant.array < 0))
            case "stablehlo.negate":
                is_negative = signs.get(first or 0, ANY) is POSITIVE
            case opcode:
                is_negative = opcode in _MOVING and first in found
        if is_negative:
            found.add(id(operation.results[0]))
    return found


def may_fail(operation: Operation, signs: Mapping[int, Sign], negatives: Container[int]) -> bool:
    """Return whether a quotient, logarithm, root or power may be undefined for all that is known.

    The derivative counts: a root of 0 has none. Signs say nothing of other functions.
    """
    if operation.opcode.startswith("chlo.") or operation.opcode == "stablehlo.tan":
        return True
    place = 1 if operation.opcode in ("stablehlo.divide", "stablehlo.remainder") else 0
    if place and id(operation.operands[place]) in negatives:
        return False
    sign = signs.get(id(operation.operands[place]), ANY)
    return sign < (NONNEGATIVE if operation.opcode == "stablehlo.log_plus_one" else POSITIVE)


def _constant(operation: Operation, x: Sequence[Sign]) -> Sign:
    del x
    constant = operation.attributes
    if not isinstance(constant, attr.Constant) or not constant.array.size:
        return ANY
    if bool(np.all(constant.array > 0)):
        return POSITIVE
    return NONNEGATIVE if bool(np.all(constant.array >= 0)) else ANY


def _multiply(operation: Operation, x: Sequence[Sign]) -> Sign:
    if operation.operands[0] is operation.operands[1]:
        return max(x[0], NONNEGATIVE)
    return min(x)


def _add(operation: Operation, x: Sequence[Sign]) -> Sign:
    del operation
    return max(x) if min(x) >= NONNEGATIVE else ANY


def _reduce(operation: Operation, x: Sequence[Sign]) -> Sign:
    """Sums and maxima of at least one element, by the one operation of the region."""
    (region,) = operation.regions
    opcodes = [each.opcode for each in region.operations]
    if len(x) != 2 or 0 in operation.operands[0].shape:
        return ANY
    if opcodes == ["stablehlo.maximum"] and set(region.operations[0].operands) == set(
        region.arguments
    ):
        return x[0]
    if opcodes != ["stablehlo.add"] or x[1] is ANY:
        return ANY
    return x[0] if set(region.operations[0].operands) == set(region.arguments) else ANY


def _same(operation: Operation, x: Sequence[Sign]) -> Sign:
    del operation
    return x[0]


def _least(operation: Operation, x: Sequence[Sign]) -> Sign:
    del operation
    return min(x)


def _always(sign: Sign) -> Rule:
    return lambda operation, x: sign


_RULES: dict[str, Rule] = {
    "stablehlo.constant": _constant,
    "stablehlo.iota": _always(NONNEGATIVE),
    **dict.fromkeys(("stablehlo.exponential", "stablehlo.logistic"), _always(POSITIVE)),
    **dict.fromkeys(("stablehlo.abs", "chlo.square"), lambda o, x: max(x[0], NONNEGATIVE)),
    "stablehlo.rsqrt": _always(POSITIVE),
    "stablehlo.sqrt": lambda o, x: max(x[0], NONNEGATIVE),
    "stablehlo.add": _add,
    "stablehlo.multiply": _multiply,
    "stablehlo.divide": _least,
    "stablehlo.power": lambda o, x: x[0],
    "stablehlo.maximum": lambda o, x: max(x),
    "stablehlo.minimum": _least,
    "stablehlo.select": lambda o, x: min(x[1:]),
    "stablehlo.concatenate": _least,
    "stablehlo.dot_general": lambda o, x: min(*x, NONNEGATIVE),
    "stablehlo.reduce": _reduce,
    **dict.fromkeys(
        (
            *_MOVING,
            *("stablehlo.convert", "stablehlo.reduce_precision"),
        ),
        _same,
    ),
}
"""What is known of a result, from what is known of the operands."""
