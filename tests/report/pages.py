"""Reports of each verdict, and the pages about them."""

import functools
from collections.abc import Callable
from dataclasses import dataclass

import gradwright as gw
from certify.refute.cases import TANH
from gradwright.certify import Claim, Kind, Proved, Report, Search, certify_vjp
from gradwright.certify.anchors import Anchors, Spot
from gradwright.report.proof_page import NamedText, proof_page

MANY_CLAIMS = 500
MANY_LINES = 28_000
# The right text turns the kernel in both directions; without one of them each row is mirrored.
RIGHT = "dims = [2, 3] : tensor<2x3x3x3xf32>"
MIRRORED = "dims = [3] : tensor<2x3x3x3xf32>"


@dataclass(frozen=True, slots=True)
class Subject:
    """A report with the texts that it is about."""

    report: Report
    judged: NamedText
    reference: NamedText | None = None


@functools.cache
def page_of(make: Callable[[], Subject]) -> str:
    """Return the page about what a function makes."""
    subject = make()
    return proof_page(subject.report, subject.judged, subject.reference)


def small_net() -> gw.NetSpec:
    """Return a net of one convolution whose texts fit on a screen or two."""
    same = gw.layers.Padding.SYMMETRIC
    relu = gw.layers.Activation(gw.layers.Function.RELU)
    return gw.NetSpec(
        "small",
        gw.Image(2, 5, 5),
        [
            ("stem", gw.layers.Conv2d(3, 3, padding=same)),
            relu,
            gw.layers.GlobalAvgPool(),
            ("head", gw.layers.Dense(4)),
        ],
    )


@functools.cache
def mirrored() -> Subject:
    """Return a convolution whose gradient does not turn the kernel upside down: refuted."""
    net = small_net()
    forward = gw.programs.forward(net, batch=1).text
    backward = gw.programs.vjp(net, batch=1).text
    assert backward.count(RIGHT) == 1
    wrong = backward.replace(RIGHT, MIRRORED)
    report = certify_vjp(forward, wrong, search=Search(cells=50))
    return Subject(report, NamedText("vjp.mlir", wrong), NamedText("forward.mlir", forward))


@functools.cache
def unsettled() -> Subject:
    """Return a wrong pullback whose counterexample is not looked for: unknown."""
    wrong = TANH.wrong(0)
    report = certify_vjp(TANH.forward, wrong, search=Search(seconds=0))
    return Subject(report, NamedText("vjp.mlir", wrong), NamedText("forward.mlir", TANH.forward))


@functools.cache
def proved() -> Subject:
    """Return a right pullback."""
    report = certify_vjp(TANH.forward, TANH.backward)
    judged = NamedText("<vjp> & co.mlir", TANH.backward)
    return Subject(report, judged, NamedText("forward.mlir", TANH.forward))


@functools.cache
def large() -> Subject:
    """Return a text of 28,000 lines with 500 claims, as of a net that has been deep for a while."""
    width = "tensor<64x128x14x14xf32>"
    lines = ["func.func @main(", f"    %block0.weight: {width}", f"  ) -> {width} {{"]
    before = "block0.weight"
    for i in range(MANY_LINES):
        if i % 10 == 0:
            lines.append(f"    // block{i // 10}.conv: Conv2d(out_channels={i % 97}, kernel=3)")
        name = f"block{i // 10}.conv.term_{i % 10}"
        lines.append(f"    %{name} = stablehlo.add %{before}, %block0.weight : {width}")
        before = name
    lines += [f"    return %{before} : {width}", "  }"]
    claims: list[Claim] = []
    line_of = {line.split(" = ")[0].strip(): i for i, line in enumerate(lines, 1) if " = " in line}
    for i in range(MANY_CLAIMS):
        name = f"block{5 * i}.conv.term_9"
        anchors = Anchors(
            Spot(name, line_of[f"%{name}"]),
            (Spot(before, line_of[f"%{before}"]),),
        )
        claim = Claim(f"%{name} (result {i})", Kind.EQUAL, Proved(), i / 1000)
        claims.append(Claim(claim.name, claim.kind, claim.outcome, claim.seconds, anchors=anchors))
    return Subject(Report(tuple(claims), ("reals",)), NamedText("deep.mlir", "\n".join(lines)))
