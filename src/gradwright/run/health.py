"""What this installation can do: versions, a self-test of each backend, and what to install."""

import platform
import time
from dataclasses import dataclass
from importlib import metadata

import numpy as np

from gradwright.errors import GradwrightError
from gradwright.run.abilities import ABILITIES, Trial, try_ability
from gradwright.run.backend import Backend
from gradwright.run.cache import NO_CACHE, Cache, Usage
from gradwright.run.compiler import compile
from gradwright.run.machine import core_count, cpu_features
from gradwright.run.settings import Settings, current_settings

# Distribution, and what it is for.
_PACKAGES = (
    ("numpy", "arrays"),
    ("ml_dtypes", "bfloat16 and float8"),
    ("jaxlib", "StableHLO parser, reference interpreter, XLA"),
    ("safetensors", "checkpoints"),
    ("scikit-learn", "the embedded digits"),
    ("iree-base-compiler", "backend iree"),
    ("iree-base-runtime", "backend iree"),
    ("jax", "peer in benchmarks"),
    ("torch", "peer in benchmarks, oracle in tests"),
)
_EXTRA_OF = {
    "iree-base-compiler": "iree",
    "iree-base-runtime": "iree",
    "jax": "jax",
    "torch": "torch",
}
_PROBE = """module @self_test {
  func.func public @main(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
    %sum = stablehlo.add %x, %y : tensor<2xf32>
    return %sum : tensor<2xf32>
  }
}
"""


@dataclass(frozen=True, slots=True)
class Package:
    """A distribution, what it is for, and its version (None: not installed)."""

    name: str
    purpose: str
    version: str | None


@dataclass(frozen=True, slots=True)
class BackendHealth:
    """Whether a backend compiled and ran one addition, how long that took, else why not.

    `trials` says what else it can do, where it works.
    """

    backend: Backend
    works: bool
    seconds: float
    reason: str
    trials: tuple[Trial, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """What `gradwright doctor` shows; `advice` is what installs the rest (in the checkout)."""

    python: str
    system: str
    cores: int
    cpu_features: tuple[str, ...]
    settings: Settings
    packages: tuple[Package, ...]
    backends: tuple[BackendHealth, ...]
    cache: Usage
    advice: tuple[str, ...]


def doctor() -> Report:
    """Look at the installation and try each backend."""
    packages = tuple(Package(name, purpose, _version(name)) for name, purpose in _PACKAGES)
    return Report(
        python=platform.python_version(),
        system=f"{platform.system()} {platform.machine()}",
        cores=core_count(),
        cpu_features=cpu_features(),
        settings=current_settings(),
        packages=packages,
        backends=tuple(_try(backend) for backend in Backend),
        cache=Cache().usage(),
        advice=_advice(packages),
    )


def _version(distribution: str) -> str | None:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


def _try(backend: Backend) -> BackendHealth:
    started = time.perf_counter()
    x = np.array([1, 2], np.float32)
    try:
        total = compile(_PROBE, backend=backend, cache=NO_CACHE)(arg0=x, arg1=x)["out0"]
    except GradwrightError as error:
        return BackendHealth(backend, works=False, seconds=0.0, reason=str(error))
    seconds = time.perf_counter() - started
    right = bool((total == x + x).all())
    reason = "" if right else f"{x} + {x} gave {total}"
    trials = tuple(try_ability(backend, ability) for ability in ABILITIES) if right else ()
    return BackendHealth(backend, works=right, seconds=seconds, reason=reason, trials=trials)


def _advice(packages: tuple[Package, ...]) -> tuple[str, ...]:
    missing = [package for package in packages if package.version is None]
    extras = dict.fromkeys(_EXTRA_OF[p.name] for p in missing if p.name in _EXTRA_OF)
    core = [f"pip install {package.name}" for package in missing if package.name not in _EXTRA_OF]
    return (*core, *(f'pip install ".[{extra}]"' for extra in extras))
