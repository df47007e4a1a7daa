"""Gradients: cotangents derived from a forward function beside those that a text returns."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from gradwright.certify.anchors import Anchors, Spots
from gradwright.certify.claims import Kind, Report
from gradwright.certify.effort import TooLarge, limited
from gradwright.certify.hypotheses.meeting import Meeting
from gradwright.certify.kernel.algebra import Undenotable
from gradwright.certify.kernel.denotation import Denotation
from gradwright.certify.kernel.tensor import Tensor
from gradwright.certify.notation import Statement
from gradwright.certify.prove import Proof, ancestors, choose_cuts
from gradwright.certify.prove_joins import Joins
from gradwright.certify.prove_lemmas import candidates
from gradwright.certify.prove_repeats import Repeats
from gradwright.certify.refute import GradientQuestion
from gradwright.certify.scope import place, scope_of
from gradwright.certify.texts_forms import both_forms
from gradwright.certify.texts_settle import (
    Effort,
    Obligation,
    Observer,
    Progress,
    Search,
    Sides,
    settle,
    silently,
    told,
)
from gradwright.hlo import Function, Operation, Value

TERM_LIMIT = 64
"""Terms beyond which a value of the text is a class of its own at the first attempt.

A value of a wrong text joins no class of the forward function, and its terms multiply.
"""
UNCUT_LIMIT = 250
"""Operations up to which a proof that failed is tried once more without cuts."""
UNCUT_TERM_LIMIT = 256
"""Terms of a value of the text in that proof."""


@dataclass(frozen=True, slots=True)
class Subject:
    """Results of `emitted` that are claimed to be cotangents of `forward`.

    The arguments of `forward` are the first ones of `emitted`, by position. `seeds[k]` is the
    argument of `emitted` that is the cotangent of result k (None: the constant 1). `pairs` are
    (argument, result) of `emitted`, by index. `statements`, over `names` of the arguments of
    `forward`, say what lemmas may be about.
    """

    forward: Function
    emitted: Function
    seeds: tuple[int | None, ...]
    pairs: tuple[tuple[int, int], ...]
    statements: tuple[Statement, ...] = ()
    names: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """How many operations both functions have, those that they share once."""
        every = (*self.forward.body.operations, *self.emitted.body.operations)
        return len({id(operation) for operation in every})


@dataclass(slots=True)
class Derived:
    """Cotangents of the values of a forward function, by identity; why some are not known."""

    proof: Proof
    cotangents: Mapping[int, Tensor]
    lost: dict[int, str] = field(default_factory=dict[int, str])
    capped: bool = False
    """Whether a value of the text had too many terms."""


def derive(
    subject: Subject,
    *,
    cut: set[int] | None = None,
    limit: int | None = None,
    progress: Progress = silently,
) -> Derived:
    """Denote both functions and derive every cotangent of the forward one.

    `cut` are the values that the proof treats as one (default: what `choose_cuts` says); a value of
    the text with more than `limit` terms becomes a class.
    """
    cut = choose_cuts(subject.forward.body.operations) if cut is None else cut
    proof = forward_denoted(subject, cut, progress)
    progress("deriving the cotangents")
    derived = swept(proof, subject, cut)
    denote_claimed(derived, subject, limit=limit, progress=progress)
    return derived


def forward_denoted(subject: Subject, cut: set[int], progress: Progress = silently) -> Proof:
    """Return a proof that knows the values of the forward function."""
    proof = Proof()
    forward, emitted = subject.forward.body, subject.emitted.body
    proof.introduce(emitted.arguments)
    for ours, theirs in zip(forward.arguments, emitted.arguments, strict=False):
        proof.known[id(ours)] = proof.known[id(theirs)]
    named = dict(zip(subject.names, forward.arguments, strict=False))
    lemmas = candidates(forward.operations, subject.statements, named)
    whole = cut.difference(*(lemma.inside for lemma in lemmas.values()))
    for operation in told(forward.operations, progress, subject.size):
        proof.denote([operation], whole)
        lemma = lemmas.get(id(operation))
        if lemma is not None and not lemma.is_proved(proof, cut):
            proof.denote(lemma.between, cut)
    proof.den.conditions.settled = True
    return proof


def swept(proof: Proof, subject: Subject, cut: set[int]) -> Derived:
    """Return the cotangents of a forward function that a proof knows."""
    forward, emitted = subject.forward.body, subject.emitted.body
    seeds: dict[int, Tensor] = {}
    for result, seed in zip(forward.results, subject.seeds, strict=True):
        weight = (
            proof.den.splat(1, result.shape)
            if seed is None
            else proof.known[id(emitted.arguments[seed])]
        )
        known = seeds.get(id(result))
        seeds[id(result)] = weight if known is None else proof.den.pointwise.add(known, weight)
    wrt = {id(forward.arguments[argument]) for argument, _ in subject.pairs}
    return _swept(proof, forward.operations, seeds, wrt, cut)


def denote_claimed(
    derived: Derived, subject: Subject, *, limit: int | None, progress: Progress = silently
) -> None:
    """Denote what the claimed results come from, as far as it is not known."""
    proof, emitted = derived.proof, subject.emitted.body
    results = (emitted.results[k] for _, k in subject.pairs)
    claimed = ancestors(results, emitted.operations, set(proof.known))
    rest = [
        op
        for op in emitted.operations
        if any(id(r) in claimed and id(r) not in proof.known for r in op.results)
    ]
    joins = Joins(proof)
    joins.expect(derived.cotangents.values())
    repeats = _forward_met(subject)
    before = len(subject.forward.body.operations)
    for operation in told(rest, progress, subject.size, before=before):
        if proof.is_known_by(operation, repeats.met(operation)):
            continue
        proof.denote([operation], set())
        for result in operation.results:
            joined = joins.joined(proof.known[id(result)])
            proof.known[id(result)] = proof.as_cut(joined)
        for result in operation.results if limit is not None else ():
            derived.capped |= _capped(proof, result, limit or 0)


def _forward_met(subject: Subject) -> Repeats:
    """Return what knows the operations of the forward function."""
    repeats = Repeats()
    repeats.unite(subject.emitted.body.arguments, subject.forward.body.arguments)
    for operation in subject.forward.body.operations:
        repeats.met(operation)
    return repeats


def _capped(proof: Proof, value: Value, limit: int) -> bool:
    """Make a finite value of many terms a class; return whether that was done."""
    tensor = proof.known[id(value)]
    if len(tensor.poly) <= limit:
        return False
    try:
        proof.den.require_finite(tensor)
        proof.known[id(value)] = proof.den.contractions.as_term(tensor)
    except (Undenotable, TooLarge):
        return False
    return True


def _swept(
    proof: Proof,
    operations: Sequence[Operation],
    seeds: Mapping[int, Tensor],
    wrt: set[int],
    cut: set[int],
) -> Derived:
    """Sweep at once; where an operation has no rule, once more one by one, to lose only its own."""
    try:
        return Derived(proof, proof.adjoint(operations, seeds, wrt, cut))
    except (Undenotable, TooLarge):
        return _swept_singly(proof, operations, seeds, wrt, cut)


def _swept_singly(
    proof: Proof,
    operations: Sequence[Operation],
    seeds: Mapping[int, Tensor],
    wrt: set[int],
    cut: set[int],
) -> Derived:
    depends = set(wrt)
    for operation in operations:
        if any(id(value) in depends for value in operation.reads):
            depends.update(id(value) for value in operation.results)
    cotangents = dict(seeds)
    lost: dict[int, str] = {}
    for operation in reversed(operations):
        reason = next((lost[id(r)] for r in operation.results if id(r) in lost), None)
        if reason is None:
            try:
                cotangents = proof.adjoint([operation], cotangents, depends, cut)
            except (Undenotable, TooLarge) as problem:
                said = str(problem).removeprefix(f"%{operation.results[0].name}: ")
                reason = f"{place(operation)}: {said}"
        if reason is not None:
            lost.update((id(v), reason) for v in operation.reads if id(v) in depends)
    return Derived(proof, cotangents, lost)


def cotangent(derived: Derived, argument: Value) -> Tensor | None:
    """Return the derived cotangent of an argument; None where it was lost."""
    if id(argument) in derived.lost:
        return None
    zero = derived.proof.den.splat(0, argument.shape)
    return derived.cotangents.get(id(argument), zero)


def first_failure(proof: Proof, value: Value, operations: Sequence[Operation]) -> str | None:
    """Return the first operation without denotation that a value depends on, and why."""
    needed = {id(value)}
    found: str | None = None
    for operation in reversed(operations):
        if not any(id(result) in needed for result in operation.results):
            continue
        needed.update(id(value) for value in operation.reads)
        failure = proof.failures.get(id(operation.results[0]))
        found = f"{place(operation)}: {failure}" if failure is not None else found
    return found


def certify_gradients(subject: Subject, search: Search, observe: Observer) -> Report:
    """Settle every claim of a subject."""
    started = time.perf_counter()
    with limited(search.budget):
        claims = _Claims(subject, search.effort, search.progress)
        sides = Sides(subject.emitted, subject.forward, subject.seeds, claims.sound)
        obligations = [claims.obligation(argument, k) for argument, k in subject.pairs]
        met = Meeting((subject.forward, subject.emitted), claims.proofs, search)
        settled = settle(obligations, sides, search, observe, met.objection)
    proofs = [den.conditions for den in claims.proofs()]
    scope = scope_of((subject.forward, subject.emitted), proofs)
    return Report(tuple(settled), (*scope, *met.lines), time.perf_counter() - started)


def form_of(tensor: Tensor) -> object:
    """Return what tensors that are equal at a glance have in common."""
    return tensor.digits, frozenset(tensor.poly.items())


class _Claims:
    """The claims of a subject; proofs of more effort are made only where one is asked for."""

    def __init__(self, subject: Subject, effort: Effort, progress: Progress) -> None:
        self.subject = subject
        self.effort = effort
        self.derived = derive(subject, limit=TERM_LIMIT, progress=progress)
        self.spots = Spots(subject.forward.body), Spots(subject.emitted.body)
        self.more: list[Derived] | None = None

    def proofs(self) -> list[Denotation]:
        """Return the states of the proofs that were tried."""
        return [each.proof.den for each in (self.derived, *(self.more or ()))]

    def sound(self) -> set[int]:
        """Return values of the text that have the form of a forward value or of a cotangent."""
        forward, emitted = self.subject.forward.body, self.subject.emitted.body
        known = self.derived.proof.known
        right = [known[id(r)] for op in forward.operations for r in op.results]
        forms = {form_of(tensor) for tensor in (*right, *self.derived.cotangents.values())}
        values = [r for op in emitted.operations for r in op.results if id(r) in known]
        return {id(value) for value in values if form_of(known[id(value)]) in forms}

    def obligation(self, argument: int, k: int) -> Obligation:
        """Return the claim that result k is the cotangent of an argument."""
        forward, emitted = self.subject.forward.body, self.subject.emitted.body
        value = forward.arguments[argument]
        return Obligation(
            f"d/d%{value.name} (result {k})",
            Kind.GRADIENT,
            GradientQuestion(k, argument),
            lambda: self._holds(self.derived, argument, k),
            lambda: self._holds_after_all(argument, k),
            lambda: self._reason(argument, k),
            Anchors(
                self.spots[1].at(emitted.results[k]),
                self.spots[0].all(forward.results),
                self.spots[0].at(value),
            ),
        )

    def _holds(self, derived: Derived, argument: int, k: int) -> bool:
        wanted = cotangent(derived, self.subject.forward.body.arguments[argument])
        emitted = derived.proof.known[id(self.subject.emitted.body.results[k])]
        return wanted is not None and derived.proof.same(wanted, emitted)

    def _holds_after_all(self, argument: int, k: int) -> bool:
        if self.effort is Effort.QUICK:
            return False
        if self.more is None:
            self.more = [derive(self.subject)] if self.derived.capped else []
            if len(self.subject.emitted.body.operations) <= UNCUT_LIMIT:
                self.more.append(derive(self.subject, cut=set(), limit=UNCUT_TERM_LIMIT))
        return any(self._holds(each, argument, k) for each in self.more)

    def _reason(self, argument: int, k: int) -> str:
        """Return where the proof stops: an operation, or the two forms that differ."""
        value = self.subject.forward.body.arguments[argument]
        result = self.subject.emitted.body.results[k]
        proof = self.derived.proof
        failure = self.derived.lost.get(id(value)) or first_failure(
            proof, result, self.subject.emitted.body.operations
        )
        wanted = cotangent(self.derived, value)
        if failure is not None or wanted is None:
            return f"the proof stops at {failure}"
        makers = [op for op in self.subject.emitted.body.operations if result in op.results]
        where = place(makers[0]) if makers else f"%{result.name}"
        return f"{where}: {both_forms(proof.den, wanted, proof.known[id(result)])}"
