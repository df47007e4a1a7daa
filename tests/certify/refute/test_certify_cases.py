"""Known wrong gradients of other projects: the defect is refuted, the right form is proved."""

import pytest

from certify.refute import cases
from certify.refute.cases import Case
from gradwright.certify import Report, Verdict, certify_text, certify_vjp

CASES = {
    "a missing bracket (apache/tvm#7340)": cases.TANH,
    "stride and dilation changed places (iree-org/iree-turbine#1223)": cases.WEIGHT,
    "groups ignored under stride (ml-explore/mlx#3800)": cases.DEPTHWISE,
    "windows that overlap (FluxML/NNlib.jl#205, ahrefs/ocannl#512)": cases.MAX_POOL,
    "rows that repeat (pytorch/pytorch#1631)": cases.GATHER,
    "a sum with the wrong sign (mlpack/mlpack#2360)": cases.LOG_SOFTMAX,
    "divisors at the border (pytorch/pytorch#15997)": cases.AVERAGE_POOL,
    "a dropped 3 (E4 of tanh GELU)": cases.GELU,
}
DEFECTS = [
    pytest.param(case, number, id=f"{name}, {number}")
    for name, case in CASES.items()
    for number in range(len(case.defects))
]


def wrong_claims(report: Report) -> list[str]:
    return [claim.name for claim in report.claims if claim.verdict is Verdict.REFUTED]


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_right_form_is_proved(case: Case) -> None:
    report = certify_vjp(case.forward, case.backward)
    assert [claim.reason for claim in report.claims] == [None] * len(report.claims)
    assert report.verdict is Verdict.PROVED


@pytest.mark.interpreter
@pytest.mark.parametrize(("case", "number"), DEFECTS)
def test_the_defect_is_refuted(case: Case, number: int) -> None:
    report = certify_vjp(case.forward, case.wrong(number))
    assert report.verdict is Verdict.REFUTED
    assert len(wrong_claims(report)) == 1


@pytest.mark.interpreter
def test_a_site_names_the_line_of_the_defect() -> None:
    report = certify_vjp(cases.GELU.forward, cases.GELU.wrong(0))
    lines = cases.GELU.wrong(0).splitlines()
    line = 1 + next(i for i, text in enumerate(lines) if "%di = " in text)
    [(site, _)] = report.findings
    first, last = site.split(":")[0].removeprefix("lines ").split(" to ")
    assert int(first) <= line <= int(last)
    assert int(last) - int(first) < len(lines) / 2


AVERAGED = """
func.func @main(%x: tensor<3x2x2xf32>, %w: tensor<3x2x2xf32>) -> (tensor<f32>, tensor<3x2x2xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.constant dense<12.0> : tensor<3x2x2xf32>
  %p = stablehlo.multiply %x, %w : tensor<3x2x2xf32>
  %l = stablehlo.reduce(%p init: %z) applies stablehlo.add across dimensions = [0, 1, 2]
      : (tensor<3x2x2xf32>, tensor<f32>) -> tensor<f32>
  %dw = stablehlo.divide %x, %n : tensor<3x2x2xf32>
  return %l, %dw : tensor<f32>, tensor<3x2x2xf32>
}
"""


@pytest.mark.interpreter
def test_a_constant_factor_is_reported() -> None:
    """An extra 1 / (B H W), as in sebgao/cTensor#3."""
    report = certify_text(AVERAGED, wrt=[1], grads=[1])
    [claim] = report.claims
    assert claim.counterexample is not None
    assert claim.counterexample.ratio == "1/12"


@pytest.mark.interpreter
def test_a_factor_that_varies_is_not_reported() -> None:
    report = certify_vjp(cases.TANH.forward, cases.TANH.wrong(0))
    [claim] = report.claims
    assert claim.counterexample is not None
    assert claim.counterexample.ratio is None
