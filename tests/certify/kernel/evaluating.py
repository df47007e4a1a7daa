"""An evaluator of the kernel's normal forms: what a tensor is worth at given arguments, in f64.

Written from the docstrings of the kernel's records alone: atoms by recursion, sums by brute force.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import cast

import numpy as np

from gradwright.certify.kernel.algebra import Poly
from gradwright.certify.kernel.atoms import (
    Argument,
    Base,
    Class,
    Coordinate,
    Dense,
    Factor,
    Function,
    Infinity,
    Mask,
    NotANumber,
    Pi,
    Relation,
    Selector,
    Sum,
    Terms,
    Uninterpreted,
)
from gradwright.certify.kernel.denotation import Denotation
from gradwright.certify.kernel.index import Affine, Guards
from gradwright.certify.kernel.tensor import Digits, Tensor
from gradwright.hlo import attributes as attr

ROUNDING = 2**-30
"""What a formula that is 0 may be off by; arguments drawn at random are not that close to a tie."""
Arrays = Mapping[str, np.ndarray]
Array = np.ndarray
_Key = tuple[attr.Attributes, tuple[Digits, ...], tuple[int, ...]]
"""What an uninterpreted operation is known by beside its operands."""


def _erf(x: Array) -> Array:
    return np.vectorize(math.erf, otypes=[float])(x)


FUNCTIONS: dict[str, Callable[[Array], Array]] = {
    "log": np.log,
    "exponential": np.exp,
    "logistic": lambda x: 1 / (1 + np.exp(-x)),
    "sine": np.sin,
    "cosine": np.cos,
    "tan": np.tan,
    "cbrt": np.cbrt,
    "erf": _erf,
    "floor": lambda x: np.floor(x + ROUNDING),
    "round_nearest_even": np.round,
    "truncate": lambda x: np.trunc(x + np.copysign(ROUNDING, x)),
    "round_nearest_afz": lambda x: np.copysign(np.floor(np.abs(x) + 0.5), x),
}


class Evaluator:
    """Values of atoms at given arguments."""

    def __init__(self, den: Denotation, arguments: Arrays) -> None:
        self.atoms = den.atoms
        self.arguments = arguments
        self._known: dict[int, Array] = {}

    def tensor(self, tensor: Tensor) -> Array:
        """Return the value of a tensor at its shape."""
        box = tuple(n for dimension in tensor.digits for n in dimension)
        return self.poly(tensor.poly, box).reshape(tensor.shape)

    def poly(self, p: Poly, box: Sequence[int]) -> Array:
        """Return the value of a polynomial over the box of its variables."""
        grid = np.indices(tuple(box), dtype=np.int64)
        total = np.zeros(tuple(box))
        for (factors, guards), c in p.items():
            total = total + float(c) * self._product(factors, guards, grid)
        return total

    def _product(self, factors: Sequence[Factor], guards: Guards, grid: Array) -> Array:
        inside = np.ones(grid.shape[1:], dtype=bool)
        for e, low, high in guards:
            value = _affine(e, grid)
            inside &= (low <= value) & (value < high)
        product = np.ones(grid.shape[1:])
        for atom, access, exponent in factors:
            product = product * self._power(atom, access, exponent, grid, inside)
        return np.where(inside, product, 0.0)

    def _power(
        self,
        atom: int,
        access: Sequence[Affine],
        exponent: int | Fraction,
        grid: Array,
        inside: Array,
    ) -> Array:
        """Return a factor; where it lies outside its box the whole product is 0."""
        places: list[Array] = []
        for e, extent in zip(access, self.atoms.extents(atom), strict=True):
            value = _affine(e, grid)
            inside &= (value >= 0) & (value < extent)
            places.append(np.clip(value, 0, extent - 1))
        read = self.atom(atom)[tuple(places)] if places else self.atom(atom)[()]
        return np.power(read, float(exponent))

    def atom(self, atom: int) -> Array:
        """Return the values of an atom at all its indices."""
        if atom not in self._known:
            self._known[atom] = np.asarray(self._evaluate(atom), dtype=float)
        return self._known[atom]

    def _evaluate(self, atom: int) -> Array:
        extents = self.atoms.extents(atom)
        match self.atoms.content(atom):
            case Argument(name=name):
                return self.arguments[name].astype(float).reshape(extents)
            case Dense(entries=entries):
                return np.array([float(x) for x in entries]).reshape(extents)
            case Coordinate(extent=extent):
                return np.arange(extent)
            case Infinity(negative=negative):
                return np.array(-np.inf if negative else np.inf)
            case NotANumber():
                return np.array(np.nan)
            case Base(value=value):
                return np.array(float(value))
            case Pi():
                return np.array(math.pi)
            case Function(name=name, scale=scale, inner=inner):
                x = np.array(1.0) if inner is None else self.atom(inner)
                return FUNCTIONS[name](float(scale) * x)
            case Mask(relation=relation, inner=inner):
                x = self.atom(inner)
                if relation is Relation.ZERO:
                    return abs(x) <= ROUNDING
                return x > ROUNDING if relation is Relation.POSITIVE else x < -ROUNDING
            case Class(extents=box, terms=terms):
                return self.poly(Poly(terms), box)
            case Sum() as content:
                grid = np.indices(content.extents, dtype=np.int64)
                product = self._product(content.factors, content.guards, grid)
                return product.sum(tuple(range(content.outputs, len(content.extents))))
            case Selector() as content:
                return self._selector(content).reshape(extents)
            case Uninterpreted() as content:
                return self._uninterpreted(content).reshape(extents)

    def _selector(self, content: Selector) -> Array:
        """One where input place i wins the window o, by walking each window in its order."""
        x = self._sign(content) * self._operand(content.operand, content.digits)
        window = content.window
        found = np.zeros((*content.shape, *x.shape))
        for o in np.ndindex(*content.shape):
            best: tuple[int, ...] | None = None
            for k in np.ndindex(*window.dimensions):
                place = _window_place(window, x.shape, o, k)
                if place is None:
                    continue
                lead = 0.0 if best is None else x[place] - x[best]
                later = not content.first and abs(lead) <= ROUNDING
                if best is None or lead > ROUNDING or later:
                    best = place
            assert best is not None, "a window without an entry"
            found[(*o, *best)] = 1
        return found

    def _sign(self, content: Selector) -> int:
        return 1 if content.maximum else -1

    def _operand(self, terms: Terms, digits: Sequence[Sequence[int]]) -> Array:
        box = tuple(n for dimension in digits for n in dimension)
        shape = [math.prod(dimension) for dimension in digits]
        return self.poly(Poly(terms), box).reshape(shape)

    def _uninterpreted(self, content: Uninterpreted) -> Array:
        attributes, digits, shape = cast("_Key", content.attributes)
        x = self._operand(content.operands[0], digits[0])
        match content.opcode:
            case "reshape":
                return x.reshape(shape)
            case "reduce_maximum" | "reduce_minimum":
                assert isinstance(attributes, attr.Dimensions)
                reduce = np.max if content.opcode == "reduce_maximum" else np.min
                return np.asarray(reduce(x, axis=attributes.dimensions))
            case "atan2":
                return np.arctan2(x, self._operand(content.operands[1], digits[1]))
            case other:
                raise AssertionError(f"{other} is not evaluated")


def _window_place(
    window: attr.Window, shape: Sequence[int], o: Sequence[int], k: Sequence[int]
) -> tuple[int, ...] | None:
    place: list[int] = []
    for d, extent in enumerate(shape):
        at = o[d] * window.strides[d] + k[d] * window.window_dilations[d] - window.padding[d][0]
        i, rest = divmod(at, window.base_dilations[d])
        if rest or not 0 <= i < extent:
            return None
        place.append(i)
    return tuple(place)


def _affine(e: Affine, grid: Array) -> Array:
    value = np.full(grid.shape[1:], e[0], dtype=np.int64)
    for v, k in e[1]:
        value = value + k * grid[v]
    return value
