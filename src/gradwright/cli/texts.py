"""Options that name texts and the results in them: what `certify` and `mutate` read."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from gradwright.cli.named_values import EXPECTED, indices
from gradwright.cli.sources import Sources
from gradwright.cli.spelled import as_options
from gradwright.errors import SpecError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gradwright.certify import Report
    from gradwright.certify.texts_gradient import Subject
    from gradwright.hlo import Function, Value


@dataclass(frozen=True, slots=True)
class GradientTexts:
    """FILE with --loss, --wrt and --grads, or --forward with --backward and perhaps --wrt."""

    file: Path | None
    loss: str
    wrt: str
    grads: str
    forward: Path | None
    backward: Path | None
    sources: Sources = field(default_factory=Sources)

    @property
    def is_given(self) -> bool:
        """Whether any file is named."""
        return any(path is not None for path in (self.file, self.forward, self.backward))

    @property
    def reference_and_judged(self) -> tuple[Path | None, Path]:
        """The text that results are measured by, if another than that which returns them."""
        judged = self.file or self.backward
        assert judged is not None  # subject() has said which one is missing
        return self.forward, judged

    def subject(self) -> "Subject":
        """Read the files; SpecError says which option is missing or wrong."""
        with as_options(), self.sources.named():
            return self._subject()

    def _subject(self) -> "Subject":
        from gradwright.certify.texts import subject_of_pair, subject_of_text

        if self.file is not None and self.forward is None and self.backward is None:
            loss = self._differentiated
            if not (self.wrt and self.grads):
                raise self._unsaid("--grads" if self.wrt else "--wrt", self.file)
            wrt = indices("--wrt", self.wrt, self._arguments)
            grads = indices("--grads", self.grads, self._results)
            return subject_of_text(self.sources(self.file), loss=loss, wrt=wrt, grads=grads)
        if self.file is None and self.forward is not None and self.backward is not None:
            chosen = indices("--wrt", self.wrt, self._arguments) if self.wrt else None
            forward, backward = self.sources(self.forward), self.sources(self.backward)
            return subject_of_pair(forward, backward, wrt=chosen)
        raise SpecError(
            where="texts",
            expected="a net, FILE with --wrt and --grads, or --forward with --backward",
            found="neither" if not self.is_given else "a part of them, or both",
        )

    @property
    def _differentiated(self) -> int:
        """The number of the loss among the results, 0 unless said."""
        found = indices("--loss", self.loss or "0", self._results)
        if len(found) == 1:
            return found[0]
        raise SpecError(where="--loss", expected="one result", found=repr(self.loss))

    def _arguments(self) -> "Sequence[Value]":
        return self._main.body.arguments

    def _results(self) -> "Sequence[Value]":
        return self._main.body.results

    @property
    def _main(self) -> "Function":
        """The text with the arguments and results that options name."""
        from gradwright.hlo import read_module

        file = self.file or self.forward
        assert file is not None  # options of no text are refused before
        return read_module(self.sources(file)).main

    def _unsaid(self, option: str, file: Path) -> SpecError:
        """Return the error about indices that are not given; it counts what there is."""
        arguments, results = self._arguments(), self._results()
        return SpecError(
            where=option,
            expected=EXPECTED,
            found="none",
            remedy=f"{file} has arguments {_counted(arguments)} and results {_counted(results)}; "
            "to judge it as the program of a net, name that: --net NET",
        )

    def with_certificate(self, report: "Report") -> "Report":
        """Return the report on these texts with its certificate, where there is one."""
        from gradwright.certify.certificate_claims import (
            with_pair_certificate,
            with_text_certificate,
        )

        pairs = self.subject().pairs
        if self.file is not None:
            return with_text_certificate(
                report, self.sources(self.file), self._differentiated, pairs
            )
        assert self.forward is not None  # the subject was read
        assert self.backward is not None
        texts = self.sources(self.forward), self.sources(self.backward)
        return with_pair_certificate(report, *texts, pairs)


# Arguments or results that an error counts one by one.
_SHOWN = 12


def _counted(values: "Sequence[Value]") -> str:
    """Return values with their numbers: `0 %w: tensor<3xf32>, 1 %x: tensor<f32>`."""
    shown = [f"{i} %{value.name}: {value.type}" for i, value in enumerate(values[:_SHOWN])]
    more = len(values) - len(shown)
    return ", ".join([*shown, f"and {more} more"] if more else shown)
