"""Every attribute, region and start of an operation is used by its denotation, or refused."""

import numpy as np
import pytest

from certify.kernel.attribute_cases import WINDOWED, Case, Change
from certify.kernel.attribute_moves import MOVED
from certify.kernel.evaluating import Evaluator
from certify.kernel.test_kernel_soundness import denoted
from gradwright.certify.kernel.algebra import Undenotable
from gradwright.certify.kernel.denotation import Denotation
from gradwright.certify.kernel.denote import RULES, new_denotation
from gradwright.certify.kernel.equality import equal
from gradwright.certify.kernel.tensor import Tensor
from gradwright.hlo import Operation, TensorType, Value, evaluate, read_module
from gradwright.hlo.attributes import Opaque
from gradwright.hlo.forms import CHLO, RETYPED, SAME_TYPE

pytestmark = pytest.mark.interpreter
CASES = {**WINDOWED, **MOVED}
NEAR = 1e-6
"""Roundings are the identity over the reals; the widest one here is to f32."""


def changed(text: str, change: Change) -> str:
    old, new = change
    assert old in text, old
    return text.replace(old, new)


def meant(text: str, den: Denotation, case: Case) -> Tensor | None:
    """Return what a text denotes, None where it is refused; the interpreter computes the same."""
    module = read_module(text)
    try:
        _, (tensor,) = denoted(module.main, den)
    except Undenotable:
        return None
    if case.evaluated:
        generator = np.random.default_rng(0)
        arguments = [generator.normal(size=v.shape) for v in module.main.body.arguments]
        names = [v.name for v in module.main.body.arguments]
        found = Evaluator(den, dict(zip(names, arguments, strict=True))).tensor(tensor)
        (wanted,) = evaluate(module, arguments)
        np.testing.assert_allclose(found, wanted, NEAR, NEAR)
    return tensor


def same(den: Denotation, a: Tensor, b: Tensor) -> bool:
    if a.shape != b.shape:
        return False
    ours, theirs = den.pointwise.align(a, b)
    return equal(den.algebra, ours, theirs)


@pytest.mark.parametrize("name", CASES)
def test_what_an_operation_carries_counts(name: str) -> None:
    case = CASES[name]
    for change in case.changes:
        den = new_denotation()
        plain = meant(case.text, den, case)
        assert plain is not None
        other = meant(changed(case.text, change), den, case)
        assert other is None or not same(den, plain, other), change
    for change in case.promises:
        den = new_denotation()
        plain, other = (meant(text, den, case) for text in (case.text, changed(case.text, change)))
        assert plain is not None
        assert other is not None
        assert same(den, plain, other), change


PLAIN = {"optimization_barrier", "reshape", "select"}
"""Operations without attributes, beside the elementwise ones."""


def test_every_operation_that_carries_something_has_a_case() -> None:
    carrying = {f"stablehlo.{name.split(',')[0]}" for name in CASES}
    plain = {*SAME_TYPE, *RETYPED, *CHLO, *(f"stablehlo.{name}" for name in PLAIN)}
    assert RULES.keys() - plain == carrying - plain


@pytest.mark.parametrize("opcode", RULES)
def test_an_attribute_that_is_not_known_is_refused(opcode: str) -> None:
    value = Value(TensorType((2,)), "x")
    operation = Operation(opcode, (), (value,), Opaque("{later = true}"))
    with pytest.raises(Undenotable, match="later"):
        new_denotation().operation(operation, [])
