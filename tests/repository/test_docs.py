"""Every example in the documentation runs, and every public name is documented."""

import doctest
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

import gradwright
from repository.pages import Command, Fence, commands, fences
from repository.tree import ROOT

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def run_command(command: Command, page: str) -> None:
    """Run one command line; what the page shows below it must be its standard output."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", command.line],
        env={**os.environ, "PATH": path, "COLUMNS": "100"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{page}: {command.line}\n{done.stdout}{done.stderr}"
    if command.shown.strip():
        same = doctest.OutputChecker().check_output(
            command.shown, done.stdout, doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
        )
        assert same, f"{page}: {command.line}\nshown:\n{command.shown}\nprinted:\n{done.stdout}"


def run_page(page: Path) -> int:
    """Run the fences of one page in order, sharing names; return how many ran."""
    names: dict[str, Any] = {"__name__": "__page__"}
    ran = 0
    for fence in fences(page):
        if fence.language == "python":
            # Blank lines in front make the line numbers of a traceback those of the page.
            exec(compile("\n" * (fence.line - 1) + fence.text, str(page), "exec"), names)
            ran += 1
        for command in commands(fence) if fence.language == "console" else ():
            run_command(command, page.name)
            ran += 1
    return ran


def undocumented(names: Iterable[str], pages: Iterable[str]) -> list[str]:
    """List the public names that no page mentions as code."""
    text = "\n".join(pages)
    return [
        name
        for name in names
        if not re.search(rf"\bgw\.{name}\b|\bgradwright\.{name}\b|`{name}\b", text)
    ]


@pytest.mark.xla
@pytest.mark.iree
@pytest.mark.interpreter
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_a_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run_page(page)


def test_the_pages_have_examples() -> None:
    languages = [fence.language for page in PAGES for fence in fences(page)]
    assert languages.count("python") >= 5
    assert languages.count("console") >= 3


def test_every_public_name_is_documented() -> None:
    assert undocumented(gradwright.__all__, (page.read_text("utf-8") for page in PAGES)) == []


def test_an_undocumented_name_is_found() -> None:
    assert undocumented(["zoo", "hidden"], ["use `gw.zoo` and hidden things"]) == ["hidden"]


def test_a_wrong_python_fence_fails(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("Text.\n\n```python\nx = 1\n```\n\n```python\nassert x == 2\n```\n", "utf-8")
    with pytest.raises(AssertionError):
        run_page(page)


@pytest.mark.parametrize(
    ("line", "shown"),
    [("gradwright no-such-command", ""), ("gradwright --version", "gradwright 99\n")],
)
def test_a_wrong_console_fence_fails(line: str, shown: str) -> None:
    [command] = commands(Fence("console", f"$ {line}\n{shown}", 1))
    with pytest.raises(AssertionError, match="page: gradwright"):
        run_command(command, "page")


def test_other_commands_are_only_read() -> None:
    assert list(commands(Fence("console", "$ make demo\nfine\n", 1))) == []
