"""Certificates of reports: which record states each claim that was proved."""

import dataclasses
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from gradwright.certify.certificate import Subject, needed, scouted, written
from gradwright.certify.certificate_json import certificate_json
from gradwright.certify.claims import Report
from gradwright.certify.programs_reading import STATED, Program, target_of
from gradwright.certify.programs_updates import SCALARS
from gradwright.certify.verdicts import Verdict
from gradwright.check.atoms import Uncheckable
from gradwright.check.certificate import (
    Certificate,
    ClaimRecord,
    EqualClaim,
    GradientClaim,
    LossClaim,
    MeaningClaim,
    Statement,
    UpdateClaim,
)
from gradwright.check.guide import FalseStatement
from gradwright.check.replay import Text
from gradwright.check.session import numbered
from gradwright.errors import GradwrightError
from gradwright.hlo import Function, Role


def with_text_certificate(
    report: Report, text: Text, loss: int, pairs: Sequence[tuple[int, int]]
) -> Report:
    """Return a report on gradients in one text with its certificate; pairs (argument, result)."""

    def write() -> Certificate:
        subject = Subject("gradients", [text], loss)
        return _of(report, subject, _gradients(pairs, subject.functions))

    return _certified(report, write)


def with_pair_certificate(
    report: Report, forward: Text, backward: Text, pairs: Sequence[tuple[int, int]]
) -> Report:
    """Return a report on a vector-Jacobian product with its certificate."""

    def write() -> Certificate:
        subject = Subject("vjp", [forward, backward])
        return _of(report, subject, _gradients(pairs, subject.functions))

    return _certified(report, write)


def with_equal_certificate(report: Report, left: Text, right: Text) -> Report:
    """Return a report on the equality of two texts with its certificate."""

    def write() -> Certificate:
        records = [EqualClaim(k) for k in range(len(report.claims))]
        return _of(report, Subject("equal", [left, right]), records)

    return _certified(report, write)


def without_certificate(report: Report, reason: str) -> Report:
    """Return a report that says why no certificate is written for it."""
    return dataclasses.replace(report, evidence=_Absent(reason))


@dataclass(frozen=True, slots=True)
class _Absent:
    """Says why there is no certificate."""

    reason: str

    def certificate(self) -> None:
        """Return no certificate."""

    def why_none(self) -> str:
        """Return the reason."""
        return self.reason


def _gradients(
    pairs: Sequence[tuple[int, int]], functions: Sequence[Function]
) -> list[GradientClaim]:
    number_of = {id(value): n for n, value in enumerate(numbered(functions))}
    results = functions[-1].body.results
    return [GradientClaim(argument, number_of[id(results[k])]) for argument, k in pairs]


def _of(report: Report, subject: Subject, records: Sequence[ClaimRecord]) -> Certificate:
    """Return the certificate of what was proved; the rest is uncovered."""
    names = [claim.name for claim in report.claims]
    return _written(report, subject, list(zip(names, records, strict=True)))


def _written(
    report: Report, subject: Subject, records: Sequence[tuple[str, ClaimRecord]]
) -> Certificate:
    """Return the certificate of the records whose claims were proved, by the claims' names."""
    kept = [(name, record) for name, record in records if _is_proved(report, name)]
    names = {name for name, _ in kept}
    left = [claim.name for claim in report.claims if claim.name not in names]
    reasons: list[str] = []
    certificate = written(subject, kept, left, reasons.append)
    if reasons and not certificate.claims:
        raise FalseStatement(reasons[0])
    return certificate


def _certified(report: Report, write: Callable[[], Certificate]) -> Report:
    """Return a report that can write its certificate, or as it is where nothing was proved."""
    if all(claim.verdict is not Verdict.PROVED for claim in report.claims):
        return report
    return dataclasses.replace(report, evidence=_Evidence(write))


@dataclass(slots=True)
class _Evidence:
    """Writes a certificate once, when it is asked for: it takes about as long as the proof."""

    write: Callable[[], Certificate]
    found: list[object | None] = field(default_factory=list[object | None])
    reason: str = ""

    def certificate(self) -> object | None:
        """Return the certificate as a JSON object, None where nothing can be replayed."""
        if not self.found:
            self.found.append(self._written())
        return self.found[0]

    def why_none(self) -> str:
        """Return why there is no certificate, "" where there is one."""
        self.certificate()
        return self.reason

    def _written(self) -> object | None:
        try:
            certificate = self.write()
        except (Uncheckable, FalseStatement, GradwrightError) as error:
            self.reason = f"the checker cannot replay it: {error}"
            return None
        if not certificate.claims:
            self.reason = "the checker can replay none of the claims that are proved"
            return None
        return certificate_json(certificate)


def certificate_text(report: Report) -> str | None:
    """Return the certificate of a report as it is written to a file: sorted keys, one line."""
    certificate = report.certificate
    if certificate is None:
        return None
    return json.dumps(certificate, sort_keys=True, separators=(",", ":")) + "\n"


def with_program_certificate(
    report: Report, program: Program, pairs: Sequence[tuple[int, int]] = ()
) -> Report:
    """Return a report on a program with its certificate.

    `pairs` are argument of the forward and result, for a vector-Jacobian product.
    """

    def write() -> Certificate:
        stating = program.primal or program
        inputs = {port.name: i for i, port in enumerate(stating.signature.inputs)}
        outputs = list(stating.signature.outputs)
        losses = [k for k, port in enumerate(outputs) if port.role is Role.LOSS]
        loss = losses[0] if losses and not pairs and program.updates else None
        texts = [program.text] if program.primal is None else [program.primal.text, program.text]
        kind = "vjp" if program.primal is not None else "meaning" if loss is None else "gradients"
        records: list[tuple[str, ClaimRecord]] = [
            (name, MeaningClaim(target_of(port), k))
            for k, port in enumerate(outputs)
            if port.role in STATED and _is_proved(report, name := f"{target_of(port)} as declared")
        ]
        every = [Statement(text.strip()) for text in stating.statements]
        statements = needed(every, [record for _, record in records])
        wanted = {
            name: inputs[name]
            for name in program.updates
            if _is_proved(report, f"gradient of {name}")
        }
        subject = Subject(kind, texts, loss, inputs if statements else {}, statements)
        places = {port.name: k for k, port in enumerate(outputs) if port.role is Role.PARAMETER}
        updated = {inputs[name]: places[name] for name in wanted if loss is not None}
        subject, found = scouted(subject, updated)
        if loss is not None:
            records.append(("the differentiated loss", LossClaim(loss)))
        gradients = _gradients(pairs, subject.functions)
        for (_, k), record in zip(pairs, gradients, strict=True):
            name = program.signature.outputs[k].name.removeprefix("d.")
            records.append((f"gradient of {name}", record))
        for name, argument in wanted.items():
            if argument in found:
                records.append((f"gradient of {name}", GradientClaim(argument, found[argument])))
        given = {name: inputs.get(f"d.{name}") for name in program.updates}
        for name, argument in wanted.items():
            gradient = found.get(argument) if given[name] is None else given[name]
            if gradient is not None:
                records += _updates(program, name, gradient)
        return _written(report, subject, records)

    return _certified(report, write)


def _is_proved(report: Report, name: str) -> bool:
    """Return whether no claim of a name is open; what a report has no name for is our own."""
    return all(c.verdict is Verdict.PROVED for c in report.claims if c.name == name)


def _updates(program: Program, name: str, gradient: int) -> list[tuple[str, ClaimRecord]]:
    arguments = {port.name: i for i, port in enumerate(program.signature.inputs)}
    outputs = [port.name for port in program.signature.outputs]
    rule = program.updates[name]
    own = [p for p in program.signature.inputs if p.role is Role.MOMENT and p.moment[0] == name]
    moments = [port for port in own if port.name in outputs]
    reads = {"theta": arguments[name]} | {m.moment[1]: arguments[m.name] for m in moments}
    reads |= {scalar: arguments[scalar] for scalar in SCALARS if scalar in arguments}
    targets = {name: "theta'"} | {m.name: f"{m.moment[1]}'" for m in moments}
    sorted_reads = tuple(sorted(reads.items()))
    return [
        (
            f"update of {port}",
            UpdateClaim(gradient, sorted_reads, outputs.index(port), rule, target),
        )
        for port, target in targets.items()
    ]
