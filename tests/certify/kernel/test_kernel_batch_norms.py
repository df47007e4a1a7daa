"""Batch norms in one operation: their formulas, evaluated, proved and refuted."""

import numpy as np
import pytest

import gradwright as gw
from gradwright.certify import Search, Verdict, certify_equal, certify_text
from gradwright.certify.hypotheses.trying import FOUND
from gradwright.certify.texts_calls import inlined
from gradwright.hlo import Module, evaluate, print_module, read_module
from oracles.arithmetic import batch_norm

ATTRIBUTES = "{epsilon = EPSILON : f32, feature_index = 1 : i64}"
NORM = f"""
func.func @main(%x: tensor<2x3x5xf32>, %s: tensor<3xf32>, %o: tensor<3xf32>,
    %w: tensor<2x3x5xf32>) -> (tensor<2x3x5xf32>, tensor<2x3x5xf32>) {{
  %y, %m, %v = "stablehlo.batch_norm_training"(%x, %s, %o) {ATTRIBUTES}
      : (tensor<2x3x5xf32>, tensor<3xf32>, tensor<3xf32>)
      -> (tensor<2x3x5xf32>, tensor<3xf32>, tensor<3xf32>)
  %i = "stablehlo.batch_norm_inference"(%x, %s, %o, %m, %v) {ATTRIBUTES}
      : (tensor<2x3x5xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
      -> tensor<2x3x5xf32>
  return %y, %i : tensor<2x3x5xf32>, tensor<2x3x5xf32>
}}
"""
GRADIENT = f"""
func.func @main(%x: tensor<2x3x5xf32>, %s: tensor<3xf32>, %o: tensor<3xf32>,
    %w: tensor<2x3x5xf32>)
    -> (tensor<f32>, tensor<2x3x5xf32>, tensor<3xf32>, tensor<3xf32>) {{
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %y, %m, %v = "stablehlo.batch_norm_training"(%x, %s, %o) {ATTRIBUTES}
      : (tensor<2x3x5xf32>, tensor<3xf32>, tensor<3xf32>)
      -> (tensor<2x3x5xf32>, tensor<3xf32>, tensor<3xf32>)
  %p = stablehlo.multiply %y, %w : tensor<2x3x5xf32>
  %l = stablehlo.reduce(%p init: %z) applies stablehlo.add across dimensions = [0, 1, 2]
      : (tensor<2x3x5xf32>, tensor<f32>) -> tensor<f32>
  %dx, %ds, %do = "stablehlo.batch_norm_grad"(%x, %s, %m, %v, %w) {ATTRIBUTES}
      : (tensor<2x3x5xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3x5xf32>)
      -> (tensor<2x3x5xf32>, tensor<3xf32>, tensor<3xf32>)
  return %l, %dx, %ds, %do : tensor<f32>, tensor<2x3x5xf32>, tensor<3xf32>, tensor<3xf32>
}}
"""


@pytest.mark.interpreter
@pytest.mark.parametrize("epsilon", ["1.0e-5", "0.25", "1.0e-1"])
def test_the_formulas_are_those_of_the_definition(epsilon: str) -> None:
    module = read_module(NORM.replace("EPSILON", epsilon))
    text = print_module(Module("m", (inlined(module),)))
    generator = np.random.default_rng(0)
    shapes = ((2, 3, 5), (3,), (3,), (2, 3, 5))
    arrays = [generator.standard_normal(shape).astype(np.float32) for shape in shapes]
    wanted = batch_norm(dict(zip(("x", "weight", "bias"), arrays, strict=False)), float(epsilon))
    for found in evaluate(text, arrays):
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)


def test_the_gradient_is_proved_and_checked() -> None:
    text = GRADIENT.replace("EPSILON", "1.0e-5")
    report = certify_text(text, wrt=[0, 1, 2], grads=[1, 2, 3], search=Search(0))
    assert report.verdict is Verdict.PROVED
    assert len(gw.check(report.certificate, text).claims) == 3


@pytest.mark.interpreter
@pytest.mark.parametrize("epsilon", ["-0.5", "-1.0", "-3.0"])
def test_a_proof_stays_where_time_is_given_to_meet_what_it_supposes(epsilon: str) -> None:
    """A variance above 3 is one of few inputs, near which the norm of others is undefined."""
    text = GRADIENT.replace("EPSILON", epsilon)
    hurried, patient = (
        certify_text(text, wrt=[0, 1, 2], grads=[1, 2, 3], search=Search(seconds))
        for seconds in (0, 20)
    )
    assert hurried.verdict is patient.verdict is Verdict.PROVED
    assert any(FOUND in line for line in patient.scope)
    assert not any(FOUND in line for line in hurried.scope)


WRONG = {
    "mean and variance exchanged": ("(%x, %s, %m, %v, %w)", "(%x, %s, %v, %m, %w)"),
    "another scale": ("(%x, %s, %m, %v, %w)", "(%x, %o, %m, %v, %w)"),
    "another cotangent": ("(%x, %s, %m, %v, %w)", "(%x, %s, %m, %v, %y)"),
    "another epsilon": ("%v, %w) {epsilon = 1.0e-5", "%v, %w) {epsilon = 0.1"),
}


@pytest.mark.interpreter
@pytest.mark.parametrize(
    "defect",
    [
        pytest.param(each, marks=() if each == "another epsilon" else pytest.mark.slow)
        for each in WRONG
    ],
)
def test_a_wrong_gradient_is_refuted(defect: str) -> None:
    text = GRADIENT.replace("EPSILON", "1.0e-5").replace(*WRONG[defect])
    report = certify_text(text, wrt=[0], grads=[1])
    assert report.verdict is Verdict.REFUTED


def test_a_norm_whose_count_its_type_does_not_hold_stays_unknown() -> None:
    """257 is no number of bf16: read as 256 the mean would be another one."""
    text = NORM.replace("EPSILON", "1.0e-5").replace("f32>", "bf16>").replace("5xbf16", "257xbf16")
    text = text.replace("2x3x", "1x3x")
    assert certify_equal(text, text, search=Search(0)).verdict is not Verdict.REFUTED
    kept = inlined(read_module(text))
    assert any("batch_norm" in each.opcode for each in kept.body.operations)
