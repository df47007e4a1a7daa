"""Replaying a certificate: denote, sweep, compare, claim by claim, with the answers of a guide."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from gradwright.check.atoms import Atoms, Uncheckable
from gradwright.check.certificate import (
    Certificate,
    EqualClaim,
    GradientClaim,
    LossClaim,
    UpdateClaim,
)
from gradwright.check.comparing import same
from gradwright.check.contractions import Contractions
from gradwright.check.derivatives import swept
from gradwright.check.functions import Functions
from gradwright.check.guide import FalseStatement, Guide
from gradwright.check.names import Names
from gradwright.check.operations import Meanings
from gradwright.check.poly import Algebra, number
from gradwright.check.rules import evaluated
from gradwright.check.sums import Summation
from gradwright.check.tensor import Tensor, plain
from gradwright.hlo import Function, Operation, Value


@dataclass(slots=True)
class Outcome:
    """Why claims do not hold, by their place in the certificate; what the others rest on."""

    failed: dict[int, str] = field(default_factory=dict[int, str])
    assumed: tuple[tuple[str, int], ...] = ()
    literals: frozenset[str] = frozenset()


def new_meanings(guide: Guide, certificate: Certificate) -> Meanings:
    """Return an operation table over a new table of atoms."""
    algebra = Algebra(Atoms())
    names = Names(algebra, guide)
    contractions = Contractions(algebra, names, Summation(algebra, names))
    return Meanings(Functions(algebra, contractions), certificate.literals)


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
        self.certificate = certificate
        self.functions = functions
        self.guide = guide
        self.meanings = new_meanings(self.guide, self.certificate)
        self.values = numbered(self.functions)
        self.number_of = {id(value): n for n, value in enumerate(self.values)}
        self.known: dict[int, Tensor] = {}
        self.cotangents: dict[int, Tensor] = {}
        self.unread: dict[int, str] = {}
        self.proved: set[tuple[int, int]] = set()

    def run(self) -> Outcome:
        """Replay every claim."""
        try:
            self.prepare()
        except Uncheckable as problem:
            return Outcome({i: str(problem) for i in range(len(self.certificate.claims))})
        return self.judge()

    def judge(self) -> Outcome:
        """Replay every claim about what was prepared."""
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
            except Uncheckable as problem:
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

    def _unknown(self, name: str, value: Value) -> Tensor:
        return self.meanings.unknown(name, value)

    def _denote(
        self, operations: Iterable[Operation], known: dict[int, Tensor], *, strictly: bool
    ) -> None:
        """Denote operations; what the table does not know is an unknown, or an error if strict."""
        m = self.meanings
        for operation in operations:
            m.f.at = self.number_of[id(operation.results[0])]
            try:
                results = m.results(operation, [known[id(v)] for v in operation.operands])
            except Uncheckable as problem:
                if strictly:
                    raise Uncheckable(f"%{operation.results[0].name}: {problem}") from None
                self.unread[id(operation.results[0])] = str(problem)
                names = [f"value {self.number_of[id(v)]}" for v in operation.results]
                results = [
                    self._unknown(name, v) for name, v in zip(names, operation.results, strict=True)
                ]
            for value, tensor in zip(operation.results, results, strict=True):
                n = self.number_of[id(value)]
                is_cut = tensor.poly and self.guide.cuts(n, tensor.poly, tensor.box)
                known[id(value)] = m.contractions.as_name(tensor) if is_cut else tensor

    def _derive(self, operations: Sequence[Operation], seeds: Mapping[int, Tensor]) -> None:
        self._denote(operations, self.known, strictly=True)
        arguments = self.functions[0].body.arguments
        claimed = [c for c in self.certificate.claims if isinstance(c, GradientClaim)]
        wrt = {id(_at(arguments, c.argument, "arguments")) for c in claimed}
        self.cotangents = swept(
            self.meanings, operations, self.known, seeds, wrt, self.number_of, self.guide
        )

    def _gradient(self, claim: GradientClaim) -> None:
        if self.certificate.subject == "equal":
            raise FalseStatement("a gradient claim about texts that are compared")
        argument = _at(self.functions[0].body.arguments, claim.argument, "arguments")
        value = _at(self.values, claim.value, "values")
        zero = Tensor(plain(argument.shape), {})
        self._require_same(self.cotangents.get(id(argument), zero), value)
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
        self._require_same(self.known[id(left)], right)

    def _require_same(self, wanted: Tensor, value: Value) -> None:
        tensor = self.known[id(value)]
        if tensor.shape != wanted.shape:
            raise Uncheckable(f"%{value.name} has another shape")
        off_kinks = self.certificate.subject != "equal"
        if not same(self.meanings.f, wanted, tensor, off_kinks=off_kinks):
            raise Uncheckable(f"%{value.name} is not shown to be what is claimed")

    def _update(self, claim: UpdateClaim) -> None:
        """Denote the result anew with the gradient unknown, and evaluate the rule over it."""
        body = self.functions[0].body
        reads = dict(claim.reads)
        if "theta" not in reads or "g" in reads:
            raise FalseStatement("an update without theta, or with a g of its own")
        if (reads["theta"], claim.gradient) not in self.proved:
            raise Uncheckable("an update by a value that is not proved to be the gradient")
        gradient = _at(self.values, claim.gradient, "values")
        result = _at(body.results, claim.result, "results")
        known = {id(v): self.known[id(v)] for v in body.arguments}
        name = f"gradient {claim.gradient}"
        known[id(gradient)] = self._unknown(name, gradient)
        needed = ancestors([result], body.operations, frozenset((id(gradient),)))
        self._denote(needed, known, strictly=True)
        named = {name: known[id(_at(body.arguments, n, "arguments"))] for name, n in claim.reads}
        values = evaluated(claim.rule, {**named, "g": known[id(gradient)]}, self.meanings.f)
        if claim.target not in values:
            raise FalseStatement(f"the rule defines no {claim.target}")
        wanted, found = values[claim.target], known[id(result)]
        if wanted.shape != found.shape or not same(self.meanings.f, wanted, found):
            raise Uncheckable(f"%{result.name} is not shown to be {claim.target} of the rule")


def _at(values: Sequence[Value], index: int | None, what: str) -> Value:
    if index is None or not 0 <= index < len(values):
        raise FalseStatement(f"there is no number {index} among {len(values)} {what}")
    return values[index]


def ancestors(
    results: Iterable[Value], operations: Sequence[Operation], stops: frozenset[int]
) -> list[Operation]:
    """Return the operations that results depend on, in order, none behind `stops`."""
    wanted = {id(value) for value in results}
    found: list[Operation] = []
    for operation in reversed(operations):
        results_here = {id(r) for r in operation.results}
        if results_here & wanted and not results_here & stops:
            found.append(operation)
            wanted.update(id(v) for v in operation.reads)
    return found[::-1]
