"""Operations without a denotation: what is said of them, and the list of them in the docs."""

import re
from pathlib import Path

from gradwright.certify import Search, certify_text
from gradwright.certify.kernel.denote import RULES

PAGE = Path(__file__).parents[3] / "docs" / "certify.md"
ON_BOOLEANS = {"and", "or", "xor", "not"}
NORMALISED = """
func.func @main(%x: tensor<4x3xf32>, %s: tensor<3xf32>) -> (tensor<f32>, tensor<3xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %y, %m, %v = "stablehlo.batch_norm_training"(%x, %s, %s)
      {epsilon = 1.0e-5 : f32, feature_index = 1 : i64}
      : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>)
      -> (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>)
  %l = stablehlo.reduce(%y init: %z) applies stablehlo.add across dimensions = [0, 1]
      : (tensor<4x3xf32>, tensor<f32>) -> tensor<f32>
  return %l, %s : tensor<f32>, tensor<3xf32>
}
"""


def test_a_batch_norm_in_one_operation_says_what_to_do() -> None:
    [claim] = certify_text(NORMALISED, wrt=[1], grads=[1], search=Search(seconds=0)).claims
    assert claim.verdict == "unknown"
    assert str(claim.reason).startswith(
        "the proof stops at line 4: %y: stablehlo.batch_norm_training has no denotation, but its "
        "formulas written out have"
    )


def test_the_docs_list_what_has_no_denotation() -> None:
    text = PAGE.read_text("utf-8").partition("These operations have no denotation")[2]
    listed = set(re.findall(r"`(\w+)`", text.partition("- whatever talks")[0])) - ON_BOOLEANS
    assert len(listed) > 20
    assert not {f"stablehlo.{name}" for name in listed} & set(RULES)
