"""Pairs of texts that Coq accepts at extents of any size, and wrong ones that it refuses."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from gradwright import Flat, Image, NetSpec, layers, programs
from gradwright.certify import certify_vjp
from gradwright.check.certificate import Certificate, read_certificate
from proofs.coq import coqc
from proofs.replay import UnreadableError, read
from proofs.replay_coq import written

RELU = layers.Activation(layers.Function.RELU)
TANH = layers.Activation(layers.Function.TANH)
BODY = layers.Sequential([layers.Dense(7), RELU, layers.Dense(5)])

NETS = {
    "linear": NetSpec("linear", Flat(6), [layers.Dense(4)]),
    "rectified": NetSpec("rectified", Flat(6), [layers.Dense(5), RELU, layers.Dense(4)]),
    "residual": NetSpec(
        "residual", Flat(6), [layers.Dense(5), TANH, layers.Residual(BODY), layers.Dense(4)]
    ),
}
BATCH = 3


@dataclass(frozen=True, slots=True)
class Pair:
    """A forward text, its backward, and the certificate of both."""

    forward: str
    backward: str
    certificate: Certificate


@cache
def certified(name: str) -> Pair:
    """Return the texts of a net with their certificate."""
    forward = programs.forward(NETS[name], batch=BATCH).text
    backward = programs.vjp(NETS[name], batch=BATCH).text
    certificate = certify_vjp(forward, backward).certificate
    return Pair(forward, backward, read_certificate(certificate))


MUTANTS = [
    ("rectified", "%act1.on, %dense2.dx, %c0", "%act1.on, %c0, %dense2.dx", "adj"),
    ("rectified", "compare GT", "compare LT", "adj"),
    ("rectified", "dot_general %x, %act1.dx", "dot_general %x, %act1.y", "adj"),
    ("rectified", "%act1.on, %dense2.dx, %c0", "%act1.on, %dense2.dx, %dense2.dx", "adj"),
    ("rectified", "maximum %dense1.y, %c0", "maximum %dense1.xw, %c0", "same"),
    ("residual", "add %dense2.dx, %residual1", "subtract %dense2.dx, %residual1", "adj"),
]
MANY = [
    ("residual", "add %dense2.dx, %residual1.body.dense1.dx", "add %dense2.dx, %dense2.dx", "adj"),
    (
        "residual",
        "%c1 = stablehlo.constant dense<1.0>",
        "%c1 = stablehlo.constant dense<2.0>",
        "adj",
    ),
    ("residual", "multiply %act1.y, %act1.y", "multiply %act1.y, %dense1.y", "adj"),
    (
        "residual",
        "dot_general %act1.y, %residual1.body.act1.dx",
        "dot_general %dense1.y, %residual1.body.act1.dx",
        "adj",
    ),
    ("residual", "reduce(%residual1.body.act1.dx", "reduce(%residual1.body.dense1.y", "adj"),
    ("residual", "tanh %dense1.y", "tanh %dense1.xw", "same"),
]


def enclosing(text: str, said: str) -> str:
    """Return the lemma in which Coq stopped."""
    found = re.search(r"line (\d+),", said)
    assert found is not None, said
    before = "\n".join(text.splitlines()[: int(found[1])])
    return re.findall(r"^(?:Lemma|Theorem) (\w+)", before, re.MULTILINE)[-1]


def refused(name: str, right: str, wrong: str, where: str, folder: Path) -> None:
    pair = certified(name)
    assert right in pair.backward
    text = written(read(pair.forward, pair.backward.replace(right, wrong), pair.certificate))
    answer = coqc(text, folder, "Replay.v")
    assert not answer.accepted
    assert re.fullmatch(rf"{where}\w*_\d+", enclosing(text, answer.text))


@pytest.mark.usefixtures("built")
@pytest.mark.parametrize("name", NETS)
def test_a_certified_pair_is_accepted(name: str, tmp_path: Path) -> None:
    pair = certified(name)
    text = written(read(pair.forward, pair.backward, pair.certificate))
    answer = coqc(text, tmp_path, "Replayed.v")
    assert answer.accepted, answer.text
    parameters = [slot.name for slot in NETS[name].parameters]
    theorems = re.findall(r"^Theorem gradient_of_(\w+)", text, re.MULTILINE)
    assert theorems == [*(p.replace(".", "_") for p in parameters), "x"]


@pytest.mark.usefixtures("built")
@pytest.mark.parametrize(("name", "right", "wrong", "where"), MUTANTS)
def test_a_wrong_text_is_refused(
    name: str, right: str, wrong: str, where: str, tmp_path: Path
) -> None:
    refused(name, right, wrong, where, tmp_path)


@pytest.mark.slow
@pytest.mark.usefixtures("built")
@pytest.mark.parametrize(("name", "right", "wrong", "where"), MANY)
def test_many_wrong_texts_are_refused(
    name: str, right: str, wrong: str, where: str, tmp_path: Path
) -> None:
    refused(name, right, wrong, where, tmp_path)


def test_what_is_not_replayed_is_said() -> None:
    net = NetSpec("conv", Image(1, 4, 4), [layers.Conv2d(2, 3), layers.GlobalAvgPool()])
    forward = programs.forward(net, batch=BATCH).text
    with pytest.raises(UnreadableError, match="transpose"):
        written(read(forward, programs.vjp(net, batch=BATCH).text, certified("linear").certificate))
