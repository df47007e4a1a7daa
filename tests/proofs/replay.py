"""A pair of texts and its certificate, written out for Coq at symbolic extents.

The certificate says which value of the backward text is the cotangent of which argument. What is
written is one instruction for each value of the forward text, one definition for each value of the
backward text, one equation for each forward value (its cotangent is the sum of what the operations
that read it give), and one theorem for each argument. Each distinct extent becomes a finite set of
any size. Nothing here is trusted to be right but the reading of the operations.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from gradwright.check.certificate import Certificate, GradientClaim
from gradwright.hlo import Operation, Shape, Value, read_module
from gradwright.hlo import attributes as attr
from gradwright.hlo.literals import decimals

UNMATCHED = "?"
"""The cotangent of a forward value for which the backward text shows none."""


class UnreadableError(Exception):
    """A text holds something that is not replayed."""


def extent(n: int) -> str:
    return f"d{n}"


def index_set(shape: Shape) -> str:
    if not shape:
        return "unit_finType"
    names = " * ".join(map(extent, shape))
    return names if len(shape) == 1 else f"[finType of {names}]"


def component(variable: str, place: int, rank: int) -> str:
    """Return a component of a left-nested tuple."""
    if rank == 1:
        return variable
    return variable + ".1" * (rank - 1 - place) + (".2" if place else "")


def tuple_of(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"({', '.join(parts)})"


def picked(variable: str, places: Sequence[int], rank: int) -> str:
    return tuple_of([component(variable, place, rank) for place in places])


@dataclass(frozen=True, slots=True)
class Contraction:
    """A product of matrices: its points, and where they read the result and both operands."""

    points: str
    result: str
    left: str
    right: str

    def of(self, a: str, b: str) -> str:
        return (
            f"contract (P := {self.points}) xpredT {self.result} {self.left} {self.right} {a} {b}"
        )

    def maps(self, *order: str) -> str:
        return f"contract (P := {self.points}) xpredT {' '.join(order)}"


def contraction(operation: Operation) -> Contraction:
    a, (x, y) = operation.attributes, operation.operands
    assert isinstance(a, attr.DotGeneral)
    if a.lhs_batching or len(x.shape) != 2 or len(y.shape) != 2:
        raise UnreadableError("a product of other than two matrices")
    (i,), (j,) = a.lhs_contracting, a.rhs_contracting
    free, shared, other = x.shape[1 - i], x.shape[i], y.shape[1 - j]
    # Rows, columns and the summed index in one order, whichever product of the three it is.
    order = {(1, 0): "fsg", (0, 0): "sfg", (1, 1): "fgs"}[i, j]
    at = {name: component("p", place, 3) for place, name in enumerate(order)}
    size = {"f": free, "s": shared, "g": other}
    left = [at["f"], at["s"]] if i else [at["s"], at["f"]]
    right = [at["g"], at["s"]] if j else [at["s"], at["g"]]
    read = [f"(fun p => {tuple_of(parts)})" for parts in ([at["f"], at["g"]], left, right)]
    return Contraction(index_set(tuple(size[name] for name in order)), *read)


def constant(operation: Operation) -> str:
    """Return the one number of a constant."""
    assert isinstance(operation.attributes, attr.Constant)
    [word] = decimals(operation.attributes)[:1]
    whole = float(word)
    if not operation.attributes.splat or whole != int(whole):
        raise UnreadableError(f"the constant {word}")
    return f"({int(whole)})"


def summed(operation: Operation) -> tuple[int, ...]:
    """Return the dimensions that a sum over dimensions keeps."""
    body = operation.regions[0].operations
    assert isinstance(operation.attributes, attr.Dimensions)
    if [inner.opcode for inner in body] != ["stablehlo.add"]:
        raise UnreadableError("a reduction that is no sum")
    over = operation.attributes.dimensions
    return tuple(d for d in range(len(operation.operands[0].shape)) if d not in over)


@dataclass(slots=True)
class Replay:
    """The forward text numbered, the backward text by name, and who is whose cotangent."""

    arguments: tuple[Value, ...]
    operations: tuple[Operation, ...]
    constants: Mapping[str, Operation]
    backward: Mapping[str, Operation]
    cotangent: Value
    claimed: Mapping[str, str]
    numbers: dict[str, int] = field(init=False)
    adjoints: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        names = [v.name for v in self.arguments]
        names += [operation.results[0].name for operation in self.operations]
        self.numbers = {name: i for i, name in enumerate(names)}
        self.adjoints = {}
        self._match()

    @property
    def count(self) -> int:
        """How many values there are, with the product of the output and its cotangent."""
        return len(self.numbers) + 1

    @property
    def output(self) -> str:
        return self.operations[-1].results[0].name

    def shapes(self) -> list[Shape]:
        values = [*self.arguments, *(operation.results[0] for operation in self.operations)]
        return [value.shape for value in values]

    def readers(self, name: str) -> list[Operation]:
        return [o for o in self.operations if name in [v.name for v in o.operands]]

    def _match(self) -> None:
        """Find out which value of the backward text is the cotangent of each forward value.

        A wrong guess makes an equation that Coq refuses, and nothing else.
        """
        for name in reversed(self.numbers):
            parts = [self._handed(reader, name) for reader in self.readers(name)]
            found = self.cotangent.name if name == self.output else parts[0] if parts else None
            if len(parts) == 2:
                found = self._named("stablehlo.add", parts)
            self.adjoints[name] = self.claimed.get(name) or found or UNMATCHED

    def _handed(self, reader: Operation, name: str) -> str:
        """Return the name of what a reader hands to its operand."""
        above = self.adjoints[reader.results[0].name]
        others = [v.name for v in reader.operands if v.name != name]
        match reader.opcode:
            case "stablehlo.add":
                return above
            case "stablehlo.dot_general":
                return self._named(reader.opcode, [above, *others])
            case "stablehlo.broadcast_in_dim":
                return self._named("stablehlo.reduce", [above])
            case "stablehlo.maximum":
                return self._named("stablehlo.select", [above])
            case _:
                return self._named("stablehlo.multiply", [above])

    def _named(self, opcode: str, operands: Sequence[str]) -> str:
        for name, operation in self.backward.items():
            read = {v.name for v in operation.operands}
            if operation.opcode == opcode and read >= set(operands) and name not in self.numbers:
                return name
        return UNMATCHED


def read(forward: str, backward: str, certificate: Certificate) -> Replay:
    """Read two texts, and from the certificate which values are claimed to be cotangents."""
    one, two = read_module(forward).main.body, read_module(backward).main.body
    constants = {o.results[0].name: o for o in one.operations if o.opcode == "stablehlo.constant"}
    operations = tuple(o for o in one.operations if o.results[0].name not in constants)
    values = [*one.arguments, *(v for o in one.operations for v in o.results)]
    values += [*two.arguments, *(v for o in two.operations for v in o.results)]
    claimed: dict[str, str] = {}
    for claim in certificate.claims:
        assert isinstance(claim, GradientClaim)
        claimed[one.arguments[claim.argument].name] = values[claim.value].name
    named = {o.results[0].name: o for o in two.operations}
    return Replay(one.arguments, operations, constants, named, two.arguments[-1], claimed)
