"""Train steps of named nets: every claim is replayed, from deterministic files."""

import json
import subprocess
import sys
import time
from collections.abc import Callable

import pytest

from gradwright import layers, losses, optim, programs, zoo
from gradwright.certify import certify_equal, certify_program, certify_vjp
from gradwright.check import check
from gradwright.programs import Program
from gradwright.spec import Image, NetSpec

SWEPT = ["mnist-mlp", "mnist-cnn", "mnist-cnn-plain", "digits-cnn", "cifar8", "cifar8-bn"]
LARGEST = 150_000
"""Bytes of the certificates of these nets."""


@pytest.mark.parametrize(
    "name",
    ["mnist-linear", "digits-mlp", *(pytest.param(n, marks=pytest.mark.slow) for n in SWEPT)],
)
def test_every_claim_about_a_net_is_covered(name: str) -> None:
    program = programs.train_step(
        zoo.get(name),
        batch=8,
        loss=losses.SoftmaxCrossEntropy(label_smoothing=0.1),
        optimizer=optim.AdamW(),
    )
    report = certify_program(program)
    certificate = report.certificate
    checked = check(certificate, program.text)
    assert (checked.reason, checked.uncovered) == (None, ())
    assert len(checked.claims) == len(report.claims) + 1
    assert len(json.dumps(certificate)) < LARGEST


def in_portable_form(net: NetSpec, batch: int) -> Program:
    """Return a train step with Adam whose weight gradients are loops over blocks and rows."""
    return programs.train_step(
        net,
        batch=batch,
        loss=losses.SoftmaxCrossEntropy(),
        optimizer=optim.Adam(),
        formulation=layers.PORTABLE,
    )


def depthwise() -> NetSpec:
    """Return a net with a depthwise convolution that is followed by one with stride."""
    padding = layers.Padding.SYMMETRIC
    conv = layers.Conv2d(16, 3, padding=padding, groups=16, bias=False)
    strided = layers.Conv2d(16, 3, 2, padding=padding, groups=16, bias=False)
    parts = [layers.Conv2d(16, 1), conv, layers.BatchNorm(), strided, layers.Flatten()]
    return NetSpec("depthwise", Image(3, 16, 16), [*parts, layers.Dense(5)])


@pytest.mark.parametrize(
    ("make", "batch"),
    [
        (depthwise, 8),
        pytest.param(lambda: zoo.get("mnist-cnn"), 128, marks=pytest.mark.slow),
        pytest.param(lambda: zoo.get("cifar8-bn"), 128, marks=pytest.mark.slow),
        pytest.param(lambda: zoo.get("mobilenetv2", size=64), 8, marks=pytest.mark.slow),
    ],
    ids=["depthwise", "mnist-cnn", "cifar8-bn", "mobilenetv2"],
)
def test_sums_over_blocks_and_rows_are_covered(make: Callable[[], NetSpec], batch: int) -> None:
    program = in_portable_form(make(), batch)
    assert "stablehlo.while" in program.text
    report = certify_program(program)
    checked = check(report.certificate, program.text)
    assert (checked.reason, checked.uncovered) == (None, ())
    assert len(checked.claims) == len(report.claims) + 1


def test_only_statements_that_claims_rest_on_are_denoted() -> None:
    """Without `correct` among the results the ten cases of it are nobody's: they took minutes."""
    program = programs.train_step(
        zoo.get("mnist-linear"),
        batch=8,
        loss=losses.SoftmaxCrossEntropy(losses.Labels.SOFT),
        optimizer=optim.Sgd(),
        abi=programs.Packed(),
    )
    assert any(text.strip().startswith("correct") for text in program.statements)
    start = time.process_time()
    checked = check(certify_program(program).certificate, program.text)
    assert time.process_time() - start < 10
    assert (checked.reason, checked.uncovered) == (None, ())
    assert not any(text.startswith("correct") for text in checked.statements)
    assert checked.statements


def test_hypotheses_are_met_without_looking_at_each_index() -> None:
    """Entries of moments were looked at one by one before an input with a large t was."""
    program = programs.train_step(
        zoo.get("mnist-mlp"),
        batch=128,
        loss=losses.SoftmaxCrossEntropy(),
        optimizer=optim.Adam(),
    )
    start = time.process_time()
    checked = check(certify_program(program).certificate, program.text)
    assert time.process_time() - start < 10
    assert (checked.reason, checked.uncovered) == (None, ())


def test_a_pair_of_texts_is_covered() -> None:
    net = zoo.get("digits-mlp")
    forward, backward = programs.forward(net, batch=2).text, programs.vjp(net, batch=2).text
    certificate = certify_vjp(forward, backward).certificate
    checked = check(certificate, forward, backward)
    assert checked.accepted
    assert len(checked.claims) == len(net.parameters) + 1
    assert not check(certificate, forward, forward).accepted


def test_equality_is_covered_and_unequal_texts_have_no_certificate() -> None:
    text = programs.forward(zoo.get("mnist-linear"), batch=2).text
    assert check(certify_equal(text, text).certificate, text, text).accepted
    other = text.replace("stablehlo.add", "stablehlo.subtract")
    assert certify_equal(text, other).certificate is None


def test_the_checker_loads_neither_the_prover_nor_isl() -> None:
    program = (
        "import sys, gradwright.check; "
        "print([m for m in sys.modules if 'islpy' in m or 'gradwright.certify' in m])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"
