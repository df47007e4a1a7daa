"""The grid of paddings: kernels, strides, odd and even pictures, dilations and groups."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, product

from gradwright.errors import SpecError
from gradwright.layers import Conv2d, Padding
from gradwright.spec import Image, NetSpec

KERNELS = (1, 2, 3, 4, 5, 7)
STRIDES = (1, 2, 3, 4)
DILATIONS = (1, 2)
EXTENTS = ((8, 9), (11, 6))
"""Each with an odd and an even side; 8 and 6 leave different remainders at every stride."""
GROUPS = (1, 2, 4)
CHANNELS = 4
"""Of the input and of the output: four groups are a depthwise convolution."""


@dataclass(frozen=True, slots=True)
class Strided:
    """One convolution whose padding a library chooses."""

    kernel: int
    stride: int
    dilation: int
    extents: tuple[int, int]
    groups: int

    def layer(self, padding: Padding) -> Conv2d:
        """Return the declaration under one convention."""
        return Conv2d(
            CHANNELS, self.kernel, self.stride, padding, self.dilation, self.groups, bias=False
        )

    @property
    def input(self) -> Image:
        """What it reads."""
        return Image(CHANNELS, *self.extents)

    def __str__(self) -> str:
        height, width = self.extents
        return f"k{self.kernel}-s{self.stride}-d{self.dilation}-{height}x{width}-g{self.groups}"


def every_strided(padding: Padding) -> list[Strided]:
    """Return all of which a window lies in the padded picture."""
    grid = product(KERNELS, STRIDES, DILATIONS, EXTENTS, GROUPS)
    return [case for case in (Strided(*choice) for choice in grid) if _fits(case, padding)]


def spread_sample(cases: Sequence[Strided]) -> list[Strided]:
    """Return few cases in which every two choices of different kinds occur together."""
    missing = set[object]().union(*map(_pairs, cases))
    chosen: list[Strided] = []
    while missing:
        best = max(cases, key=lambda case: len(missing & _pairs(case)))
        chosen.append(best)
        missing -= _pairs(best)
    return chosen


def _pairs(case: Strided) -> set[object]:
    choices = (case.kernel, case.stride, case.dilation, case.extents, case.groups)
    return set(combinations(enumerate(choices), 2))


def _fits(case: Strided, padding: Padding) -> bool:
    try:
        NetSpec("fits", case.input, [case.layer(padding)])
    except SpecError:
        return False
    return True
