"""Running programs: XLA, IREE and the reference interpreter behind one interface."""

from gradwright.run.abilities import Trial
from gradwright.run.backend import (
    Backend,
    CacheOutcome,
    Compilable,
    IreeDriver,
    Manifest,
    Memory,
    Options,
)
from gradwright.run.cache import NO_CACHE, Cache, Usage
from gradwright.run.compiler import compile
from gradwright.run.executable import Executable, Session, StepResult
from gradwright.run.health import BackendHealth, Package, Report, doctor
from gradwright.run.settings import (
    Allocator,
    Settings,
    configure,
    current_settings,
    prefer_resident_heap,
)

__all__ = [
    "NO_CACHE",
    "Allocator",
    "Backend",
    "BackendHealth",
    "Cache",
    "CacheOutcome",
    "Compilable",
    "Executable",
    "IreeDriver",
    "Manifest",
    "Memory",
    "Options",
    "Package",
    "Report",
    "Session",
    "Settings",
    "StepResult",
    "Trial",
    "Usage",
    "compile",
    "configure",
    "current_settings",
    "doctor",
    "prefer_resident_heap",
]
