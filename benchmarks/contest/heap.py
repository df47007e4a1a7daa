"""The same allocator for every contestant: glibc told to keep its heap, before anything else runs.

Training steps allocate and free blocks of many megabytes; by default glibc maps and unmaps them,
and every step pays for the page faults. `gradwright.run.Allocator.RESIDENT_HEAP` sets the same.
"""

import ctypes

RESIDENT = ((-8, 1), (-4, 0), (-1, 2**31 - 1), (-2, 64 << 20))
"""mallopt parameters (malloc.h): one arena, nothing mapped, nothing trimmed, growth by 64 MiB."""


def keep_resident() -> None:
    """Apply the settings to this process."""
    libc = ctypes.CDLL(None)
    for parameter, value in RESIDENT:
        libc.mallopt(parameter, value)
