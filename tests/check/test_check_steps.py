"""Train steps of named nets: every claim is replayed, from deterministic files."""

import json
import subprocess
import sys
import time

import pytest

from gradwright import losses, optim, programs, zoo
from gradwright.certify import certify_equal, certify_program, certify_vjp
from gradwright.check import check

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
