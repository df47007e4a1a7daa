"""Two functions at one random input, in f64: what a text returns, and what it should return.

A gradient is compared with central differences of the value that it differentiates. Steps of two
sizes on both sides give the slope and its error; a kink inside the steps, or at the input itself,
shows as error.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from gradwright.certify.refute_integers import Integers, are_inside, integers_of
from gradwright.certify.verdicts import Distribution
from gradwright.certify.witness import draw, widened
from gradwright.certify.witness_process import Evaluator, Unevaluated
from gradwright.certify.witness_rounding import roughened
from gradwright.hlo import Block, Function, Module, Operation, Value, print_module
from gradwright.hlo.attributes import Constant
from gradwright.hlo.writing import without_dead_code

Arrays = list[np.ndarray]
Laws = Mapping[int, Distribution]

SMALL = 1e-4
"""A smaller difference may be what a sum of larger numbers has lost, and is measured by them."""
STEP = 1e-5
"""Central differences of steps h and h / 2 leave about 1e-11 of the value as noise."""
ROUNDING = 4e-16
NOISE = 8 * ROUNDING / STEP
"""What difference quotients are off by, relative to the numbers that are subtracted."""
_COPIES = frozenset(
    f"stablehlo.{name}"
    for name in (
        "broadcast_in_dim", "concatenate", "convert", "optimization_barrier", "pad", "reshape",
        "reverse", "select", "slice", "transpose",
    )
)  # fmt: skip
DRAWN = 1 << 27
"""Elements of all arguments: 1 GiB of numbers, of which the interpreter makes several copies."""
FAR = 20.0
"""How many times its estimated error a difference must be."""
SIGNIFICANT = 1e-6
"""How large beside the gradient itself; a literal of f32 is off by 6e-8."""


@dataclass(frozen=True, slots=True)
class Texts:
    """Two functions of the same arguments, over f64: what is returned, and what is compared.

    `value` is the forward function, whose arguments are the first ones of `emitted`. `seeds[k]` is
    the argument of `emitted` that weighs result k of `value`; None: weight 1.
    """

    emitted: str
    value: str
    arguments: tuple[Value, ...]
    count: int
    seeds: tuple[int | None, ...]
    observed: tuple[str, str]
    """Both functions once more, returning every number that they compute on the way.

    Copies of them are left out, and so are infinities that are written in the text: nothing is lost
    beside them, and a copy may have them as padding.
    """
    integers: Integers
    starts: tuple[str, ...]
    """The computed indices of both, where some arguments are integers."""


def texts_of(
    emitted: Function,
    value: Function,
    seeds: Sequence[int | None] = (),
    jitter: int = 0,
    roughness: int = 0,
) -> Texts:
    """Return both functions over f64; ParseError where one has no such form.

    A `jitter` moves inexact literals, a `roughness` what is computed, each number in its own way.
    """
    integers = integers_of(emitted, value)
    return Texts(
        _text(emitted, jitter, roughness),
        _text(value, jitter, roughness),
        emitted.body.arguments,
        len(value.body.arguments),
        tuple(seeds),
        (_text(_observed(emitted), jitter), _text(_observed(value), jitter)),
        integers,
        tuple(_text(each, 0) for each in integers.starts),
    )


class NoIntegers(Unevaluated):
    """No integers that are tried put all computed indices in range."""


def with_integers(
    inputs: Sequence[np.ndarray], texts: Texts, seed: int, evaluate: Evaluator
) -> Arrays:
    """Return inputs whose integers are of those that texts tell apart, all indices in range.

    Errors: NoIntegers where none of those are found.
    """
    types = [value.type for value in texts.arguments]
    counts = [len(each.body.arguments) for each in texts.integers.starts]
    for offer in range(len(texts.integers.offers)):
        placed = texts.integers.drawn(offer, types, seed)
        tried = [placed.get(i, array) for i, array in enumerate(inputs)]
        if all(
            not limits or are_inside(evaluate(text, tried[:count]), limits)
            for text, limits, count in zip(texts.starts, texts.integers.limits, counts, strict=True)
        ):
            return tried
    if texts.integers.offers:
        raise NoIntegers("no integers were found that put all computed indices in range")
    return list(inputs)


def _observed(function: Function) -> Function:
    body = without_dead_code(function.body)
    computed = [each for each in body.operations if not (_is_copy(each) or _is_infinity(each))]
    values = [value for operation in computed for value in operation.results]
    floats = [value for value in values if value.type.element.is_float]
    return Function(function.name, replace(body, results=tuple(floats)))


def _is_copy(operation: Operation) -> bool:
    """Whether each number of the result is one of an operand of floats."""
    return operation.opcode in _COPIES and operation.operands[-1].type.element.is_float


def _is_infinity(operation: Operation) -> bool:
    constant = operation.attributes
    return isinstance(constant, Constant) and bool(
        operation.results[0].type.element.is_float and np.isinf(constant.array).all()
    )


def restricted(function: Function, results: Sequence[Value]) -> Function:
    """Return the function that computes only some values."""
    block = Block(function.body.arguments, function.body.operations, tuple(results))
    return Function(function.name, without_dead_code(block))


def _text(function: Function, jitter: int, roughness: int = 0) -> str:
    wide = widened(Module("witness", (Function("main", function.body),)), jitter)
    if roughness:
        wide = replace(wide, functions=tuple(roughened(each, roughness) for each in wide.functions))
    return print_module(wide)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number and how far it may be off."""

    value: float
    error: float


@dataclass(slots=True)
class Point:
    """Both functions at one drawn input; values are computed once."""

    texts: Texts
    evaluate: Evaluator
    seed: int
    law: Distribution
    laws: Laws
    nudge: float = 0.0
    inputs: Arrays = field(default_factory=list[np.ndarray])
    returned: Arrays = field(default_factory=list[np.ndarray])
    _here: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        """Draw the inputs and evaluate the emitted function at them."""
        types = [value.type for value in self.texts.arguments]
        if sum(each.size for each in types) > DRAWN:
            raise Unevaluated(f"the arguments have more than {DRAWN:,} elements")
        self.inputs = draw(types, self.seed, self.law, self.laws)
        if self.nudge:
            generator = np.random.default_rng(self.seed + 4000)
            self.inputs = [_nudged(each, self.nudge, generator) for each in self.inputs]
        self.inputs = with_integers(self.inputs, self.texts, self.seed, self.evaluate)
        self.returned = self.evaluate(self.texts.emitted, self.inputs)

    def wanted(self) -> Arrays:
        """Return the results of the value at the inputs."""
        return self.evaluate(self.texts.value, self.inputs[: self.texts.count])

    def largest(self) -> tuple[float, float]:
        """Return the greatest sizes of numbers on the way to emitted results and to the value.

        What is smaller than its last place may have been lost in a sum or a difference, wholly and
        at every input nearby: log(1 + 1e-20) is 0 with all its difference quotients.
        """
        emitted, value = self.texts.observed
        floats = [each for each in self.inputs if np.issubdtype(each.dtype, np.floating)]
        given = max((float(np.max(np.abs(each), initial=0.0)) for each in floats), default=0.0)
        return (
            max(given, self.evaluate.largest(emitted, self.inputs)),
            max(given, self.evaluate.largest(value, self.inputs[: self.texts.count])),
        )

    def slope(self, argument: int, direction: np.ndarray) -> Estimate:
        """Return the derivative of the seeded value along a direction of one argument.

        Errors: Unevaluated where the argument takes no steps.
        """
        if not np.issubdtype(self.inputs[argument].dtype, np.floating):
            raise Unevaluated("an argument of integers takes no steps")
        if self._here is None:
            self._here = self._value(argument, 0 * direction)
        steps = (STEP, -STEP, STEP / 2, -STEP / 2)
        found = [self._here, *(self._value(argument, step * direction) for step in steps)]
        here, up, down, half_up, half_down = (total for total, _ in found)
        size = max(size for _, size in found)
        wide, narrow = (up - down) / (2 * STEP), (half_up - half_down) / STEP
        bend = (up - 2 * here + down) / STEP
        half_bend = (half_up - 2 * here + half_down) / (STEP / 2)
        value = (4 * narrow - wide) / 3
        noise = NOISE * size
        return Estimate(value, abs(value - narrow) + abs(2 * half_bend - bend) + noise)

    def rough_slope(self, argument: int, direction: np.ndarray) -> float:
        """Return the derivative along a direction, from one step to each side."""
        up, _ = self._value(argument, STEP * direction)
        down, _ = self._value(argument, -STEP * direction)
        return (up - down) / (2 * STEP)

    def _value(self, argument: int, shift: np.ndarray) -> tuple[float, float]:
        """Return the seeded value at a shifted input, and the sum of its absolute terms."""
        inputs = list(self.inputs)
        inputs[argument] = inputs[argument] + shift
        results = self.evaluate(self.texts.value, inputs[: self.texts.count])
        total = size = 0.0
        for result, seed in zip(results, self.texts.seeds, strict=True):
            weighed = result if seed is None else result * self.inputs[seed]
            total += float(np.sum(weighed))
            size += float(np.sum(np.abs(weighed)))
        return total, size


def _nudged(array: np.ndarray, size: float, generator: np.random.Generator) -> np.ndarray:
    if not np.issubdtype(array.dtype, np.floating):
        return array
    return array * (1 + size * generator.standard_normal(array.shape))


@dataclass(frozen=True, slots=True)
class Difference:
    """Emitted minus wanted along a direction, the sizes of both, and the error of the estimate.

    Both are beside `start`, which is not 0 where what matters is how far a number has moved.
    """

    emitted: float
    wanted: float
    error: float
    size: float
    start: float = 0.0

    @property
    def gap(self) -> float:
        """Emitted minus wanted."""
        return self.emitted - self.wanted

    @property
    def is_far(self) -> bool:
        """Whether the sides differ by far more than what the estimate may be off."""
        finite = np.isfinite([self.emitted, self.wanted, self.error]).all()
        return bool(finite) and abs(self.gap) > self._told_apart

    @property
    def agrees(self) -> bool:
        """Whether the sides are seen to be the same."""
        return abs(self.gap) <= self._told_apart

    @property
    def is_beside_larger(self) -> bool:
        """Whether the rounding of literals in the numbers themselves may be as large as the gap."""
        return abs(self.gap) <= SIGNIFICANT * max(abs(self.emitted), abs(self.wanted))

    @property
    def _told_apart(self) -> float:
        moved = max(abs(self.emitted - self.start), abs(self.wanted - self.start), self.size)
        return max(FAR * self.error, SIGNIFICANT * moved)


def root_mean_square(array: np.ndarray) -> float:
    """Return how large elements are; 0 where there are none."""
    return float(np.sqrt(np.mean(array**2))) if array.size else 0.0
