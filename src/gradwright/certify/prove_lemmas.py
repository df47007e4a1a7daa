"""Lemmas: a value that a statement says to be a contraction is proved to be that, and used as it.

A convolution may be computed tile by tile, in sums before and after fewer products. Such a value
has tens of terms, and all that is made of it as many times more; the one that is stated has one.
Statements are asked for names and shapes alone: which values a lemma is about is found in the text,
and whether it is true is proved of the text. A loop may be such a value; it is not written out.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from gradwright.certify.effort import TooLarge
from gradwright.certify.kernel.algebra import Undenotable
from gradwright.certify.kernel.index import read_at, variable
from gradwright.certify.kernel.multilinear import Multilinear
from gradwright.certify.kernel.tensor import Shape
from gradwright.certify.meaning import factors_of
from gradwright.certify.meaning_space import Space
from gradwright.certify.notation import Bind, Read, Statement, walk
from gradwright.certify.notation_extents import LeftSide, bound_extents, left_side
from gradwright.certify.prove import Proof
from gradwright.certify.prove_joins import Order, orders
from gradwright.errors import ParseError
from gradwright.hlo import Operation, Value

OPERATIONS = 50
"""Operations from which a contraction may be made in tiles: they take a hundred and more."""
OPERANDS = 2
"""Values that a contraction in tiles reads: what a kernel moves over, and the kernel."""
REACH = 1000
"""Operations that are looked back over: F(2, 3) of two axes takes a quarter of them."""
_PLACES = frozenset(
    f"stablehlo.{name}" for name in ("concatenate", "reshape", "slice", "transpose", "while")
)
"""What puts tiles in their places, last."""


@dataclass(frozen=True, slots=True)
class _Stated:
    """A sum of products of reads, with the names and shapes of what it reads."""

    form: Multilinear
    names: tuple[str, ...]
    shapes: tuple[Shape, ...]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A value that may be a contraction of values before it, and the operations in between."""

    value: Value
    operands: tuple[Value, ...]
    between: Sequence[Operation]
    stated: _Stated

    @property
    def inside(self) -> set[int]:
        """The values on the way, by identity."""
        return {id(r) for op in self.between for r in op.results if r is not self.value}

    def forms(self) -> Iterator[Multilinear]:
        """Yield the contraction for each order of the dimensions of what is read and made.

        That of both in one order first, as texts have them.
        """
        stated, shape = self.stated, self.value.shape
        pairs = zip(stated.shapes, self.operands, strict=True)
        for turned in product(*(orders(shape, operand.shape) for shape, operand in pairs)):
            reads = tuple(
                tuple(read[d] for d in order)
                for read, order in zip(stated.form.reads, turned, strict=True)
            )
            form = replace(stated.form, reads=reads)
            for order in sorted(orders(form.shape, shape), key=lambda o: o not in turned):
                yield _turned(form, order)

    def is_proved(self, proof: Proof, cut: set[int]) -> bool:
        """Return whether the value is proved to be the contraction, and taken for it from now."""
        try:
            return proof.contract(self.value, self.operands, self.forms(), self.between, cut)
        except (TooLarge, Undenotable):
            return False


def candidates(
    operations: Sequence[Operation], statements: Sequence[Statement], arguments: Mapping[str, Value]
) -> dict[int, Candidate]:
    """Return what seems to be a contraction that statements speak of, by the operation's identity.

    `arguments` are values of the text by name.
    """
    search = _Search(statements, arguments)
    found = ((id(op), search.at(operations, k)) for k, op in enumerate(operations, 1))
    return {key: candidate for key, candidate in found if candidate is not None}


class _Search:
    """The contractions that statements speak of, to be met in a text."""

    def __init__(self, statements: Sequence[Statement], arguments: Mapping[str, Value]) -> None:
        self.arguments = arguments
        self._given = {id(value) for value in arguments.values()}
        self._constants: dict[int, Operation] = {}
        self._stated: dict[Shape, list[_Stated]] = {}
        shapes = {name: value.shape for name, value in arguments.items()}
        for stated in _contractions(statements, shapes):
            self._stated.setdefault(_sorted(stated.form.shape), []).append(stated)

    def at(self, operations: Sequence[Operation], count: int) -> Candidate | None:
        """Return what the last of `count` operations makes; to be asked of each in turn."""
        made = operations[max(count - REACH, 0) : count]
        if made[-1].opcode == "stablehlo.constant":
            self._constants[id(made[-1].results[0])] = made[-1]
        if made[-1].opcode not in _PLACES:
            return None
        found = (self._candidate(made, value) for value in _changed(made[-1]))
        return next(filter(None, found), None)

    def _candidate(self, made: Sequence[Operation], value: Value) -> Candidate | None:
        stated = self._stated.get(_sorted(value.shape), ())
        for read, between in self._behind(made, value) if stated else ():
            for each in stated:
                operands = self._operands(each, read)
                if operands is not None and sum(map(_count, between)) >= OPERATIONS:
                    return Candidate(value, operands, between, each)
        return None

    def _behind(
        self, made: Sequence[Operation], value: Value
    ) -> Iterator[tuple[Sequence[Value], Sequence[Operation]]]:
        """Yield the few values that a value of the last operation is made of, and what makes it.

        One value more than arguments at most: the nearest first.
        """
        given: dict[int, Value] = {}
        pending = {id(value): value}
        between: list[Operation] = []
        constants: dict[int, Operation] = {}
        for operation in reversed(made):
            mine = [id(r) for r in operation.results if id(r) in pending]
            if not mine:
                continue
            for known in mine:
                del pending[known]
            between.insert(0, operation)
            for each in operation.reads:
                if id(each) in self._constants:
                    constants[id(each)] = self._constants[id(each)]
                elif id(each) in self._given:
                    given[id(each)] = each
                else:
                    pending[id(each)] = each
            if len(given) > OPERANDS:
                return
            if len(pending) < OPERANDS and len(pending) + len(given) == OPERANDS:
                yield (*given.values(), *pending.values()), [*constants.values(), *between]

    def _operands(self, stated: _Stated, read: Sequence[Value]) -> tuple[Value, ...] | None:
        """Return the values that are read as those of a statement, in its order; None if not."""
        if len(stated.names) != len(read):
            return None
        named = [self.arguments.get(name) for name in stated.names]
        rest = [v for v in read if all(v is not given for given in named)]
        found = [(rest.pop(0) if rest else None) if given is None else given for given in named]
        operands = tuple(v for v in found if v is not None)
        alike = [_sorted(v.shape) for v in operands] == [_sorted(shape) for shape in stated.shapes]
        known = {id(v) for v in operands} == {id(v) for v in read}
        return operands if known and alike else None


def _contractions(
    statements: Sequence[Statement], shapes: Mapping[str, Shape]
) -> Iterator[_Stated]:
    """Yield the sums of products in statements whose results have one index for each dimension."""
    known = dict(shapes)
    for statement in statements:
        try:
            left = left_side(statement, known)
            known[statement.target] = _shape(statement, known, left)
            if left.shape == left.extents:
                yield from _stated(statement, left, known)
        except (ParseError, Undenotable):
            return


def _shape(statement: Statement, known: Mapping[str, Shape], left: LeftSide) -> Shape:
    """Return the shape of what is defined: of whole values, that of the one of most dimensions."""
    if statement.indices is not None:
        return left.shape
    read = (each.name for each in walk(statement.value) if isinstance(each, Read))
    return max((known[name] for name in read if name in known), key=len, default=())


def _stated(statement: Statement, left: LeftSide, known: Mapping[str, Shape]) -> Iterator[_Stated]:
    outer = dict(zip(left.names, left.extents, strict=True))
    for each in walk(statement.value):
        factors = factors_of(each.body) if isinstance(each, Bind) else None
        if not isinstance(each, Bind) or each.kind != "sum" or factors is None:
            continue
        names = tuple(name for name, _ in factors)
        if len(names) > 1 and known.keys() >= set(names):
            sizes = tuple(bound_extents(each, known, outer))
            bound = tuple(name for name, _ in each.indices)
            space = Space((*left.names, *bound), (*left.extents, *sizes), {})
            reads = tuple(tuple(map(space.index, indices)) for _, indices in factors)
            form = Multilinear(left.extents, sizes, reads)
            yield _Stated(form, names, tuple(known[name] for name in names))


def _turned(form: Multilinear, order: Order) -> Multilinear:
    """Return a form whose dimension k is dimension order[k] of the given one."""
    place = {old: variable(new) for new, old in enumerate(order)}
    rank = len(order)
    place |= {v: variable(v) for v in range(rank, rank + len(form.summed))}
    return Multilinear(
        tuple(form.shape[d] for d in order),
        form.summed,
        tuple(read_at(read, place) for read in form.reads),
    )


def _changed(operation: Operation) -> Iterator[Value]:
    """Yield the results of an operation, of a loop what a trip does not hand on as it was."""
    if operation.opcode != "stablehlo.while":
        yield from operation.results
        return
    body = operation.regions[1]
    for result, before, after in zip(operation.results, body.arguments, body.results, strict=True):
        if after is not before:
            yield result


def _sorted(shape: Shape) -> Shape:
    return tuple(sorted(shape))


def _count(operation: Operation) -> int:
    inside = (each for region in operation.regions for each in region.operations)
    return 1 + sum(map(_count, inside))
