"""The grid of convolutions: every kernel, stride, dilation, grouping, padding and extent."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, product

from gradwright.errors import SpecError
from gradwright.layers import Conv2d, Explicit, Padding
from gradwright.spec import Image, NetSpec
from oracles.arithmetic import Pads, Pair, Patches, tensorflow_same, torch_symmetric

KERNELS: Sequence[Pair] = ((1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (7, 7), (3, 1), (2, 5))
STRIDES: Sequence[Pair] = ((1, 1), (2, 2), (3, 3), (4, 4), (2, 1))
DILATIONS: Sequence[Pair] = ((1, 1), (2, 2), (3, 3), (1, 2))
EXTENTS: Sequence[Pair] = ((6, 7), (7, 9), (9, 12), (12, 6))
PADDINGS = (Padding.SYMMETRIC, Padding.SAME_UPPER, Padding.VALID, Explicit((0, 2), (3, 1)))
CHANNELS = {
    "dense": (3, 5, 1),
    "two groups": (4, 6, 2),
    "depthwise": (3, 3, 3),
    "doubled": (3, 6, 3),
}
"""Input channels, output channels, groups; "doubled" is depthwise with a multiplier of 2."""


@dataclass(frozen=True, slots=True)
class Case:
    """One convolution."""

    kernel: Pair
    strides: Pair
    dilation: Pair
    extents: Pair
    padding: Padding | Explicit
    grouping: str

    @property
    def layer(self) -> Conv2d:
        """The declaration."""
        _, out_channels, groups = CHANNELS[self.grouping]
        return Conv2d(
            out_channels, self.kernel, self.strides, self.padding, self.dilation, groups=groups
        )

    @property
    def input(self) -> Image:
        """The picture."""
        return Image(CHANNELS[self.grouping][0], *self.extents)

    @property
    def groups(self) -> int:
        """Number of channel groups."""
        return CHANNELS[self.grouping][2]

    @property
    def fits(self) -> bool:
        """Whether at least one window lies in the padded picture."""
        try:
            NetSpec("fits", self.input, [self.layer])
        except SpecError:
            return False
        return True

    @property
    def patches(self) -> Patches:
        """Where it reads, by rules of padding written apart from the emitter."""
        return Patches(self.extents, self.kernel, self.strides, self.dilation, self.pads)

    @property
    def pads(self) -> Pads:
        """Amounts of padding."""
        if isinstance(self.padding, Explicit):
            return self.padding.height, self.padding.width
        height, width = (self._pad(axis) for axis in (0, 1))
        return height, width

    def _pad(self, axis: int) -> Pair:
        kernel, dilation = self.kernel[axis], self.dilation[axis]
        if self.padding is Padding.VALID:
            return 0, 0
        if self.padding is Padding.SYMMETRIC:
            return torch_symmetric(kernel, dilation)
        return tensorflow_same(self.extents[axis], kernel, self.strides[axis], dilation)

    def __str__(self) -> str:
        """Return a short name for reports."""
        padding = "explicit" if isinstance(self.padding, Explicit) else self.padding.value
        numbers = zip("ksdn", (self.kernel, self.strides, self.dilation, self.extents), strict=True)
        shape = "-".join(f"{letter}{pair[0]}x{pair[1]}" for letter, pair in numbers)
        return f"{shape}-{padding}-{self.grouping.replace(' ', '_')}"


def every_case() -> list[Case]:
    """Return all cases that fit."""
    choices = product(KERNELS, STRIDES, DILATIONS, EXTENTS, PADDINGS, CHANNELS)
    return [case for case in (Case(*choice) for choice in choices) if case.fits]


def covering_cases(seed: int = 0) -> list[Case]:
    """Return few cases in which every pair of choices that fits together occurs."""
    shuffled = every_case()
    random.Random(seed).shuffle(shuffled)
    missing = set[tuple[object, ...]]().union(*map(pairs_of, shuffled))
    chosen: list[Case] = []
    for case in shuffled:
        news = missing & pairs_of(case)
        if news:
            chosen.append(case)
            missing -= news
    return chosen


def pairs_of(case: Case) -> set[tuple[object, ...]]:
    """Return every pair of choices of a case, each choice with its place."""
    return set(combinations(enumerate(choices_of(case)), 2))


def choices_of(case: Case) -> tuple[object, ...]:
    """Return the fields; an explicit padding stays one value."""
    return (
        case.kernel,
        case.strides,
        case.dilation,
        case.extents,
        case.padding,
        case.grouping,
    )
