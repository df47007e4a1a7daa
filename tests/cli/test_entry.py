"""What every command shares: exit codes, one-line errors, quiet pipes, quick help."""

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gradwright.cli import main
from gradwright.cli.app import app
from gradwright.cli.exits import Exit
from gradwright.errors import DataError, DivergedError, LowererError, UnsupportedError

PROGRAM = str(Path(sys.executable).with_name("gradwright"))


def raising(error: BaseException, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the application do nothing but raise."""

    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("gradwright.cli.entry.app", fail)


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (
            DataError(where="x.gz", expected="magic 2051", found="magic 0", remedy="Fetch it"),
            3,
            "gradwright: x.gz: expected magic 2051, found magic 0. Fetch it",
        ),
        (
            UnsupportedError(where="net.pool", expected="f32", found="f8"),
            2,
            "gradwright: net.pool: expected f32, found f8",
        ),
        (
            DivergedError(where="step 7", expected="a finite loss", found="nan"),
            1,
            "gradwright: step 7: expected a finite loss, found nan",
        ),
        (
            MemoryError("Unable to allocate 46.6 TiB"),
            3,
            "gradwright: memory: expected room for every array, found Unable to allocate 46.6 TiB",
        ),
        (
            LowererError(where="xla", expected="a program", found="line one\nline two"),
            3,
            "gradwright: xla: expected a program, found line one line two",
        ),
        (
            FileNotFoundError(errno.ENOENT, "No such file or directory", "a/b.mlir"),
            3,
            "gradwright: a/b.mlir: expected a file or folder, found none",
        ),
        (
            ZeroDivisionError("division by zero"),
            70,
            "gradwright: internal error, please report it: ZeroDivisionError: division by zero "
            "(--debug shows where)",
        ),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else None,
)
def test_an_error_is_one_line_and_a_code(
    error: Exception,
    code: int,
    line: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    raising(error, monkeypatch)
    assert main(["nets"]) == code
    assert capsys.readouterr() == ("", f"{line}\n")


def test_debug_shows_the_traceback_wherever_it_stands(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    raising(ZeroDivisionError("division by zero"), monkeypatch)
    for arguments in (["--debug", "nets"], ["nets", "--debug"]):
        assert main(arguments) == Exit.INTERNAL
        assert "Traceback (most recent call last):" in capsys.readouterr().err


def test_an_interrupt_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("gradwright.cli.commands.catalogue.list_nets", interrupt)
    assert main(["nets"]) == Exit.INTERRUPTED
    assert capsys.readouterr().err == "gradwright: interrupted\n"


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ([], "gradwright: Missing command. See: gradwright --help\n"),
        (["fly"], "gradwright: No such command 'fly'. See: gradwright --help\n"),
        (["--fly"], "gradwright: No such option: --fly. See: gradwright --help\n"),
        (["show"], "gradwright: Missing argument 'NET'. See: gradwright show --help\n"),
    ],
)
def test_wrong_usage_is_bad_input(
    arguments: list[str], line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == Exit.BAD_INPUT
    assert capsys.readouterr() == ("", line)


def test_every_verb_has_help_that_fits(capsys: pytest.CaptureFixture[str]) -> None:
    verbs = [command.name for command in app.registered_commands]
    assert len(verbs) == len(set(verbs)) >= 8
    for verb in verbs:
        assert main([str(verb), "--help"]) == Exit.DONE
        lines = capsys.readouterr().out.splitlines()
        assert len(lines) <= 60
        assert max(map(len, lines)) <= 80


def test_help_imports_nothing_heavy() -> None:
    probe = (
        "import sys; from gradwright.cli import main; main(['--help']); "
        "sys.exit(bool({'jaxlib', 'matplotlib', 'sklearn', 'scipy', 'iree', 'torch'} "
        "& {name.split('.')[0] for name in sys.modules}))"
    )
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, check=False)
    assert done.returncode == 0


def test_a_reader_that_goes_away_is_no_error() -> None:
    """As in `gradwright --help | head -0`: no traceback, the code that the shell expects."""
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as closed:
        done = subprocess.run(
            [PROGRAM, "--help"], stdout=closed, stderr=subprocess.PIPE, text=True, check=False
        )
    assert (done.returncode, done.stderr) == (Exit.CLOSED_PIPE, "")


def test_a_closed_standard_output_is_no_error() -> None:
    command = f"{PROGRAM} nets --json >&-"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("arguments", [["nets"], ["nets", "--json"], ["emit", "cifar8"]], ids=str)
def test_a_full_standard_output_is_one_line(arguments: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [PROGRAM, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    line = "gradwright: standard output: expected room to write, found none left on the device\n"
    assert (done.returncode, done.stderr) == (3, line)


def test_a_full_standard_error_changes_no_exit_code() -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([PROGRAM, "emit", "nope"], stderr=full, check=False)
    assert done.returncode == Exit.BAD_INPUT


def test_an_alphabet_without_a_character_spells_it() -> None:
    """Also in what is written for people: the docstrings of conventions have an ellipsis."""
    done = subprocess.run(
        [PROGRAM, "conventions", "--json"],
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"\\u2026" in done.stdout
    assert json.loads(done.stdout)


def test_version_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == Exit.DONE
    assert capsys.readouterr().out.startswith("gradwright 0.")


def test_json_is_one_object_on_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nets", "--json"]) == Exit.DONE
    out = capsys.readouterr().out
    assert out.count("\n") == 1
    assert "nets" in json.loads(out)
