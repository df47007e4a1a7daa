"""Replays certificates against texts: a second opinion without search and without the prover."""

from gradwright.check.replay import Checked, check

__all__ = ["Checked", "check"]
