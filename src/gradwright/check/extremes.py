"""Maxima and minima over windows: sums in which a choice, 1 at the winner, picks one entry.

result[o] = sum over r of choice[o, r] * x[reads(o, r)]; at a tie the first point wins.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import prod

from gradwright.check.affine import Affine, Box, Guard, Guards, conjunction, variable
from gradwright.check.atoms import Chosen, Uncheckable
from gradwright.check.forms import Form
from gradwright.check.functions import Functions
from gradwright.check.poly import Poly, moved_factors, moved_guards
from gradwright.check.tensor import Tensor, box_of

POINTS = 1_000_000
"""Points of windows along one dimension that are looked at."""


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
    _require_filled(guards, count, laid.box)
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


def _require_filled(guards: Guards, outputs: int, box: Box) -> None:
    """Require that each window has a point: for each part of the guards that shares indices."""
    parts: list[tuple[set[int], list[Guard]]] = []
    for guard in guards:
        reach, members = {v for v, _ in guard[0][1]}, [guard]
        for other in [part for part in parts if part[0] & reach]:
            parts.remove(other)
            reach, members = reach | other[0], members + other[1]
        parts.append((reach, members))
    for reach, members in parts:
        free = sorted(v for v in reach if v < outputs)
        window = sorted(reach - {*free})
        if prod(box[v] for v in reach) > POINTS:
            raise Uncheckable("windows of too many points")
        for at in product(*(range(box[v]) for v in free)):
            places: dict[int, Affine] = {v: (n, ()) for v, n in zip(free, at, strict=True)}
            inner = conjunction(moved_guards(members, places), box)
            if inner is None or not any(
                conjunction(
                    moved_guards(inner, {v: (n, ()) for v, n in zip(window, point, strict=True)}),
                    box,
                )
                is not None
                for point in product(*(range(box[v]) for v in window))
            ):
                raise Uncheckable("a window without entries")
