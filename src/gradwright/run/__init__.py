"""Running programs: XLA, IREE and the reference interpreter behind one interface."""

from gradwright.run.backend import (
    Backend,
    CacheOutcome,
    Compilable,
    IreeDriver,
    Manifest,
    Options,
)
from gradwright.run.cache import NO_CACHE, Cache, Usage
from gradwright.run.compiler import compile
from gradwright.run.executable import Executable, Session, StepResult
from gradwright.run.settings import Allocator, Settings, configure, settings

__all__ = [
    "NO_CACHE",
    "Allocator",
    "Backend",
    "Cache",
    "CacheOutcome",
    "Compilable",
    "Executable",
    "IreeDriver",
    "Manifest",
    "Options",
    "Session",
    "Settings",
    "StepResult",
    "Usage",
    "compile",
    "configure",
    "settings",
]
