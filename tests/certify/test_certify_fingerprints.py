"""Fingerprints: equal values have one, whatever their sums and their order of dimensions."""

from fractions import Fraction

from gradwright.certify.advice.fingerprints import INDICES, POINTS, Fingerprints
from gradwright.certify.kernel.denotation import Denotation
from gradwright.certify.kernel.index import Affine, variable
from gradwright.certify.kernel.multilinear import Multilinear
from gradwright.certify.kernel.tensor import Tensor
from gradwright.certify.prove import Proof
from gradwright.certify.prove_joins import Joins

SIDE = 6


def smoothed(den: Denotation, x: Tensor, w: Tensor, size: int = 3) -> Tensor:
    """Return sum over (i, j) of w[i, j] x[row + i - 1, column + j - 1] as one contraction."""

    def moved(v: int) -> Affine:
        return variable(v) + variable(v + 2) - 1

    reads = ((variable(2), variable(3)), (moved(0), moved(1)))
    return den.linear(Multilinear((SIDE, SIDE), (size, size), reads), w, x)


def place_by_place(den: Denotation, x: Tensor, w: Tensor, count: int = 9) -> Tensor:
    """Return the first products of that sum, one by one, added up."""
    total = den.splat(0, (SIDE, SIDE))
    for i in range(3):
        for j in range(3):
            if 3 * i + j < count:
                read = variable(0) + (i - 1), variable(1) + (j - 1)
                form = Multilinear((SIDE, SIDE), (), ((Affine(i), Affine(j)), read))
                total = den.pointwise.add(total, den.linear(form, w, x))
    return total


def prints(den: Denotation, tensor: Tensor) -> list[int | None]:
    fingerprints = Fingerprints(den.atoms)
    return [fingerprints.at(tensor, k) for k in range(INDICES)]


def test_a_sum_in_pieces_has_the_fingerprint_of_the_whole_and_a_partial_one_has_not() -> None:
    den = Proof().den
    x, w = den.argument("x", (SIDE, SIDE)), den.argument("w", (3, 3))
    whole = prints(den, smoothed(den, x, w))
    assert None not in whole
    assert prints(den, place_by_place(den, x, w)) == whole
    for count in range(9):
        assert prints(den, place_by_place(den, x, w, count)) != whole


def test_dimensions_may_turn_and_factors_may_not() -> None:
    den = Proof().den
    x, y = den.argument("x", (2, 3)), den.argument("y", (2, 3))
    product = den.pointwise.multiply(x, y)
    turned = den.linear(Multilinear((3, 2), (), ((variable(1), variable(0)),)), product)
    assert prints(den, turned) == prints(den, product)
    assert prints(den, den.pointwise.multiply(x, x)) != prints(den, product)
    assert prints(den, den.pointwise.scale(product, Fraction(2))) != prints(den, product)


def test_roots_multiply_to_what_they_are_roots_of() -> None:
    den = Proof().den
    x = den.argument("x", (3,))
    root = den.pointwise.power(x, Fraction(1, 2))
    assert prints(den, den.pointwise.multiply(root, root)) == prints(den, x)
    assert prints(den, den.pointwise.power(x, Fraction(1, 5))) == [None] * INDICES


def test_a_sum_over_many_points_has_none() -> None:
    den = Proof().den
    x = den.argument("x", (POINTS + 1,))
    total = den.linear(Multilinear((), (POINTS + 1,), ((variable(0),),)), x)
    assert prints(den, total) == [None] * INDICES


def test_a_value_joins_the_one_that_it_equals_and_no_other() -> None:
    proof = Proof()
    den = proof.den
    x, w = den.argument("x", (SIDE, SIDE)), den.argument("w", (3, 3))
    known = smoothed(den, x, w)
    joins = Joins(proof)
    joins.expect([known])
    assert joins.joined(place_by_place(den, x, w)) == known
    for count in range(1, 9):
        partial = place_by_place(den, x, w, count)
        assert joins.joined(partial) == partial
