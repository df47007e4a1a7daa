"""Maxima and minima over windows: sums in which a choice, 1 at the winner, picks one entry.

result[o] = sum over r of choice[o, r] * x[reads(o, r)]; at a tie the first point wins.
"""

from collections.abc import Sequence
from fractions import Fraction

from gradwright.check.affine import conjunction, filled, variable
from gradwright.check.atoms import Chosen, Uncheckable
from gradwright.check.forms import Form
from gradwright.check.functions import Functions
from gradwright.check.poly import Poly, moved_factors, moved_guards
from gradwright.check.tensor import Tensor, box_of


def picked(f: Functions, form: Form, x: Tensor, sign: int) -> tuple[Form, Sequence[Tensor]]:
    """Return the sum that is the maximum (sign 1) or minimum (-1) over a form's summed indices.

    Entries outside the operand, and infinite ones that lose to all others, are no part of it.
    """
    finite, *outer = f.parts(x)
    losers = outer[0 if sign > 0 else 1]
    if outer[1 if sign > 0 else 0].poly:
        raise Uncheckable("an infinite maximum")
    inside = f.complement(losers).poly
    ((condition, border), c), *more = inside.items()
    if condition or c != 1 or more:
        raise Uncheckable("infinite entries that are no border")
    operand = finite if border else f.contractions.as_name(finite)
    ((factors, guards), scale), *more = operand.poly.items()
    if len(factors) != 1 or factors[0][2] != 1 or guards != border or more:
        raise Uncheckable("a maximum of a value without a name")
    choice = _choice(f, form, operand, sign if scale > 0 else -sign)
    every = tuple(map(variable, range(len(form.shape) + len(form.summed))))
    return Form(form.shape, form.summed, (every, *form.reads), form.guards), (choice, finite)


def _choice(f: Functions, form: Form, operand: Tensor, sign: int) -> Tensor:
    """Return the choice, over the form's outputs and its summed indices."""
    laid, term = f.contractions.laid(form, [operand])
    digits = tuple(laid.digits)
    count = sum(len(d) for d in digits[: len(form.shape)])
    if len(term) != 1 or len(box_of(digits)) != len(laid.box):
        raise Uncheckable("a window that no index of a dimension counts")
    ((factors, guards),) = term
    [(atom, access, _)] = factors
    if not filled(guards, count, laid.box):
        raise Uncheckable("a window without entries, or of too many points")
    read = dict.fromkeys(v for e in (*access, *(g for g, _, _ in guards)) for v, _ in e[1])
    outputs = [v for v in read if v < count]
    order = [*outputs, *range(count, len(laid.box))]
    extents = tuple(laid.box[v] for v in order)
    places = {v: variable(i) for i, v in enumerate(order)}
    [(_, moved, _)] = moved_factors([(atom, access, 1)], places)
    there = conjunction(moved_guards(guards, places), dict(enumerate(extents))) or ()
    chosen = f.algebra.atoms.number(
        Chosen(sign, len(outputs), extents, atom, moved, there), extents
    )
    choice: Poly = {(((chosen, tuple(map(variable, order)), 1),), ()): Fraction(1)}
    return Tensor(digits, choice)
