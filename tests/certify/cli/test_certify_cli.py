"""The verbs certify and mutate: exit codes, JSON, tables, refusals."""

import json
from pathlib import Path

import pytest

from certify.refute.cases import TANH
from gradwright import losses, programs, zoo
from gradwright.cli import main
from gradwright.optim import Adam

pytestmark = pytest.mark.interpreter


@pytest.fixture
def texts(tmp_path: Path) -> dict[str, str]:
    contents = {"forward": TANH.forward, "right": TANH.backward, "wrong": TANH.wrong(0)}
    for name, text in contents.items():
        (tmp_path / name).write_text(text, "utf-8")
    return {name: str(tmp_path / name) for name in contents}


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(arguments)
    said = capsys.readouterr()
    return code, said.out, said.err


def pair(texts: dict[str, str], backward: str) -> list[str]:
    return ["--forward", texts["forward"], "--backward", texts[backward]]


@pytest.mark.parametrize(
    ("backward", "code", "verdict"), [("right", 0, "proved"), ("wrong", 1, "refuted")]
)
def test_the_exit_code_is_the_verdict(
    capsys: pytest.CaptureFixture[str],
    texts: dict[str, str],
    backward: str,
    code: int,
    verdict: str,
) -> None:
    found, out, _ = run(capsys, "certify", *pair(texts, backward), "--json")
    assert found == code
    record = json.loads(out)
    assert record["verdict"] == verdict
    assert [claim["kind"] for claim in record["claims"]] == ["gradient"]
    assert ("counterexample" in record["claims"][0]) == (verdict == "refuted")


def test_unknown_is_code_2(capsys: pytest.CaptureFixture[str], texts: dict[str, str]) -> None:
    code, out, _ = run(capsys, "certify", *pair(texts, "wrong"), "--seconds", "0", "--json")
    assert code == 2
    assert json.loads(out)["claims"][0]["reason"].startswith("line 7: %dx: derived: ")


def test_a_budget_that_is_over_is_the_reason(
    capsys: pytest.CaptureFixture[str], texts: dict[str, str]
) -> None:
    code, out, _ = run(capsys, "certify", *pair(texts, "wrong"), "--budget", "0", "--json")
    assert code == 2
    assert "the 0 s for all of it are over" in json.loads(out)["claims"][0]["reason"]


def test_people_see_claims_site_and_scope(
    capsys: pytest.CaptureFixture[str], texts: dict[str, str]
) -> None:
    _, out, _ = run(capsys, "certify", *pair(texts, "wrong"))
    assert "d/d%x (result 0)  gradient  refuted" in out
    assert "%dx\n  d/d%x (result 0): at [" in out
    assert "- over the real numbers" in out


MASKED = """func.func @main(%x: tensor<3xf32>, %mask: tensor<3xf32>) -> tensor<3xf32> {
  %y = stablehlo.multiply %x, %mask : tensor<3xf32>
  return %y : tensor<3xf32>
}
"""
UNMASKED = """func.func @main(%x: tensor<3xf32>, %mask: tensor<3xf32>, %dy: tensor<3xf32>)
    -> tensor<3xf32> {
  %dx = stablehlo.multiply %dy, %mask : tensor<3xf32>
  return %dx : tensor<3xf32>
}
"""


def test_cotangents_of_chosen_arguments_are_certified(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    forward, backward = tmp_path / "forward", tmp_path / "backward"
    forward.write_text(MASKED, "utf-8")
    backward.write_text(UNMASKED, "utf-8")
    given = ["certify", "--forward", str(forward), "--backward", str(backward)]
    assert run(capsys, *given, "--wrt", "0")[0] == 0
    code, _, err = run(capsys, *given)
    assert code == 3
    assert err.endswith("returns cotangents of: wrt, or --wrt I,J\n")
    code, _, err = run(capsys, *given, "--wrt", "0", "--grads", "0")
    assert code == 3
    assert err.startswith("gradwright: --backward: expected results that are all cotangents")


def test_texts_are_compared(capsys: pytest.CaptureFixture[str], texts: dict[str, str]) -> None:
    assert run(capsys, "certify", "--equal", texts["right"], texts["right"])[0] == 0
    assert run(capsys, "certify", "--equal", texts["right"], texts["wrong"])[0] == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            [],
            "gradwright: texts: expected a net, FILE with --wrt and --grads, or --forward with "
            "--backward, found neither\n",
        ),
        (
            ["--forward", "forward"],
            "gradwright: texts: expected a net, FILE with --wrt and --grads, or --forward with "
            "--backward, found a part of them, or both\n",
        ),
        (
            ["forward", "--wrt", "0", "--grads", "x"],
            "gradwright: --grads: expected indices from 0, ranges as 0-3 or names, separated by "
            "commas, found 'x'\n",
        ),
        (
            ["forward"],
            "gradwright: --wrt: expected indices from 0, ranges as 0-3 or names, separated by "
            "commas, found none. forward has arguments 0 %x: tensor<3xf32> and results "
            "0 %y: tensor<3xf32>; to judge it as the program of a net, name that: --net NET\n",
        ),
        (
            ["forward", "--equal", "right", "wrong"],
            "gradwright: --equal: expected no other texts and no indices beside it, found "
            "FILE|NET. Leave it out\n",
        ),
        (
            ["--equal", "right", "missing"],
            "gradwright: missing: expected a file that can be read, found none\n",
        ),
    ],
)
def test_bad_input_is_code_3(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    texts: dict[str, str],
    arguments: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(Path(texts["forward"]).parent)
    assert run(capsys, "certify", *arguments) == (3, "", message)


def test_mutants_are_counted(capsys: pytest.CaptureFixture[str], texts: dict[str, str]) -> None:
    code, out, err = run(capsys, "mutate", *pair(texts, "right"), "--count", "6", "--json")
    assert code == 0
    record = json.loads(out)
    assert record["original"] == "proved"
    assert record["mutants"] == len(record["trials"]) == 6
    assert record["missed"] == record["false alarm"] == 0
    assert err.count("\n") == 6
    code, out, _ = run(capsys, "mutate", *pair(texts, "right"), "--count", "6")
    assert code == 0
    assert f"{record['refuted']} of {record['wrong']} wrong mutants refuted" in out


@pytest.mark.parametrize("named", [("mnist-linear",), ("step.mlir", "--net", "mnist-linear")])
def test_mutants_of_a_net_are_those_of_its_program(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    named: tuple[str, ...],
) -> None:
    monkeypatch.chdir(tmp_path)
    if len(named) > 1:
        step = programs.forward(zoo.get("mnist-linear", classes=3), batch=2)
        Path(named[0]).write_text(step.text, "utf-8")
    options = ("--batch", "2", "--classes", "3", "--entry", "forward", "--count", "2", "--json")
    code, out, _ = run(capsys, "mutate", *named, *options)
    assert code == 0
    record = json.loads(out)
    assert record["original"] == "proved"
    assert record["wrong"] == record["refuted"] == 2
    assert "one direction" not in record


def test_mutants_of_a_net_are_of_no_other_texts(
    capsys: pytest.CaptureFixture[str], texts: dict[str, str]
) -> None:
    assert run(capsys, "mutate", "mnist-linear", *pair(texts, "right")) == (
        3,
        "",
        "gradwright: mutate: expected a net without texts and options of texts, found --forward, "
        "--backward. Leave them out\n",
    )


def test_a_net_is_certified_result_by_result(capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--batch", "2", "--optimizer", "sgd", "--json")
    code, out, _ = run(capsys, "certify", "mnist-linear", *options)
    assert code == 0
    names = [claim["name"] for claim in json.loads(out)["claims"]]
    assert names[:2] == ["loss as declared", "correct as declared"]
    assert "update of dense1.bias" in names


def test_a_file_is_judged_by_the_net_that_it_is_to_be(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    program = programs.forward(zoo.get("mnist-linear"), batch=2)
    file = tmp_path / "forward.mlir"
    file.write_text(program.text.replace("stablehlo.add", "stablehlo.subtract"), "utf-8")
    options = ("--net", "mnist-linear", "--entry", "forward", "--batch", "2", "--json")
    code, out, _ = run(capsys, "certify", str(file), *options)
    assert code == 1
    assert [claim["name"] for claim in json.loads(out)["claims"]] == ["output as declared"]


def test_a_text_of_another_batch_is_told_by_the_first_argument_that_differs(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    net, file = zoo.get("digits-cnn"), tmp_path / "step.mlir"
    text = programs.train_step(net, batch=4, loss=losses.SoftmaxCrossEntropy(), optimizer=Adam())
    file.write_text(text.text, "utf-8")
    code, out, err = run(capsys, "certify", str(file), "--net", "digits-cnn", "--batch", "5")
    assert (code, out) == (3, "")
    assert err == (
        "gradwright: arguments of the text: expected those of the program, "
        "tensor<5x1x8x8xf32> at 47 of 49 (%x), found tensor<4x1x8x8xf32> at 47 of 49\n"
    )


@pytest.mark.parametrize(
    "arguments", [("mnist-linear", "--wrt", "0"), ("nonet",), ("no.mlir", "--loss", "mse")]
)
def test_a_net_with_what_does_not_go_with_it_is_bad_input(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...]
) -> None:
    code, _, _ = run(capsys, "certify", *arguments)
    assert code == 3
