"""Updates: the rule of a parameter, the results that it defines, and the gradient that it reads."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from gradwright.certify.kernel.algebra import TooLarge, Undenotable
from gradwright.certify.kernel.tensor import Tensor
from gradwright.certify.meaning import Meaning
from gradwright.certify.notation import parse
from gradwright.certify.programs_reading import Reading
from gradwright.certify.prove import Proof, ancestors
from gradwright.certify.refute_statements import Rule
from gradwright.certify.texts_gradient import form_of
from gradwright.errors import ParseError
from gradwright.hlo import Block, Operation, Role, Value

CANDIDATES = 48
"""Values, from the results upwards, that are tried as the gradient that a text updates by."""
_CLOCK = ("lr", "t")


@dataclass(frozen=True, slots=True)
class Update:
    """One parameter's update.

    `rule` is over theta, g, lr, t and the moments; `targets` says which result each of its primed
    names is.
    """

    parameter: str
    argument: int
    rule: Rule
    targets: Mapping[str, int]

    def results(self, body: Block) -> list[Value]:
        """Return the results that the rule defines."""
        return [body.results[k] for k in self.targets.values()]


def updates_of(reading: Reading) -> list[Update]:
    """Return the update of each parameter that the program returns anew.

    Errors: ParseError for a rule that is no index notation.
    """
    found: list[Update] = []
    for name in reading.parameters:
        argument, k = reading.argument(name), reading.result(name, Role.PARAMETER)
        if argument is None or k is None or name not in reading.updates:
            continue
        arguments, targets = [("theta", argument)], {"theta'": k}
        for i, port in enumerate(reading.inputs):
            owner, _, short = port.name.rpartition(".")
            moved = reading.result(port.name, Role.MOMENT)
            if port.role is Role.MOMENT and owner == name:
                arguments.append((short, i))
                targets |= {} if moved is None else {f"{short}'": moved}
            elif port.name in _CLOCK and port.role in (Role.LEARNING_RATE, Role.STEP):
                arguments.append((port.name, i))
        rule = Rule(tuple(parse(reading.updates[name])), tuple(arguments))
        found.append(Update(name, argument, rule, targets))
    return found


def given_gradient(reading: Reading, update: Update) -> int | None:
    """Return the argument that is the gradient of a parameter, if the program is given one."""
    place = reading.argument(f"d.{update.parameter}")
    return place if place is not None and reading.inputs[place].role is Role.GRADIENT else None


def find_gradient(
    proof: Proof, body: Block, update: Update, derivative: Tensor | None, forward: set[int]
) -> Value | None:
    """Return the value by which a parameter is updated.

    That is one proved to be the derivative; else one that the rule holds for, whatever it is.
    """
    candidates = list(_candidates(body, update, forward))
    if derivative is not None:
        alike = [v for v in candidates if form_of(proof.known[id(v)]) == form_of(derivative)]
        found = proof.find(derivative, [*alike, *candidates])
        if found is not None:
            return found
    for value in candidates[:CANDIDATES]:
        if all(rule_holds(proof, body, update, value).values()):
            return value
    return None


def rule_holds(proof: Proof, body: Block, update: Update, g: Value) -> Mapping[str, bool]:
    """Return for each result of a rule whether it is what the rule makes of g, whatever g is."""
    unknown = proof.den.unknown(f"gradient of {update.parameter}", g.shape)
    local = Proof(proof.den)
    moved = _moved(body, update.results(body), g)
    for operation in moved:
        local.known |= {id(v): proof.known[id(v)] for v in operation.operands}
    local.known[id(g)] = unknown
    local.denote(moved, set())
    values = {name: proof.known[id(body.arguments[i])] for name, i in update.rule.arguments}
    meaning = Meaning(proof.den, {**values, "g": unknown}, lambda tensor: tensor)
    try:
        wanted = {s.target: meaning.define(s) for s in update.rule.statements}
    except (Undenotable, TooLarge, ParseError):
        wanted = dict[str, Tensor]()
    held: dict[str, bool] = {}
    for target, k in update.targets.items():
        result = id(body.results[k])
        emitted = local.known.get(result, proof.known[result])
        held[target] = target in wanted and local.same(wanted[target], emitted)
    return held


def _candidates(body: Block, update: Update, forward: set[int]) -> Iterator[Value]:
    """Yield values of the parameter's shape that its new state comes from, the last ones first."""
    shape = body.arguments[update.argument].shape
    used = ancestors(update.results(body), body.operations, set())
    for operation in reversed(body.operations):
        for value in operation.results:
            if value.shape == shape and id(value) in used and id(value) not in forward:
                yield value


def _moved(body: Block, results: Sequence[Value], g: Value) -> list[Operation]:
    """Return the operations between g and results, in order."""
    used = ancestors(results, body.operations, {id(g)})
    depends, moved = {id(g)}, list[Operation]()
    for operation in body.operations:
        made = [id(result) for result in operation.results]
        if id(g) in made or not any(id(v) in depends for v in operation.reads):
            continue
        depends.update(made)
        if any(each in used for each in made):
            moved.append(operation)
    return moved
