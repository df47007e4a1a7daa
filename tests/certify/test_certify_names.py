"""The public names, in any order of importing them."""

import subprocess
import sys

import pytest

import gradwright as gw
from gradwright import certify as imported
from gradwright.certify import Report, certify_program

PROGRAM = gw.programs.forward(gw.zoo.get("mnist-linear"), batch=2)
ORDERS = [
    "import gradwright as gw; gw.certify(p()); gw.certify.certify_text",
    "import gradwright.certify, gradwright as gw; gw.certify(p()); gradwright.certify.Report",
    "import gradwright.certify as c, gradwright as gw; c(p()); assert c is gw.certify",
    "from gradwright.certify import certify_text; import gradwright as gw; gw.certify(p())",
    "from gradwright import certify, certify_text; certify(p()); certify.certify_vjp",
]
MAKE = "p = lambda: gw.programs.forward(gw.zoo.get('mnist-linear'), batch=1)"


@pytest.mark.parametrize("order", ORDERS)
def test_the_package_can_be_called_however_it_is_imported(order: str) -> None:
    code = f"import gradwright as gw; {MAKE}" if "as gw" not in order else MAKE
    first, _, rest = order.partition("; ")
    subprocess.run([sys.executable, "-c", f"{first}\n{code}\n{rest}"], check=True)


def test_what_is_called_is_a_report() -> None:
    report: Report = gw.certify(PROGRAM)
    assert report.verdict == imported(PROGRAM).verdict == certify_program(PROGRAM).verdict
    assert report.verdict == "proved"
    assert [claim.kind.value for claim in report.claims] == ["meaning"]


def test_the_names_of_the_contract_are_there() -> None:
    text = PROGRAM.text
    assert gw.certify_equal(text, text).verdict == "proved"
    assert callable(gw.certify_text)
    assert callable(gw.certify_vjp)


LOCATED = """func.func @main(%x: tensor<f32> loc({0}), %{1}: tensor<f32>{2})
    -> (tensor<f32>, tensor<f32>)
    attributes {{my.note = loc("a")}} {{
  %z = stablehlo.subtract %x, %{1} : tensor<f32>
  %p = stablehlo.multiply %x, %{1} : tensor<f32>
  return %{3}, %x : tensor<f32>, tensor<f32>
}}
"""
ZERO = """func.func @main(%x: tensor<f32>, %y: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  return %z, %x : tensor<f32>, tensor<f32>
}
"""


@pytest.mark.parametrize(
    "places", [('"-":1:17', "y", ' loc("-":1:17)'), ("unknown", "unnamed1", "")]
)
def test_two_arguments_under_one_name_are_two(places: tuple[str, str, str]) -> None:
    """x - y is not 0, and x is not the derivative of x y with respect to x."""
    assert gw.certify_equal(LOCATED.format(*places, "z"), ZERO).claims[0].verdict == "refuted"
    wrong = gw.certify_text(LOCATED.format(*places, "p"), loss=0, wrt=[0], grads=[1])
    assert wrong.verdict == "refuted"
