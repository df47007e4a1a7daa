"""The search: which values become classes of their own, and what is compared with what.

Nothing here is trusted for soundness: a cut replaces a polynomial by the class that it is.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from gradwright.certify.advice.fingerprints import Fingerprints
from gradwright.certify.advice.intervals import suggested_union
from gradwright.certify.effort import TooLarge
from gradwright.certify.kernel.adjoint import Contracted, Sweep
from gradwright.certify.kernel.algebra import ONE, Poly, Undenotable, product_of
from gradwright.certify.kernel.atoms import Exponent
from gradwright.certify.kernel.classes import intern_class
from gradwright.certify.kernel.denotation import Denotation
from gradwright.certify.kernel.denote import new_denotation
from gradwright.certify.kernel.equality import Depth, equal
from gradwright.certify.kernel.multilinear import Multilinear
from gradwright.certify.kernel.reading import vanishes
from gradwright.certify.kernel.tensor import Tensor
from gradwright.hlo import Operation, Value

_NONLINEAR = frozenset(
    f"stablehlo.{name}"
    for name in (
        "maximum", "minimum", "exponential", "tanh", "logistic", "compare", "log", "select",
        "clamp", "abs", "rsqrt", "sqrt", "reduce_window", "select_and_scatter",
    )
)  # fmt: skip
_REDUCTION = "stablehlo.reduce"
MOVES = frozenset(
    {
        "stablehlo.optimization_barrier",
        "stablehlo.reshape",
        "stablehlo.transpose",
        "stablehlo.convert",
        "stablehlo.slice",
        "stablehlo.pad",
    }
)
_CHOICES = frozenset(
    {"stablehlo.maximum", "stablehlo.minimum", "stablehlo.select", "stablehlo.clamp"}
)
_SUMS = frozenset({"stablehlo.add", "stablehlo.concatenate"})
"""What has as many terms as all its operands together."""
_LOGARITHMS = frozenset({"stablehlo.log", "stablehlo.log_plus_one"})
_LAYERS = frozenset(
    {
        "stablehlo.convolution",
        "stablehlo.dot_general",
        "stablehlo.pad",
        "stablehlo.concatenate",
        "stablehlo.reduce_window",
    }
)
"""What begins a layer: a text holds the cotangent of what it reads as a value of its own."""
PRODUCTS = frozenset({"stablehlo.convolution", "stablehlo.dot_general"})
"""What gradients read the cotangent of, sum by sum: a norm's has six terms."""
WINDOWS = "stablehlo.reduce_window"
COTANGENT_TERMS = 2
WINDOW_TERMS = 1
"""Terms that the cotangent of a sum over windows may have as it is: the windows overlap, and each
term would be met once for every window."""
PROOF_TERMS = 100_000
"""Terms that a proof may make, of the order of 20 seconds of work. What meets the end of them is
unknown and named; no clock is read, so that the verdict is the same on every machine."""
OPERATION_TERMS = 500
"""Terms that each operation adds to them: ten times what most take."""

_Reads = frozenset[tuple[tuple[int, Exponent], ...]]
"""The atoms and exponents of each term of a value."""


@dataclass(slots=True)
class Proof:
    """Denotations of one or more functions over shared arguments."""

    den: Denotation = field(default_factory=new_denotation)
    known: dict[int, Tensor] = field(default_factory=dict[int, Tensor])
    cuts: set[int] = field(default_factory=set[int])
    failures: dict[int, str] = field(default_factory=dict[int, str])
    _cut_reads: set[_Reads] = field(default_factory=set[_Reads])
    """What the terms of each cut read: most other values are told from them so."""
    _contracted: dict[int, Contracted] = field(default_factory=dict[int, Contracted])
    """Values that are proved to be contractions, however the text makes them."""

    def __post_init__(self) -> None:
        """Bound the work."""
        self.den.algebra.grant(PROOF_TERMS)

    def bind(self, values: Sequence[Value], prefix: str = "") -> None:
        """Let arguments stand for unknown tensors named by position."""
        for i, value in enumerate(values):
            self.known[id(value)] = self.den.argument(
                f"{prefix}{i}", value.shape, value.type.element
            )

    def introduce(self, values: Sequence[Value]) -> None:
        """Let arguments stand for unknown tensors by name, and by place where names repeat."""
        shared = {name for name, count in Counter(v.name for v in values).items() if count > 1}
        for i, value in enumerate(values):
            name = f"{value.name}#{i}" if value.name in shared else value.name
            self.known[id(value)] = self.den.argument(name, value.shape, value.type.element)

    def denote(self, operations: Iterable[Operation], cut: set[int]) -> None:
        """Denote operations in order; what has no denotation becomes an unknown of its own."""
        for operation in operations:
            operands = [self.known[id(value)] for value in operation.operands]
            self.den.algebra.grant(OPERATION_TERMS)
            try:
                results = self.den.operation(operation, operands)
            except (Undenotable, TooLarge) as problem:
                results = [
                    self.den.undenoted(value, operands, problem) for value in operation.results
                ]
                known = (self.failures.get(id(value)) for value in operation.operands)
                cause = next(filter(None, known), str(problem))
                self.failures.update((id(value), cause) for value in operation.results)
            for value, tensor in zip(operation.results, results, strict=True):
                self.known[id(value)] = self._cut(tensor, wanted=id(value) in cut)

    def is_known_by(self, operation: Operation, earlier: Sequence[Value]) -> bool:
        """Take results for earlier values that the same operation made of the same; say if so."""
        if earlier is operation.results or any(id(value) in self.failures for value in earlier):
            return False
        for value, known in zip(operation.results, earlier, strict=True):
            self.known[id(value)] = self.known[id(known)]
        return True

    def alike(self, a: Tensor, b: Tensor) -> bool:
        """Return whether two tensors have one normal form."""
        if a.shape != b.shape:
            return False
        ours, theirs = self.den.pointwise.align(a, b)
        return ours.poly == theirs.poly

    def same(self, a: Tensor, b: Tensor, depth: Depth = Depth.CLASSES) -> bool:
        """Return whether two tensors are proved equal."""
        if a.shape != b.shape:
            return False
        self.den.algebra.grant(OPERATION_TERMS)
        try:
            ours, theirs = self.den.pointwise.align(a, b)
            return ours.poly == theirs.poly or equal(self.den.algebra, ours, theirs, depth)
        except TooLarge:
            return False

    def find(self, wanted: Tensor, values: Sequence[Value]) -> Value | None:
        """Return the first value that is proved equal to a tensor."""
        tries = ((v, depth) for depth in Depth for v in values)
        return next((v for v, depth in tries if self.same(self.known[id(v)], wanted, depth)), None)

    def contract(
        self,
        value: Value,
        operands: tuple[Value, ...],
        forms: Iterable[Multilinear],
        between: Sequence[Operation],
        cut: set[int],
    ) -> bool:
        """Take a value for the first contraction of values before it that it is proved to be.

        `between` are the operations that make it of those. What is made of it then reads the
        contraction, and its cotangent goes to those values at once.
        """
        x = [self.known[id(operand)] for operand in operands]
        made = self._made(operands, between)
        prints = Fingerprints(self.den.atoms)
        for form in forms:
            plain = self.den.linear(form, *x)
            if not prints.may_be_equal(plain, made[id(value)]):
                continue
            if self.same(plain, made[id(value)], Depth.SUMS):
                self.known |= made
                self.known[id(value)] = self._cut(plain, wanted=id(value) in cut)
                self._contracted[id(value)] = Contracted(form, operands)
                return True
        return False

    def _made(self, operands: Sequence[Value], between: Sequence[Operation]) -> dict[int, Tensor]:
        """Return what operations make of some values, none on the way treated as one."""
        at = {id(operand): self.known[id(operand)] for operand in operands}
        for operation in between:
            self.den.algebra.grant(OPERATION_TERMS)
            results = self.den.operation(operation, [at[id(v)] for v in operation.operands])
            at |= {id(v): tensor for v, tensor in zip(operation.results, results, strict=True)}
        return at

    def as_cut(self, tensor: Tensor) -> Tensor:
        """Return a tensor as the class that it is, where that is known as a cut."""
        return self._cut(tensor, wanted=False)

    def _cut(self, tensor: Tensor, *, wanted: bool) -> Tensor:
        """Return a tensor as the class that it is, where that is wanted or known as a cut."""
        box = self.den.algebra.box(tensor.digits)
        try:
            united = suggested_union(tensor.poly, box)
            if united != tensor.poly and vanishes(tensor.poly - united, box):
                tensor = Tensor(tensor.digits, united)
            if not _has_several_parts(tensor) or self.den.pointwise.holds_sums(tensor):
                return tensor
            self.den.require_finite(tensor)
            read = _read(tensor.poly)
            if not wanted and read not in self._cut_reads:
                return tensor
            c, atom, access = intern_class(self.den.algebra, tensor.poly, box)
        except (Undenotable, TooLarge):
            return tensor
        if wanted:
            self.cuts.add(atom)
            self._cut_reads.add(read)
        if atom not in self.cuts:
            return tensor
        return Tensor(tensor.digits, product_of((atom, access, 1), c=c))

    def adjoint(
        self,
        operations: Sequence[Operation],
        seeds: Mapping[int, Tensor],
        wrt: set[int],
        cut: set[int],
    ) -> dict[int, Tensor]:
        """Return the cotangent of each value that depends on `wrt`."""
        held = chosen_cotangents(operations, cut)
        held |= dict.fromkeys(self._contracted.keys() - held.keys(), COTANGENT_TERMS)

        def rewrite(operation: Operation, g: Tensor) -> Tensor:
            self.den.algebra.grant(OPERATION_TERMS)
            terms = [held[id(result)] for result in operation.results if id(result) in held]
            wanted = bool(cut) and bool(terms) and len(g.poly) > min(terms)
            return self._cut(g, wanted=True) if wanted else g

        sweep = Sweep(self.den, self.known, self.failures, rewrite, self._contracted)
        return sweep.cotangents(operations, seeds, wrt)


def _read(p: Poly) -> _Reads:
    return frozenset(tuple((atom, q) for atom, _, q in factors) for factors, _ in p)


def _has_several_parts(tensor: Tensor) -> bool:
    """Return whether a tensor is more than an atom, times a number and plus a number."""
    rest = [monomial for monomial in tensor.poly if monomial != ONE]
    if len(rest) != 1:
        return len(rest) > 1
    [(factors, guards)] = rest
    return len(factors) > 1 or bool(guards) or any(q != 1 for _, _, q in factors)


def makers_of(operations: Iterable[Operation]) -> dict[int, Operation]:
    """Return the operation that makes each value, by its identity."""
    return {id(r): operation for operation in operations for r in operation.results}


def ancestors(
    results: Iterable[Value], operations: Sequence[Operation], stop: Collection[int]
) -> set[int]:
    """Return the values that results depend on, themselves included, not looking behind `stop`."""
    return reached(results, makers_of(operations), stop)


def reached(
    results: Iterable[Value], makers: Mapping[int, Operation], stop: Collection[int]
) -> set[int]:
    """Return the ancestors of results, where it is known what makes each value."""
    found: set[int] = set()
    pending = list(results)
    while pending:
        value = pending.pop()
        if id(value) in found:
            continue
        found.add(id(value))
        maker = makers.get(id(value))
        if maker is not None and id(value) not in stop:
            pending.extend(maker.reads)
    return found


def chosen_cotangents(operations: Sequence[Operation], cut: Collection[int]) -> dict[int, int]:
    """Return the values whose cotangents a text holds: what layers read, and sums that are cut.

    With each goes the number of terms that its cotangent may have and stay as it is.

    A maximum that another one takes at once is a link of a running one, and a clamp that is divided
    at once a gate, whose cotangents a text may never hold.
    """
    choices = [each for each in operations if each.opcode in _CHOICES]
    divisions = [each for each in operations if each.opcode == "stablehlo.divide"]
    links = {id(v) for each in (*choices, *divisions) for v in each.operands} & {
        id(each.results[0]) for each in choices
    }
    sums = {
        id(each.results[0])
        for each in operations
        if (each.opcode in _CHOICES or each.opcode in _SUMS) and id(each.results[0]) in cut
    }
    written = {id(each.results[0]) for each in operations if each.opcode in PRODUCTS}
    held = (read_by_layers(operations) | sums | written) - links
    windows = {id(each.results[0]) for each in operations if each.opcode == WINDOWS}
    return dict.fromkeys(held, COTANGENT_TERMS) | dict.fromkeys(windows, WINDOW_TERMS)


def read_by_layers(operations: Sequence[Operation]) -> set[int]:
    """Return the values that layers begin with."""
    return {id(v) for each in operations if each.opcode in _LAYERS for v in each.operands}


def choose_cuts(operations: Sequence[Operation]) -> set[int]:
    """Return the values to cut: sums that feed something nonlinear, a layer or several operations.

    So are those that a reduction reads, as a pool before a norm: its mean would have all terms.
    A sum that a number is added to is cut before that, so that all its thresholds are about it.
    What a logarithm is added to is not: it is the largest exponent, taken out of a sum.
    """
    users: dict[int, list[Operation]] = {}
    numbers = {
        id(operation.results[0])
        for operation in operations
        if operation.opcode == "stablehlo.constant"
    }

    def moves(operation: Operation) -> bool:
        shifts = operation.opcode in ("stablehlo.add", "stablehlo.subtract")
        return operation.opcode in MOVES or (shifts and id(operation.operands[1]) in numbers)

    for operation in operations:
        for value in operation.reads:
            users.setdefault(id(value), []).append(operation)

    def reached(value: Value) -> list[tuple[Value, Operation]]:
        found: list[tuple[Value, Operation]] = []
        for user in users.get(id(value), []):
            found += reached(user.results[0]) if moves(user) else [(value, user)]
        return found

    logs = {id(each.results[0]) for each in operations if each.opcode in _LOGARITHMS}
    taken_out = {
        id(value)
        for each in operations
        if each.opcode == "stablehlo.add" and any(id(v) in logs for v in each.operands)
        for value in each.operands
    }
    chosen: set[int] = set()
    for operation in operations:
        result = operation.results[0]
        if result.type.rank < 2 or not result.type.element.is_float:
            continue
        found = reached(result)
        bends = any(
            user.opcode in _NONLINEAR or user.opcode == _REDUCTION or _is_input(read, user)
            for read, user in found
        )
        if operation.opcode in _CHOICES and id(result) not in taken_out:
            chosen.add(id(result))
        sums = operation.opcode in _SUMS and not moves(operation)
        if sums and (bends or len(found) > 1):
            chosen.add(id(result))
    return chosen


def _is_input(value: Value, operation: Operation) -> bool:
    """Return whether a value is what a convolution moves its kernel over."""
    return operation.opcode == "stablehlo.convolution" and value is operation.operands[0]
