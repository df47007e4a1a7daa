"""The claims about the results of one program, with what proves them and what asks after them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from gradwright.certify.anchors import Anchors, Spot, Spots
from gradwright.certify.claims import Kind
from gradwright.certify.flow import Flow
from gradwright.certify.kernel.conditions import Conditions
from gradwright.certify.kernel.denotation import Denotation
from gradwright.certify.programs_meaning import StatedValues
from gradwright.certify.programs_reading import STATED, Reading, target_of
from gradwright.certify.programs_shares import Share
from gradwright.certify.programs_updates import (
    Update,
    Updating,
    given_gradient,
    rule_holds,
    updates_of,
)
from gradwright.certify.prove import ancestors
from gradwright.certify.refute import GradientQuestion
from gradwright.certify.refute_points import restricted
from gradwright.certify.refute_statements import (
    MeasuredQuestion,
    Stated,
    StatedQuestion,
    UpdateQuestion,
)
from gradwright.certify.texts_forms import both_forms
from gradwright.certify.texts_gradient import (
    TERM_LIMIT,
    UNCUT_LIMIT,
    UNCUT_TERM_LIMIT,
    Derived,
    Subject,
    cotangent,
    denote_claimed,
    derive,
    first_failure,
    form_of,
)
from gradwright.certify.texts_settle import Effort, Obligation, Progress, Sides, silently
from gradwright.hlo import Block, Function, Role, Value


@dataclass(slots=True)
class _Attempt:
    """One proof: the derivatives of the loss, and the stated values."""

    derived: Derived
    stated: StatedValues
    updates: dict[str, Mapping[str, bool]] = field(default_factory=dict[str, Mapping[str, bool]])
    """Which results of an update hold, by parameter, as far as asked for."""


@dataclass(frozen=True, slots=True)
class _Judged:
    """An update, the gradient that it reads, and the number of that among the results."""

    update: Update
    gradient: Value | None
    k: int = -1
    given: bool = False


@dataclass(slots=True)
class ProgramClaims:
    """The claims of a program; proofs of more effort are made only where one is asked for.

    A process of several has the claims of its share, and what was derived before it began.
    """

    reading: Reading
    effort: Effort
    share: Share | None = None
    derived: Derived | None = None
    progress: Progress = silently
    _subject: Subject = field(init=False)
    _first: _Attempt = field(init=False)
    _judged: list[_Judged] = field(init=False)
    _emitted: Function = field(init=False)
    _spots: Spots = field(init=False)
    _flow: Flow = field(init=False)
    _more: list[_Attempt] | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        """Denote the text, what is stated of it, and the gradients that it updates by."""
        reading, body = self.reading, self.reading.main.body
        updates = updates_of(reading)
        if self.share is not None:
            updates = [updates[n] for n in self.share.updates]
        self._subject = subject_of_program(reading, updates)
        forward = self._subject.forward
        self._spots = Spots(body)
        self._first = self._attempt(self._derived(), updates)
        made = {id(result) for operation in forward.body.operations for result in operation.results}
        self._flow = Flow.of(body)
        updating = Updating(self._first.derived.proof, body, self._flow, made)
        self._judged, extra = [], list[Value]()
        for update in updates:
            judged = self._judge(updating, update, len(body.results) + len(extra))
            self._judged.append(judged)
            if judged.gradient is not None and not judged.given:
                extra.append(judged.gradient)
        block = Block(body.arguments, body.operations, (*body.results, *extra))
        self._emitted = replace(reading.main, body=block, aliases=())

    def _derived(self) -> Derived:
        """Return the derivatives of the loss beside what the text has for them.

        What the share may assume stands for the cotangent that it is taken for.
        """
        if self.share is None or self.derived is None:
            return derive(self._subject, limit=TERM_LIMIT, progress=self.progress)
        proof = self.derived.proof
        for value, whole in self.share.assumed.values():
            tensor = cotangent(self.derived, whole)
            if tensor is not None:
                proof.known[id(value)] = proof.as_cut(tensor)
        denote_claimed(self.derived, self._subject, limit=TERM_LIMIT)
        return self.derived

    def _attempt(self, derived: Derived, updates: Sequence[Update]) -> _Attempt:
        reading = self.reading
        body = reading.main.body
        proof = derived.proof
        rest = [op for op in body.operations if any(id(r) not in proof.known for r in op.results)]
        if self.share is not None:
            wanted = [v for each in updates for v in each.results(body)]
            wanted += self._stated() if self.share.stated else []
            needed = ancestors(wanted, body.operations, set(proof.known))
            rest = [op for op in rest if any(id(r) in needed for r in op.results)]
        proof.denote(rest, set())
        self.progress("denoting what is stated")
        arguments = {p.name: v for p, v in zip(reading.inputs, body.arguments, strict=True)}
        proof.den.conditions.operation = None
        if self.share is not None and not self.share.stated:
            return _Attempt(derived, StatedValues(proof, (), arguments, ()))
        made = [op for op in body.operations if all(id(r) in proof.known for r in op.results)]
        return _Attempt(derived, StatedValues(proof, made, arguments, reading.statements))

    def _stated(self) -> list[Value]:
        results = zip(self.reading.outputs, self.reading.main.body.results, strict=True)
        return [value for port, value in results if port.role in STATED]

    def _judge(self, updating: Updating, update: Update, k: int) -> _Judged:
        body, derived = self.reading.main.body, self._first.derived
        place = given_gradient(self.reading, update)
        if place is not None:
            return _Judged(update, body.arguments[place], place, given=True)
        wanted = cotangent(derived, self._subject.forward.body.arguments[update.argument])
        return _Judged(update, updating.gradient(update, wanted), k)

    def proofs(self) -> list[Denotation]:
        """Return the states of the proofs that were tried."""
        attempts = [self._first, *(self._more or ())]
        return [each.derived.proof.den for each in attempts]

    def conditions(self) -> list[Conditions]:
        """Return what the proofs assume."""
        return [den.conditions for den in self.proofs()]

    def meaning_sides(self) -> Sides:
        """Return the text for claims about what is stated, whatever its gradients are of."""
        return self._sides(self._first.stated.sound)

    def update_sides(self) -> Sides:
        """Return the text for claims about gradients and updates of the loss that it has."""
        return self._sides(self._sound)

    def _sides(self, sound: Callable[[], set[int]]) -> Sides:
        """Return the text with the gradients that it holds, beside the function of its loss."""
        subject = self._subject
        return Sides(self._emitted, subject.forward, subject.seeds, sound)

    def unclaimed(self) -> list[str]:
        """Return the names of results that no claim is about."""
        return unclaimed(self.reading, [each.update for each in self._judged])

    def meanings(self) -> list[Obligation]:
        """Return the claims that results are what is stated."""
        names = [port.name for port in self.reading.inputs]
        stated = Stated(self.reading.statements, names)
        return [
            self._meaning(k, target_of(port), port.role, stated)
            for k, port in enumerate(self.reading.outputs)
            if port.role in STATED
        ]

    def updates(self) -> list[Obligation]:
        """Return the claims about gradients, then those about updates."""
        differentiated = self._judged if self.reading.differentiated is not None else []
        found = [self._gradient(each) for each in differentiated]
        for each in self._judged:
            found += [self._update(each, target) for target in each.update.targets]
        return found

    def _meaning(self, k: int, target: str, role: Role, stated: Stated) -> Obligation:
        value = self.reading.main.body.results[k]
        return Obligation(
            f"{target} as declared",
            Kind.LOSS if role is Role.LOSS else Kind.MEANING,
            StatedQuestion(k, stated, target),
            lambda: self._first.stated.hold(target, value),
            lambda: self._after_all(lambda attempt: attempt.stated.hold(target, value)),
            lambda: self._failure(value) or self._first.stated.reason(target, value),
            self._anchors(value),
        )

    def _gradient(self, judged: _Judged) -> Obligation:
        body, update = self.reading.main.body, judged.update
        value = self._subject.forward.body.arguments[update.argument]
        emitted = judged.gradient
        question = (
            MeasuredQuestion(update.targets["theta'"], update.rule, "theta'", update.argument)
            if emitted is None
            else GradientQuestion(judged.k, update.argument)
        )
        return Obligation(
            f"gradient of {update.parameter}",
            Kind.GRADIENT,
            question,
            lambda: self._is_gradient(self._first, value, emitted),
            lambda: self._after_all(lambda attempt: self._is_gradient(attempt, value, emitted)),
            lambda: self._gradient_reason(value, emitted),
            self._anchors(emitted or body.results[update.targets["theta'"]], wrt=value),
        )

    def _update(self, judged: _Judged, target: str) -> Obligation:
        body, update = self.reading.main.body, judged.update
        k, g = update.targets[target], judged.gradient
        question = (
            MeasuredQuestion(k, update.rule, target, update.argument)
            if g is None
            else UpdateQuestion(k, update.rule, target, judged.k, judged.given)
        )
        return Obligation(
            f"update of {self.reading.outputs[k].name}",
            Kind.UPDATE,
            question,
            lambda: self._is_update(self._first, update, target, g),
            lambda: self._after_all(lambda attempt: self._is_update(attempt, update, target, g)),
            lambda: f"not shown to be {target} of the rule",
            self._anchors(body.results[k], rule=self.reading.updates[update.parameter]),
        )

    def _is_gradient(self, attempt: _Attempt, argument: Value, emitted: Value | None) -> bool:
        wanted = cotangent(attempt.derived, argument)
        if wanted is None or emitted is None:
            return False
        proof = attempt.derived.proof
        return proof.same(wanted, proof.known[id(emitted)])

    def _is_update(self, attempt: _Attempt, update: Update, target: str, g: Value | None) -> bool:
        if g is None:
            return False
        name = update.parameter
        if name not in attempt.updates:
            proof = attempt.derived.proof
            attempt.updates[name] = rule_holds(proof, self._flow, self.reading.main.body, update, g)
        return attempt.updates[name][target]

    def _after_all(self, holds: Callable[[_Attempt], bool]) -> bool:
        """Return whether a claim holds in a proof with more terms or without cuts."""
        if self.effort is Effort.QUICK:
            return False
        if self._more is None:
            again = [derive(self._subject)] if self._first.derived.capped else []
            if len(self.reading.main.body.operations) <= UNCUT_LIMIT:
                again.append(derive(self._subject, cut=set(), limit=UNCUT_TERM_LIMIT))
            updates = [each.update for each in self._judged]
            self._more = [self._attempt(derived, updates) for derived in again]
        return any(holds(attempt) for attempt in self._more)

    def _failure(self, value: Value) -> str | None:
        failure = first_failure(self._first.derived.proof, value, self.reading.main.body.operations)
        return None if failure is None else f"the proof stops at {failure}"

    def _gradient_reason(self, argument: Value, emitted: Value | None) -> str:
        derived = self._first.derived
        if id(argument) in derived.lost:
            return f"the proof stops at {derived.lost[id(argument)]}"
        wanted = cotangent(derived, argument)
        if emitted is None or wanted is None:
            return "no value of the text was proved to be the derivative, or is updated by"
        known = derived.proof.known[id(emitted)]
        return self._failure(emitted) or both_forms(derived.proof.den, wanted, known)

    def _anchors(self, value: Value, *, wrt: Value | None = None, rule: str = "") -> Anchors:
        reference: tuple[Spot, ...] = ()
        spot: Spot | None = None
        if wrt is not None and self.reading.differentiated is not None:
            measured, loss = self.reading.differentiated
            spots = self._spots if measured is self.reading else Spots(measured.main.body)
            reference, spot = (spots.at(measured.main.body.results[loss]),), spots.at(wrt)
        return Anchors(self._spots.at(value), reference, spot, rule)

    def _sound(self) -> set[int]:
        """Return values of the text that are not in question: the loss, right derivatives."""
        derived, body = self._first.derived, self.reading.main.body
        forms = {form_of(tensor) for tensor in derived.cotangents.values()}
        values = [result for operation in body.operations for result in operation.results]
        right = {id(v) for v in values if form_of(derived.proof.known[id(v)]) in forms}
        return right | ancestors(self._subject.forward.body.results, body.operations, set())


def unclaimed(reading: Reading, updates: Sequence[Update]) -> list[str]:
    """Return the names of results that are neither stated nor defined by an update."""
    claimed = {k for each in updates for k in each.targets.values()}
    claimed |= {k for k, port in enumerate(reading.outputs) if port.role in STATED}
    return [p.name for k, p in enumerate(reading.outputs) if k not in claimed]


def subject_of_program(reading: Reading, updates: Sequence[Update]) -> Subject:
    """Return the claims that updates follow the gradient of the loss that is differentiated.

    Without one, the forward is everything that is stated, of which nothing is differentiated.
    """
    pairs = tuple((each.argument, each.targets["theta'"]) for each in updates)
    if reading.differentiated is not None:
        measured, loss = reading.differentiated
        forward = restricted(measured.main, [measured.main.body.results[loss]])
    else:
        stated = [k for k, port in enumerate(reading.outputs) if port.role in STATED]
        forward = restricted(reading.main, [reading.main.body.results[k] for k in stated])
        pairs = ()
    measured, _ = reading.differentiated or (reading, 0)
    called = tuple(port.name for port in measured.inputs)
    seeds = (None,) * len(forward.body.results)
    return Subject(forward, reading.main, seeds, pairs, measured.statements, called)
