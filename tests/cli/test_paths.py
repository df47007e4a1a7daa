"""Paths of a command: outputs that would fall on something, and inputs that are not there."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, get_args, get_origin, get_type_hints

import pytest

from gradwright.cli import main
from gradwright.cli.app import app
from gradwright.cli.paths import PATHS

NET = "import gradwright as gw\nnet = gw.NetSpec('net', gw.Flat(4), [gw.layers.Dense(3)])\n"
CONTENT = {
    "net.py": NET,
    "a.mlir": "text",
    "b.mlir": "other",
    "p.png": "picture",
    "w.safetensors": "weights",
    "run/manifest.json": "{}",
    "run/curves.png": "curves",
    "run/checkpoints/step-00000001.safetensors": "state",
    "pictures/cat/1.png": "cat",
    "set.npz": "arrays",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, content in CONTENT.items():
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).write_text(content, encoding="utf-8")
    (tmp_path / "link.mlir").symlink_to("a.mlir")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refused(capsys: pytest.CaptureFixture[str], command: str) -> str:
    """Return the one line that a command ends with, exit code 3."""
    assert main(command.split()) == 3
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1, said.err
    return said.err


@pytest.mark.parametrize(
    ("command", "option"),
    [
        ("emit net.py:net -o net.py", "--out"),
        ("emit net.py:net -o ./run/../net.py", "--out"),
        ("explain net.py:net --image p.png --seed 0 -o p.png", "--out"),
        ("explain net.py:net --image p.png --checkpoint run -o run/curves.png", "--out"),
        (
            "explain net.py:net --image p.png --weights w.safetensors -o w.safetensors",
            "--out",
        ),
        ("certify a.mlir --wrt 0 --grads 1 --report a.mlir", "--report"),
        ("certify link.mlir --wrt 0 --grads 1 --report a.mlir", "--report"),
        ("certify a.mlir --wrt 0 --grads 1 --certificate link.mlir", "--certificate"),
        ("certify --forward a.mlir --backward b.mlir --report ./b.mlir", "--report"),
        ("certify --equal a.mlir b.mlir --certificate b.mlir", "--certificate"),
        ("certify a.mlir --net net.py:net --certificate net.py", "--certificate"),
        ("certify net.py:net --report net.py", "--report"),
        ("certify a.mlir --wrt 0 --grads 1 --report new --certificate ./new", "--certificate"),
        ("train net.py:net --data npz:set.npz --out set.npz", "--out"),
        ("train net.py:net --data folder:pictures --out pictures", "--out"),
        ("train net.py:net --data folder:pictures --out pictures/run", "--out"),
        ("train net.py:net --data digits --out .", "--out"),
    ],
)
def test_an_output_falls_on_nothing_else(
    command: str, option: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert refused(capsys, command).startswith(f"gradwright: {option}: expected a")
    found = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert found == {*CONTENT, "link.mlir"}
    assert {name: (folder / name).read_text("utf-8") for name in CONTENT} == CONTENT


@pytest.mark.parametrize(
    "command",
    [
        "certify {} --wrt 0 --grads 1",
        "certify {}",
        "certify {} --net digits-mlp",
        "certify --forward {} --backward a.mlir",
        "certify --forward a.mlir --backward {}",
        "certify --equal a.mlir {}",
        "check {} a.mlir",
        "check a.mlir {}",
        "mutate {}",
        "probes mse --file {}",
        "explain digits-cnn --image {} --seed 0 -o new.png",
        "explain digits-cnn --image p.png --weights {} -o new.png",
        "predict run --image {}",
        "predict digits-cnn --weights {} --image p.png",
        "eval digits-cnn --data digits --weights {}",
    ],
)
def test_a_file_that_is_read_is_one(
    command: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    del folder
    told = refused(capsys, command.format("b.mlr"))
    assert told == (
        "gradwright: b.mlr: expected a file that can be read, found none. Perhaps b.mlir\n"
    )
    told = refused(capsys, command.format("./run"))
    assert told == "gradwright: run: expected a file that can be read, found a folder\n"


@pytest.mark.parametrize("verb", ["eval {}", "predict {} --image p.png"])
def test_a_run_is_the_folder_of_one(
    verb: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    del folder
    expected = "expected the folder of a run, or"
    assert f"nowhere: {expected}" in refused(capsys, verb.format("nowhere"))
    assert f"pictures: {expected}" in refused(capsys, verb.format("pictures"))
    assert f"a.mlir: {expected}" in refused(capsys, verb.format("a.mlir"))


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("none/out", "expected a folder that exists, found none at none"),
        ("run", "expected a file, or a name for a new one, found the folder run"),
        ("/dev/null", "expected a file, or a name for a new one, found the device or pipe /dev"),
        ("p.jpg", "expected a name that ends in .png, found p.jpg"),
    ],
)
def test_a_picture_has_a_place_and_its_suffix(
    name: str, said: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    del folder
    command = f"explain digits-cnn --image p.png --seed 0 -o {name}"
    assert f"--out: {said}" in refused(capsys, command)


def path_parameters() -> Iterator[tuple[str, str]]:
    """Yield verb and parameter wherever the type of a parameter has paths in it."""
    for command in app.registered_commands:
        assert command.callback is not None
        for name, hint in get_type_hints(command.callback, include_extras=True).items():
            inner = get_args(hint)[0] if get_origin(hint) is Annotated else hint
            if re.search(r"\bPath\b", str(inner)):
                yield str(command.name), name


def test_the_table_knows_every_path() -> None:
    found = list(path_parameters())
    assert len(found) > 15
    assert [pair for pair in found if pair[1] not in PATHS.get(pair[0], {})] == []
