"""A net as `certify` is given it: its program as it is emitted, or a file that is to be it."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Self

from gradwright.cli.emission import Emission
from gradwright.cli.nets import Chosen, names_net
from gradwright.cli.output import writing
from gradwright.cli.sources import Sources
from gradwright.errors import UnsupportedError

if TYPE_CHECKING:
    from gradwright.certify import Observer, Program, Report, Search


@dataclass(frozen=True, slots=True)
class DeclaredText:
    """A program of a net; its text is that of `file`, where there is one."""

    net: str
    file: Path | None
    emission: Emission
    options: Chosen
    sources: Sources = field(default_factory=Sources)

    @classmethod
    def chosen(
        cls, file: Path | None, net: str, emission: Emission, options: Chosen
    ) -> Self | None:
        """Return what the argument and `--net` name; None where they name no net."""
        if net:
            return cls(net, file, emission, options)
        if file is not None and not file.exists() and names_net(str(file)):
            return cls(str(file), None, emission, options)
        return None

    def program(self) -> "Program":
        """Emit the program, and put the text of the file in its place."""
        from gradwright.certify import Declared

        program = self.emission.of(self.net, self.options)
        if self.file is None:
            return program
        return Declared.of(program, self.sources.text(self.file))

    def certify(
        self, search: "Search", observe: "Observer", certificate: Path | None = None
    ) -> "Report":
        """Certify every result of the program; refuse one that a wanted certificate cannot reach.

        Errors: UnsupportedError, before any proof.
        """
        from gradwright.certify import certify_program
        from gradwright.certify.programs import why_uncertifiable

        with self.sources.named():
            program = self.program()
            why = "" if certificate is None else why_uncertifiable(program)
            if why:
                raise UnsupportedError(
                    where=f"--certificate {certificate}",
                    expected="what a certificate can hold",
                    found=why,
                    remedy="Leave it out to certify without one",
                )
            return certify_program(program, search=search, observe=observe)

    def write_page(self, page: Path, report: "Report") -> None:
        """Write a page about the report."""
        from gradwright.report.proof_page import NamedText, write_proof_page

        program = self.program()
        name = self.net if self.file is None else self.file.name
        primal = program.primal
        measure = None if primal is None else NamedText("forward", primal.text.encode())
        with writing(page) as wrote:
            write_proof_page(page, report, NamedText(name, program.text.encode()), measure)
            wrote(None)
