"""Rows of pictures as groups of columns with all their channels, one dimension.

XLA's loops over the channels of one column are short, and those over a few dozen are written out
before they could use vectors. A loop over several columns at once is long, whatever the channels;
a row that is shifted by a column is shifted by so many channels.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from gradwright.hlo import Value
from gradwright.layers.forms import Layout
from gradwright.layers.walk import Walk
from gradwright.spec.padding import Windows

Tap = tuple[int, int]
"""A row and a column of a kernel."""
GROUP = 256
"""Least numbers of a group of columns, two or more of them. Measured forward, one core: 32 channels
at 112 x 112 take 12.3 ms by columns, 1.2 in groups of 256 and 1.6 in whole rows; 144 at 56 x 56
12.8, 1.7 and 2.1; 96 at 56 x 56 and 7 x 7 13.7 and 33.7 in whole rows, whose weights leave the
cache. A picture of as many channels is left as it is, as is one whose rows have fewer numbers:
forward and both gradients of 96 channels at 56 x 56 take 12.7 ms joined and 23.3 by columns, 192 at
28 x 28 6.1 and 6.7, 256 at 28 x 28 7.6 and 6.8, 384 at 14 x 14 3.0 and 2.5."""


def can_join(walk: Walk, windows: Windows) -> bool:
    """Return whether columns that follow each other are read, their channels last."""
    return walk.formulation.layout is Layout.NHWC and windows.strides[1] == 1


def pays(columns: int, channels: int) -> bool:
    """Return whether groups of columns are longer than one of them, and long enough."""
    return channels < GROUP <= columns * channels


def joined(walk: Walk, pictures: Value) -> Value:
    """Return [N, H, W, C] as [N, H, W C]."""
    batch, height, width, channels = pictures.shape
    return walk.b.reshape(pictures, (batch, height, width * channels))


@dataclass(frozen=True, slots=True)
class JoinedRows:
    """Rows of so many columns in groups, and the weights [kH, kW, group C] of each column."""

    walk: Walk
    columns: int
    group: int
    weights: Value

    @staticmethod
    def of(walk: Walk, columns: int, weight: Value) -> "JoinedRows":
        """Return rows for a kernel [C, 1, kH, kW]."""
        channels = weight.shape[0]
        fitting = (n for n in range(2, columns) if columns % n == 0 and n * channels >= GROUP)
        group = next(fitting, columns)
        if (weight, group) not in walk.repeated:
            walk.repeated[weight, group] = _repeated(walk, weight, group)
        return JoinedRows(walk, columns, group, walk.repeated[weight, group])

    def piece(self, whole: Value, rows: tuple[int, int, int], column: int) -> Value:
        """Return rows (first, limit, step) of [N, H, W C] from a column on, in groups."""
        b, channels = self.walk.b, self.weights.shape[2] // self.group
        (first, limit, step), start = rows, column * channels
        end = start + self.columns * channels
        piece = b.slice(whole, (0, first, start), (whole.shape[0], limit, end), (1, step, 1))
        groups = self.columns // self.group
        return b.reshape(piece, (*piece.shape[:2], groups, self.group * channels))

    def weighted(self, pieces: Mapping[Tap, Value]) -> Value:
        """Return [N, H, W, C], the sum of pieces, each times the weights of its tap.

        A barrier after it keeps the sum together: as a part of what follows, every slice would be
        copied first.
        """
        b, total = self.walk.b, None
        for (u, v), piece in pieces.items():
            one = b.slice(self.weights, (u, v, 0), (u + 1, v + 1, self.weights.shape[2]))
            spread = b.broadcast(b.reshape(one, one.shape[2:]), piece.shape, (3,))
            product = b.multiply(piece, spread)
            total = product if total is None else b.add(total, product, hint="xw")
        assert total is not None  # a kernel has at least one tap: Conv2d.plan checks
        (kept,) = b.optimization_barrier(total, hint="xw")
        channels = self.weights.shape[2] // self.group
        return b.reshape(kept, (*kept.shape[:2], self.columns, channels))


def _repeated(walk: Walk, weight: Value, group: int) -> Value:
    """Return [kH, kW, group C] of a kernel [C, 1, kH, kW]."""
    b, (channels, _, high, wide) = walk.b, weight.shape
    taps = b.transpose(b.reshape(weight, (channels, high, wide)), (1, 2, 0))
    repeated = b.broadcast(taps, (high, wide, group, channels), (0, 1, 3))
    flat = b.reshape(repeated, (high, wide, group * channels))
    (kept,) = b.optimization_barrier(flat, hint="taps")
    return kept
