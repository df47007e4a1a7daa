"""Dividing the claims about a program's parameters among processes.

A share may take a value that an earlier share has to denote for the cotangent of a forward value:
the earlier share then proves that it is. Which values these are is a guess from who reads them; a
wrong one is not proved, and nothing of the shares counts.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from gradwright.certify.prove import MOVES, PRODUCTS, makers_of, reached
from gradwright.hlo import Block, Operation, Value

Cotangents = Mapping[int, tuple[Value, Value]]
"""Values of a text, by identity, each with the forward value whose cotangent it seems to be."""


WORK = {
    "stablehlo.while": 250,
    "stablehlo.concatenate": 15,
    "stablehlo.convolution": 10,
    "stablehlo.dot_general": 10,
    "stablehlo.reduce": 10,
    "stablehlo.slice": 3,
}
"""Operations that take as long as one of these, as measured on ResNet-34 and MobileNetV4."""
_MOVES = MOVES | {"stablehlo.reverse"}


@dataclass(frozen=True, slots=True)
class Share:
    """A part of the claims: whether those about what is stated, and which updates by number.

    `assumed` are cotangents that an earlier share proves, `proved` those that this one proves.
    """

    stated: bool
    updates: tuple[int, ...]
    assumed: Cotangents = field(default_factory=dict[int, tuple[Value, Value]])
    proved: Cotangents = field(default_factory=dict[int, tuple[Value, Value]])


def shares_of(
    body: Block, known: set[int], groups: Sequence[Sequence[Value]], count: int
) -> list[Share]:
    """Divide the updates, whose results are given, into so many shares of about the same work.

    `known` are the values, by identity, that are denoted before.
    """
    makers = makers_of(body.operations)
    cotangents = cotangents_of(body, known, makers)
    depths = _depths(body, known)
    order = sorted(range(len(groups)), key=lambda i: max(depths.get(id(v), 0) for v in groups[i]))
    everything = reached((v for group in groups for v in group), makers, known) - known
    size = _work(everything, makers) // count
    found: list[_Growing] = []
    for i in order:
        if not found or (found[-1].work >= size and len(found) < count):
            earlier = {v for each in found for v in each.made}
            usable = {v: pair for v, pair in cotangents.items() if v in earlier}
            found.append(_Growing(usable, known | set(usable)))
        found[-1].add(i, groups[i], makers)
    return [each.closed(found[n + 1 :]) for n, each in enumerate(found)]


@dataclass(slots=True)
class _Growing:
    """A share while updates are put into it: what it may stop at, and what it has to denote."""

    usable: Cotangents
    stop: set[int]
    """What is known before, may be assumed or was met already."""
    updates: list[int] = field(default_factory=list[int])
    made: set[int] = field(default_factory=set[int])
    work: int = 0
    assumed: dict[int, tuple[Value, Value]] = field(default_factory=dict[int, tuple[Value, Value]])

    def add(self, i: int, results: Sequence[Value], makers: Mapping[int, Operation]) -> None:
        """Take one more update."""
        met = reached(results, makers, self.stop)
        self.updates.append(i)
        self.assumed.update((v, self.usable[v]) for v in met if v in self.usable)
        new = met - self.stop
        self.made |= new
        self.work += _work(new, makers)
        self.stop |= met

    def closed(self, later: Iterable["_Growing"]) -> Share:
        """Return the share, which proves what later ones assume of what it denotes."""
        wanted = (item for each in later for item in each.assumed.items())
        proved = {v: pair for v, pair in wanted if v in self.made}
        return Share(
            stated=False, updates=tuple(sorted(self.updates)), assumed=self.assumed, proved=proved
        )


def _work(values: Iterable[int], makers: Mapping[int, Operation]) -> int:
    """Return how much work it is to denote values, in operations."""
    made = (makers[v] for v in values if v in makers)
    return sum(WORK.get(each.opcode, 1) for each in made)


def _depths(body: Block, known: set[int]) -> Mapping[int, int]:
    """Return the length of the longest way from what is known to each other value."""
    found: dict[int, int] = {}
    for operation in body.operations:
        if id(operation.results[0]) not in known:
            depth = 1 + max((found.get(id(v), 0) for v in operation.reads), default=0)
            found.update((id(result), depth) for result in operation.results)
    return found


def cotangents_of(body: Block, known: set[int], makers: Mapping[int, Operation]) -> Cotangents:
    """Return values that are read in a product with what one product of the forward reads.

    Of y = product(x, w), the product with w is the cotangent of x, and it reads that of y.
    """
    products = [each for each in body.operations if each.opcode in PRODUCTS]
    arguments = {id(v) for v in body.arguments}
    readers: dict[int, list[Value]] = {}
    for operation in products:
        for operand in operation.operands if id(operation.results[0]) in known else ():
            *_, base = _moved(operand, makers)
            if id(base) in arguments:
                readers.setdefault(id(base), []).append(operation.results[0])
    found: dict[int, tuple[Value, Value]] = {}
    for operation in products:
        ways = (operation.operands, operation.operands[::-1])
        for ours, other in ways if id(operation.results[0]) not in known else ():
            *_, base = _moved(other, makers)
            wholes = readers.get(id(base), [])
            alike = [
                v for v in _moved(ours, makers) if len(wholes) == 1 and v.shape == wholes[0].shape
            ]
            if alike and id(alike[-1]) in makers and id(alike[-1]) not in known:
                found[id(alike[-1])] = alike[-1], wholes[0]
    return found


def _moved(value: Value, makers: Mapping[int, Operation]) -> Iterator[Value]:
    """Yield a value, and what it was moved or padded from, to the first that is computed."""
    yield value
    while (maker := makers.get(id(value))) is not None and maker.opcode in _MOVES:
        value = maker.operands[0]
        yield value
