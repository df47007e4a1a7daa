"""Seeded defects: each is refuted with a replayed input, by the claim that it concerns."""

from dataclasses import replace

import pytest

import gradwright as gw
from certify.programs.defects import DEFECTS, NET, STEP, Defect
from certify.programs.edited import edited, plain
from gradwright.certify import Report, Search
from gradwright.certify.texts_settle import Effort
from gradwright.hlo import Port, Role, Signature
from gradwright.layers import TEXTBOOK

QUICK = Search(effort=Effort.QUICK)
IN_CI = (
    "forward: epsilon",
    "loss: smoothing",
    "metric: truth left out",
    "statistic: biased variance",
    "gradient: padding",
    "update: decay lost",
)


def refuted(report: Report) -> list[str]:
    return [claim.name for claim in report.claims if claim.counterexample is not None]


def test_the_right_step_is_proved() -> None:
    assert gw.certify(STEP).verdict == "proved"


@pytest.mark.parametrize(
    "defect",
    [
        pytest.param(d, id=d.name, marks=[] if d.name in IN_CI else pytest.mark.slow)
        for d in DEFECTS
    ],
)
def test_a_defect_is_refuted_at_its_claim(defect: Defect) -> None:
    report = gw.certify(edited(STEP, defect.old, defect.new), search=QUICK)
    assert defect.claim in refuted(report)
    found = next(claim for claim in report.claims if claim.name == defect.claim)
    assert found.site is not None
    assert [site for site, claims in report.findings if found in claims] == [found.site]


def test_one_defect_of_the_metric_is_one_finding() -> None:
    (defect,) = [d for d in DEFECTS if d.name == "metric: truth left out"]
    report = gw.certify(edited(STEP, defect.old, defect.new), search=QUICK)
    assert len(report.findings) == 1
    assert refuted(report) == ["correct as declared"]


def test_a_wrong_vector_jacobian_product_is_refuted() -> None:
    vjp = gw.programs.vjp(NET, batch=2, formulation=TEXTBOOK)
    wrong = edited(vjp, "subtract %bn1.subtract, %bn1.multiply", "subtract %act1.dx, %bn1.multiply")
    names = refuted(gw.certify(wrong, search=QUICK))
    assert "gradient of conv1.weight" in names
    assert "output as declared" not in names


def test_a_wrong_evaluation_is_refuted() -> None:
    program = gw.programs.eval(NET, batch=2)
    wrong = edited(program, "dense<1.0e-5>", "dense<1.0e-2>")
    report = gw.certify(wrong, search=QUICK)
    assert refuted(report) == ["output as declared"]
    assert "bn1.y" not in str(report.claims[0].counterexample)


def test_a_net_is_not_proved_by_the_statements_of_another() -> None:
    program = gw.programs.forward(NET, batch=2)
    lines = [line.replace("max(u<2,v<2)", "max(u<2,v<1)") for line in program.statements]
    other = replace(plain(program), statements=lines)
    assert refuted(gw.certify(other, search=QUICK)) == ["output as declared"]


def test_a_result_that_nothing_states_is_unknown() -> None:
    program = gw.programs.forward(gw.zoo.get("mnist-linear"), batch=2)
    silent = replace(plain(program), statements=())
    assert gw.certify(silent, search=Search(seconds=0)).verdict == "unknown"
    (output,) = program.signature.outputs
    port = Port("extra", Role.MOMENT, output.type)
    ports = Signature(program.signature.inputs, (port,))
    report = gw.certify(replace(plain(program), signature=ports))
    assert [(claim.name, claim.verdict) for claim in report.claims] == [("extra", "unknown")]


def test_ports_that_the_text_does_not_have_are_bad_input() -> None:
    forward = gw.programs.forward(gw.zoo.get("mnist-linear"), batch=2)
    longer = gw.programs.forward(gw.zoo.get("mnist-linear"), batch=3)
    with pytest.raises(gw.GradwrightError, match="arguments of the text"):
        gw.certify(replace(plain(forward), signature=longer.signature))
