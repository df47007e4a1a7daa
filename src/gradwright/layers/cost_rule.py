"""The cost rule: which forms were the fastest at sites that were measured, and at those near them.

`fastest.tsv` is what `python benchmarks/cost_rule.py --write` found; its head says where and when.
"""

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import log2

from gradwright.layers.domains import defined_forms
from gradwright.layers.forms import FORMS, Form, Layout
from gradwright.layers.sites import Primitive, Site

TABLE = "fastest.tsv"
NEAR = 2
"""Factor in channels and extents within which a measured site speaks for another."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One row of the table: a dense convolution, undilated, and its fastest forms.

    `sizes` are channels, output channels, rows and columns.
    """

    kernel: tuple[int, int]
    strides: tuple[int, int]
    sizes: tuple[int, ...]
    pictures: int
    forms: tuple[Form, ...]


def fastest_forms(site: Site, layout: Layout) -> tuple[Form, ...]:
    """Return the forms that were the fastest at the nearest measured site, as far as defined here.

    None where no such site is near; of several the one with the nearest number of pictures.
    """
    windows = site.windows
    dense = site.primitive is Primitive.CONVOLUTION and site.groups == 1
    if not dense or windows.dilation != (1, 1):
        return ()
    sizes = (site.channels, site.out_channels, *windows.extents)
    near = [
        (_distance(row.sizes, sizes), _distance((row.pictures,), (site.batch,)), number)
        for number, row in enumerate(table())
        if row.kernel == windows.kernel and row.strides == windows.strides
    ]
    nearest = min((place for place in near if place[0] <= log2(NEAR)), default=None)
    if nearest is None:
        return ()
    defined = tuple(defined_forms(site, layout))
    return tuple(form for form in table()[nearest[-1]].forms if form in defined)


@cache
def table() -> tuple[Measured, ...]:
    """Return the rows of the table."""
    lines = files(__package__).joinpath(TABLE).read_text().splitlines()
    return tuple(_row(line.split("\t")) for line in lines if line and not line.startswith("#"))


def _row(cells: list[str]) -> Measured:
    kernel, strides = (_pair(cell) for cell in cells[:2])
    forms = tuple(FORMS[name] for name in cells[-1].split())
    return Measured(kernel, strides, tuple(map(int, cells[2:6])), int(cells[6]), forms)


def _pair(cell: str) -> tuple[int, int]:
    first, second = map(int, cell.split("x"))
    return first, second


def _distance(a: tuple[int, ...], b: tuple[int, ...]) -> float:
    return max(abs(log2(m / n)) for m, n in zip(a, b, strict=True))
