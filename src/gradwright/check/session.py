"""Replaying a certificate: denote, sweep, compare, claim by claim, with the answers of a guide."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from gradwright.check.affine import variable
from gradwright.check.atoms import Atoms, Uncheckable
from gradwright.check.certificate import (
    Certificate,
    EqualClaim,
    GradientClaim,
    LossClaim,
    MeaningClaim,
    Statement,
    UpdateClaim,
)
from gradwright.check.comparing import same
from gradwright.check.contractions import Contractions
from gradwright.check.derivatives import Swept, swept
from gradwright.check.forms import Form
from gradwright.check.functions import Functions
from gradwright.check.guide import FalseStatement, Guide
from gradwright.check.loops import results
from gradwright.check.names import Names
from gradwright.check.notation import statements_of
from gradwright.check.operations import Meanings
from gradwright.check.poly import Algebra, number
from gradwright.check.stated import Stated
from gradwright.check.straight import ancestors
from gradwright.check.sums import Summation
from gradwright.check.tensor import Tensor, plain
from gradwright.hlo import Function, Operation, Value

_PARTIAL = frozenset(
    f"stablehlo.{name}"
    for name in (
        *("divide", "log", "log_plus_one", "power", "remainder", "rsqrt", "sqrt", "tan"),
        *("case", "if", "while"),
    )
)
"""Operations that are undefined at some real numbers, or may hold one that is."""


@dataclass(slots=True)
class Outcome:
    """Why claims do not hold, by their place in the certificate; what the others rest on."""

    failed: dict[int, str] = field(default_factory=dict[int, str])
    assumed: tuple[tuple[str, int], ...] = ()
    literals: frozenset[str] = frozenset()


def new_meanings(guide: Guide, literals: Mapping[str, str]) -> Meanings:
    """Return an operation table over a new table of atoms."""
    algebra = Algebra(Atoms())
    names = Names(algebra, guide)
    f = Functions(algebra, Contractions(algebra, names, Summation(algebra, names)))
    return Meanings(f, literals)


def numbered(functions: Iterable[Function]) -> list[Value]:
    """Return the values of functions by number: arguments, then results in order, text by text."""
    values: list[Value] = []
    for function in functions:
        values += function.body.arguments
        values += (r for operation in function.body.operations for r in operation.results)
    return values


class Session:
    """One replay. `functions` are the texts without calls and loops."""

    def __init__(
        self, certificate: Certificate, functions: Sequence[Function], guide: Guide
    ) -> None:
        self.certificate, self.functions, self.guide = certificate, functions, guide
        self.meanings = new_meanings(self.guide, self.certificate.literals)
        self.values = numbered(self.functions)
        self.number_of = {id(value): n for n, value in enumerate(self.values)}
        self.known: dict[int, Tensor] = {}
        self.undefined: set[int] = set()
        """Values that may be no real numbers somewhere."""
        self.cotangents = Swept({}, {})
        self.proved: set[tuple[int, int]] = set()
        self.stated = Stated(self.meanings, {}, self._cut_stated)
        self.problems: list[str] = []
        self.passed = 0
        """How many values statements passed through."""
        self.unmeant: dict[int, str] = {}
        """Why values are unknown, by identity, where their operation is not in the table."""

    def run(self, *, halts: bool = False) -> Outcome:
        """Replay every claim; `halts`, FalseStatement says why the first one does not hold."""
        try:
            self.prepare()
            self.bind()
        except Uncheckable as problem:
            return Outcome({i: str(problem) for i in range(len(self.certificate.claims))})
        for i, statement in enumerate(self.certificate.statements):
            try:
                self.state(i, statement)
            except Uncheckable as problem:
                if halts:
                    raise FalseStatement(f"statement {i}: {problem}") from None
                self.problems.append(str(problem))
        return self._judged(halts=halts)

    def _judged(self, *, halts: bool) -> Outcome:
        outcome = Outcome()
        claims = self.certificate.claims
        for i, claim in enumerate(claims):
            try:
                match claim:
                    case GradientClaim():
                        self._gradient(claim)
                    case LossClaim():
                        self._loss(claim)
                    case EqualClaim():
                        self._equal(claim)
                    case UpdateClaim():
                        self._update(claim)
                    case MeaningClaim():
                        self._meaning(claim)
            except Uncheckable as problem:
                if halts:
                    raise FalseStatement(f"claim {i}: {problem}") from None
                outcome.failed[i] = str(problem)
        outcome.assumed = tuple(
            sorted({(what, n) for (what, _), n in self.meanings.f.needs.items()})
        )
        outcome.literals = frozenset(self.meanings.read_literals)
        return outcome

    def prepare(self) -> None:
        """Denote all texts, and derive the cotangents where gradients are claimed."""
        first, last = self.functions[0].body, self.functions[-1].body
        for value in last.arguments:
            name = f"argument {len(self.known)}"
            self.known[id(value)] = self.meanings.unknown(name, value, is_argument=True)
        for ours, theirs in zip(first.arguments, last.arguments, strict=False):
            self.known[id(ours)] = self.known[id(theirs)]
        match self.certificate.subject:
            case "gradients":
                loss = _at(first.results, self.certificate.loss, "results")
                if loss.type.size != 1 or not loss.type.element.is_float:
                    raise FalseStatement("the loss is no number")
                seeds = {id(loss): Tensor(plain(loss.shape), number(1))}
                self._derive(ancestors([loss], first.operations, frozenset()), seeds)
            case "vjp":
                seeds: dict[int, Tensor] = {}
                given = last.arguments[len(first.arguments) :]
                for result, seed in zip(first.results, given, strict=True):
                    before = seeds.get(id(result))
                    g = self.known[id(seed)]
                    seeds[id(result)] = g if before is None else self.meanings.f.add(before, g)
                self._derive(first.operations, seeds)
            case _:
                self._denote(first.operations, self.known, strictly=False)
        rest = [op for op in last.operations if id(op.results[0]) not in self.known]
        self._denote(rest, self.known, strictly=False)

    def bind(self) -> None:
        """Let the names of statements stand for arguments."""
        arguments = self.functions[0].body.arguments
        for name, n in self.certificate.names.items():
            self.stated.values[name] = self.known[id(_at(arguments, n, "arguments"))]

    def state(self, i: int, given: Statement) -> Tensor:
        """Denote a statement, let its value be the one of the text that it is, and name it."""
        self.meanings.f.at = len(self.values) + i
        [statement, *more] = statements_of(given.text)
        if more:
            raise Uncheckable("several statements in one")
        tensor = self.stated.value_of(statement, given.way)
        if given.value is not None:
            found = self.known.get(id(_at(self.values, given.value, "values")))
            if found is None or sorted(given.order) != list(range(len(found.digits))):
                raise FalseStatement(f"value {given.value} has no such order of dimensions")
            reads = tuple(variable(given.order.index(d)) for d in range(len(given.order)))
            shape = tuple(found.shape[d] for d in given.order)
            found = self.meanings.contractions.apply(Form(shape, (), (reads,)), [found])
            if found.shape != tensor.shape or not same(self.meanings.f, tensor, found):
                raise Uncheckable(f"{statement.target} is not shown to be value {given.value}")
            tensor = found
        self.stated.values[statement.target] = tensor
        return tensor

    def _cut_stated(self, tensor: Tensor) -> Tensor:
        self.passed += 1
        return self._cut(len(self.values) + self.passed, tensor)

    def _cut(self, n: int, tensor: Tensor) -> Tensor:
        is_cut = tensor.poly and self.guide.cuts(n, tensor.poly, tensor.box)
        return self.meanings.contractions.as_name(tensor) if is_cut else tensor

    def _denote(
        self, operations: Iterable[Operation], known: dict[int, Tensor], *, strictly: bool
    ) -> None:
        """Denote operations; what the table does not know is an unknown, or an error if strict."""
        m = self.meanings
        for operation in operations:
            m.f.at = self.number_of[id(operation.results[0])]
            operands = [known[id(v)] for v in operation.operands]
            try:
                self._require_numbers(operation.operands)
                made = results(m, operation, operands)
            except Uncheckable as problem:
                if strictly:
                    raise Uncheckable(f"%{operation.results[0].name}: {problem}") from None
                why = self._cause(operation, problem)
                self.unmeant.update((id(value), why) for value in operation.results)
                if not self._stays_real(operation, operands):
                    self.undefined.update(id(value) for value in operation.results)
                made = [m.unknown(f"value {self.number_of[id(v)]}", v) for v in operation.results]
            for value, tensor in zip(operation.results, made, strict=True):
                known[id(value)] = self._cut(self.number_of[id(value)], tensor)

    def _cause(self, operation: Operation, problem: Uncheckable) -> str:
        """Return why an operation has no meaning: where an operand may be no number, why that."""
        causes = (self.unmeant[id(v)] for v in operation.operands if id(v) in self.undefined)
        return next(causes, f"%{operation.results[0].name}: {problem}")

    def _require_numbers(self, values: Sequence[Value]) -> None:
        """Refuse values that may be no real numbers: a negated infinity would pass for one."""
        for value in values:
            if id(value) in self.undefined:
                raise Uncheckable(f"%{value.name} may be no real number")

    def _stays_real(self, operation: Operation, operands: Sequence[Tensor]) -> bool:
        """Return whether an operation that is not denoted has a real number as its result."""
        partial = operation.opcode in _PARTIAL or operation.opcode.startswith("chlo.")
        if partial or any(id(v) in self.undefined for v in operation.operands):
            return False
        try:
            for tensor in operands:
                self.meanings.f.require_finite(tensor)
        except Uncheckable:
            return False
        return True

    def _derive(self, operations: Sequence[Operation], seeds: Mapping[int, Tensor]) -> None:
        arguments = self.functions[0].body.arguments
        claimed = [c for c in self.certificate.claims if isinstance(c, GradientClaim)]
        wrt = {id(_at(arguments, c.argument, "arguments")) for c in claimed}
        self._denote(operations, self.known, strictly=False)
        m, numbers, why = self.meanings, self.number_of, self.unmeant
        self.cotangents = swept(m, operations, self.known, seeds, wrt, numbers, self.guide, why)

    def _gradient(self, claim: GradientClaim) -> None:
        if self.certificate.subject not in ("gradients", "vjp"):
            raise FalseStatement("a gradient claim where nothing is differentiated")
        argument = _at(self.functions[0].body.arguments, claim.argument, "arguments")
        why = self.cotangents.lost.get(id(argument))
        if why is not None:
            raise Uncheckable(why)
        value = _at(self.values, claim.value, "values")
        zero = Tensor(plain(argument.shape), {})
        self._require_same(self.cotangents.found.get(id(argument), zero), value, off_kinks=True)
        self.proved.add((claim.argument, claim.value))

    def _loss(self, claim: LossClaim) -> None:
        if self.certificate.subject != "gradients" or claim.result != self.certificate.loss:
            raise FalseStatement(f"result {claim.result} is not what is differentiated")

    def _equal(self, claim: EqualClaim) -> None:
        if self.certificate.subject != "equal":
            raise FalseStatement("a claim of equality about gradients")
        left, right = (
            _at(function.body.results, claim.result, "results") for function in self.functions
        )
        self._require_numbers([left])
        self._require_same(self.known[id(left)], right)

    def _meaning(self, claim: MeaningClaim) -> None:
        if claim.name in self.certificate.names or claim.name not in self.stated.values:
            first = self.problems[0] if self.problems else f"no statement defines {claim.name}"
            raise Uncheckable(first)
        result = _at(self.functions[0].body.results, claim.result, "results")
        self._require_same(self.stated.values[claim.name], result)

    def _require_same(self, wanted: Tensor, value: Value, *, off_kinks: bool = False) -> None:
        self._require_numbers([value])
        tensor = self.known[id(value)]
        if tensor.shape != wanted.shape:
            raise Uncheckable(f"%{value.name} has another shape")
        if not same(self.meanings.f, wanted, tensor, off_kinks=off_kinks):
            raise Uncheckable(f"%{value.name} is not shown to be what is claimed")

    def _update(self, claim: UpdateClaim) -> None:
        """Denote the result anew with the gradient unknown, and evaluate the rule over it."""
        body = self.functions[0].body
        reads = dict(claim.reads)
        if "theta" not in reads or "g" in reads:
            raise FalseStatement("an update without theta, or with a g of its own")
        gradient = _at(self.values, claim.gradient, "values")
        is_given = self.certificate.subject == "meaning" and gradient in body.arguments
        if not is_given and (reads["theta"], claim.gradient) not in self.proved:
            raise Uncheckable("an update by a value that is not proved to be the gradient")
        result = _at(body.results, claim.result, "results")
        known = {id(v): self.known[id(v)] for v in body.arguments}
        name = f"gradient {claim.gradient}"
        known[id(gradient)] = self.meanings.unknown(name, gradient, is_argument=True)
        needed = ancestors([result], body.operations, frozenset((id(gradient),)))
        self._denote(needed, known, strictly=True)
        values = {name: known[id(_at(body.arguments, n, "arguments"))] for name, n in claim.reads}
        rule = Stated(self.meanings, {**values, "g": known[id(gradient)]})
        for statement in statements_of(claim.rule):
            rule.values[statement.target] = rule.value_of(statement)
        if claim.target in (*values, "g") or claim.target not in rule.values:
            raise FalseStatement(f"the rule defines no {claim.target}")
        wanted, found = rule.values[claim.target], known[id(result)]
        if wanted.shape != found.shape or not same(self.meanings.f, wanted, found):
            raise Uncheckable(f"%{result.name} is not shown to be {claim.target} of the rule")


def _at(values: Sequence[Value], index: int | None, what: str) -> Value:
    if index is None or not 0 <= index < len(values):
        raise FalseStatement(f"there is no number {index} among {len(values)} {what}")
    return values[index]
