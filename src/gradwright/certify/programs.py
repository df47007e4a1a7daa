"""Claims of a train step: each gradient, each update, and that the loss it reports is theirs.

Only the text is read; the roles say which argument and result is what, and the update rules are
index notation. A gradient is looked for among the values of the text and proved to be the
derivative of the returned loss; an update is proved for any gradient, so that the two are apart.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from gradwright.certify.claims import Claim, Kind, Report
from gradwright.certify.kernel.algebra import TooLarge, Undenotable
from gradwright.certify.kernel.tensor import Tensor
from gradwright.certify.meaning import Meaning
from gradwright.certify.notation import parse
from gradwright.certify.prove import Proof, ancestors, choose_cuts
from gradwright.certify.verdicts import Outcome, Proved, Unknown
from gradwright.hlo import Function, Operation, Role, Signature, Value, read_module

SCOPE = (
    "over the real numbers: rounding, overflow and NaN are not covered",
    "constants are the decimals of the text",
    "off the kinks: masks are locally constant, [x < 0] is 1 - [x > 0]",
    "divisors are not 0, logarithms and roots are taken of positive numbers",
    "claimed: gradients, updates and the differentiated loss; not the forward pass's meaning, "
    "running statistics or metrics",
)


class TrainStep(Protocol):
    """What is needed of a program: its text, its roles, its declared update rules."""

    @property
    def text(self) -> str:
        """StableHLO text."""
        ...

    @property
    def signature(self) -> Signature:
        """Names and roles of arguments and results."""
        ...

    @property
    def updates(self) -> Mapping[str, str]:
        """Update rule of each parameter over theta, g, lr, t and its moments."""
        ...


@dataclass(slots=True)
class _Step:
    """A train step under proof."""

    proof: Proof
    function: Function
    arguments: Mapping[str, Value]
    results: Mapping[str, Value]

    @staticmethod
    def read(program: TrainStep) -> "_Step":
        function = read_module(program.text).main
        ports = program.signature
        proof = Proof()
        arguments: dict[str, Value] = {}
        for port, value in zip(ports.inputs, function.body.arguments, strict=True):
            arguments[port.name] = value
            proof.known[id(value)] = proof.den.argument(port.name, value.shape, value.type.element)
        results = dict(
            zip((port.name for port in ports.outputs), function.body.results, strict=True)
        )
        return _Step(proof, function, arguments, results)

    def derive(
        self, loss: Value, names: Sequence[str]
    ) -> tuple[dict[str, Tensor], list[Operation]]:
        """Return the derivative of the loss by parameter, and the operations not needed for it."""
        operations = self.function.body.operations
        needed = ancestors([loss], operations, set())
        forward = [op for op in operations if id(op.results[0]) in needed]
        cut = choose_cuts(forward)
        self.proof.denote(forward, cut)
        wrt = {id(self.arguments[name]) for name in names}
        seed = {id(loss): self.proof.den.splat(1, loss.shape)}
        cotangents = self.proof.adjoint(forward, seed, wrt, cut)
        zero = self.proof.den.splat
        gradients = {
            name: cotangents.get(id(self.arguments[name]), zero(0, self.arguments[name].shape))
            for name in names
        }
        return gradients, [op for op in operations if id(op.results[0]) not in needed]

        rest = [op for op in operations if all(id(r) not in needed for r in op.results)]
        return gradients, rest


def certify_step(program: TrainStep) -> Report:
    """Prove the gradients and updates of a train step."""
    started = time.perf_counter()
    step = _Step.read(program)
    loss = next(p.name for p in program.signature.outputs if p.role is Role.LOSS)
    names = [p.name for p in program.signature.inputs if p.role is Role.PARAMETER]
    try:
        derived, rest = step.derive(step.results[loss], names)
    except (Undenotable, TooLarge) as problem:
        reason = Unknown(f"the loss cannot be differentiated: {problem}")
        claims = [Claim(f"gradient of {name}", Kind.GRADIENT, reason) for name in names]
        return Report(tuple(claims), SCOPE, time.perf_counter() - started)
    step.proof.denote(rest, set())
    gradients, claims = _gradients(step, derived, rest)
    if all(isinstance(claim.outcome, Proved) for claim in claims):
        claims.insert(0, Claim(f"{loss} is the differentiated loss", Kind.LOSS, Proved()))
    claims += _updates(step, program.updates, gradients, rest)
    return Report(tuple(claims), SCOPE, time.perf_counter() - started)


def _gradients(
    step: _Step, derived: Mapping[str, Tensor], rest: Sequence[Operation]
) -> tuple[dict[str, Value], list[Claim]]:
    """Return the value of the text that is each derivative, and the claims."""
    values = [value for operation in rest for value in operation.results]
    found: dict[str, Value] = {}
    claims: list[Claim] = []
    for name, gradient in derived.items():
        started = time.perf_counter()
        candidates = [value for value in values if value.shape == gradient.shape]
        value = step.proof.find(gradient, candidates)
        outcome: Outcome = Proved()
        if value is None:
            outcome = Unknown(f"no value of the text was proved to be d(loss)/d({name})")
        else:
            found[name] = value
        seconds = time.perf_counter() - started
        claims.append(Claim(f"gradient of {name}", Kind.GRADIENT, outcome, seconds))
    return found, claims


def _updates(
    step: _Step,
    rules: Mapping[str, str],
    gradients: Mapping[str, Value],
    rest: Sequence[Operation],
) -> list[Claim]:
    """Denote the updates anew with each gradient unknown, and compare with the rules."""
    proof = step.proof
    stops = {id(value) for value in gradients.values()}
    for name, value in gradients.items():
        proof.known[id(value)] = proof.den.argument(f"gradient of {name}", value.shape)
    used = ancestors(step.results.values(), step.function.body.operations, stops)
    after = [op for op in rest if id(op.results[0]) in used and id(op.results[0]) not in stops]
    proof.denote(after, set())
    claims: list[Claim] = []
    for name, rule in rules.items():
        if name not in gradients:
            reason = Unknown("its gradient is not proved")
            claims.append(Claim(f"update of {name}", Kind.UPDATE, reason))
            continue
        claims += _update(step, name, rule, gradients[name])
    return claims


def _update(step: _Step, name: str, rule: str, gradient: Value) -> list[Claim]:
    known = step.proof.known
    moments = {
        port.rpartition(".")[2]: port
        for port in step.arguments
        if port.rpartition(".")[0] == name and port in step.results
    }
    values = {"theta": known[id(step.arguments[name])], "g": known[id(gradient)]}
    values |= {scalar: known[id(step.arguments[scalar])] for scalar in ("lr", "t")}
    values |= {short: known[id(step.arguments[port])] for short, port in moments.items()}
    meaning = Meaning(step.proof.den, values, lambda tensor: tensor)
    results = {"theta'": name} | {f"{short}'": port for short, port in moments.items()}
    claims: list[Claim] = []
    for statement in parse(rule):
        started = time.perf_counter()
        wanted = meaning.define(statement)
        if statement.target not in results:
            continue
        port = results.pop(statement.target)
        same = step.proof.same(known[id(step.results[port])], wanted)
        outcome = Proved() if same else Unknown(f"not shown to be {statement.target} of the rule")
        seconds = time.perf_counter() - started
        claims.append(Claim(f"update of {port}", Kind.UPDATE, outcome, seconds))
    unstated = Unknown("the rule does not define it")
    return claims + [Claim(f"update of {port}", Kind.UPDATE, unstated) for port in results.values()]
