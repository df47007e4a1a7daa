"""Replays certificates against texts: a second opinion without search and without the prover.

The package can be called: `gradwright.check(certificate, text)` is `gradwright.check.check`.
"""

import sys
from types import ModuleType

from gradwright.check.replay import Checked, Text, check

__all__ = ["Checked", "check"]


class _Callable(ModuleType):
    """A package whose verb has its own name."""

    def __call__(self, certificate: object, *texts: Text) -> Checked:
        """See `check`."""
        return check(certificate, *texts)


sys.modules[__name__].__class__ = _Callable
