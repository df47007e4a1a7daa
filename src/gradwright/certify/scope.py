"""The scope of a verdict: what it is a verdict about, what it assumes, what it leaves out."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from gradwright.certify.kernel.conditions import Conditions
from gradwright.certify.scope_integers import overflowing
from gradwright.certify.scope_signs import may_fail, negatives_of, signs_of
from gradwright.hlo import Function, Operation, TensorType
from gradwright.hlo import attributes as attr
from gradwright.hlo.literals import decimals

REALS = (
    "over the real numbers, for every input, at the sizes of the text: rounding, overflow, NaN and "
    "infinities of floating-point numbers are not covered; integers do not overflow"
)
LISTED = 4
"""Places and literals that are named; the rest is counted."""

_QUOTIENTS = ("stablehlo.divide", "stablehlo.remainder")
_DOMAINS = {
    "divisors are not 0": _QUOTIENTS,
    "arguments of logarithms are positive": ("stablehlo.log", "stablehlo.log_plus_one"),
    "arguments of roots are positive": ("stablehlo.rsqrt", "stablehlo.sqrt"),
    "bases of powers are positive": ("stablehlo.power",),
    "arguments of inverse functions are between -1 and 1": (
        *("chlo.acos", "chlo.asin", "chlo.atanh", "chlo.erf_inv"),
    ),
    "arguments of acosh are above 1": ("chlo.acosh",),
    "arguments of tangents are no odd multiples of pi/2": ("stablehlo.tan",),
}
_SMOOTH = {
    "arguments of cube roots are not 0": ("stablehlo.cbrt",),
    "arguments of atan2 are not both 0": ("stablehlo.atan2",),
}
"""Where functions that are defined everywhere have a derivative."""
_KINKS = {
    "stablehlo.maximum": "max(a, b) as the text says, b at a tie",
    "stablehlo.minimum": "min(a, b) as the text says, b at a tie",
    "stablehlo.clamp": "clamp with slope 0 at its bounds",
    "stablehlo.abs": "|x| with slope 0 at 0",
    "stablehlo.compare": "comparisons locally constant",
    "stablehlo.select_and_scatter": "the winner that the region selects",
    "stablehlo.reduce_window": "window maxima with the first winner",
}


def scope_of(
    functions: Iterable[Function], proofs: Sequence[Conditions], *, differentiated: bool = True
) -> tuple[str, ...]:
    """Return the lines to print with every verdict about functions, given what proofs assume.

    Conventions at kinks are about what is `differentiated`.
    """
    return Scope.of(functions, differentiated=differentiated).lines(proofs)


@dataclass(frozen=True, slots=True)
class Scope:
    """The lines about functions alone: before and after those about comparisons with 0."""

    before: tuple[str, ...]
    after: tuple[str, ...]

    @staticmethod
    def of(functions: Iterable[Function], *, differentiated: bool = True) -> "Scope":
        """Walk functions; conventions at kinks are about what is `differentiated`."""
        functions = list(functions)
        operations = [each for function in functions for each in function.body.walk()]
        doubtful = _doubtful(functions)
        lines = [REALS, *_literals(operations)]
        for claim, opcodes in ({**_DOMAINS, **_SMOOTH} if differentiated else _DOMAINS).items():
            lines += _hypothesis(doubtful, opcodes, claim)
        lines += _fitting(overflowing(functions))
        lines += _conventions(operations) if differentiated else ()
        return Scope(tuple(lines), (*_promises(operations), *_roundings(operations)))

    def lines(self, proofs: Sequence[Conditions]) -> tuple[str, ...]:
        """Return all lines, given what proofs assume."""
        left_out = _null_sets(max(len(each.kinks) for each in proofs))
        return (*self.before, *left_out, *self.after, *_liberties(proofs))


def partial(functions: Sequence[Function]) -> list[Operation]:
    """Return the operations that hypotheses on domains are about."""
    opcodes = {opcode for each in _DOMAINS.values() for opcode in each}
    doubtful = _doubtful(functions)
    return [each for each in doubtful if each.opcode in opcodes and _is_partial(each)]


def _doubtful(functions: Sequence[Function]) -> list[Operation]:
    signs = signs_of(functions)
    negatives = negatives_of(functions, signs)
    walked = (each for function in functions for each in function.body.walk())
    return [each for each in walked if each.operands and may_fail(each, signs, negatives)]


def place(operation: Operation) -> str:
    """Return where an operation stands: line and name of its first result."""
    name = f"%{operation.results[0].name}" if operation.results else operation.opcode
    return f"line {operation.line}: {name}" if operation.line else name


def _literals(operations: Iterable[Operation]) -> Iterator[str]:
    """Say that literals are decimals, and which of them the floats of the text only approach."""
    inexact: dict[str, None] = {}
    for operation in operations:
        constant = operation.attributes
        if not isinstance(constant, attr.Constant) or not constant.splat:
            continue
        word, stored = decimals(constant)[0], float(constant.array.reshape(-1)[0])
        if (
            math.isfinite(stored)
            and word not in ("true", "false")
            and Fraction(word) != Fraction(stored)
        ):
            inexact[word] = None
    yield "literals are read as the decimals that they round to" + (
        f"; the text stores {_some(list(inexact))} to half a unit in the last place"
        if inexact
        else ""
    )


def _hypothesis(
    operations: Iterable[Operation], opcodes: Sequence[str], claim: str
) -> Iterator[str]:
    found = [place(each) for each in operations if each.opcode in opcodes and _is_partial(each)]
    if found:
        yield f"assumed: {claim} ({_some(found)})"


def _fitting(doubtful: Sequence[Operation]) -> Iterator[str]:
    """Name the integers that may leave their type, those converted apart."""
    converted = [place(each) for each in doubtful if each.opcode == "stablehlo.convert"]
    computed = [place(each) for each in doubtful if each.opcode != "stablehlo.convert"]
    if computed:
        yield f"assumed: computed integers fit their types ({_some(computed)})"
    if converted:
        yield f"assumed: numbers converted to integers fit their types ({_some(converted)})"


def _is_partial(operation: Operation) -> bool:
    """Of integers only quotients are."""
    return operation.results[0].type.element.is_float or operation.opcode in _QUOTIENTS


def _conventions(operations: Iterable[Operation]) -> Iterator[str]:
    used = {_KINKS[each.opcode]: None for each in operations if each.opcode in _KINKS}
    if used:
        yield "gradients hold off kinks and ties; conventions there: " + "; ".join(used)


def _null_sets(kinks: int) -> Iterator[str]:
    if kinks:
        yield f"the case of equality of {kinks} comparison(s) with 0 was left out: a null set"


def _promises(operations: Iterable[Operation]) -> Iterator[str]:
    """Name what a text promises of indices, which no operation is read differently for."""
    indexed = [
        (each, each.attributes)
        for each in operations
        if isinstance(each.attributes, attr.Gather | attr.Scatter)
    ]
    is_sorted = [place(each) for each, a in indexed if a.indices_are_sorted]
    unique = [
        place(each) for each, a in indexed if isinstance(a, attr.Scatter) and a.unique_indices
    ]
    for promise, found in (("sorted", is_sorted), ("unique", unique)):
        if found:
            yield f"assumed: indices are {promise} where the text says so ({_some(found)})"


def _roundings(operations: Iterable[Operation]) -> Iterator[str]:
    found: dict[str, list[str]] = {}
    for each in operations:
        if _rounds(each):
            found.setdefault(_rounded_to(each), []).append(place(each))
    if found:
        maps = "; ".join(f"to {target}: {_some(places)}" for target, places in found.items())
        yield f"roundings count as the identity, straight through in gradients ({maps})"


def _liberties(proofs: Sequence[Conditions]) -> Iterator[str]:
    idealised = {word: meant for each in proofs for word, meant in each.idealised.items()}
    if idealised:
        pairs = [f"{word} as {meant}" for word, meant in idealised.items()]
        yield f"literals read as what they round: {_some(pairs)}"
    in_range = {operation for each in proofs for operation in each.in_range}
    if in_range:
        yield f"assumed: computed indices are in range ({_some(sorted(in_range))})"
    replicas = {count for each in proofs for count in each.replicas}
    if replicas:
        yield f"sums over replicas: {_some([str(n) for n in sorted(replicas)])} of them"


def _rounds(operation: Operation) -> bool:
    if operation.opcode == "stablehlo.reduce_precision":
        return True
    if isinstance(operation.attributes, attr.Iota):
        return _rounds_index(operation.results[0].type, operation.attributes.dimension)
    if operation.opcode != "stablehlo.convert":
        return False
    source, target = operation.operands[0].type.element, operation.results[0].type.element
    narrows = target.dtype.itemsize < source.dtype.itemsize
    return source.is_float and target.is_float and narrows


def _rounds_index(kind: TensorType, dimension: int) -> bool:
    """Return whether an element type does not hold all the numbers that an iota counts."""
    last = kind.shape[dimension] - 1
    numbers = (last, last - 1)
    return kind.element.is_float and any(float(kind.element.dtype.type(n)) != n for n in numbers)


def _rounded_to(operation: Operation) -> str:
    """Return the name of what an operation rounds to: an element type, or its bits."""
    bits = operation.attributes
    if isinstance(bits, attr.ReducePrecision):
        return f"e{bits.exponent_bits}m{bits.mantissa_bits}"
    return operation.results[0].type.element.value


def _some(found: Sequence[str]) -> str:
    """Return the first words, each once, and the number of the others."""
    words = list(dict.fromkeys(found))
    rest = len(words) - LISTED
    return ", ".join(words[:LISTED]) + (f" and {rest} more" if rest > 0 else "")
