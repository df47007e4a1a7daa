"""Exit codes of every command; docs/cli.md states them."""

import enum


class Exit(enum.IntEnum):
    """What a command says to the shell when it ends."""

    DONE = 0
    MISSED = 1
    UNSUPPORTED = 2
    BAD_INPUT = 3
    INTERNAL = 70  # sysexits.h: EX_SOFTWARE
    INTERRUPTED = 130  # 128 + SIGINT
    CLOSED_PIPE = 141  # 128 + SIGPIPE
