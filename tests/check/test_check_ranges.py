"""Indices that are supposed to be in range decide a text's own tests of that, and nothing else."""

import random
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import product

import pytest

from gradwright.certify.certificate import Subject, written
from gradwright.certify.certificate_json import certificate_json
from gradwright.check import atoms, check
from gradwright.check.affine import Affine, variable
from gradwright.check.atoms import Monomial
from gradwright.check.certificate import EqualClaim
from gradwright.check.poly import ONE
from gradwright.check.ranges import Ranges

FILLED = """
func.func @main(%x: tensor<6xf32>, %i: tensor<3xi32>) -> tensor<3xf32> {
  %zero = stablehlo.constant dense<0> : tensor<3xi32>
  %six = stablehlo.constant dense<6> : tensor<3xi32>
  %low = stablehlo.constant dense<LOW> : tensor<3xi32>
  %high = stablehlo.constant dense<HIGH> : tensor<3xi32>
  %nan = stablehlo.constant dense<0x7FC00000> : tensor<3xf32>
  %below = stablehlo.compare LT, %i, %zero : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
  %more = stablehlo.add %i, %six : tensor<3xi32>
  %start = stablehlo.select %below, %more, %i : tensor<3xi1>, tensor<3xi32>
  %a = stablehlo.compare GE, %start, %low : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
  %b = stablehlo.compare LE, %start, %high : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
  %both = stablehlo.and %a, %b : tensor<3xi1>
  %y = "stablehlo.gather"(%x, %start) <{dimension_numbers = #stablehlo.gather<
      collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
      slice_sizes = array<i64: 1>}> : (tensor<6xf32>, tensor<3xi32>) -> tensor<3xf32>
  %z = stablehlo.select %both, ARMS : tensor<3xi1>, tensor<3xf32>
  %clamped = stablehlo.clamp %zero, %start, %high : tensor<3xi32>
  %again = "stablehlo.gather"(%x, %clamped) <{dimension_numbers = #stablehlo.gather<
      collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
      slice_sizes = array<i64: 1>}> : (tensor<6xf32>, tensor<3xi32>) -> tensor<3xf32>
  return RESULT : tensor<3xf32>
}
"""


def text_of(low: int, high: int, arms: str, result: str) -> str:
    text = FILLED.replace("LOW", str(low)).replace("HIGH", str(high))
    return text.replace("ARMS", arms).replace("RESULT", result)


def is_covered(low: int, high: int, arms: str = "%y, %nan", result: str = "%z") -> bool:
    """Return whether a certificate says that a text with a fill is the one without."""
    texts = [text_of(0, 5, "%y, %y", "%y"), text_of(low, high, arms, result)]
    certificate = written(Subject("equal", texts), [("0", EqualClaim(0))])
    if not certificate.claims:
        return False
    checked = check(certificate_json(certificate), *texts)
    assert checked.accepted
    assert any("in range" in line for line in checked.hypotheses)
    return True


@pytest.mark.parametrize(("low", "high"), [(0, 5), (-1, 5), (0, 7), (-6, 9)])
def test_a_fill_outside_of_the_range_is_never_taken(low: int, high: int) -> None:
    assert is_covered(low, high)


@pytest.mark.parametrize(("low", "high"), [(1, 5), (0, 4), (5, 0), (6, 9)])
def test_a_fill_inside_of_the_range_is_seen(low: int, high: int) -> None:
    assert not is_covered(low, high)


def test_a_fill_of_what_is_in_range_is_seen() -> None:
    assert not is_covered(0, 5, arms="%nan, %y")


@pytest.mark.parametrize(("high", "fits"), [(5, True), (8, True), (4, False)])
def test_an_index_in_range_is_what_it_is_clamped_to(high: int, *, fits: bool) -> None:
    assert is_covered(0, high, arms="%y, %y", result="%again") == fits


READ: tuple[tuple[int, tuple[Affine, ...], int], ...] = ((0, (variable(0),), 1),)
INTEGER: Monomial = (READ, ())


def table() -> tuple[atoms.Atoms, list[tuple[Monomial, Callable[[int], int]]]]:
    """Return atoms, the first an integer, and masks of a + b times it with what they are."""
    known = atoms.Atoms()
    known.number(atoms.Unknown("i", atoms.Numbers.INTEGER, is_argument=True), (3,))
    masks: list[tuple[Monomial, Callable[[int], int]]] = []
    for a, b in product((-3, -1, 0, 2, 7), (1, -1, 2)):
        terms = ((ONE, Fraction(a)), (INTEGER, Fraction(b)))
        inner = known.number(atoms.Named((3,), terms[0 if a else 1 :]), (3,))
        for test in atoms.Test:
            mask = known.number(atoms.Mask(test, inner), (3,))
            masks.append(((((mask, (variable(0),), 1),), ()), partial(_tested, test, a, b)))
    return known, masks


def _tested(test: atoms.Test, a: int, b: int, x: int) -> int:
    return int(a + b * x > 0 if test is atoms.Test.POSITIVE else a + b * x == 0)


def test_spans_are_those_of_all_integers_in_the_range() -> None:
    known, masks = table()
    generator = random.Random(5)
    for _ in range(300):
        last = generator.randint(0, 9)
        ranges = Ranges(known)
        ranges.remember({INTEGER: Fraction(1)}, {0: 3}, last)
        chosen = generator.sample(masks, generator.randint(1, 3))
        slope, *scales = (generator.randint(-4, 4) for _ in range(1 + len(chosen)))
        terms = {m: Fraction(c) for (m, _), c in zip(chosen, scales, strict=True)}
        values = [
            slope * x + sum(c * f(x) for (_, f), c in zip(chosen, scales, strict=True))
            for x in range(last + 1)
        ]
        span = ranges.span({**terms, INTEGER: Fraction(slope)})
        assert span == (min(values), max(values))


def test_no_range_is_taken_of_what_is_read_in_part_or_beside_others() -> None:
    known, _ = table()
    other = known.number(atoms.Unknown("j", atoms.Numbers.INTEGER, is_argument=True), (3,))
    both = {INTEGER: Fraction(1), (((other, (variable(0),), 1),), ()): Fraction(1)}
    for index, box in (({INTEGER: Fraction(1)}, {0: 2}), (both, {0: 3})):
        ranges = Ranges(known)
        ranges.remember(index, box, 4)
        assert ranges.span({INTEGER: Fraction(1)}) is None
    ranges = Ranges(known)
    ranges.remember({INTEGER: Fraction(1), ONE: Fraction(2)}, {0: 3}, 4)
    assert ranges.span({INTEGER: Fraction(1)}) == (-2, 2)


def test_indices_that_exclude_each_other_are_refused() -> None:
    known, _ = table()
    ranges = Ranges(known)
    ranges.remember({INTEGER: Fraction(1)}, {0: 3}, 4)
    with pytest.raises(atoms.Uncheckable):
        ranges.remember({INTEGER: Fraction(1), ONE: Fraction(-5)}, {0: 3}, 4)
