"""What the checker's normal forms are worth at given inputs, in f64: written from their docstrings.

Sums by brute force, atoms by recursion. An atom read outside its extents is worth an odd number,
which must not show: the checker promises that a guard is 0 wherever it would.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from gradwright.check.affine import Affine, Guards
from gradwright.check.atoms import (
    Applied,
    Atoms,
    Chosen,
    Constant,
    Dense,
    Factor,
    Index,
    Infinity,
    Mask,
    Named,
    Sum,
    Test,
    Unknown,
)
from gradwright.check.poly import Poly
from gradwright.check.tensor import Tensor

Array = np.ndarray
OUTSIDE = 777.25
ROUNDING = 2**-30
"""What a formula that is 0 may be off by; arguments drawn at random are not that close to a tie."""
FUNCTIONS: dict[str, Callable[[Array], Array]] = {
    "log": np.log,
    "exponential": np.exp,
    "tanh": np.tanh,
    "logistic": lambda x: 1 / (1 + np.exp(-x)),
    "sine": np.sin,
    "cosine": np.cos,
    "erf": np.vectorize(math.erf),
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
            case Constant(name=name):
                return np.array(np.pi if name == "pi" else float(name))
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
            case Chosen() as content:
                return self._choice(content)

    def _choice(self, content: Chosen) -> Array:
        """Return 1 at the first greatest point of each window, by going through its points."""
        grid = np.indices(content.extents)
        factors = ((content.atom, content.access, 1),)
        entries = content.sign * self._product(factors, content.guards, grid)
        inside = self._product((), content.guards, grid) > 0
        windows = np.where(inside, entries, -np.inf)
        outputs = content.extents[: content.outputs]
        flat = windows.reshape((*outputs, -1))
        chosen = np.zeros(flat.shape)
        np.put_along_axis(chosen, flat.argmax(-1)[..., None], 1, -1)
        return chosen.reshape(content.extents)


def _at(e: Affine, grid: Array) -> Array:
    return sum((k * grid[v] for v, k in e[1]), np.full(grid.shape[1:], e[0]))
