"""The choice of an interpreter by `make`, on machines that have none, several, or broken ones."""

import os
import subprocess
from pathlib import Path

import pytest

from repository.tree import ROOT

WORKS = "exit 0"
FAILS = "echo 'command not found' >&2; exit 127"


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """Return a folder `bin` that is all of PATH besides the system's shell tools."""
    (tmp_path / "bin").mkdir()
    for tool in ("env", "bash", "sort", "dirname", "rm", "sed"):
        [found] = [p for p in ("/usr/bin", "/bin") if Path(p, tool).exists()][:1]
        (tmp_path / "bin" / tool).symlink_to(Path(found, tool))
    return tmp_path


def program(path: Path, body: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def environment(
    machine: Path, *arguments: str, python: str = ""
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(ROOT / "tools/environment.sh"), *arguments],
        env={"PATH": str(machine / "bin"), "PYTHON": python, "HOME": os.fspath(machine)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_newest_that_runs_comes_first(machine: Path) -> None:
    old = program(machine / "bin/python3.11", WORKS)
    new = program(machine / "bin/python3.13", WORKS)
    done = environment(machine, "interpreters", "3.14 3.13 3.12 3.11")
    assert done.stdout.split() == [str(new), str(old)]


def test_a_shim_that_fails_is_passed_over_for_the_real_interpreter(machine: Path) -> None:
    program(machine / "bin/python3.13", FAILS)
    program(machine / "bin/pyenv", f"echo {machine}/versions-root")
    program(machine / "versions-root/versions/3.13.2/bin/python3.13", WORKS)
    newest = program(machine / "versions-root/versions/3.13.10/bin/python3.13", WORKS)
    done = environment(machine, "interpreters", "3.13")
    assert done.stdout.split() == [str(newest)]


def test_the_named_interpreter_is_taken(machine: Path) -> None:
    program(machine / "bin/python3.13", WORKS)
    mine = program(machine / "mine/python", WORKS)
    done = environment(machine, "interpreters", "3.13", python=str(mine))
    assert done.stdout.split() == [str(mine)]


def test_a_named_interpreter_that_is_not_there_is_an_error(machine: Path) -> None:
    done = environment(machine, "interpreters", "3.13", python="nowhere")
    assert (done.returncode, done.stderr) == (3, "PYTHON=nowhere cannot be run\n")


def test_the_next_interpreter_is_tried_when_wheels_are_missing(machine: Path) -> None:
    """A fake interpreter makes a fake environment: its pip works for 3.12 only."""
    make = 'case "$*" in -V) echo Python {v};; *venv*)'
    make += ' mkdir -p "$3/bin"; cp {pip} "$3/bin/python";; esac'
    for version, pip in (("3.13", FAILS), ("3.12", WORKS)):
        inner = program(machine / f"pip-{version}", pip)
        body = make.format(v=version, pip=inner)
        program(machine / f"bin/python{version}", body)
    for tool in ("mkdir", "cp"):
        (machine / "bin" / tool).symlink_to(Path("/bin", tool))
    done = environment(machine, "build", str(machine / "venv"), "3.13 3.12", "")
    assert done.returncode == 0, done.stderr
    assert "Python 3.13 does not do, see above" in done.stderr
    assert (machine / "venv/bin/python").read_text("utf-8") == f"#!/bin/sh\n{WORKS}\n"


def test_no_interpreter_at_all_says_what_to_do(machine: Path) -> None:
    done = environment(machine, "build", str(machine / "venv"), "3.13 3.12", "")
    assert done.returncode == 3
    assert done.stderr == (
        f"{machine}/venv: no Python of 3.13 3.12 with all wheels. Interpreters that ran: none. "
        "Install one, or name one: make PYTHON=/path/to/python\n"
    )
