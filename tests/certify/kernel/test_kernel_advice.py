"""Bad advice costs a proof, or is refused; it makes none. The docs list what is no advice."""

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

import pytest

from gradwright.certify import Verdict, certify_equal
from gradwright.certify.advice.digits import suggested_digits
from gradwright.certify.kernel import classes, contractions, equality, relations
from gradwright.certify.kernel.algebra import Algebra
from gradwright.certify.kernel.atoms import Atoms
from gradwright.certify.kernel.index import variable
from gradwright.certify.kernel.multilinear import Multilinear
from gradwright.certify.kernel.tensor import Digits, Tensor, plain_digits
from repository.tree import ROOT

LEFT = """
func.func @main(%x: tensor<4x6xf32>, %w: tensor<4x6xf32>) -> tensor<24xf32> {
  %s = stablehlo.add %x, %w : tensor<4x6xf32>
  %e = stablehlo.exponential %s : tensor<4x6xf32>
  %p = stablehlo.dot_general %e, %w, contracting_dims = [1] x [1]
      : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x4xf32>
  %q = stablehlo.dot_general %p, %e, contracting_dims = [0] x [0]
      : (tensor<4x4xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %r = stablehlo.reshape %q : (tensor<4x6xf32>) -> tensor<24xf32>
  return %r : tensor<24xf32>
}
"""
WRONG = LEFT.replace("contracting_dims = [0] x [0]", "contracting_dims = [1] x [0]")


def test_the_texts_are_equal_to_themselves_only() -> None:
    assert certify_equal(LEFT, LEFT).verdict is Verdict.PROVED
    assert certify_equal(LEFT, WRONG).verdict is not Verdict.PROVED


def _fewer(colours: Mapping[int, int], limit: int) -> list[list[int]]:
    del limit
    return [sorted(colours)[1:]]


def _twice(colours: Mapping[int, int], limit: int) -> list[list[int]]:
    del limit
    return [[min(colours), *(a for a, _ in pairwise(sorted(colours)))]] if colours else [[]]


@pytest.mark.parametrize("advice", [_fewer, _twice])
def test_an_order_that_is_none_of_the_variables_is_refused(
    advice: Callable[[Mapping[int, int], int], list[list[int]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(classes, "suggested_orders", advice)
    with pytest.raises(ValueError, match="as an order of"):
        certify_equal(LEFT, LEFT)


@pytest.mark.parametrize("wrong", [(2, 2), (3, 1), (-2, -2), ()])
def test_digits_of_another_extent_are_refused(
    wrong: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    def advice(form: Multilinear, operands: object, algebra: object) -> Digits:
        del operands
        return (wrong,) * len(form.shape)

    monkeypatch.setattr(contractions, "suggested_digits", advice)
    with pytest.raises(ValueError, match="for a result of shape"):
        certify_equal(LEFT, LEFT)


def test_one_colour_one_signature_and_no_difference_prove_nothing_wrong(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def alike(terms: object, colours: Mapping[int, object]) -> dict[int, int]:
        del terms
        return dict.fromkeys(colours, 0)

    def unsigned(points: object, outputs: Sequence[int], extents: object) -> dict[int, tuple[()]]:
        del points, extents
        return dict.fromkeys(outputs, ())

    monkeypatch.setattr(classes, "refine", alike)
    monkeypatch.setattr(relations, "refine", alike)
    monkeypatch.setattr(relations, "suggested_signatures", unsigned)

    def nowhere(parts: object) -> bool:
        del parts
        return False

    monkeypatch.setattr(equality, "differs_somewhere", nowhere)
    assert certify_equal(LEFT, WRONG).verdict is not Verdict.PROVED


def test_the_page_lists_every_module_of_the_kernel_after_what_it_uses() -> None:
    page = (ROOT / "docs/kernel.md").read_text("utf-8")
    table = page[page.index("## In reading order") :]
    rows = [line.split("|")[1] for line in table.split("\n") if line.startswith("| `")]
    listed = [name.strip(" `") for row in rows for name in row.split(",")]
    kernel = ROOT / "src/gradwright/certify/kernel"
    assert sorted(["__init__", *listed]) == sorted(path.stem for path in kernel.glob("*.py"))
    for place, name in enumerate(listed):
        used = re.findall(
            r"certify\.kernel\.(\w+) import", (kernel / f"{name}.py").read_text("utf-8")
        )
        assert set(used) <= set(listed[:place]), name


@pytest.mark.parametrize("coefficient", [0, 4])
def test_a_counter_of_a_loop_has_no_extent_and_suggests_no_digits(coefficient: int) -> None:
    """Number -9 is a counter: at 0 times it, what is equal to 2 a + b goes in twos."""
    equation = (0, ((-9, coefficient), (0, -1), (1, 2), (2, 1))[not coefficient :]), 0, 1
    form = Multilinear((8,), (4, 2), ((variable(1),),), (equation,))
    algebra = Algebra(Atoms())
    read = Tensor(plain_digits((4,)), {})
    found = suggested_digits(form, [read], algebra)
    assert found == ((8,) if coefficient else (4, 2),)
