"""How much work a proof may take: operations of isl on each question, and time where that is set.

The first bound is the same on every machine. Whatever meets a bound is not proved: all that this
module does to the kernel is to raise TooLarge, which no proof survives.
"""

import time
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

import islpy as isl

ISL_OPERATIONS = 10_000_000
"""Operations that isl counts; a second or a few, and a hundred times what most questions take."""


class TooLarge(Exception):
    """There would be more work than a limit; the caller may use classes instead, or give up."""


class Late(TooLarge):
    """The time that was set is over."""


_limit: ContextVar[tuple[float, float] | None] = ContextVar("limit", default=None)
"""When work is to end, on the monotonic clock, and the seconds that were given."""


@contextmanager
def limited(seconds: float | None) -> Generator[None]:
    """Let proofs take so many seconds from now; None, or a limit from outside, changes nothing."""
    given = _limit.get() is None and seconds is not None
    token = _limit.set((time.monotonic() + (seconds or 0), seconds or 0) if given else _limit.get())
    try:
        yield
    finally:
        _limit.reset(token)


def time_left() -> float | None:
    """Return the seconds that are left, below 0 where none are; None without a limit."""
    limit = _limit.get()
    return None if limit is None else limit[0] - time.monotonic()


def is_over() -> bool:
    """Return whether time was set and none is left."""
    left = time_left()
    return left is not None and left <= 0


def require_time() -> None:
    """Raise Late where no time is left."""
    limit = _limit.get()
    if limit is not None and time.monotonic() > limit[0]:
        raise Late(f"the {limit[1]:g} s that all of it may take are over")


@contextmanager
def bounded() -> Generator[None]:
    """Give up questions to isl beyond its operations, or where time is over; a decorator too."""
    require_time()
    context = isl.DEFAULT_CONTEXT
    before = context.get_max_operations()
    context.set_max_operations(ISL_OPERATIONS)
    context.reset_operations()
    try:
        yield
    except isl.Error as problem:
        if "maximal number of operations" not in str(problem):
            raise
        raise TooLarge(f"isl took more than {ISL_OPERATIONS:,} operations") from None
    finally:
        context.set_max_operations(before)
        context.reset_operations()
