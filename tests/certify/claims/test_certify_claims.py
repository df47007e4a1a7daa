"""Claims, reports, their JSON, their scope, and what the entry points refuse."""

import json

import pytest

from certify.refute.cases import GATHER, GELU, LOG_SOFTMAX, TANH, main
from gradwright.certify import (
    Claim,
    Counterexample,
    Distribution,
    Kind,
    Proved,
    Refuted,
    Report,
    Search,
    Unknown,
    Verdict,
    certify_equal,
    certify_text,
    certify_vjp,
)
from gradwright.certify.texts_sites import sites
from gradwright.certify.verdicts import Input
from gradwright.errors import SpecError, UnsupportedError
from gradwright.hlo import read_module

QUIET = Search(seconds=0)
FOUND = Counterexample(
    7,
    (Input("x", (2,), "f32", Distribution.NORMAL, (0.5, -1.0)),),
    (1,),
    3.0,
    1.5,
    1e-11,
    "2",
)
LOSS = main(
    "%x: tensor<3xf32>",
    "(tensor<f32>, tensor<3xf32>)",
    """
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %p = stablehlo.multiply %x, %x : tensor<3xf32>
  %l = stablehlo.reduce(%p init: %z) applies stablehlo.add across dimensions = [0]
      : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
  %dx = stablehlo.add %x, %x : tensor<3xf32>
  return %l, %dx : tensor<f32>, tensor<3xf32>""",
)


def report(*outcomes: Proved | Refuted | Unknown) -> Report:
    claims = (Claim(f"claim {i}", Kind.GRADIENT, each) for i, each in enumerate(outcomes))
    return Report(tuple(claims), ("reals",))


@pytest.mark.parametrize(
    ("outcomes", "verdict"),
    [
        ([Proved(), Proved()], Verdict.PROVED),
        ([Proved(), Unknown("why")], Verdict.UNKNOWN),
        ([Unknown("why"), Refuted(FOUND), Proved()], Verdict.REFUTED),
        ([], Verdict.UNKNOWN),
    ],
)
def test_the_worst_verdict_is_the_reports(
    outcomes: list[Proved | Refuted | Unknown], verdict: Verdict
) -> None:
    assert report(*outcomes).verdict == verdict


def test_the_record_is_the_contracts() -> None:
    record = report(Proved(), Refuted(FOUND), Unknown("why")).to_json()
    assert json.loads(json.dumps(record)) == {
        "verdict": "refuted",
        "seconds": 0.0,
        "scope": ["reals"],
        "claims": [
            {"name": "claim 0", "kind": "gradient", "verdict": "proved", "seconds": 0.0},
            {
                "name": "claim 1",
                "kind": "gradient",
                "verdict": "refuted",
                "seconds": 0.0,
                "counterexample": {
                    "seed": 7,
                    "inputs": [
                        {
                            "name": "x",
                            "shape": [2],
                            "type": "f32",
                            "distribution": "normal",
                            "values": [0.5, -1.0],
                        }
                    ],
                    "index": [1],
                    "emitted": 3.0,
                    "wanted": 1.5,
                    "error": 1e-11,
                    "replayed": True,
                    "ratio": "2",
                },
            },
            {
                "name": "claim 2",
                "kind": "gradient",
                "verdict": "unknown",
                "seconds": 0.0,
                "reason": "why",
            },
        ],
    }


def test_a_counterexample_is_one_line_for_people() -> None:
    assert str(FOUND) == (
        "at [1] the text returns 3 instead of 1.5, 2 times as much at every index (seed 7)"
    )


def test_claims_of_one_site_are_one_finding() -> None:
    claims = (
        Claim("a", Kind.GRADIENT, Unknown("why"), site="line 3: %x"),
        Claim("b", Kind.GRADIENT, Proved()),
        Claim("c", Kind.GRADIENT, Refuted(FOUND), site="line 3: %x"),
        Claim("d", Kind.GRADIENT, Unknown("why"), site="line 9: %y"),
    )
    found = Report(claims, ()).findings
    assert [(site, [c.name for c in group]) for site, group in found] == [
        ("line 3: %x", ["a", "c"]),
        ("line 9: %y", ["d"]),
    ]


def test_gradients_of_one_text_are_proved() -> None:
    assert certify_text(LOSS, loss=0, wrt=[0], grads=[1]).verdict is Verdict.PROVED


def test_claims_are_told_as_they_are_settled() -> None:
    told: list[Claim] = []
    certify_vjp(LOG_SOFTMAX.forward, LOG_SOFTMAX.backward, observe=told.append)
    assert [(claim.name, claim.verdict) for claim in told] == [("d/d%x (result 0)", Verdict.PROVED)]


@pytest.mark.parametrize("text", [TANH.forward, GELU.forward, LOG_SOFTMAX.forward])
def test_a_text_is_itself(text: str) -> None:
    assert certify_equal(text, text).verdict is Verdict.PROVED


def test_the_reason_shows_both_forms() -> None:
    [claim] = certify_vjp(TANH.forward, TANH.wrong(0), search=QUIET).claims
    assert claim.reason is not None
    where, _, rest = claim.reason.partition(": derived: ")
    derived, _, emitted = rest.partition(" / emitted: ")
    assert where == "line 7: %dx"
    assert "«" in derived
    assert "«" in emitted


def test_the_reason_names_the_operation_at_which_the_proof_stops() -> None:
    text = main(
        "%x: tensor<2x2xf32>, %g: tensor<2x2xf32>",
        "tensor<2x2xf32>",
        '%y = "stablehlo.cholesky"(%g) {lower = true} : (tensor<2x2xf32>) -> tensor<2x2xf32>\n'
        "return %y : tensor<2x2xf32>",
    )
    forward = main("%x: tensor<2x2xf32>", "tensor<2x2xf32>", "return %x : tensor<2x2xf32>")
    [claim] = certify_vjp(forward, text, search=QUIET).claims
    assert claim.reason is not None
    assert claim.reason.startswith("the proof stops at line 2: %y: stablehlo.cholesky")


def test_the_scope_lists_hypotheses_and_conventions() -> None:
    scope = certify_vjp(LOG_SOFTMAX.forward, LOG_SOFTMAX.backward).scope
    assert scope[0].startswith("over the real numbers, for every input, at the sizes of the text")
    assert not any("assumed" in line for line in scope)  # sums of exponentials are positive
    gelu = certify_vjp(GELU.forward, GELU.backward).scope
    assert any("0.044715" in line for line in gelu)
    gathered = certify_vjp(GATHER.forward, GATHER.backward).scope
    assert any("indices are in range" in line for line in gathered)


def test_a_rounding_is_named_in_the_scope() -> None:
    text = main(
        "%x: tensor<f32>",
        "tensor<bf16>",
        "%y = stablehlo.convert %x : (tensor<f32>) -> tensor<bf16>\nreturn %y : tensor<bf16>",
    )
    assert (
        "roundings count as the identity, straight through in gradients (to bf16: line 2: %y)"
        in certify_equal(text, text, search=QUIET).scope
    )


TWO_TAILS = main(
    "%x: tensor<f32>",
    "(tensor<f32>, tensor<f32>, tensor<f32>)",
    """
  %a = stablehlo.negate %x : tensor<f32>
  %b = stablehlo.abs %a : tensor<f32>
  %c = stablehlo.sine %b : tensor<f32>
  %d = stablehlo.cosine %b : tensor<f32>
  return %b, %c, %d : tensor<f32>, tensor<f32>, tensor<f32>""",
)


@pytest.mark.parametrize(
    ("failed", "proved", "found"),
    [
        ([1], [0, 2], {1: "line 5: %c"}),
        ([1, 2], [0], {1: "line 5: %c", 2: "line 6: %d"}),
        ([0, 1, 2], [], {0: "lines 3 to 4: %a to %b"}),
    ],
)
def test_the_site_is_what_failed_claims_share(
    failed: list[int], proved: list[int], found: dict[int, str]
) -> None:
    sited = sites(read_module(TWO_TAILS).main, failed, proved, set())
    assert {k: sited[k] for k in found} == found


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"loss": 3, "wrt": [0], "grads": [1]},
            "loss: expected an index of 2 results, from 0, found 3",
        ),
        (
            {"loss": 1, "wrt": [0], "grads": [1]},
            "loss: expected a floating-point scalar, found tensor<3xf32>. The text has to return "
            "the loss beside its gradients, as value_and_grad does",
        ),
        (
            {"loss": 0, "wrt": [0], "grads": []},
            "wrt and grads: expected as many arguments as results, one at least, found 1 and 0",
        ),
        (
            {"loss": 0, "wrt": [1], "grads": [1]},
            "wrt: expected an index of 1 arguments, from 0, found 1",
        ),
        (
            {"loss": 0, "wrt": [0], "grads": [0]},
            "results grads: expected tensor<3xf32> at 0, as %x, found tensor<f32>, %l",
        ),
    ],
)
def test_indices_that_do_not_fit_are_refused(
    arguments: dict[str, int | list[int]], message: str
) -> None:
    with pytest.raises(SpecError) as caught:
        certify_text(LOSS, **arguments)  # type: ignore[arg-type] # wrong on purpose
    assert str(caught.value) == message


def test_signatures_that_do_not_fit_are_refused() -> None:
    with pytest.raises(SpecError) as caught:
        certify_vjp(TANH.forward, TANH.forward)
    assert str(caught.value) == (
        "arguments of backward: expected 2 in number, found 1: it lacks %y: tensor<3xf32>"
    )
    with pytest.raises(SpecError) as caught:
        certify_vjp(TANH.forward, TANH.backward.replace("tensor<3xf32>", "tensor<4xf32>"))
    assert str(caught.value) == (
        "arguments of backward: expected tensor<3xf32> at 0, as %x, found tensor<4xf32>, %x"
    )
    with pytest.raises(SpecError, match="results of the second text: expected"):
        certify_equal(LOSS, main("%x: tensor<3xf32>", "tensor<3xf32>", "return %x : tensor<3xf32>"))


def test_a_function_that_calls_itself_is_refused() -> None:
    text = """
module {
  func.func @main(%x: tensor<f32>) -> tensor<f32> {
    %y = func.call @main(%x) : (tensor<f32>) -> tensor<f32>
    return %y : tensor<f32>
  }
}
"""
    with pytest.raises(UnsupportedError) as caught:
        certify_equal(text, text)
    assert str(caught.value) == (
        "call @main: expected a function, found a function that calls itself"
    )


@pytest.mark.parametrize(
    "made",
    [
        "stablehlo.custom_call @noise() : () -> tensor<3xf32>",
        "stablehlo.rng %zero, %one, %three, distribution = UNIFORM"
        " : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<3xf32>",
    ],
)
def test_what_is_made_at_random_again_is_another_value(made: str) -> None:
    text = main(
        "%x: tensor<3xf32>",
        "(tensor<f32>, tensor<3xf32>)",
        f"""
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %three = stablehlo.constant dense<3> : tensor<1xi64>
  %r = {made}
  %p = stablehlo.multiply %x, %r : tensor<3xf32>
  %l = stablehlo.reduce(%p init: %zero) applies stablehlo.add across dimensions = [0]
      : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
  %again = {made}
  return %l, %GIVEN : tensor<f32>, tensor<3xf32>""",
    )
    outcomes = {
        name: certify_text(text.replace("GIVEN", name), wrt=[0], grads=[1], search=QUIET).verdict
        for name in ("r", "again")
    }
    assert outcomes == {"r": Verdict.PROVED, "again": Verdict.UNKNOWN}
