"""Nets that a file of the user declares, through the verbs that take a net."""

import json
import sys
from pathlib import Path

import pytest

from gradwright.cli import main
from gradwright.cli.nets import names_net
from gradwright.zoo import get

NETS = """
from gradwright import Image, NetSpec
from widths import WIDTH
from gradwright.layers import Dense, Dropout, Flatten

print("said while it is imported")
own = NetSpec("own", Image(1, 8, 8), [Flatten(), Dropout(0.1), Dense(WIDTH)])
other = NetSpec("own", Image(1, 8, 8), [Flatten(), Dense(WIDTH)])
"""
LAZY = """
import gradwright as gw

def built():
    return gw.NetSpec("own", gw.Flat(10), [gw.layers.Conv2d(8, 3)])

own = built()
"""
TRAIN = ["--data", "digits", "--epochs", "1", "--lr", "0.01"]


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("nets.py").write_text(NETS, "utf-8")
    Path("widths.py").write_text("WIDTH = 10\n", "utf-8")
    for name in ("widths", "_own_nets"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return "nets.py"


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(arguments)
    said = capsys.readouterr()
    return code, said.out, said.err


@pytest.mark.parametrize("verb", [["show"], ["emit", "--entry", "forward"]])
def test_a_verb_takes_a_net_from_a_file(
    verb: list[str], file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capsys, *verb, f"{file}:own", "--json")
    assert (code, err) == (0, "said while it is imported\n")
    assert json.loads(out)["name"].startswith("own")
    assert str(Path.cwd()) not in sys.path


def test_certify_takes_a_net_from_a_file(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--entry", "forward", "--batch", "2", "--json")
    code, out, _ = run(capsys, "certify", f"{file}:own", *options)
    assert code == 0
    assert [claim["name"] for claim in json.loads(out)["claims"]] == ["output as declared"]
    assert run(capsys, "certify", f"{file}:absent")[0] == 3


def test_a_dot_in_the_name_of_a_net_makes_it_no_file() -> None:
    assert [names_net(word) for word in ("squeezenet1.1", "own.py:net", "mispelt")] == [True] * 3
    assert not any(names_net(word) for word in ("net.mlir", "folder/net"))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("nets.py:absent", "nets.py: expected a NetSpec called absent, found only own, other"),
        ("empty.py:own", "empty.py: expected a NetSpec called own, found none"),
        ("nowhere.py:own", "nowhere.py: expected a Python file, found none"),
        (
            "fails.py:own",
            "fails.py:2: expected Python that runs to its end, found ZeroDivisionError: "
            "division by zero. --debug shows where",
        ),
        (
            "leaves.py:own",
            "leaves.py:1: expected Python that runs to its end, found SystemExit: 7. "
            "--debug shows where",
        ),
        ("bad.py:own", "bad.py:7, dense1: expected a feature vector [I], found shape [1, 8, 8]."),
        ("bad.py:other", "bad.py:7, dense1: expected a feature vector [I], found shape"),
        ("lazy.py:own", "lazy.py:5, conv1: expected a picture [C, H, W] as input of Conv2d("),
    ],
)
def test_a_file_that_declares_no_such_net_is_one_line(
    text: str, line: str, file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("empty.py").write_text("own = 3\n", "utf-8")
    Path("fails.py").write_text("x = 1\nx / 0\n", "utf-8")
    Path("leaves.py").write_text("raise SystemExit(7)\n", "utf-8")
    Path("bad.py").write_text(NETS.replace("Flatten(), ", "").replace("Dropout(0.1), ", ""))
    Path("lazy.py").write_text(LAZY, "utf-8")
    code, out, err = run(capsys, "show", text)
    assert (code, out) == (3, "")
    assert err.splitlines()[-1].startswith(f"gradwright: {line}")


@pytest.mark.xla
def test_a_run_of_an_own_net_is_evaluated_with_its_declaration(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = run(capsys, "train", f"{file}:own", *TRAIN, "--json")
    trained = json.loads(out)
    assert (code, trained["net"], trained["out"]) == (0, "own", "runs/own")
    code, out, _ = run(capsys, "eval", "runs/own", "--net", f"{file}:own", "--json")
    assert code == 0
    assert json.loads(out)["test_accuracy"] == trained["test_accuracy"]

    code, _, err = run(capsys, "eval", "runs/own")
    assert code == 3
    assert err.endswith("found one of the net own. Say where it is declared: --net FILE.py:NAME\n")
    Path("x.png").touch()
    code, _, err = run(capsys, "predict", "runs/own", "--net", f"{file}:other", "--image", "x.png")
    assert code == 3
    assert "found one of own as it was declared elsewhere" in err


@pytest.mark.xla
def test_an_interruption_says_what_is_kept(
    file: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from gradwright.report import CurvePicture

    def interrupt(self: CurvePicture, step: int) -> None:
        if step == 13:
            raise KeyboardInterrupt

    monkeypatch.setattr(CurvePicture, "stepped", interrupt)
    arguments = ("train", f"{file}:own", *TRAIN, "--checkpoint-every", "5")
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (130, "")
    assert err.splitlines()[-2:] == [
        "runs/own: step 10 is kept; the same command with --resume goes on from it",
        "gradwright: interrupted",
    ]


def test_a_named_net_needs_no_file() -> None:
    from gradwright.cli.nets import Chosen, net_of

    assert net_of("digits-mlp", Chosen(7)) == get("digits-mlp", classes=7)
