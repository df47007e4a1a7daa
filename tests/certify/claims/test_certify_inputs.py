"""Texts and indices that are wrong, odd or out of all proportion: an error or a verdict, soon."""

import signal
import subprocess
import threading
import warnings

import numpy as np
import pytest

from gradwright.certify import (
    Search,
    Verdict,
    certify_equal,
    certify_text,
    certify_vjp,
    witness_process,
)
from gradwright.certify.witness_process import Evaluator, Unevaluated
from gradwright.check.straight import straightened
from gradwright.errors import ParseError, SpecError, UnsupportedError
from gradwright.hlo import read_module


def square(type: str = "3xf32", gradient: str = "stablehlo.add %x, %x") -> str:
    return f"""
func.func @main(%x: tensor<{type}>) -> (tensor<f32>, tensor<{type}>) {{
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %p = stablehlo.multiply %x, %x : tensor<{type}>
  %l = stablehlo.reduce(%p init: %z) applies stablehlo.add
      across dimensions = [{", ".join(map(str, range(type.count("x"))))}]
      : (tensor<{type}>, tensor<f32>) -> tensor<f32>
  %dx = {gradient} : tensor<{type}>
  return %l, %dx : tensor<f32>, tensor<{type}>
}}"""


WRONG = "stablehlo.multiply %x, %x"


@pytest.mark.parametrize("index", [-1, 7, 1 << 100, 0.0, "0", None])
def test_an_index_that_is_none_is_named(index: int) -> None:
    for given in ({"loss": index}, {"wrt": [index]}, {"grads": [index]}):
        asked = {"loss": 0, "wrt": [0], "grads": [1], **given}
        if asked == {"loss": 0, "wrt": [0], "grads": [1]} or given == {"loss": 0.0}:
            asked["loss"] = -1
        with pytest.raises(SpecError, match=next(iter(given))):
            certify_text(square(), **asked)  # pyright: ignore[reportArgumentType]


def test_arrays_of_indices_are_indices() -> None:
    report = certify_text(square(), wrt=np.array([0]), grads=np.array([1]))  # pyright: ignore[reportArgumentType]
    assert report.verdict is Verdict.PROVED


def test_no_gradient_is_claimed_by_integers() -> None:
    text = "func.func @main(%x: tensor<f32>, %i: tensor<i32>) -> (tensor<f32>, tensor<i32>) {\n"
    text += "return %x, %i : tensor<f32>, tensor<i32> }"
    with pytest.raises(SpecError, match="arguments of floats"):
        certify_text(text, wrt=[1], grads=[1])


def test_texts_without_results_claim_nothing() -> None:
    with pytest.raises(SpecError, match="found none"):
        certify_equal("func.func @main() { return }", "func.func @main() { return }")
    with pytest.raises(SpecError, match="found none"):
        certify_vjp("func.func @main() { return }", "func.func @main() { return }")


@pytest.mark.parametrize("depth", [150, 5_000, 100_000])
@pytest.mark.parametrize(("opened", "closed"), [("module {", "}"), ("(", ")"), ("tensor<", ">")])
def test_brackets_that_are_too_deep_are_refused(depth: int, opened: str, closed: str) -> None:
    with pytest.raises(ParseError, match="nested more than 100 deep"):
        read_module(opened * depth + closed * depth)


def test_signs_that_are_too_many_are_refused() -> None:
    text = f"#m = affine_map<(d0) -> ({'-' * 20_000}d0)>\n{square()}"
    with pytest.raises(ParseError, match="signs in a row"):
        read_module(text)


def test_brackets_in_comments_and_strings_are_no_nesting() -> None:
    comments = "// a < b, [ ( {\n" * 300
    names = 'module attributes {a.b = "<<' + "(" * 300 + '"} {' + square() + "}"
    for text in (comments + square(), names):
        assert certify_text(text, wrt=[0], grads=[1]).verdict is Verdict.PROVED


def test_half_a_pair_is_no_character() -> None:
    with pytest.raises(ParseError, match="half of a pair"):
        read_module(square() + "// \ud800")


def test_a_long_line_is_quoted_in_part() -> None:
    with pytest.raises(ParseError) as error:
        read_module("x" * 1_000_000)
    assert len(str(error.value)) < 1500


@pytest.mark.parametrize("type", ["1x" * 64 + "2xf32", "4611686018427387904x4xf32"])
def test_types_that_no_array_has_are_refused(type: str) -> None:
    with pytest.raises(ParseError, match="is not supported"):
        certify_text(square(type, WRONG), wrt=[0], grads=[1])


def test_arguments_that_fit_in_no_memory_are_not_drawn() -> None:
    [claim] = certify_text(square("1000000000000xf32", WRONG), wrt=[0], grads=[1]).claims
    assert claim.reason is not None
    assert "the arguments have more than 134,217,728 elements" in claim.reason
    proved = certify_text(square("1000000000000xf32"), wrt=[0], grads=[1])
    assert proved.verdict is Verdict.PROVED


def test_tensors_without_elements_cause_no_warnings() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        report = certify_text(square("0xf32", WRONG), wrt=[0], grads=[1], search=Search(20))
    assert report.verdict is not Verdict.REFUTED


def test_functions_that_call_each_other_twice_are_refused_in_time() -> None:
    type = "tensor<f32>"
    head = f"func.func private @f{{0}}(%x: {type}) -> {type} {{{{\n"
    call = f"%y = call @f{{1}}(%x) : ({type}) -> {type}\n%w = call @f{{1}}(%y) : ({type}) -> {type}"
    one = head + call + f"\nreturn %w : {type} }}}}\n"
    functions = "".join(one.format(i, i + 1) for i in range(40))
    last = f"func.func private @f40(%x: {type}) -> {type} {{ return %x : {type} }}\n"
    main = f"func.func @main(%x: {type}) -> {type} {{\n%y = call @f0(%x) : ({type}) -> {type}\n"
    text = functions + last + main + f"return %y : {type} }}"
    with pytest.raises(UnsupportedError, match="calls"):
        certify_equal(text, text)
    with pytest.raises(UnsupportedError, match="calls"):
        straightened(read_module(text))


IDENTITY = "func.func @main(%x: tensor<f64>) -> tensor<f64> { return %x : tensor<f64> }"


def _child_of(evaluate: Evaluator) -> subprocess.Popen[bytes]:
    child = evaluate._child  # pyright: ignore[reportPrivateUsage]
    assert child is not None
    return child.process


def test_a_child_is_used_again_unless_it_died_or_worked_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found: list[int] = []

    def answered(evaluate: Evaluator) -> subprocess.Popen[bytes]:
        assert evaluate(IDENTITY, [np.array(3.0)]) == [3.0]
        found.append(_child_of(evaluate).pid)
        return _child_of(evaluate)

    monkeypatch.setattr(witness_process, "KEPT", float("inf"))
    with Evaluator(20) as first:
        answered(first)
    with Evaluator(20) as second, Evaluator(20) as beside:
        child = answered(second)
        answered(beside)
        child.kill()
        with pytest.raises(Unevaluated):
            second(IDENTITY, [np.array(3.0)])
    monkeypatch.setattr(witness_process, "KEPT", 0.0)
    for _ in range(2):
        with Evaluator(20) as evaluate:
            answered(evaluate)
    used_first, again, other, kept, new = found
    assert used_first == again != other == kept != new


def test_a_budget_counts_work_and_no_waiting() -> None:
    """The child is stopped for longer than its budget before it answers."""
    with Evaluator(1.0) as evaluate:
        evaluate(IDENTITY, [np.array(3.0)])
        child = _child_of(evaluate)
        child.send_signal(signal.SIGSTOP)
        threading.Timer(1.5, child.send_signal, [signal.SIGCONT]).start()
        assert evaluate(IDENTITY, [np.array(4.0)]) == [4.0]


def test_a_budget_without_end_is_one() -> None:
    for seconds in (float("inf"), 1e300):
        with Evaluator(seconds) as evaluate:
            assert evaluate(IDENTITY, [np.array(3.0)]) == [3.0]
