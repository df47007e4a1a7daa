"""Updates: the rule of a parameter, the results that it defines, and the gradient that it reads."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

from gradwright.certify.effort import Late, TooLarge, require_time
from gradwright.certify.flow import Flow
from gradwright.certify.kernel.algebra import Undenotable
from gradwright.certify.kernel.tensor import Tensor
from gradwright.certify.meaning import Meaning
from gradwright.certify.notation import parse
from gradwright.certify.programs_reading import Reading
from gradwright.certify.prove import Proof
from gradwright.certify.refute_statements import Rule
from gradwright.certify.texts_gradient import form_of
from gradwright.errors import ParseError
from gradwright.hlo import Block, Role, Value

CANDIDATES = 48
"""Values, from the results upwards, that are tried as the gradient that a text updates by."""
SCALARS = ("lr", "t", "bc1", "bc2")
"""Arguments that a rule may read beside its parameter, gradient and moments."""
_SCALAR_ROLES = (Role.LEARNING_RATE, Role.STEP, Role.CORRECTION)


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
    owned: dict[str, list[tuple[str, int]]] = {}
    clock: list[tuple[str, int]] = []
    places: dict[str, int] = {}
    for i, port in enumerate(reading.inputs):
        places.setdefault(port.name, i)
        if port.role is Role.MOMENT:
            owner, part = port.moment
            owned.setdefault(owner, []).append((part, i))
        elif port.name in SCALARS and port.role in _SCALAR_ROLES:
            clock.append((port.name, i))
    returned: dict[tuple[str, Role], int] = {}
    for k, port in enumerate(reading.outputs):
        returned.setdefault((port.name, port.role), k)
    found: list[Update] = []
    for name in reading.parameters:
        k = returned.get((name, Role.PARAMETER))
        if k is None or name not in reading.updates:
            continue
        arguments, targets = [("theta", places[name]), *clock], {"theta'": k}
        for part, i in owned.get(name, ()):
            arguments.append((part, i))
            moved = returned.get((reading.inputs[i].name, Role.MOMENT))
            targets |= {} if moved is None else {f"{part}'": moved}
        rule = Rule(tuple(parse(reading.updates[name])), tuple(arguments))
        found.append(Update(name, places[name], rule, targets))
    return found


def given_gradient(reading: Reading, update: Update) -> int | None:
    """Return the argument that is the gradient of a parameter, if the program is given one."""
    place = reading.argument(f"d.{update.parameter}")
    return place if place is not None and reading.inputs[place].role is Role.GRADIENT else None


@dataclass(slots=True)
class Updating:
    """A text that updates parameters; `forward` are the values of its loss, by identity."""

    proof: Proof
    body: Block
    flow: Flow
    forward: set[int]
    _alike: dict[object, set[int]] = field(default_factory=dict[object, set[int]])

    def __post_init__(self) -> None:
        """Sort the values of the text by their forms."""
        for operation in self.body.operations:
            for value in operation.results:
                if id(value) in self.proof.known:
                    self._alike.setdefault(self._form(value), set()).add(id(value))

    def _form(self, value: Value) -> object:
        return form_of(self.proof.known[id(value)])

    def gradient(self, update: Update, derivative: Tensor | None) -> Value | None:
        """Return the value by which a parameter is updated, None where none is found in time.

        That is one with the form of the derivative, if that is not 0, as its products are too; else
        one that the rule holds for at a glance, whatever it is; else one proved to be the
        derivative; else one that the rule is proved for.
        """
        has_form = derivative is not None and derivative.poly
        alike = self._alike.get(form_of(derivative)) if derivative and has_form else None
        if alike:
            upwards = self._candidates(update)
            found = next((value for value in upwards if id(value) in alike), None)
            if found is not None:
                return found
        near = list(islice(self._candidates(update), CANDIDATES))
        try:
            found = next((v for v in _in_time(near) if self._holds_at_a_glance(update, v)), None)
            if found is None and derivative is not None:
                found = self.proof.find(derivative, near)
            return found or next((v for v in _in_time(near) if self._holds(update, v)), None)
        except Late:
            return None

    def _holds_at_a_glance(self, update: Update, value: Value) -> bool:
        sides = _sides(self.proof, self.flow, self.body, update, value).values()
        return all(wanted is not None and self.proof.alike(wanted, made) for wanted, made in sides)

    def _holds(self, update: Update, value: Value) -> bool:
        return all(rule_holds(self.proof, self.flow, self.body, update, value).values())

    def _candidates(self, update: Update) -> Iterator[Value]:
        """Yield values of the parameter's shape that its new state comes from, last ones first."""
        shape = self.body.arguments[update.argument].shape
        for operation in self.flow.upwards(update.results(self.body)):
            for value in operation.results:
                if value.shape == shape and id(value) not in self.forward:
                    yield value


def _in_time(values: Iterable[Value]) -> Iterator[Value]:
    """Yield values; Late at the first of them that comes when no time is left."""
    for value in values:
        require_time()
        yield value


def rule_holds(
    proof: Proof, flow: Flow, body: Block, update: Update, g: Value
) -> Mapping[str, bool]:
    """Return for each result of a rule whether it is what the rule makes of g, whatever g is."""
    sides = _sides(proof, flow, body, update, g)
    return {
        target: wanted is not None and proof.same(wanted, emitted)
        for target, (wanted, emitted) in sides.items()
    }


def _sides(
    proof: Proof, flow: Flow, body: Block, update: Update, g: Value
) -> Mapping[str, tuple[Tensor | None, Tensor]]:
    """Return what a rule makes of an unknown g, and what the text makes of it, by target."""
    unknown = proof.den.unknown(f"gradient of {update.parameter}", g.shape)
    local = Proof(proof.den)
    moved = flow.between(g, update.results(body))
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
    results = {target: id(body.results[k]) for target, k in update.targets.items()}
    return {
        target: (wanted.get(target), local.known.get(result, proof.known[result]))
        for target, result in results.items()
    }
