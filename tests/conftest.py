"""What every test shares."""

import os

import pytest
from hypothesis import settings

# No test may depend on how fast the machine is. The suite draws the same examples each time, so
# that a red run is red again; the sweeps (`make sweep`) draw others.
settings.register_profile("same", deadline=None, derandomize=True)
settings.register_profile("others", deadline=None, derandomize=False)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that takes changed golden texts over."""
    parser.addoption("--accept", action="store_true", help="write the golden texts anew")


@pytest.fixture
def accept(request: pytest.FixtureRequest) -> bool:
    """Whether a changed golden text is taken over instead of failing."""
    return bool(request.config.getoption("--accept"))
