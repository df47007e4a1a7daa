"""Facts about this machine that executables depend on."""

import functools
import hashlib
import os
import platform
from pathlib import Path

_CPUINFO = Path("/proc/cpuinfo")
_SHOWN = ("sse4_2", "avx", "avx2", "fma", "avx512f", "avx512_bf16", "amx_tile", "asimd", "sve")


@functools.cache
def cpu_flags() -> frozenset[str]:
    """Return the instruction set extensions of the CPU; empty where the system does not tell."""
    if not _CPUINFO.exists():
        return frozenset()
    for line in _CPUINFO.read_text().splitlines():
        key, _, value = line.partition(":")
        if key.strip() in ("flags", "Features"):
            return frozenset(value.split())
    return frozenset()


def cpu_features() -> tuple[str, ...]:
    """Return the extensions that matter for training, e.g. ("avx", "avx2", "fma")."""
    return tuple(name for name in _SHOWN if name in cpu_flags())


def cpu_name() -> str:
    """Return architecture and a digest of all extensions: equal only where code is portable."""
    digest = hashlib.sha256(" ".join(sorted(cpu_flags())).encode()).hexdigest()
    return f"{platform.machine()}-{digest[:16]}"


def core_count() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
