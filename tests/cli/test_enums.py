"""Conventions are read from their declarations, whichever way a member is explained."""

import sys
from pathlib import Path

import pytest

from gradwright.cli.enums import Convention, conventions

SOURCE = '''"""A module."""

import enum


class Padding(enum.StrEnum):
    """What lies outside.

    More words.
    """

    SAME = "same"
    """As many outputs as inputs.

    Not shown.
    """
    VALID = "valid"  # nothing is added
    # One line above,
    # and a second.
    EXPLICIT = "explicit"
    BARE = "bare"


class Numbered(enum.Enum):
    """Left out."""

    FIRST = enum.auto()


class NotAnEnum:
    """Left out."""

    X = 1
'''


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    folder = tmp_path / "seaside"
    folder.mkdir()
    (folder / "__init__.py").write_text('"""A package."""\n\nfrom seaside.sand import Padding\n')
    (folder / "sand.py").write_text(SOURCE)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    for name in ("seaside", "seaside.sand"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return "seaside"


def test_each_enum_is_listed_once_with_the_meaning_of_its_members(package: str) -> None:
    assert conventions([package]) == [
        Convention(
            "Padding",
            "seaside.sand",
            "What lies outside",
            (
                ("same", "As many outputs as inputs"),
                ("valid", "nothing is added"),
                ("explicit", "One line above, and a second."),
                ("bare", ""),
            ),
        )
    ]
