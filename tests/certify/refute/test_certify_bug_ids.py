"""Every known bug of the table has a case that names it, and no case names another one."""

import re
from collections.abc import Callable, Iterable, Iterator
from types import FunctionType, ModuleType

import pytest

from certify.refute import (
    test_certify_backward,
    test_certify_cases,
    test_certify_conventions,
    test_certify_formulas,
)
from certify.refute.bug_ids import BUGS, Bug

MODULES = (
    test_certify_backward,
    test_certify_cases,
    test_certify_conventions,
    test_certify_formulas,
)


def named(module: ModuleType) -> Iterator[str]:
    """Yield the ids that docstrings and parameters of the tests of a module name."""
    for name, function in vars(module).items():
        if not name.startswith("test_") or not isinstance(function, FunctionType):
            continue
        for words in (function.__doc__ or "", *parameters(function)):
            yield from re.findall(r"\bbugs ([A-Z]\d+)\b", words)


def parameters(function: FunctionType) -> Iterator[str]:
    """Yield the names of the parameters of a test, as far as they are words."""
    marks: list[pytest.Mark] = getattr(function, "pytestmark", [])
    for mark in marks:
        if mark.name != "parametrize":
            continue
        given: Iterable[object] = mark.args[1]
        ids: Iterable[object] | Callable[[object], str] = mark.kwargs.get("ids") or ()
        yield from map(str, given)
        if not callable(ids):
            yield from map(str, ids)


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: f"{bug.id}: {bug.title}")
def test_a_known_bug_has_a_case(bug: Bug) -> None:
    ids = {each for module in MODULES for each in named(module)}
    assert bug.id in ids, f"no test names bugs {bug.id}, {bug.title}: {bug.kind.value}"


def test_no_case_names_a_bug_that_the_table_lacks() -> None:
    ids = {each for module in MODULES for each in named(module)}
    assert ids <= {bug.id for bug in BUGS}
    assert len({bug.id for bug in BUGS}) == len(BUGS)
