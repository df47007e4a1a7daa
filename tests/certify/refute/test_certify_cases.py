"""Known wrong gradients of other projects: the defect is refuted, the right form is proved."""

import pytest

from certify.refute import cases
from certify.refute.cases import Case
from gradwright.certify import Report, Verdict, certify_text, certify_vjp

CASES = {
    "bugs D2: a missing bracket (apache/tvm#7340)": cases.TANH,
    "bugs A2: stride and dilation changed places (iree-org/iree-turbine#1223)": cases.WEIGHT,
    "bugs A1: groups ignored under stride (ml-explore/mlx#3800)": cases.DEPTHWISE,
    "bugs B1, bugs B2: windows overlap (FluxML/NNlib.jl#205, ahrefs/ocannl#512)": cases.MAX_POOL,
    "bugs F6: rows that repeat (pytorch/pytorch#1631)": cases.GATHER,
    "bugs D1: a sum with the wrong sign (mlpack/mlpack#2360)": cases.LOG_SOFTMAX,
    "bugs B7: divisors at the border (pytorch/pytorch#15997)": cases.AVERAGE_POOL,
    "bugs E4: a dropped 3 (tanh GELU)": cases.GELU,
}
DEFECTS = [
    pytest.param(case, number, id=f"{name}, {number}")
    for name, case in CASES.items()
    for number in range(len(case.defects))
]


def spoiled_line(case: Case, number: int) -> int:
    """Return the line of the statement with the defect, that before the region if it is in one."""
    spoiled = case.wrong(number).splitlines()
    kept = zip(case.backward.splitlines(), spoiled, strict=False)
    changed = next(line for line, (right, wrong) in enumerate(kept, 1) if right != wrong)
    return max(
        line
        for line in range(1, changed + 1)
        if spoiled[line - 1].lstrip(" ")[:1] == "%" and not spoiled[line - 1].startswith("   ")
    )


def sites(report: Report) -> list[tuple[int, int]]:
    """Return the first and last line of each place that a report names."""
    found: list[tuple[int, int]] = []
    for site, _ in report.findings:
        lines = [int(word) for word in site.split(":")[0].split() if word.isdigit()]
        found.append((lines[0], lines[-1]))
    return found


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
    line = spoiled_line(case, number)
    [(first, last)] = sites(report)
    assert first <= line <= last
    assert last - first < len(case.backward.splitlines()) / 2


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
    """bugs A7: an extra 1 / (B H W), as in sebgao/cTensor#3."""
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
