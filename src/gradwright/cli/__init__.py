"""The command line: `gradwright VERB ...`; docs/cli.md describes every verb."""

from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command that `arguments` (default: those of the process) name; return its exit code.

    An interruption that comes while the command line itself is loaded ends like any other.
    """
    try:
        from gradwright.cli.entry import main as run
    except KeyboardInterrupt:
        return 130  # 128 + SIGINT, as `Exit.INTERRUPTED`, which is not loaded yet
    return run(arguments)


__all__ = ["main"]
