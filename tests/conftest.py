"""What every test shares."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that takes changed golden texts over."""
    parser.addoption("--accept", action="store_true", help="write the golden texts anew")


@pytest.fixture
def accept(request: pytest.FixtureRequest) -> bool:
    """Whether a changed golden text is taken over instead of failing."""
    return bool(request.config.getoption("--accept"))
