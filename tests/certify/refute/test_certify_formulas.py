"""Known wrong formulas of other projects are told from the right ones, written in another form."""

from collections.abc import Sequence

import pytest

from certify.refute.formulas import ROWS, SWEPT, normalized, normalized_back, text
from gradwright.certify import Verdict, certify_equal, certify_vjp
from gradwright.hlo import Builder, Value
from gradwright.hlo.attributes import Direction

pytestmark = pytest.mark.interpreter


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.slow] if name in SWEPT else []) for name in ROWS],
)
def test_a_wrong_formula_is_refuted_and_the_right_one_proved(name: str) -> None:
    stated, right, wrong, shapes = ROWS[name]
    assert certify_equal(text(stated, *shapes), text(right, *shapes)).verdict is Verdict.PROVED
    report = certify_equal(text(stated, *shapes), text(wrong, *shapes))
    assert report.verdict is Verdict.REFUTED


def test_a_variance_taken_for_constant_is_refuted() -> None:
    """bugs C11: the gradient of a batch norm whose variance does not depend on its input."""
    forward = text(normalized, (4,))
    right = text(lambda b, v: normalized_back(b, v, varies=True), (4,), (4,))
    wrong = text(lambda b, v: normalized_back(b, v, varies=False), (4,), (4,))
    assert certify_vjp(forward, right).verdict is Verdict.PROVED
    assert certify_vjp(forward, wrong).verdict is Verdict.REFUTED


def rectified_back(b: Builder, v: Sequence[Value], direction: Direction, at: float) -> Value:
    x, g = v
    zero = b.splat(0, x.type)
    return b.select(b.compare(direction, x, b.splat(at, x.type)), g, zero)


@pytest.mark.parametrize("direction", [Direction.GT, Direction.GE])
def test_a_convention_at_a_kink_is_reported_as_one(direction: Direction) -> None:
    """bugs E2: 0 or 1 at 0 are both gradients of max(x, 0) off its kink."""
    forward = text(lambda b, v: b.maximum(v[0], b.splat(0, v[0].type)), (4,))
    report = certify_vjp(forward, text(lambda b, v: rectified_back(b, v, direction, 0), (4,), (4,)))
    assert report.verdict is Verdict.PROVED
    assert any("kink" in line or "tie" in line for line in report.scope)


def test_a_moved_kink_is_refuted() -> None:
    """bugs E2: the kink of max(x, 0) is at 0 and not at 1/2."""
    forward = text(lambda b, v: b.maximum(v[0], b.splat(0, v[0].type)), (4,))
    moved = text(lambda b, v: rectified_back(b, v, Direction.GT, 0.5), (4,), (4,))
    assert certify_vjp(forward, moved).verdict is Verdict.REFUTED
