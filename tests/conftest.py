"""What every test shares."""

import os
from collections.abc import Generator, Sequence
from contextlib import ExitStack
from typing import NoReturn
from unittest.mock import patch

import pytest
from hypothesis import settings

from gradwright.hlo import bindings
from gradwright.run import compiler

# No test may depend on how fast the machine is. The suite draws the same examples each time, so
# that a red run is red again; the sweeps (`make sweep`) draw others.
settings.register_profile("same", deadline=None, derandomize=True)
settings.register_profile("others", deadline=None, derandomize=False)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))

COMPILERS = ("interpreter", "xla", "iree", "torch", "jax")
"""Markers of tests that need something that runs or compiles programs."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    """Mark the tests that need no compiler: those that name none."""
    for item in items:
        if not any(item.get_closest_marker(name) for name in COMPILERS):
            item.add_marker(pytest.mark.no_compiler)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Hold a test that names no compiler, and its fixtures, to that."""

    def refuse(*_: object, **__: object) -> NoReturn:
        pytest.fail(f"{item.nodeid} runs a program: mark it with one of {', '.join(COMPILERS)}")

    with ExitStack() as stack:
        if item.get_closest_marker("no_compiler"):
            stack.enter_context(patch.object(bindings.mlir().stablehlo, "eval_module", refuse))
            stack.enter_context(patch.object(compiler, "_executable_code", refuse))
        return (yield)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that takes changed golden texts over."""
    parser.addoption("--accept", action="store_true", help="write the golden texts anew")


@pytest.fixture
def accept(request: pytest.FixtureRequest) -> bool:
    """Whether a changed golden text is taken over instead of failing."""
    return bool(request.config.getoption("--accept"))
