"""Certificates of reports: which record states each claim that was proved."""

import dataclasses
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from gradwright.certify.certificate import gradients_in, written
from gradwright.certify.claims import Report
from gradwright.certify.verdicts import Verdict
from gradwright.check.atoms import Uncheckable
from gradwright.check.certificate import (
    Certificate,
    ClaimRecord,
    EqualClaim,
    GradientClaim,
    LossClaim,
    UpdateClaim,
)
from gradwright.check.guide import FalseStatement
from gradwright.check.replay import Text, straight
from gradwright.check.session import numbered
from gradwright.errors import GradwrightError
from gradwright.hlo import Function, Role, Signature


def with_text_certificate(
    report: Report, text: Text, loss: int, pairs: Sequence[tuple[int, int]]
) -> Report:
    """Return a report on gradients in one text with its certificate; pairs (argument, result)."""

    def write() -> Certificate:
        function = straight(text)
        records = _gradients(pairs, [function])
        return _of(report, records, lambda claims: written("gradients", [text], claims, loss))

    return _certified(report, write)


def with_pair_certificate(
    report: Report,
    forward: Text,
    backward: Text,
    pairs: Sequence[tuple[int, int]],
    others: Sequence[str] = (),
) -> Report:
    """Return a report on a vector-Jacobian product with its certificate.

    `others` are names of claims that are made beside, which it does not cover.
    """

    def write() -> Certificate:
        texts = [forward, backward]
        records = _gradients(pairs, [straight(text) for text in texts])
        return _of(report, records, lambda claims: written("vjp", texts, claims, None, others))

    return _certified(report, write)


def with_equal_certificate(report: Report, left: Text, right: Text) -> Report:
    """Return a report on the equality of two texts with its certificate."""

    def write() -> Certificate:
        records = [EqualClaim(k) for k in range(len(report.claims))]
        return _of(report, records, lambda claims: written("equal", [left, right], claims))

    return _certified(report, write)


def _gradients(
    pairs: Sequence[tuple[int, int]], functions: Sequence[Function]
) -> list[GradientClaim]:
    number_of = {id(value): n for n, value in enumerate(numbered(functions))}
    results = functions[-1].body.results
    return [GradientClaim(argument, number_of[id(results[k])]) for argument, k in pairs]


_Named = Sequence[tuple[str, ClaimRecord]]


def _of(
    report: Report, records: Sequence[ClaimRecord], write: Callable[[_Named], Certificate]
) -> Certificate:
    """Return the certificate of what was proved; the rest is uncovered."""
    pairs = list(zip(report.claims, records, strict=True))
    proved = [(claim.name, r) for claim, r in pairs if claim.verdict is Verdict.PROVED]
    left = tuple(claim.name for claim, _ in pairs if claim.verdict is not Verdict.PROVED)
    certificate = write(proved)
    return dataclasses.replace(certificate, uncovered=(*certificate.uncovered, *left))


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

    def certificate(self) -> object | None:
        """Return the certificate as a JSON object, None where nothing can be replayed."""
        if not self.found:
            self.found.append(self._written())
        return self.found[0]

    def _written(self) -> object | None:
        try:
            certificate = self.write()
        except (Uncheckable, FalseStatement, GradwrightError):
            return None
        return certificate.to_json() if certificate.claims else None


def certificate_text(report: Report) -> str | None:
    """Return the certificate of a report as it is written to a file: sorted keys, one line."""
    certificate = report.certificate
    if certificate is None:
        return None
    return json.dumps(certificate, sort_keys=True, separators=(",", ":")) + "\n"


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


def with_step_certificate(report: Report, program: TrainStep) -> Report:
    """Return a report on a train step with the certificate of its gradients and updates.

    Claims about meaning are uncovered: the checker reads no index notation.
    """
    outputs = [port.name for port in program.signature.outputs]
    losses = [k for k, p in enumerate(program.signature.outputs) if p.role is Role.LOSS]
    if not losses:
        return report

    def write() -> Certificate:
        [loss, *_] = losses
        arguments = {port.name: i for i, port in enumerate(program.signature.inputs)}
        wanted = {
            name: arguments[name]
            for name in program.updates
            if _is_proved(report, f"gradient of {name}")
        }
        found = gradients_in(program.text, loss, list(wanted.values()))
        records: list[tuple[str, ClaimRecord]] = [("the differentiated loss", LossClaim(loss))]
        for name, argument in wanted.items():
            if argument in found:
                record = GradientClaim(argument, found[argument])
                records.append((f"gradient of {name}", record))
        for name, argument in wanted.items():
            if argument in found:
                records += _updates(program, name, arguments, outputs, found[argument])
        kept = [(name, r) for name, r in records if _is_proved(report, name)]
        names = {name for name, _ in kept}
        left = [claim.name for claim in report.claims if claim.name not in names]
        return written("gradients", [program.text], kept, loss, left)

    return _certified(report, write)


def _is_proved(report: Report, name: str) -> bool:
    """Return whether no claim of a name is open; what a report has no name for is our own."""
    return all(c.verdict is Verdict.PROVED for c in report.claims if c.name == name)


def _updates(
    program: TrainStep,
    name: str,
    arguments: Mapping[str, int],
    outputs: Sequence[str],
    gradient: int,
) -> list[tuple[str, ClaimRecord]]:
    rule = program.updates[name]
    moments = [port for port in arguments if port.rpartition(".")[0] == name and port in outputs]
    reads = {"theta": arguments[name]} | {m.rpartition(".")[2]: arguments[m] for m in moments}
    reads |= {scalar: arguments[scalar] for scalar in ("lr", "t") if scalar in arguments}
    targets = {name: "theta'"} | {m: f"{m.rpartition('.')[2]}'" for m in moments}
    sorted_reads = tuple(sorted(reads.items()))
    return [
        (
            f"update of {port}",
            UpdateClaim(gradient, sorted_reads, outputs.index(port), rule, target),
        )
        for port, target in targets.items()
    ]
