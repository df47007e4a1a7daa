"""Where a maximum has a tie: on a null set for values that are seen not to be 0, and for no others.

Half of the cotangent goes to each side of a tie in what JAX writes; a proof leaves that out only
where ties are rare.
"""

import pytest

from gradwright.certify import Search, Verdict, certify_text

QUIET = Search(seconds=0)


def tied(lines: str) -> str:
    """Return max(p, 0), for a p computed from x and y, whose gradient splits ties in halves.

    The slope of p is taken to be that of x * y: only the weight at ties is asked after.
    """
    return f"""
    func.func @main(%x: tensor<3xf64>, %y: tensor<3xf64>) -> (tensor<f64>, tensor<3xf64>) {{
      %z = stablehlo.constant dense<0.0> : tensor<f64>
      %o = stablehlo.constant dense<0.0> : tensor<3xf64>
      %one = stablehlo.constant dense<1.0> : tensor<3xf64>
      %half = stablehlo.constant dense<0.5> : tensor<3xf64>
      {lines}
      %m = stablehlo.compare GT, %p, %o, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
      %e = stablehlo.compare EQ, %p, %o, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
      %l = stablehlo.select %m, %x, %o : tensor<3xi1>, tensor<3xf64>
      %s = stablehlo.reduce(%l init: %z) applies stablehlo.add across dimensions = [0]
        : (tensor<3xf64>, tensor<f64>) -> tensor<f64>
      %w = stablehlo.select %m, %one, %o : tensor<3xi1>, tensor<3xf64>
      %h = stablehlo.select %e, %half, %o : tensor<3xi1>, tensor<3xf64>
      %g = stablehlo.add %w, %h : tensor<3xf64>
      return %s, %g : tensor<f64>, tensor<3xf64>
    }}"""


RARE = {
    "a polynomial": "%p = stablehlo.multiply %x, %y : tensor<3xf64>",
    "a distance to the mean": """
      %t = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0]
        : (tensor<3xf64>, tensor<f64>) -> tensor<f64>
      %b = stablehlo.broadcast_in_dim %t, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %third = stablehlo.constant dense<3.0> : tensor<3xf64>
      %mean = stablehlo.divide %b, %third : tensor<3xf64>
      %p = stablehlo.subtract %x, %mean : tensor<3xf64>""",
    "a product with an exponential": """
      %e0 = stablehlo.exponential %y : tensor<3xf64>
      %e1 = stablehlo.multiply %e0, %x : tensor<3xf64>
      %p = stablehlo.add %e1, %one : tensor<3xf64>""",
    "a maximum and a number": """
      %c = stablehlo.maximum %x, %y : tensor<3xf64>
      %p = stablehlo.subtract %c, %half : tensor<3xf64>""",
}
OFTEN = {
    "squares of sine and cosine": """
      %a = stablehlo.sine %x : tensor<3xf64>
      %b = stablehlo.cosine %x : tensor<3xf64>
      %aa = stablehlo.multiply %a, %a : tensor<3xf64>
      %bb = stablehlo.multiply %b, %b : tensor<3xf64>
      %c = stablehlo.add %aa, %bb : tensor<3xf64>
      %p = stablehlo.subtract %c, %one : tensor<3xf64>""",
    "twice squares of sine and cosine": """
      %a = stablehlo.sine %x : tensor<3xf64>
      %b = stablehlo.cosine %x : tensor<3xf64>
      %aa = stablehlo.multiply %a, %a : tensor<3xf64>
      %bb = stablehlo.multiply %b, %b : tensor<3xf64>
      %c = stablehlo.add %aa, %bb : tensor<3xf64>
      %d = stablehlo.multiply %c, %c : tensor<3xf64>
      %p = stablehlo.subtract %one, %d : tensor<3xf64>""",
    "a rectified value": "%p = stablehlo.maximum %x, %o : tensor<3xf64>",
    "a rectified value in a product": """
      %c = stablehlo.maximum %x, %o : tensor<3xf64>
      %p = stablehlo.multiply %c, %y : tensor<3xf64>""",
    "a floor": "%p = stablehlo.floor %y : tensor<3xf64>",
    "a clamp at its bound": """
      %c = stablehlo.maximum %x, %half : tensor<3xf64>
      %p = stablehlo.subtract %c, %half : tensor<3xf64>""",
    "a root of a square": """
      %a = stablehlo.multiply %x, %x : tensor<3xf64>
      %b = stablehlo.sqrt %a : tensor<3xf64>
      %c = stablehlo.abs %x : tensor<3xf64>
      %p = stablehlo.subtract %b, %c : tensor<3xf64>""",
}


@pytest.mark.parametrize("kind", RARE)
def test_a_tie_of_an_analytic_value_is_left_out(kind: str) -> None:
    report = certify_text(tied(RARE[kind]), loss=0, wrt=[0], grads=[1], search=QUIET)
    assert report.verdict is Verdict.PROVED
    assert any("left out: a null set" in line for line in report.scope)


@pytest.mark.parametrize("kind", OFTEN)
def test_a_tie_on_an_open_set_is_not_left_out(kind: str) -> None:
    report = certify_text(tied(OFTEN[kind]), loss=0, wrt=[0], grads=[1], search=QUIET)
    assert report.verdict is not Verdict.PROVED
