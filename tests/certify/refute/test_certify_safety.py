"""No right text is refuted: kinks, rounded literals, texts that cannot be evaluated."""

import io

import numpy as np
import pytest

from certify.refute.cases import main
from gradwright.certify import (
    Search,
    Verdict,
    certify_equal,
    certify_text,
    certify_vjp,
    witness_worker,
)
from gradwright.certify.refute import EqualQuestion, GradientQuestion, NotRefuted, refute
from gradwright.certify.refute_points import Point, texts_of
from gradwright.certify.texts_calls import inlined
from gradwright.certify.verdicts import Distribution
from gradwright.certify.witness import draw, widened
from gradwright.certify.witness_process import Evaluator, Unevaluated
from gradwright.hlo import Function, evaluate, print_module, read_module

pytestmark = pytest.mark.interpreter


DRAWN = main("%x: tensor<3x2xf32>", "tensor<3x2xf32>", "return %x : tensor<3x2xf32>")


def function(text: str) -> Function:
    return read_module(text).main


@pytest.mark.parametrize(("distance", "far"), [(0.0, False), (1.0, True)])
def test_a_kink_at_the_input_counts_as_error(distance: float, far: bool) -> None:
    """The slope of |x - c| is not -1, but at x = c the text may say so."""
    forward = main(
        "%x: tensor<2xf32>, %c: tensor<2xf32>",
        "tensor<2xf32>",
        """
  %d = stablehlo.subtract %x, %c : tensor<2xf32>
  %y = stablehlo.abs %d : tensor<2xf32>
  return %y : tensor<2xf32>""",
    )
    backward = main(
        "%x: tensor<2xf32>, %c: tensor<2xf32>, %dy: tensor<2xf32>",
        "tensor<2xf32>",
        "%dx = stablehlo.negate %dy : tensor<2xf32>\nreturn %dx : tensor<2xf32>",
    )
    with Evaluator(60) as evaluator:
        texts = texts_of(function(backward), function(forward), [2])
        point = Point(texts, evaluator, 0, Distribution.NORMAL, {})
        point.inputs[1] = point.inputs[0] - distance
        assert GradientQuestion(0, 0).at(point, (0,)).is_far is far


def test_rounding_of_literals_is_no_counterexample() -> None:
    """1/3 as the f32 that is nearest, against a division by 3."""
    divided = main(
        "%x: tensor<4xf32>",
        "tensor<4xf32>",
        "%n = stablehlo.constant dense<3.0> : tensor<4xf32>\n"
        "%y = stablehlo.divide %x, %n : tensor<4xf32>\nreturn %y : tensor<4xf32>",
    )
    scaled = divided.replace("3.0", "0.333333343").replace("divide", "multiply")
    assert certify_equal(divided, scaled).verdict is not Verdict.REFUTED


def test_an_abort_of_the_interpreter_is_survived() -> None:
    text = main(
        "%x: tensor<f32>",
        "tensor<f32>",
        "return %y : tensor<f32>",
    ).replace(
        "return",
        "%y = stablehlo.custom_call @nothing(%x) : (tensor<f32>) -> tensor<f32>\nreturn",
    )
    report = certify_equal(text, text.replace("@nothing", "@something"))
    [claim] = report.claims
    assert claim.verdict is Verdict.UNKNOWN
    assert claim.reason is not None
    assert "stablehlo.custom_call" in claim.reason
    with Evaluator(20) as evaluator:
        with pytest.raises(Unevaluated, match=r"it lacks stablehlo\.custom_call @nothing"):
            evaluator(text, [np.zeros((), np.float32)])
        [sum_] = evaluator(
            main("%x: tensor<f32>", "tensor<f32>", "return %x : tensor<f32>"),
            [np.ones((), np.float32)],
        )
    assert sum_ == 1


def test_a_text_that_takes_too_long_is_unknown() -> None:
    forward = main(
        "%x: tensor<300x300xf32>",
        "tensor<300x300xf32>",
        "%y = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0]"
        " : (tensor<300x300xf32>, tensor<300x300xf32>) -> tensor<300x300xf32>\n"
        "return %y : tensor<300x300xf32>",
    )
    backward = main(
        "%x: tensor<300x300xf32>, %g: tensor<300x300xf32>",
        "tensor<300x300xf32>",
        "return %g : tensor<300x300xf32>",
    )
    report = certify_vjp(forward, backward, search=Search(seconds=0.5))
    [claim] = report.claims
    assert claim.verdict is Verdict.UNKNOWN
    assert claim.reason is not None
    assert claim.reason.endswith("the interpreter took more than its 0.5 s")


def test_no_search_means_unknown() -> None:
    text = main(
        "%x: tensor<f32>", "(tensor<f32>, tensor<f32>)", "return %x, %x : tensor<f32>, tensor<f32>"
    )
    report = certify_text(text, wrt=[0], grads=[1], search=Search(seconds=0))
    assert report.verdict is Verdict.UNKNOWN
    assert certify_text(text, wrt=[0], grads=[1]).verdict is Verdict.REFUTED


@pytest.mark.parametrize("law", Distribution)
def test_inputs_are_drawn_again_from_their_seed(law: Distribution) -> None:
    types = [value.type for value in function(DRAWN).body.arguments]
    first, again, other = (draw(types, seed, law) for seed in (3, 3, 4))
    assert np.array_equal(first[0], again[0])
    assert not np.array_equal(first[0], other[0])


def test_a_widened_text_reads_decimals_and_does_not_round() -> None:
    text = main(
        "%x: tensor<f32>",
        "tensor<f32>",
        """
  %c = stablehlo.constant dense<0.1> : tensor<f32>
  %n = stablehlo.convert %x : (tensor<f32>) -> tensor<bf16>
  %w = stablehlo.convert %n : (tensor<bf16>) -> tensor<f32>
  %r = stablehlo.reduce_precision %w, format = e5m2 : tensor<f32>
  %y = stablehlo.multiply %r, %c : tensor<f32>
  return %y : tensor<f32>""",
    )
    [found] = evaluate(print_module(widened(read_module(text))), [np.array(1.2345678901234)])
    assert found == 1.2345678901234 * 0.1
    [moved] = evaluate(print_module(widened(read_module(text), jitter=1)), [np.array(1.0)])
    assert 0 < abs(moved - 0.1) <= 0.1 * 2.0**-24


def test_equal_texts_differ_at_one_element() -> None:
    left = main("%x: tensor<2xf32>", "tensor<2xf32>", "return %x : tensor<2xf32>")
    right = left.replace(
        "return %x",
        "%c = stablehlo.constant dense<[1.0, 1.5]> : tensor<2xf32>\n"
        "%y = stablehlo.multiply %x, %c : tensor<2xf32>\nreturn %y",
    )
    with Evaluator(60) as evaluator:
        found = refute(function(right), function(left), EqualQuestion(0, 0), evaluator)
    assert found.index == (1,)
    assert found.emitted == pytest.approx(1.5 * found.wanted)


def vanishing(tail: str, arguments: str = "%x: tensor<f32>") -> Function:
    """A function of e = exp(-60 x), which beside 1 vanishes where x is more than 0.6."""
    return function(
        main(
            arguments,
            "tensor<f32>",
            """
  %k = stablehlo.constant dense<-60.0> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %z = stablehlo.multiply %x, %k : tensor<f32>
  %e = stablehlo.exponential %z : tensor<f32>
  %s = stablehlo.add %one, %e : tensor<f32>"""
            + tail
            + "\n  return %y : tensor<f32>",
        )
    )


ROUNDED = "\n  %y = stablehlo.log %s : tensor<f32>"
EXACT = "\n  %y = stablehlo.log_plus_one %e : tensor<f32>"
SLOPE = """
  %q = stablehlo.divide %e, %s : tensor<f32>
  %w = stablehlo.multiply %q, %factor : tensor<f32>
  %y = stablehlo.multiply %w, %dy : tensor<f32>"""


@pytest.mark.parametrize(("factor", "law"), [("k", "POSITIVE"), ("one", "SMALL")])
def test_a_slope_that_rounding_flattens_is_no_counterexample(factor: str, law: str) -> None:
    """log(1 + e) is 0 at every input nearby, its right gradient is not; a wrong one is refuted."""
    backward = vanishing(SLOPE.replace("factor", factor), "%x: tensor<f32>, %dy: tensor<f32>")
    laws = {0: Distribution[law]}
    with Evaluator(60) as evaluator:
        arguments = backward, vanishing(ROUNDED), GradientQuestion(0, 0), evaluator
        if factor == "one":
            assert refute(*arguments, seeds=[1], laws=laws).ratio == "-1/60"
        else:
            with pytest.raises(NotRefuted):
                refute(*arguments, seeds=[1], laws=laws)


@pytest.mark.parametrize(("right", "law"), [(EXACT, "POSITIVE"), (SLOPE, "SMALL")])
def test_a_value_that_rounding_loses_is_no_counterexample(right: str, law: str) -> None:
    """log(1 + e) and log_plus_one(e) are equal, though one is 0 where the other is not."""
    tail = right.replace("factor", "k").replace("dy", "one")
    laws = {0: Distribution[law]}
    with Evaluator(60) as evaluator:
        arguments = vanishing(tail), vanishing(ROUNDED), EqualQuestion(0, 0), evaluator
        if right == SLOPE:
            assert refute(*arguments, laws=laws).index == ()
        else:
            with pytest.raises(NotRefuted):
                refute(*arguments, laws=laws)


def test_calls_are_inlined() -> None:
    text = """
module {
  func.func @main(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
    %a = func.call @twice(%x) : (tensor<f32>) -> tensor<f32>
    %b = func.call @twice(%a) : (tensor<f32>) -> tensor<f32>
    %four = stablehlo.constant dense<4.0> : tensor<f32>
    return %b, %four : tensor<f32>, tensor<f32>
  }
  func.func private @twice(%y: tensor<f32>) -> tensor<f32> {
    %z = stablehlo.add %y, %y : tensor<f32>
    return %z : tensor<f32>
  }
}
"""
    operations = inlined(read_module(text)).body.operations
    assert [operation.opcode for operation in operations].count("stablehlo.add") == 2
    assert certify_text(text, wrt=[0], grads=[1]).verdict is Verdict.PROVED


def test_a_reply_that_is_cut_anywhere_is_no_reply() -> None:
    whole = io.BytesIO()
    witness_worker.write(whole, {"0": np.arange(3.0)})
    content = whole.getvalue()
    assert witness_worker.read(io.BytesIO(content)) is not None
    cuts = [witness_worker.read(io.BytesIO(content[:size])) for size in range(len(content))]
    assert cuts == [None] * len(content)
