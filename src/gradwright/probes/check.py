"""The probes by name, and what differences and the prover say of one."""

from collections.abc import Mapping
from dataclasses import dataclass

from gradwright.certify import Declared, Report, Search, Verdict, certify_program
from gradwright.errors import SpecError, perhaps
from gradwright.kinds import checked
from gradwright.probes.blocks import BLOCKS
from gradwright.probes.differences import Measured, measure
from gradwright.probes.losses import LOSSES
from gradwright.probes.probe import AnyProbe

PROBES: Mapping[str, AnyProbe] = {**LOSSES, **BLOCKS}
"""Every loss and every block alone, by name."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What became of one probe: its gradients by measurement, and all its results by proof."""

    name: str
    gradients: tuple[Measured, ...]
    report: Report

    @property
    def is_measured_right(self) -> bool:
        """Whether differences and f32 agree with every gradient."""
        return all(gradient.is_right for gradient in self.gradients)

    @property
    def verdict(self) -> Verdict:
        """The prover's."""
        return self.report.verdict


@checked
def probe_named(name: str) -> AnyProbe:
    """Return a probe; SpecError names the known ones."""
    if name not in PROBES:
        expected = f"one of {', '.join(PROBES)}"
        raise SpecError(
            where="probe", expected=expected, found=repr(name), remedy=perhaps(name, PROBES)
        )
    return PROBES[name]


@checked
def check_probe(name: str, text: str | None = None, *, search: Search | None = None) -> Checked:
    """Measure and prove a probe, or another text that is to be that probe.

    Errors: SpecError for an unknown name, and where a text has other arguments or results than the
    probe; ParseError for a bad text.
    """
    probe = probe_named(name)
    program = probe.program(name)
    judged = Declared.of(program, program.text if text is None else text)
    report = certify_program(judged, search=search)
    gradients = measure(judged.text, program.signature, classes=probe.classes)
    return Checked(name, gradients, report)
