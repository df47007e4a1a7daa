"""The command line: `gradwright VERB ...`; docs/cli.md describes every verb."""

from gradwright.cli.entry import main

__all__ = ["main"]
