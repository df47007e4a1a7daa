"""Looking for a counterexample from the smallest sizes upwards."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import islice, product

import islpy as isl

from gradwright.theory.evaluation import Place
from gradwright.theory.measure import Inputs, completed, differences, input_shapes
from gradwright.theory.outcome import Counterexample
from gradwright.theory.points import sizes_where
from gradwright.theory.record import Instance

ROOM = 6
"""How much the sum of the sizes may exceed its least value."""
TRIED = 400
"""Sizes that are tried at most."""
DRAWS = 3
"""Inputs that are tried at each size, each larger than the one before."""


def search(instance: Instance, tried: int = TRIED) -> Counterexample | None:
    """Return a counterexample at the least sizes at which the inputs drawn show one, or None.

    Sizes are tried by their sum, then in order.
    """
    allowed = sizes_where(instance)
    for sizes in islice(_sizes(instance), tried):
        whole = completed(instance, sizes)
        if not _holds(allowed, whole):
            continue
        shapes = input_shapes(instance, whole)
        if any(n < 1 for shape in shapes.values() for n in shape):
            continue
        for draw in range(DRAWS):
            found = next(differences(instance, whole, drawn(instance, shapes, draw)), None)
            if found is not None:
                return found
    return None


def _sizes(instance: Instance) -> Iterator[Mapping[str, int]]:
    sizes = instance.symbols.sizes
    for room in range(ROOM + 1):
        for extra in product(*(range(room + 1) for _ in sizes)):
            if sum(extra) == room:
                yield {s.symbol: s.least + n for s, n in zip(sizes, extra, strict=True)}


def _holds(allowed: isl.Set, sizes: Mapping[str, int]) -> bool:
    point = " and ".join(f"{name} = {n}" for name, n in sizes.items()) or "true"
    at = isl.Set(f"[{', '.join(sizes)}] -> {{ : {point} }}")
    return not allowed.intersect(at).is_empty()


def drawn(instance: Instance, shapes: Mapping[str, Place], draw: int) -> Inputs:
    """Return inputs that obey the laws, a different set for each draw."""
    inputs: dict[str, dict[Place, Fraction]] = {}
    for number, (name, shape) in enumerate(shapes.items()):
        places = list(product(*(range(n) for n in shape)))
        values = [(1 + draw) * _entry(3 * draw + number, i) for i in range(len(places))]
        if name in instance.positive:
            values = [abs(value) for value in values]
        inputs[name] = dict(zip(places, values, strict=True))
    for law in (law for law in instance.laws if law.value in inputs):
        inputs[law.value] = _normalised(inputs[law.value])
    return inputs


def _entry(seed: int, i: int) -> Fraction:
    """Return odd quarters between -3 and 3, in an order without pattern."""
    return Fraction(2 * _SHUFFLED[(i + 5 * seed) % 12] - 11, 4)


_SHUFFLED = (8, 2, 5, 10, 0, 9, 11, 4, 1, 7, 3, 6)


def _normalised(entries: Mapping[Place, Fraction]) -> dict[Place, Fraction]:
    """Return entries made positive, with sum 1 over the last index."""
    sums: dict[Place, Fraction] = {}
    for place, value in entries.items():
        sums[place[:-1]] = sums.get(place[:-1], Fraction(0)) + abs(value)
    return {place: abs(value) / sums[place[:-1]] for place, value in entries.items()}
