"""What the checker's normal forms are worth at given inputs, in f64: written from their docstrings.

Sums by brute force, atoms by recursion. An atom read outside its extents is worth an odd number,
which must not show: the checker promises that a guard is 0 wherever it would.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import cast

import numpy as np

from gradwright.check.affine import Affine, Guards
from gradwright.check.atoms import (
    Applied,
    Atoms,
    Dense,
    Factor,
    Index,
    Infinity,
    Mask,
    Named,
    Opaque,
    Sum,
    Terms,
    Test,
    Unknown,
)
from gradwright.check.poly import Poly
from gradwright.check.tensor import Digits, Shape, Tensor
from gradwright.hlo import attributes as attr

Array = np.ndarray
OUTSIDE = 777.25
_Extreme = tuple[tuple[attr.Dimensions, Terms], Digits, Shape]
"""What an opaque reduction is known by beside its operand."""
ROUNDING = 2**-30
"""What a formula that is 0 may be off by; arguments drawn at random are not that close to a tie."""
FUNCTIONS: dict[str, Callable[[Array], Array]] = {
    "log": np.log,
    "exponential": np.exp,
    "tanh": np.tanh,
    "logistic": lambda x: 1 / (1 + np.exp(-x)),
    "sine": np.sin,
    "cosine": np.cos,
}


class Worth:
    """Values of tensors where unknowns have given values."""

    def __init__(self, atoms: Atoms, unknowns: Mapping[str, Array]) -> None:
        self.atoms, self.unknowns = atoms, unknowns
        self._known: dict[int, Array] = {}

    def tensor(self, t: Tensor) -> Array:
        """Return a tensor's value at its shape."""
        return self._poly(t.poly, list(t.box.values())).reshape(t.shape)

    def _poly(self, p: Poly, extents: Sequence[int]) -> Array:
        grid = np.indices(tuple(extents))
        total = np.zeros(tuple(extents))
        for (factors, guards), c in p.items():
            total += float(c) * self._product(factors, guards, grid)
        return total

    def _product(self, factors: Iterable[Factor], guards: Guards, grid: Array) -> Array:
        holds = np.ones(grid.shape[1:], dtype=bool)
        for e, low, high in guards:
            holds &= (low <= _at(e, grid)) & (_at(e, grid) < high)
        product = np.where(holds, 1.0, 0.0)
        for atom, access, q in factors:
            places: list[Array] = []
            inside = holds
            for e, extent in zip(access, self.atoms.extents[atom], strict=True):
                index = _at(e, grid)
                inside = inside & (index >= 0) & (index < extent)
                places.append(np.clip(index, 0, extent - 1))
            read = np.where(inside, self._atom(atom)[tuple(places)], OUTSIDE)
            product = product * np.where(holds, read ** float(q), 0)
        return product

    def _atom(self, atom: int) -> Array:
        if atom not in self._known:
            found = np.asarray(self._evaluated(atom), dtype=float)
            self._known[atom] = found.reshape(self.atoms.extents[atom])
        return self._known[atom]

    def _evaluated(self, atom: int) -> Array:
        match self.atoms.contents[atom]:
            case Unknown(name=name):
                return self.unknowns[name]
            case Dense(entries=entries):
                return np.array([float(x) for x in entries])
            case Index(extent=extent):
                return np.arange(extent)
            case Infinity(sign=sign):
                return np.array(sign * np.inf)
            case Applied(function=function, scale=scale, inner=inner):
                x = np.array(1.0) if inner is None else self._atom(inner)
                return FUNCTIONS[function](float(scale) * x)
            case Mask(test=test, inner=inner):
                x = self._atom(inner)
                return x > ROUNDING if test is Test.POSITIVE else abs(x) <= ROUNDING
            case Named(extents=extents, terms=terms):
                return self._poly(dict(terms), extents)
            case Sum() as content:
                product = self._product(
                    content.factors, content.guards, np.indices(content.extents)
                )
                return product.sum(tuple(range(content.outputs, len(content.extents))))
            case Opaque() as content:
                return self._extreme(content)

    def _extreme(self, content: Opaque) -> Array:
        (attributes, start), digits, _ = cast("_Extreme", content.attributes)
        join = {"reduce maximum": np.maximum, "reduce minimum": np.minimum}[content.opcode]
        reduced = join.reduce(
            self.tensor(Tensor(digits, dict(content.operands[0]))), axis=attributes.dimensions
        )
        return join(reduced, self._poly(dict(start), ()))


def _at(e: Affine, grid: Array) -> Array:
    return sum((k * grid[v] for v, k in e[1]), np.full(grid.shape[1:], e[0]))
