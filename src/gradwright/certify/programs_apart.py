"""Proving the claims of one program in several processes, each its share of them.

All shares begin with the forward of the program as this process has denoted it, and with its
cotangents. They prove, and do nothing else: where a share proves less than all of its claims, or
ends without an answer, nothing that any of them says counts, and the claims are settled in one
process. So the verdicts are those of one process, in the same order.
"""

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Self, TypedDict, cast

from gradwright.certify.anchors import Anchors, Spot
from gradwright.certify.claims import Claim, Kind, Report
from gradwright.certify.hypotheses.meeting import Judged, Meeting
from gradwright.certify.kernel.conditions import Conditions
from gradwright.certify.kernel.denotation import Denotation
from gradwright.certify.processes import SMALL, Part, processes
from gradwright.certify.programs_claims import ProgramClaims, subject_of_program, unclaimed
from gradwright.certify.programs_reading import STATED, Reading
from gradwright.certify.programs_shares import Share, shares_of
from gradwright.certify.programs_updates import Update, updates_of
from gradwright.certify.prove import choose_cuts
from gradwright.certify.scope import Scope
from gradwright.certify.texts_gradient import Derived, cotangent, forward_denoted, swept
from gradwright.certify.texts_settle import Obligation, Observer, Search, silently
from gradwright.certify.verdicts import Proved

_Key = tuple[int, int, int]
"""The place of a claim: stated, gradient or update; which result or update; which target of it."""
_STATED, _GRADIENT, _UPDATE = range(3)
_Spot = tuple[str, int]


class _ClaimRecord(TypedDict):
    """A claim that a share proved. Units: `seconds` of wall time."""

    key: _Key
    name: str
    kind: str
    seconds: float
    result: _Spot
    reference: list[_Spot]
    wrt: _Spot | None
    rule: str


class Record(TypedDict):
    """What a share answers: its claims, all of them proved, and what their proofs assume."""

    claims: list[_ClaimRecord]
    kinks: int
    idealised: dict[str, str]
    in_range: list[str]
    replicas: list[int]
    is_open: bool
    is_indexed: bool
    nearly: bool | None
    """Whether all inputs but a null set meet the hypotheses; None where that was not asked."""
    integers: list[int]
    """Integer arguments of the text, by atom, that this share supposes something more of."""


class _Unproved(Exception):
    """A share did not prove all of its claims."""


@dataclass(frozen=True, slots=True)
class _Outline:
    """How the hypotheses of a share were judged."""

    is_open: bool
    is_indexed: bool
    nearly: bool | None

    @property
    def hold_nearly_everywhere(self) -> bool:
        """Whether all inputs but a null set meet them; of a large text it is seldom asked."""
        if self.nearly is None:
            raise _Unproved("that almost all inputs meet the hypotheses")
        return self.nearly


@dataclass(frozen=True, slots=True)
class Start:
    """What all shares have in common: atoms, hypotheses, and comparisons left out so far."""

    atoms: int
    hypotheses: int
    kinks: frozenset[int]

    @staticmethod
    def of(den: Denotation) -> "Start":
        """Return it as a proof stands now."""
        conditions = den.conditions
        return Start(len(den.atoms), len(conditions.supposed), frozenset(conditions.kinks))


def certified_apart(reading: Reading, search: Search, observe: Observer) -> Report | None:
    """Return the report on a program all of whose claims are proved, by several processes.

    None where one process is to settle the claims: there is no other, the text is small, a result
    is one that nothing is stated of, or something was not proved.
    """
    jobs = processes(search.jobs, len(reading.main.body.operations))
    if jobs < 2 or reading.primal is not None or reading.differentiated is None:
        return None
    started = time.perf_counter()
    updates = updates_of(reading)
    if unclaimed(reading, updates):
        return None
    with _Shares(reading, updates, search) as shares:
        shares.begin(jobs)
        scope, met = Scope.of((reading.main,)), Meeting((reading.main,), lambda: (), search)
        met.on_domains()
        records = shares.answers()
        if records is None or not _agree(records):
            return None
        outlines = [_Outline(r["is_open"], r["is_indexed"], r["nearly"]) for r in records]
        try:
            with search.evaluating() as evaluate:
                if met.doubt(outlines, evaluate) is not None:
                    return None
        except _Unproved:
            return None
        claims = _claims(records, set(_keys(reading, updates, range(len(updates)), stated=True)))
        if claims is None:
            return None
        lines = (*scope.lines([_conditions(shares.start, records)]), *met.lines)
    for claim in claims:
        observe(claim)
    return Report(tuple(claims), tuple(dict.fromkeys(lines)), time.perf_counter() - started)


class _Shares:
    """The processes that prove the claims of one program; all are ended on leaving."""

    def __init__(self, reading: Reading, updates: Sequence[Update], search: Search) -> None:
        self.reading = reading
        self.updates = updates
        self.search = search
        self.start = Start(0, 0, frozenset())
        self._parts: list[Part] = []

    def __enter__(self) -> Self:
        """Return itself; processes begin when answers are asked for."""
        return self

    def __exit__(self, *_: object) -> None:
        """End what is not done."""
        for part in self._parts:
            part.end()

    def begin(self, jobs: int) -> None:
        """Let processes begin as soon as what they need is known."""
        reading, body = self.reading, self.reading.main.body
        subject = subject_of_program(reading, self.updates)
        cut = choose_cuts(subject.forward.body.operations)
        proof = forward_denoted(subject, cut, self.search.progress)
        self.start = Start.of(proof.den)
        self._begin(Share(stated=True, updates=()), Derived(proof, {}))
        self.search.progress("deriving the cotangents")
        derived = swept(proof, subject, cut)
        results = [each.results(body) for each in self.updates]
        shares = shares_of(body, set(proof.known), results, jobs)
        for share in shares if _is_covered(shares) else ():
            self._begin(share, derived)

    def answers(self) -> list[Record] | None:
        """Return what the shares prove, in the order of the text; None where one proves less."""
        records: list[Record] = []
        for n, part in enumerate(self._parts):
            self.search.progress(f"proofs in {len(self._parts)} processes: {n} are done")
            answer = part.answer()
            if answer is None:
                return None
            records.append(cast("Record", answer))
        return [*records[1:], records[0]]

    def _begin(self, share: Share, derived: Derived) -> None:
        search = replace(self.search, progress=silently)
        work = partial(prove_share, self.reading, search, share, derived, self.start)
        self._parts.append(Part.start(work))


def _is_covered(shares: Sequence[Share]) -> bool:
    """Return whether every cotangent that a share assumes is proved by an earlier one."""
    proved = set[int]()
    for share in shares:
        if not proved.issuperset(share.assumed):
            return False
        proved.update(share.proved)
    return True


def prove_share(
    reading: Reading, search: Search, share: Share, derived: Derived, start: Start
) -> Record:
    """Prove all claims of a share, in its process; _Unproved where one of them is not."""
    claims = ProgramClaims(reading, search.effort, share, derived)
    proof = derived.proof
    for value, whole in share.proved.values():
        wanted = cotangent(derived, whole)
        if wanted is None or not proof.same(wanted, proof.known[id(value)]):
            raise _Unproved(value.name)
    judged = Judged.of(proof.den, 0 if share.stated else start.hypotheses)
    small = len(reading.main.body.operations) < SMALL
    nearly: bool | None = True if small else None
    records: list[_ClaimRecord] = []
    keys = _keys(reading, updates_of(reading), share.updates, stated=share.stated)
    obligations = [*(claims.meanings() if share.stated else ()), *claims.updates()]
    for key, obligation in zip(keys, obligations, strict=True):
        began = time.perf_counter()
        if not obligation.holds() or judged.objection() is not None:
            raise _Unproved(obligation.name)
        if small and not records:
            nearly = judged.hold_nearly_everywhere
        seconds = time.perf_counter() - began
        records.append(_record(key, obligation, seconds))
    if judged.objection() is not None:
        raise _Unproved("hypotheses of no claim")
    conditions = proof.den.conditions
    more, read = islice(conditions.supposed, start.hypotheses, None), judged.clashes.read
    return Record(
        claims=records,
        kinks=len(conditions.kinks - start.kinks),
        idealised=conditions.idealised,
        in_range=sorted(conditions.in_range),
        replicas=sorted(conditions.replicas),
        is_open=judged.is_open,
        is_indexed=judged.is_indexed,
        nearly=nearly,
        integers=sorted({a for each in more for a in read.get(each, ()) if a < start.atoms}),
    )


def _keys(
    reading: Reading, updates: Sequence[Update], which: Iterable[int], *, stated: bool
) -> Iterator[_Key]:
    """Yield the places of claims in the order in which they are made."""
    if stated:
        for k, port in enumerate(reading.outputs):
            if port.role in STATED:
                yield _STATED, k, 0
    which = list(which)
    yield from ((_GRADIENT, n, 0) for n in which)
    yield from ((_UPDATE, n, t) for n in which for t in range(len(updates[n].targets)))


def _record(key: _Key, obligation: Obligation, seconds: float) -> _ClaimRecord:
    anchors = obligation.anchors
    assert anchors is not None  # every claim about a program has some
    wrt = anchors.wrt
    return _ClaimRecord(
        key=key,
        name=obligation.name,
        kind=obligation.kind.value,
        seconds=seconds,
        result=(anchors.result.name, anchors.result.line),
        reference=[(spot.name, spot.line) for spot in anchors.reference],
        wrt=None if wrt is None else (wrt.name, wrt.line),
        rule=anchors.rule,
    )


def _claims(records: Iterable[Record], wanted: set[_Key]) -> list[Claim] | None:
    """Return all claims of a program in order, each proved; None where one is missing."""
    found: dict[_Key, Claim] = {}
    for record in (each for answer in records for each in answer["claims"]):
        group, n, target = record["key"]
        anchors = Anchors(
            Spot(*record["result"]),
            tuple(Spot(*spot) for spot in record["reference"]),
            None if record["wrt"] is None else Spot(*record["wrt"]),
            record["rule"],
        )
        kind = Kind(record["kind"])
        found[group, n, target] = Claim(
            record["name"], kind, Proved(), record["seconds"], anchors=anchors
        )
    return [found[key] for key in sorted(found)] if set(found) == wanted else None


def _agree(records: Sequence[Record]) -> bool:
    """Return whether what shares suppose is judged together too: whole numbers in one share alone.

    So is a count of comparisons that were left out, each once.
    """
    integers = Counter(a for record in records for a in record["integers"])
    return max(integers.values(), default=0) < 2 and sum(r["kinks"] > 0 for r in records) < 2


def _conditions(start: Start, records: Sequence[Record]) -> Conditions:
    """Return what all proofs together assume, as far as the scope speaks of it."""
    conditions = Conditions()
    left_out = sum(record["kinks"] for record in records)
    conditions.kinks = {*start.kinks, *range(-left_out, 0)}
    for record in records:
        conditions.idealised |= record["idealised"]
        conditions.in_range.update(record["in_range"])
        conditions.replicas.update(record["replicas"])
    return conditions
