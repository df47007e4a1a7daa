"""Gradwright: a declared net becomes one StableHLO text that trains it.

A name is imported when it is first used, so that the command line answers at once.
"""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gradwright import (
        data,
        layers,
        losses,
        optim,
        probes,
        programs,
        run,
        tasks,
        train,
        tune,
        zoo,
    )
    from gradwright.certify import certify_equal, certify_text, certify_vjp
    from gradwright.certify.programs import certify_program as certify
    from gradwright.check.replay import check
    from gradwright.errors import GradwrightError
    from gradwright.programs import Program, init
    from gradwright.spec import Flat, Image, NetSpec, Tokens

__all__ = [
    "Flat",
    "GradwrightError",
    "Image",
    "NetSpec",
    "Program",
    "Tokens",
    "certify",
    "certify_equal",
    "certify_text",
    "certify_vjp",
    "check",
    "data",
    "init",
    "layers",
    "losses",
    "optim",
    "probes",
    "programs",
    "run",
    "tasks",
    "train",
    "tune",
    "zoo",
]

# Where the names come from that are no packages.
_HOMES = {
    "GradwrightError": "errors",
    "Program": "programs",
    "init": "programs",
    "Flat": "spec",
    "Image": "spec",
    "NetSpec": "spec",
    "Tokens": "spec",
    "certify_equal": "certify",
    "certify_text": "certify",
    "certify_vjp": "certify",
}


def __getattr__(name: str) -> object:
    """Import a public name (PEP 562); the module keeps it."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name not in _HOMES:
        return importlib.import_module(f"{__name__}.{name}")
    found: object = getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    """List the public names, imported or not."""
    return sorted({*globals(), *__all__})
