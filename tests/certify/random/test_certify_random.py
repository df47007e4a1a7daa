"""The gradients of random nets are proved, as are those that once were not."""

from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from certify.random.random_nets import FORMULATIONS, nets
from gradwright import layers as ly
from gradwright import programs
from gradwright.certify import certify_vjp, prove
from gradwright.certify.claims import Claim
from gradwright.certify.texts_settle import Search
from gradwright.certify.verdicts import Verdict
from gradwright.errors import UnsupportedError
from gradwright.layers import Formulation
from gradwright.programs import Program
from gradwright.spec import Flat, Image, NetSpec

NO_CHECKS = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]
SAME = ly.Padding.SYMMETRIC
GATE = ly.Gate(
    ly.Sequential(
        [
            ly.GlobalAvgPool(),
            ly.Dense(2),
            ly.Activation(ly.Function.RELU),
            ly.Dense(4),
            ly.Activation(ly.Function.HARD_SIGMOID),
        ]
    )
)
NORMED = ly.Residual(ly.Sequential([ly.DepthwiseConv2d(3, padding=SAME), ly.BatchNorm()]))
GATED = NetSpec("gated", Image(4, 2, 2), [GATE, NORMED, ly.GlobalAvgPool()])
PAIRS = NetSpec(
    "pairs",
    Image(2, 6, 6),
    [
        ly.Conv2d(3, 3, padding=SAME),
        ly.Activation(ly.Function.RELU),
        ly.Conv2d(2, 3, padding=SAME),
        ly.Flatten(),
        ly.Dense(2),
    ],
)
MASKED = NetSpec("masked", Flat(6), [ly.Dropout(0.5), ly.Activation(ly.Function.GELU_ERF)])


def texts(net: NetSpec, batch: int, formulation: Formulation) -> tuple[Program, Program]:
    """Return the forward and its vector-Jacobian product."""
    forward = programs.forward(net, batch=batch, formulation=formulation)
    return forward, programs.vjp(net, batch=batch, formulation=formulation)


def claims(forward: Program, backward: Program) -> Sequence[Claim]:
    """Return the claims about all gradients, settled by proof alone."""
    inputs = [port.name for port in forward.signature.inputs]
    wrt = [inputs.index(port.name.removeprefix("d.")) for port in backward.signature.outputs]
    search = Search(seconds=0)
    return certify_vjp(forward.text, backward.text, wrt=wrt, search=search).claims


@settings(max_examples=25, suppress_health_check=NO_CHECKS)
@given(nets(longest=3), st.integers(1, 3), FORMULATIONS)
@example(GATED, 2, ly.PORTABLE)
@example(PAIRS, 2, ly.PORTABLE)
@example(MASKED, 1, ly.TEXTBOOK)
def test_every_gradient_of_a_random_net_is_proved(
    net: NetSpec, batch: int, formulation: Formulation
) -> None:
    try:
        forward, backward = texts(net, batch, formulation)
    except UnsupportedError:
        assume(False)
        return
    assert [c for c in claims(forward, backward) if c.verdict is not Verdict.PROVED] == []


def test_a_proof_without_terms_left_is_unknown_and_names_the_value(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(prove, "PROOF_TERMS", 20)
    monkeypatch.setattr(prove, "OPERATION_TERMS", 1)
    found = claims(*texts(GATED, 2, ly.PORTABLE))
    assert {claim.verdict for claim in found} <= {Verdict.PROVED, Verdict.UNKNOWN}
    reasons = [claim.reason or "" for claim in found if claim.verdict is Verdict.UNKNOWN]
    assert any("more terms than the proof may take" in reason for reason in reasons)
    assert any("the proof stops at line" in reason for reason in reasons)
