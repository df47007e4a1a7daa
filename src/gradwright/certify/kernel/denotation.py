"""Denoting operations: the state of one proof and the table of rules it works by."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from gradwright.certify.kernel.algebra import Algebra, Undefined, Undenotable, number, product_of
from gradwright.certify.kernel.atoms import (
    Argument,
    Atoms,
    Content,
    Coordinate,
    NotANumber,
    Numbers,
    Terms,
    Uninterpreted,
)
from gradwright.certify.kernel.conditions import Between, Conditions
from gradwright.certify.kernel.contractions import Contractions
from gradwright.certify.kernel.index import variable
from gradwright.certify.kernel.multilinear import Application, Multilinear
from gradwright.certify.kernel.pointwise import Pointwise
from gradwright.certify.kernel.sums import Summation
from gradwright.certify.kernel.tensor import Digits, Shape, Tensor, plain_digits
from gradwright.hlo import Block, ElementType, Operation, Value
from gradwright.hlo.attributes import Opaque

Environment = dict[int, Tensor]


@dataclass(frozen=True, slots=True)
class Step:
    """An operation at its operands, in the state of a proof."""

    den: "Denotation"
    operation: Operation
    x: Sequence[Tensor]

    @property
    def p(self) -> Pointwise:
        """Arithmetic on tensors."""
        return self.den.pointwise

    @property
    def shape(self) -> Shape:
        """Shape of the first result."""
        return self.operation.results[0].shape

    def spread(self) -> list[Tensor]:
        """Return the operands at the shape of the result, one number repeated."""
        return [x if x.shape == self.shape else self.den.spread(x, self.shape) for x in self.x]

    def line(self, remark: str) -> str:
        """Return a remark about this line of the text."""
        return f"line {self.operation.line}: {remark}"


Rule = Callable[[Step], Tensor | Sequence[Tensor]]
"""Returns the result of an operation, or all of them."""


class Denotation:
    """Denotes operations over one table of atoms."""

    def __init__(self, rules: Mapping[str, Rule]) -> None:
        self.rules = rules
        self._unknowns = 0
        self.atoms = Atoms()
        self.algebra = Algebra(self.atoms)
        self.summation = Summation(self.algebra)
        self.contractions = Contractions(self.summation)
        self.pointwise = Pointwise(self.contractions)

    def operation(self, operation: Operation, operands: Sequence[Tensor]) -> Sequence[Tensor]:
        """Return the results of one operation; Undenotable says why there are none."""
        opcode = operation.opcode
        rule = self.rules.get(opcode)
        if rule is None:
            # Of the functions in CHLO that are not known, most are undefined somewhere.
            kind = Undefined if opcode.startswith("chlo.") else Undenotable
            raise kind(f"{opcode} has no denotation")
        if isinstance(operation.attributes, Opaque):
            raise Undenotable(f"{operation.opcode} with attributes {operation.attributes.text}")
        if all(0 in value.shape for value in operation.results):
            return [self.splat(0, value.shape) for value in operation.results]
        empty = any(0 in value.shape for value in (*operation.operands, *operation.results))
        if empty and operation.opcode not in TAKE_EMPTY:
            raise Undenotable(f"{operation.opcode} of a tensor without elements")
        if operation.opcode not in TAKE_INFINITY:
            for operand in operands:
                self.require_finite(operand, operation.opcode)
        self.conditions.operation = operation
        results = rule(Step(self, operation, operands))
        results = [results] if isinstance(results, Tensor) else results
        for value, result in zip(operation.results, results, strict=True):
            element = value.type.element
            if element.is_integer:
                self.conditions.operation = operation
                held = Between(Fraction(element.lowest), Fraction(element.highest))
                self.require(held, result, f"an integer that {element.value} does not hold")
        return results

    @property
    def conditions(self) -> Conditions:
        """What the proof assumes so far."""
        return self.pointwise.conditions

    def argument(self, name: str, shape: Shape, element: ElementType = ElementType.F32) -> Tensor:
        """Return a tensor of which nothing is known but its name, shape and kind of numbers."""
        numbers = Numbers.TRUTH if element is ElementType.I1 else Numbers(int(element.is_integer))
        return self.whole(Argument(name, numbers), shape)

    def unknown(self, name: str, shape: Shape, element: ElementType = ElementType.F32) -> Tensor:
        """Return a tensor that may be any function of the inputs: no value of it is a null set."""
        if element.is_float:
            return self.whole(Argument(name, Numbers.ANY), shape)
        return self.argument(name, shape, element)

    def fresh(self, purpose: str, value: Value) -> Tensor:
        """Return an unknown like a value, different from all others."""
        self._unknowns += 1
        name = f"({purpose} {self._unknowns})"
        return self.unknown(name, value.shape, value.type.element)

    def undenoted(self, value: Value, operands: Sequence[Tensor], problem: Exception) -> Tensor:
        """Return what stands for a value without denotation.

        An unknown real number; but where its operands may be none, or it is itself undefined, a NaN
        of its own: else infinities, once negated, would be taken for real numbers.
        """
        real = all(self._infinite_atom(tensor) is None for tensor in operands)
        if real and not isinstance(problem, Undefined):
            return self.fresh("opaque", value)
        self._unknowns += 1
        return self.whole(NotANumber(self._unknowns), value.shape)

    def opaque(
        self, opcode: str, operands: Sequence[Tensor], attributes: object, shape: Shape
    ) -> Tensor:
        """Return an operation known only to be a function of its operands and attributes.

        Loop counters that the operands depend on become leading indices of the atom, so that its
        values at two trips are two values.
        """
        terms, counters = self.closed(operands)
        key = attributes, tuple(x.digits for x in operands), shape
        return self.indexed(Uninterpreted(opcode, terms, key), counters, plain_digits(shape))

    def closed(self, operands: Sequence[Tensor]) -> tuple[tuple[Terms, ...], tuple[int, ...]]:
        """Return the terms of operands after the loop counters they read, and those counters.

        The counters become the first variables, so that the terms mention nothing else.
        """
        counters = tuple(sorted({v for x in operands for v in x.poly.variables if v < 0}))
        count = len(counters)
        loops = self.algebra.box(())
        terms: list[Terms] = []
        for x in operands:
            extents = self.algebra.box(x.digits)
            places = {v: variable(i) for i, v in enumerate(counters)}
            places |= {v: variable(v + count) for v in extents if v >= 0}
            moved = {v + count: n for v, n in extents.items() if v >= 0}
            moved |= {i: loops[v] for i, v in enumerate(counters)}
            terms.append(self.algebra.substitute(x.poly, places, moved).terms)
        return tuple(terms), counters

    def indexed(self, content: Content, counters: Sequence[int], digits: Digits) -> Tensor:
        """Return an atom read at loop counters and at the variables of a tensor."""
        loops = self.algebra.box(())
        extents = tuple(n for dimension in digits for n in dimension)
        atom = self.atoms.intern(content, (*(loops[v] for v in counters), *extents))
        access = (*map(variable, counters), *map(variable, range(len(extents))))
        return Tensor(digits, product_of((atom, access, 1)))

    def whole(self, content: Content, shape: Shape) -> Tensor:
        """Return an atom read at every index of a shape."""
        return self.indexed(content, (), plain_digits(shape))

    def coordinate(self, shape: Shape, dimension: int) -> Tensor:
        """Return the index along a dimension, at every index of a shape."""
        extent = shape[dimension]
        if extent == 1:
            return self.splat(0, shape)
        atom = self.atoms.intern(Coordinate(extent), (extent,))
        place = variable(sum(1 for n in shape[:dimension] if n != 1))
        return Tensor(plain_digits(shape), product_of((atom, (place,), 1)))

    def splat(self, c: Fraction | int, shape: Shape) -> Tensor:
        """Return the constant tensor c."""
        return Tensor(plain_digits(shape), number(c))

    def spread(self, scalar: Tensor, shape: Shape) -> Tensor:
        """Return a scalar repeated over a shape."""
        return Tensor(plain_digits(shape), scalar.poly)

    def is_number(self, tensor: Tensor) -> bool:
        """Return whether a tensor is one number, known or infinite, that no input changes."""
        fixed = self.atoms.infinities
        return all(not guards and {a for a, _, _ in f} <= fixed for f, guards in tensor.poly)

    def entries(self, tensor: Tensor) -> list[Fraction] | None:
        """Return the elements of a tensor made of dense constants alone, None for any other."""
        return self.summation.entries(tensor.poly, self.algebra.box(tensor.digits))

    def reach(self, tensor: Tensor) -> tuple[Fraction, Fraction] | None:
        """Return the least and the greatest entry of constants, indices counted in; else None."""
        e = self.pointwise.affine(tensor)
        if e is not None:
            low, high = e.bounds(self.algebra.box(tensor.digits))
            return Fraction(low), Fraction(high)
        entries = self.entries(tensor)
        return None if entries is None else (min(entries), max(entries))

    def require(self, held: Between, integers: Tensor, problem: str) -> bool:
        """List integers as held; Undenotable for constants that are not. Return which they are."""
        reach = self.reach(integers)
        if reach is None:
            self.pointwise.suppose(held, integers)
        elif reach[0] < held.low or reach[1] > held.high:
            raise Undenotable(problem)
        return reach is not None

    def _infinite_atom(self, tensor: Tensor) -> int | None:
        """Return an atom of a tensor that is no real number, None where all are."""
        infinities = self.atoms.infinities
        found = (f[0] for factors, _ in tensor.poly for f in factors if f[0] in infinities)
        return next(found, None) if infinities else None

    def require_finite(self, tensor: Tensor, doing: str = "arithmetic") -> None:
        """Refuse to compute with a constant that is no real number."""
        atom = self._infinite_atom(tensor)
        if atom is not None:
            nan = isinstance(self.atoms.content(atom), NotANumber)
            raise Undenotable(f"{doing} of {'a NaN' if nan else 'an infinite'} constant")

    def region(self, block: Block, arguments: Sequence[Tensor]) -> list[Tensor]:
        """Return the results of a region at given arguments."""
        environment = {id(v): t for v, t in zip(block.arguments, arguments, strict=True)}
        for operation in block.operations:
            operands = [self._known(environment, value) for value in operation.operands]
            results = self.operation(operation, operands)
            environment |= {id(v): t for v, t in zip(operation.results, results, strict=True)}
        return [self._known(environment, value) for value in block.results]

    def _known(self, environment: Environment, value: Value) -> Tensor:
        if id(value) not in environment:
            raise Undenotable(f"a region that reads %{value.name} from outside")
        return environment[id(value)]

    def region_symbols(self, block: Block) -> list[Tensor]:
        """Return a scalar unknown for each argument of a region, a real number of any value."""
        return [
            self.unknown(f"(region argument {i})", value.shape)
            for i, value in enumerate(block.arguments)
        ]

    def combines_by(self, block: Block, combine: Callable[[Tensor, Tensor], Tensor]) -> bool:
        """Return whether a region maps (lefts…, rights…) to combine(left, right) pair by pair."""
        symbols = self.region_symbols(block)
        half = len(symbols) // 2
        results = self.region(block, symbols)
        wanted = [combine(a, b) for a, b in zip(symbols[:half], symbols[half:], strict=True)]
        return [t.poly for t in results] == [t.poly for t in wanted]

    def linear(self, form: Multilinear, *operands: Tensor) -> Tensor:
        """Return the result of a multilinear form."""
        return self.contractions.apply(form, operands)

    def applied(self, application: Application) -> Tensor:
        """Return the result of a multilinear form at its operands."""
        return self.contractions.apply(application.form, application.operands)


TAKE_EMPTY = frozenset(("stablehlo.concatenate", "stablehlo.pad"))
"""Operations whose rules take operands without elements."""

TAKE_INFINITY = frozenset(
    f"stablehlo.{name}"
    for name in (
        *("add", "subtract", "exponential", "compare", "select", "maximum", "minimum"),
        *("is_finite", "convert", "reduce", "reduce_window", "select_and_scatter", "while"),
        *("broadcast_in_dim", "concatenate", "pad", "reshape", "reverse", "slice", "transpose"),
        "optimization_barrier",
    )
)
"""Operations that order, move or add elements: their rules tell infinite ones from others."""
