"""Each verb, from its arguments to standard output, standard error and exit code."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from gradwright.cli import main
from gradwright.cli.arguments import BackendName
from gradwright.cli.commands.train import LastBatchName, ScheduleName
from gradwright.data import LastBatch, load_digits
from gradwright.run import Backend
from gradwright.train import Decay
from gradwright.zoo import names

TRAIN = [
    "train",
    "digits-mlp",
    "--data",
    "digits",
    "--epochs",
    "2",
    "--batch",
    "64",
    "--lr",
    "0.01",
]


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(arguments)
    said = capsys.readouterr()
    return code, said.out, said.err


def record(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    """Run a verb with `--json`; it prints one object on one line and nothing else."""
    code, out, err = run(capsys, *arguments, "--json")
    assert code == 0, err
    assert out.count("\n") == 1
    return json.loads(out)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "small"
    assert main([*TRAIN, "--out", str(folder)]) == 0
    return folder


def digit(path: Path, index: int) -> int:
    """Write a test picture of the embedded digits, at 0..255, and return its label."""
    split = load_digits().test
    pixels = (split.images[index, 0].astype(np.float32) * (255 / 16)).astype(np.uint8)
    Image.fromarray(pixels).save(path)
    return int(split.labels[index])


def test_names_of_choices_are_those_of_the_package() -> None:
    assert [name.value for name in BackendName] == [backend.value for backend in Backend]
    assert [name.value for name in ScheduleName] == [decay.value for decay in Decay]
    assert [name.value for name in LastBatchName] == [last.value for last in LastBatch]


def test_nets_lists_the_zoo(capsys: pytest.CaptureFixture[str]) -> None:
    nets = record(capsys, "nets")["nets"]
    assert [net["name"] for net in nets] == names()
    assert nets[1] == {
        "name": "mnist-mlp",
        "input": [1, 28, 28],
        "output": [10],
        "parameters": 669_706,
    }
    code, out, _ = run(capsys, "nets")
    assert code == 0
    assert out.splitlines()[0].split() == ["net", "input", "output", "parameters"]
    assert ["mnist-mlp", "1x28x28", "10", "669,706"] in [line.split() for line in out.splitlines()]


def test_show_lists_layers_and_totals(capsys: pytest.CaptureFixture[str]) -> None:
    shown = record(capsys, "show", "mnist-mlp")
    assert shown["parameters"] == 669_706
    assert [layer["path"] for layer in shown["layers"]][:2] == ["flatten1", "dense1"]
    assert shown["layers"][1]["slots"] == {"dense1.weight": [784, 512], "dense1.bias": [512]}
    code, out, _ = run(capsys, "show", "digits-cnn")
    assert code == 0
    assert out.splitlines()[-1] == "62,378 parameters, 256 running statistics"


@pytest.mark.parametrize("entry", ["train-step", "forward", "eval", "vjp", "optimizer-step"])
def test_emit_prints_the_text_of_each_entry_point(
    entry: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capsys, "emit", "mnist-linear", "--entry", entry)
    assert (code, err) == (0, "")
    assert f"module @mnist_linear_{entry.replace('-', '_')} {{" in out
    assert "func.func public @main(" in out


def test_emit_writes_the_same_text_to_a_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "linear.mlir"
    _, text, _ = run(capsys, "emit", "mnist-linear", "--precision", "f64", "--batch", "3")
    code, out, err = run(
        capsys, "emit", "mnist-linear", "--precision", "f64", "--batch", "3", "-o", str(file)
    )
    assert (code, out) == (0, "")
    assert err == f"{file}: mnist_linear_train_step, {text.count(chr(10))} lines\n"
    assert file.read_text("utf-8") == text
    assert [path.name for path in tmp_path.iterdir()] == ["linear.mlir"]


def test_emit_describes_its_ports(capsys: pytest.CaptureFixture[str]) -> None:
    described = record(capsys, "emit", "mnist-linear", "--optimizer", "sgd", "--batch", "5")
    assert described["entry"] == "train-step"
    assert described["inputs"][0] == {
        "name": "dense1.weight",
        "role": "parameter",
        "shape": [784, 10],
        "type": "f32",
    }
    assert [port["name"] for port in described["outputs"]][-2:] == ["loss", "correct"]
    assert described["text"].startswith("//")


@pytest.mark.parametrize(
    ("arguments", "code", "line"),
    [
        (
            ["emit", "mnist-mlp", "--precision", "bf16"],
            2,
            "gradwright: mnist-mlp: precision: expected a net with products that this precision "
            "rounds, found none. Products of dense layers are rounded by a precision that says "
            "dense",
        ),
        (
            ["emit", "mnist-mlp", "--entry", "capture"],
            2,
            "gradwright: mnist-mlp: capture: expected exactly one GlobalAvgPool, whose input is "
            "the map to capture, found none",
        ),
        (
            ["emit", "mnist-mlp", "--loss", "hinge"],
            3,
            "gradwright: --loss: expected one of cross-entropy, mse, bce, found 'hinge'",
        ),
        (
            ["emit", "mnist-mlp", "--optimizer", "adam:beta1=1"],
            3,
            "gradwright: --optimizer adam: beta1: expected 0 <= value < 1, rounded",
        ),
        (
            ["emit", "mnist-mlp", "-o", "no/such/folder/a.mlir"],
            3,
            "gradwright: --out: expected a folder that exists, found none at no/such/folder",
        ),
        (["show", "lenet"], 3, "gradwright: zoo: expected a name that `gradwright nets`"),
        (
            ["show", "unet"],
            3,
            "gradwright: zoo: expected a name that `gradwright nets` or gw.zoo.names() lists, "
            "found 'unet'. Perhaps bestiary-sd-unet or bestiary-unet or ",
        ),
        (
            ["train", "mnist-mlp", "--data", "digits"],
            3,
            "gradwright: input x of the net: expected tensor<64x1x28x28xf32>, found images of "
            "shape [64, 1, 8, 8].",
        ),
        (
            ["train", "digits-mlp", "--data", "idx:nowhere"],
            3,
            "gradwright: nowhere",
        ),
        (["train", "digits-mlp", "--data", "digits", "--epochs", "0"], 3, "gradwright: "),
        (["train", "digits-mlp", "--data", "digits", "--resume"], 3, "gradwright: "),
        (["eval", "nowhere"], 3, "gradwright: nowhere"),
        (["predict", "nowhere", "--image", "x.png"], 3, "gradwright: nowhere"),
        (["train", "digits-mlp"], 3, "gradwright: Missing option '--data'."),
        (["bench", "digits-mlp", "--steps", "0"], 3, "gradwright: --steps: expected a wh"),
    ],
)
def test_a_wrong_request_is_one_line_and_its_code(
    arguments: list[str],
    code: int,
    line: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    found, out, err = run(capsys, *arguments)
    assert (found, out) == (code, "")
    assert err.startswith(line)
    assert err.count("\n") == 1
    assert list(tmp_path.rglob("*")) == []


@pytest.mark.xla
def test_train_ends_with_the_keys_of_the_contract(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run"
    result = record(capsys, *TRAIN, "--optimizer", "momentum", "--out", str(out))
    assert list(result) == [
        "net",
        "data",
        "backend",
        "epochs",
        "test_accuracy",
        "train_loss",
        "ms_per_step",
        "compile_seconds",
        "certified",
        "out",
    ]
    assert result["test_accuracy"] > 0.5
    assert result["certified"] is True
    assert result["out"] == str(out)
    assert {"manifest.json", "metrics.csv", "curves.png"} <= {p.name for p in out.iterdir()}


@pytest.mark.xla
def test_train_refuses_the_folder_of_another_run(
    trained: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {path: path.stat().st_mtime_ns for path in trained.rglob("*") if path.is_file()}
    code, out, err = run(capsys, *TRAIN, "--out", str(trained))
    assert (code, out) == (3, "")
    assert err.startswith(f"gradwright: {trained}: expected a new or empty folder")
    after = {path: path.stat().st_mtime_ns for path in trained.rglob("*") if path.is_file()}
    assert {path: after[path] for path in before} == before


@pytest.mark.xla
def test_a_finished_run_resumes_to_its_result(
    trained: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    result = record(capsys, *TRAIN, "--out", str(trained), "--resume")
    assert (result["epochs"], result["ms_per_step"]) == (2, None)


@pytest.mark.xla
def test_a_loss_that_is_not_finite_is_a_missed_target(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(
        capsys, *TRAIN, "--optimizer", "sgd", "--lr", "1e30", "--out", str(tmp_path / "run")
    )
    assert (code, out) == (1, "")
    assert "gradwright: step " in err.splitlines()[-1]


@pytest.mark.xla
def test_eval_counts_every_sample_whatever_the_batch(
    trained: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = [record(capsys, "eval", str(trained), "--batch", size) for size in ("7", "360")]
    assert [one["samples"] for one in found] == [360, 360]
    assert found[0]["test_accuracy"] == found[1]["test_accuracy"]


@pytest.mark.xla
@pytest.mark.iree
def test_eval_takes_a_checkpoint_and_a_backend(
    trained: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    [*_, newest] = sorted((trained / "checkpoints").iterdir())
    whole = record(capsys, "eval", str(trained))
    single = record(capsys, "eval", str(newest), "--backend", "iree")
    assert single["step"] == whole["step"]
    assert single["test_accuracy"] == whole["test_accuracy"]


@pytest.mark.xla
def test_eval_of_a_damaged_checkpoint_says_so(
    trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    [*_, newest] = sorted((trained / "checkpoints").iterdir())
    broken = tmp_path / "checkpoints" / newest.name
    broken.parent.mkdir()
    broken.write_bytes(newest.read_bytes()[:-1])
    (tmp_path / "manifest.json").write_bytes((trained / "manifest.json").read_bytes())
    code, _, err = run(capsys, "eval", str(broken))
    assert code == 3
    assert err.startswith(f"gradwright: {broken}: expected a complete checkpoint of Gradwright")


@pytest.mark.xla
def test_predict_names_the_class_of_each_picture(
    trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = [tmp_path / f"{index}.png" for index in range(20)]
    labels = [digit(path, index) for index, path in enumerate(paths)]
    options = [part for path in paths for part in ("--image", str(path))]
    predictions = record(capsys, "predict", str(trained), *options)["predictions"]
    right = sum(one["label"] == label for one, label in zip(predictions, labels, strict=True))
    assert right >= 17  # the net has 96 % on the whole split; chance is 2
    assert predictions[0].keys() == {"image", "label", "name", "probability"}


@pytest.mark.xla
def test_predict_brings_a_picture_to_the_net(
    trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    small, large = tmp_path / "small.png", tmp_path / "large.png"
    digit(small, 3)
    Image.open(small).resize((80, 64)).convert("RGB").save(large)
    code, out, err = run(capsys, "predict", str(trained), "--image", str(large))
    assert code == 0
    assert err == f"{large}: brought from 64x80 to 8x8 (height x width)\n"
    assert out.splitlines()[0].split() == ["picture", "class", "probability"]


@pytest.mark.xla
def test_predict_refuses_a_file_that_is_no_picture(
    trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "a.png"
    file.write_text("<html>", encoding="utf-8")
    code, out, err = run(capsys, "predict", str(trained), "--image", str(file))
    assert (code, out) == (3, "")
    assert err.startswith(f"gradwright: {file}: expected a PNG picture, found a web page")


@pytest.mark.xla
def test_bench_reports_time_spread_and_memory(capsys: pytest.CaptureFixture[str]) -> None:
    cost = record(capsys, "bench", "digits-mlp", "--batch", "16", "--steps", "5")
    assert cost["ms_p10"] <= cost["ms_per_step"] <= cost["ms_p90"]
    assert cost["peak_mib"] > 1
    code, out, _ = run(capsys, "bench", "digits-mlp", "--batch", "16", "--steps", "5")
    assert code == 0
    assert out.startswith("digits-mlp, batch 16, f32, xla: ")


@pytest.mark.xla
@pytest.mark.iree
@pytest.mark.interpreter
def test_doctor_tries_every_backend(capsys: pytest.CaptureFixture[str]) -> None:
    report = record(capsys, "doctor")
    assert {health["backend"]: health["works"] for health in report["backends"]} == {
        "xla": True,
        "iree": True,
        "interpreter": True,
    }
    code, out, _ = run(capsys, "doctor")
    assert code == 0
    assert "jaxlib" in out


def test_cache_shows_and_clears(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GRADWRIGHT_CACHE", str(tmp_path))
    (tmp_path / "one.gwx").write_bytes(b"x" * 7)
    shown = record(capsys, "cache")
    assert shown == {"action": "show", "folder": str(tmp_path), "entries": 1, "bytes": 7}
    assert run(capsys, "cache", "clear")[:2] == (
        0,
        f"{tmp_path}: deleted 1 compiled programs, 0.0 MiB\n",
    )
    assert record(capsys, "cache", "show")["entries"] == 0


def test_conventions_are_listed_with_their_meaning(capsys: pytest.CaptureFixture[str]) -> None:
    listed = record(capsys, "conventions")
    names = {convention["name"] for convention in listed["conventions"]}
    assert {
        "Padding",
        "RunningVariance",
        "Divisor",
        "Function",
        "EpsilonPlacement",
        "NesterovForm",
        "DecayScale",
        "Normalization",
        "Cotangent",
    } <= names
    assert "Section" not in names
    unexplained = [
        (convention["name"], value)
        for convention in listed["conventions"]
        for value, meaning in convention["choices"]
        if not meaning
    ]
    assert [name for name, _ in unexplained if name not in {"Decay", "Layout"}] == []
    code, out, _ = run(capsys, "conventions")
    assert code == 0
    assert "label_smoothing" in out


def test_values_of_conventions_are_spelled_in_one_way(capsys: pytest.CaptureFixture[str]) -> None:
    listed = record(capsys, "conventions")["conventions"]
    values = [value for convention in listed for value, _ in convention["choices"]]
    assert [value for value in values if not re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", value)] == []
