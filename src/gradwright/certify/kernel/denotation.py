"""Denoting operations: the state of one proof and the table of rules it works by."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from gradwright.certify.kernel.algebra import Algebra, Undenotable, number
from gradwright.certify.kernel.atoms import Argument, Atoms, Content, Infinity
from gradwright.certify.kernel.index import variable
from gradwright.certify.kernel.multilinear import Contractions, Multilinear
from gradwright.certify.kernel.pointwise import Pointwise
from gradwright.certify.kernel.relations import Relations
from gradwright.certify.kernel.sums import Summation
from gradwright.certify.kernel.tensor import Shape, Tensor, plain_digits
from gradwright.hlo import Block, Operation, Value

Environment = dict[int, Tensor]
Rule = Callable[["Denotation", Operation, Sequence[Tensor]], Sequence[Tensor]]


class Denotation:
    """Denotes operations over one table of atoms."""

    def __init__(self, rules: Mapping[str, Rule]) -> None:
        self.rules = rules
        self.atoms = Atoms()
        self.algebra = Algebra(self.atoms)
        self.summation = Summation(self.algebra, Relations(self.algebra))
        self.contractions = Contractions(self.algebra, self.summation)
        self.pointwise = Pointwise(self.algebra, self.contractions)

    def operation(self, operation: Operation, operands: Sequence[Tensor]) -> Sequence[Tensor]:
        """Return the results of one operation; Undenotable says why there are none."""
        rule = self.rules.get(operation.opcode)
        if rule is None:
            raise Undenotable(f"{operation.opcode} has no denotation")
        if operation.opcode not in TAKE_INFINITY:
            for operand in operands:
                self.require_finite(operand)
        return rule(self, operation, operands)

    def argument(self, name: str, shape: Shape) -> Tensor:
        """Return a tensor of which nothing is known but its name and shape."""
        return self.whole(Argument(name), shape)

    def whole(self, content: Content, shape: Shape) -> Tensor:
        """Return an atom read at every index of a shape."""
        extents = tuple(extent for extent in shape if extent != 1)
        atom = self.atoms.intern(content, extents)
        access = tuple(variable(i) for i in range(len(extents)))
        return Tensor(plain_digits(shape), {(((atom, access, 1),), ()): Fraction(1)})

    def splat(self, c: Fraction | int, shape: Shape) -> Tensor:
        """Return the constant tensor c."""
        return Tensor(plain_digits(shape), number(c))

    def spread(self, scalar: Tensor, shape: Shape) -> Tensor:
        """Return a scalar repeated over a shape."""
        return Tensor(plain_digits(shape), scalar.poly)

    def require_finite(self, tensor: Tensor) -> None:
        """Refuse arithmetic with an infinite constant."""
        for factors, _ in tensor.poly:
            if any(isinstance(self.atoms.content(atom), Infinity) for atom, _, _ in factors):
                raise Undenotable("arithmetic with an infinite constant")

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
        """Return a scalar unknown for each argument of a region."""
        return [
            self.argument(f"(region argument {i})", value.shape)
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


TAKE_INFINITY = frozenset(
    {
        "stablehlo.broadcast_in_dim",
        "stablehlo.compare",
        "stablehlo.concatenate",
        "stablehlo.convert",
        "stablehlo.maximum",
        "stablehlo.minimum",
        "stablehlo.optimization_barrier",
        "stablehlo.pad",
        "stablehlo.reduce",
        "stablehlo.reduce_window",
        "stablehlo.reshape",
        "stablehlo.reverse",
        "stablehlo.select",
        "stablehlo.slice",
        "stablehlo.transpose",
        "stablehlo.while",
    }
)
"""Operations that only order or move elements, for which -inf is an element like another."""
