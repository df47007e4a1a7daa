"""How the command line starts: at once, and to be interrupted at any moment."""

import subprocess
import sys
from collections.abc import Sequence

import pytest

import gradwright
from gradwright.cli import main


class Interruption:
    """Stands for Ctrl-C while a module is imported."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: object = None) -> None:
        if name == "gradwright.cli.entry":
            raise KeyboardInterrupt


def test_an_interruption_of_the_start_has_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "gradwright.cli.entry", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Interruption(), *sys.meta_path])
    assert main(["--version"]) == 130


def test_the_command_line_loads_nothing_before_it_can_be_interrupted() -> None:
    code = "import sys, gradwright.cli; print(sorted(n for n in sys.modules if 'gradwright' in n))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == "['gradwright', 'gradwright.cli']\n"


def test_every_public_name_is_there_and_no_other() -> None:
    assert [name for name in gradwright.__all__ if getattr(gradwright, name, None) is None] == []
    assert set(gradwright.__all__) <= set(dir(gradwright))
    with pytest.raises(AttributeError, match="module 'gradwright' has no attribute 'nothing'"):
        getattr(gradwright, "nothing")  # noqa: B009 (no such attribute)
