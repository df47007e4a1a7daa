"""Is this text the gradient of that text: denotation, normal form, calculus, verdicts.

The package can be called: `gradwright.certify(program)` is `certify_program(program)`.
"""

import sys
from types import ModuleType

from gradwright.certify.claims import Claim, Kind, Report
from gradwright.certify.programs import certify_program
from gradwright.certify.programs_reading import Declared, Program
from gradwright.certify.texts import certify_equal, certify_text, certify_vjp
from gradwright.certify.texts_settle import Effort, Observer, Search
from gradwright.certify.verdicts import (
    Counterexample,
    Distribution,
    Proved,
    Refuted,
    Unknown,
    Verdict,
)

__all__ = [
    "Claim",
    "Counterexample",
    "Declared",
    "Distribution",
    "Effort",
    "Kind",
    "Observer",
    "Program",
    "Proved",
    "Refuted",
    "Report",
    "Search",
    "Unknown",
    "Verdict",
    "certify_equal",
    "certify_program",
    "certify_text",
    "certify_vjp",
]


class _Callable(ModuleType):
    """A package whose verb has its own name."""

    def __call__(
        self, program: Program, *, search: Search | None = None, observe: Observer | None = None
    ) -> Report:
        """See `certify_program`."""
        return certify_program(program, search=search, observe=observe)


sys.modules[__name__].__class__ = _Callable
