"""Bad advice costs a proof, or is refused; it makes none. The docs list what is no advice."""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from itertools import chain, combinations, pairwise

import pytest

from gradwright.certify import Search, Verdict, certify_equal, prove
from gradwright.certify.advice.digits import suggested_digits
from gradwright.certify.advice.lowest_terms import LowestTerms
from gradwright.certify.advice.opening import is_free_to_open
from gradwright.certify.kernel import (
    analytic,
    classes,
    contractions,
    equality,
    relations,
    shaped,
    sums,
)
from gradwright.certify.kernel.algebra import Algebra, Poly, product_of, total
from gradwright.certify.kernel.atoms import Argument, Atoms, Factor, Sum
from gradwright.certify.kernel.denote import new_denotation
from gradwright.certify.kernel.index import Affine, variable
from gradwright.certify.kernel.literals import Irrational
from gradwright.certify.kernel.multilinear import Multilinear
from gradwright.certify.kernel.pieces import Piece
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


SQUARE = """
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %r = stablehlo.multiply %x, %x : tensor<3xf32>
  return %r : tensor<3xf32>
}
"""
DOUBLE = SQUARE.replace("multiply", "add")
PROOFS_ONLY = Search(seconds=0)


def _are_proved(a: str, b: str) -> bool:
    return certify_equal(a, b, search=PROOFS_ONLY).verdict is Verdict.PROVED


def _always(answer: object) -> Callable[..., object]:
    def given(*asked: object) -> object:
        del asked
        return answer

    return given


def _first_dropped(p: Poly, box: object) -> Poly:
    del box
    return Poly(list(p.items())[1:])


def _drops_first(self: LowestTerms, p: Poly, box: object) -> Poly:
    del self
    return _first_dropped(p, box)


@pytest.mark.parametrize("opens", [True, False])
def test_when_a_sum_is_opened_proves_nothing_wrong(
    opens: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sums, "is_free_to_open", _always(opens))
    monkeypatch.setattr(contractions, "fix_some", _always(opens))
    monkeypatch.setattr(contractions, "multiplies_out", _always(opens))
    assert _are_proved(LEFT, LEFT)
    assert not _are_proved(LEFT, WRONG)


def test_a_sum_is_opened_where_guards_leave_it_one_point() -> None:
    """Two digits of an output are one point; a window of two places is none."""
    digits = Affine(0, ((0, 1), (1, -3), (2, -1))), 0, 1
    factor = (0, (variable(1), variable(2), variable(0)), 1)
    assert is_free_to_open(Sum(1, (6, 2, 3), (factor,), (digits,)))
    window = Affine(0, ((0, 1), (1, -3), (2, -1))), 0, 2
    assert not is_free_to_open(Sum(1, (6, 2, 3), (factor,), (window,)))
    assert not is_free_to_open(Sum(1, (6, 2, 3), ((*factor[:1], factor[1][:2], 1),), (digits,)))


def test_an_atom_to_write_out_that_is_nowhere_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(equality, "suggested_opening", _always(10**6))
    algebra = Algebra(Atoms())
    x = product_of((algebra.atoms.intern(Argument("x"), (3,)), (variable(0),), 1))
    with pytest.raises(ValueError, match="is in no piece"):
        equality.equal(algebra, Tensor(((3,),), x), Tensor(((3,),), Poly()))


def test_nothing_to_write_out_proves_nothing_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(equality, "suggested_opening", _always(None))
    assert not _are_proved(LEFT, WRONG)


def test_a_summed_variable_that_is_to_be_an_output_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def every(factors: Sequence[Factor], tied: object, atoms: Atoms) -> set[Affine]:
        del tied
        return {e for e, _ in atoms.reads(factors)}

    monkeypatch.setattr(relations, "suggested_outputs", every)
    with pytest.raises(ValueError, match="of a sum over"):
        certify_equal(LEFT, LEFT)


def test_whichever_indices_are_named_a_class_read_there_is_what_was_named() -> None:
    """x[i] + y[i + 2] + x[i + 1]: each choice of indices reads the same entries."""
    algebra = Algebra(Atoms())
    x, y = (algebra.atoms.intern(Argument(name), (8,)) for name in "xy")
    v = variable(0)
    reads = [(x, v), (y, v + 2), (x, v + 1)]
    p = total(product_of((atom, (e,), 1)) for atom, e in reads)
    for chosen in chain.from_iterable(combinations([e for _, e in reads], n) for n in range(4)):
        origin, named, box = classes.generalized(algebra.atoms, p, {0: 6}, chosen)
        assert len(origin) == len(chosen)
        assert algebra.substitute(named, origin, {0: 6}) == p
        for factors, _ in named:
            inside = (
                low >= 0 and high < n
                for e, n in algebra.atoms.reads(factors)
                for low, high in [e.bounds(box)]
            )
            assert all(inside)


def test_an_index_that_is_guarded_is_not_named() -> None:
    algebra = Algebra(Atoms())
    x = algebra.atoms.intern(Argument("x"), (8,))
    p = product_of((x, (variable(0),), 1), guards=((variable(0), 0, 3),))
    with pytest.raises(ValueError, match="that are guarded"):
        classes.generalized(algebra.atoms, p, {0: 8}, [variable(0)])


@pytest.mark.parametrize("honest", [True, False])
def test_terms_that_are_not_the_same_are_not_put_together(
    honest: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """1 - T / C is one term (C - T) / C, and stays two where a suggestion drops one."""
    if not honest:
        monkeypatch.setattr(LowestTerms, "suggested", _drops_first)
    den = new_denotation()
    p = den.pointwise
    parts = [p.exponential(den.argument(name, ())) for name in "xyz"]
    whole = p.add(p.add(parts[0], parts[1]), parts[2])
    p.log(whole)
    rest = p.negation(p.multiply(parts[0], p.power(whole, -1)))
    assert len(rest.poly) == (1 if honest else 2)


@pytest.mark.parametrize("positive", [True, False])
def test_terms_are_put_together_over_nothing_that_may_be_0(
    positive: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """x + y is (x w + y w) / w off the zeros of w only, which the exponential of w has not."""
    den = new_denotation()
    p = den.pointwise
    x, y, w = (den.argument(name, ()) for name in "xyw")
    p.log(p.add(p.add(p.exponential(x), p.exponential(y)), p.exponential(w)))
    divisor = p.exponential(w) if positive else w
    [((factor,), ())] = divisor.poly

    def over(self: LowestTerms, asked: Poly, box: Mapping[int, int]) -> Poly | None:
        del self
        if ((factor,), ()) in asked or any(factor in factors for factors, _ in asked):
            return None
        times = den.algebra.multiply(asked, divisor.poly, box)
        c, atom, access = classes.intern_class(den.algebra, times, box)
        return product_of((*factor[:2], -1), (atom, access, 1), c=c)

    monkeypatch.setattr(LowestTerms, "suggested", over)
    assert len(p.add(x, y).poly) == (1 if positive else 2)


def test_intervals_that_are_not_the_same_are_not_united(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prove, "suggested_union", _first_dropped)
    assert _are_proved(SQUARE, SQUARE)
    assert not _are_proved(SQUARE, DOUBLE)


@pytest.mark.parametrize(
    ("literal", "lie", "other"),
    [
        ("2.0", lambda: Irrational("-2", Fraction(-2)), "negate %s : tensor<3xf32>"),
        ("1.0", lambda: Irrational("2", Fraction(8), Fraction(1, 3)), "reshape %s : (V) -> V"),
        ("2.0", lambda: Irrational("3", Fraction(3)), "add %s, %x : tensor<3xf32>"),
    ],
)
def test_a_literal_is_not_read_as_another_number(
    literal: str, lie: Callable[[], Irrational], other: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The digits of -2 and of the third root of 8 were taken for 2 and 1."""
    begin = "func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {"
    text = f"""{begin}
  %c = stablehlo.constant dense<{literal}> : tensor<3xf32>
  %r = stablehlo.multiply %x, %c : tensor<3xf32>
  return %r : tensor<3xf32>
}}"""
    lied = f"""{begin}
  %s = stablehlo.add %x, %x : tensor<3xf32>
  %r = stablehlo.{other.replace("V", "tensor<3xf32>")}
  return %r : tensor<3xf32>
}}"""
    asked = list[Fraction]()

    def advice(value: Fraction, element: object) -> Irrational:
        del element
        asked.append(value)
        return lie()

    monkeypatch.setattr(shaped, "irrational", advice)
    with suppress(ValueError):
        assert certify_equal(text, lied, search=Search(seconds=0)).verdict is not Verdict.PROVED
    assert asked


@pytest.mark.parametrize("entry", [0, 1])
def test_inputs_at_which_a_value_is_0_show_no_null_set(
    entry: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """x - mean of x is 0 where all entries are alike, which says nothing of its zeros."""
    algebra = Algebra(Atoms())
    x = algebra.atoms.intern(Argument("x"), (3,))
    mean = algebra.atoms.intern(Sum(0, (3,), ((x, (variable(0),), 1),), ()), ())
    difference = product_of((x, (variable(0),), 1)) - Fraction(1, 3) * product_of((mean, (), 1))
    terms = difference.terms
    assert analytic.Analytic(algebra).vanishes_rarely(terms, (3,))
    monkeypatch.setattr(analytic, "suggested_entry", _always(entry))
    monkeypatch.setattr(analytic, "suggested_inputs", _always([(frozenset((x,)), None)]))
    assert not analytic.Analytic(algebra).vanishes_rarely(terms, (3,))


def test_what_did_not_cancel_is_asked_again_only_where_it_changed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    algebra = Algebra(Atoms())
    x = algebra.atoms.intern(Argument("x"), (3,))
    whole = algebra.atoms.intern(Sum(0, (3,), ((x, (variable(0),), 1),), ()), ())
    asked: list[int] = []

    def never(self: object, pieces: Sequence[Piece]) -> bool:
        del self
        asked.append(len(pieces))
        return False

    monkeypatch.setattr(equality._Difference, "_nothing", never)  # pyright: ignore[reportPrivateUsage]
    left = equality._Difference(algebra, (Sum,))  # pyright: ignore[reportPrivateUsage]
    piece = Piece(Fraction(1), ((whole, (), 1),), (), {})
    for new in ([piece], [], [replace(piece, coefficient=Fraction(-2))]):
        left._take(new)  # pyright: ignore[reportPrivateUsage]
        left._cancel_early()  # pyright: ignore[reportPrivateUsage]
    assert asked == [1, 2]


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
    equation = Affine(0, ((-9, coefficient), (0, -1), (1, 2), (2, 1))[not coefficient :]), 0, 1
    form = Multilinear((8,), (4, 2), ((variable(1),),), (equation,))
    algebra = Algebra(Atoms())
    read = Tensor(plain_digits((4,)), Poly())
    found = suggested_digits(form, [read], algebra)
    assert found == ((8,) if coefficient else (4, 2),)
