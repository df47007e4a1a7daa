"""Shifted slices of pictures: what one tap of every window reads, and the way back."""

from collections.abc import Callable, Iterator, Sequence

from gradwright.hlo import Number, Value
from gradwright.layers.walk import Walk
from gradwright.spec.padding import Windows


def padded(walk: Walk, windows: Windows, x: Value, value: Number, *, hint: str = "") -> Value:
    """Return x padded so that every tap of every window lies inside."""
    low, high = [0] * 4, [0] * 4
    for axis, dimension in enumerate(walk.formulation.layout.spatial):
        low[dimension], high[dimension] = windows.padding[axis]
    return walk.b.pad(x, value, low, high, hint=hint)


def taps(windows: Windows) -> Iterator[tuple[int, int]]:
    """Yield (u, v) in row-major order."""
    for u in range(windows.kernel[0]):
        for v in range(windows.kernel[1]):
            yield u, v


def tap_slice(
    walk: Walk,
    windows: Windows,
    inside: Value,
    tap: tuple[int, int],
    spatial: tuple[int, int] | None = None,
) -> Value:
    """Return what tap (u, v) of every window reads from the padded picture.

    `spatial` are the picture's height and width, by default those of the walk's layout.
    """
    start, limit, strides = [0] * 4, list(inside.shape), [1] * 4
    for axis, dimension in enumerate(spatial or walk.formulation.layout.spatial):
        first = tap[axis] * windows.dilation[axis]
        start[dimension] = first
        strides[dimension] = windows.strides[axis]
        last = first + (windows.counts[axis] - 1) * windows.strides[axis]
        limit[dimension] = last + 1
    return walk.b.slice(inside, start, limit, strides)


def scatter_taps(walk: Walk, windows: Windows, parts: Sequence[Value]) -> Value:
    """Return the transpose of all `tap_slice`s: each tap's part added where the tap reads."""
    by_tap = dict(zip(taps(windows), parts, strict=True))
    return by_phases(walk, windows, lambda read: _sum_of_parts(walk, windows, by_tap, read))


Shifts = dict[tuple[int, int], tuple[int, int]]
"""The taps that read the positions of one phase, each with where its first window reads."""


def by_phases(walk: Walk, windows: Windows, phase: Callable[[Shifts], Value]) -> Value:
    """Return the picture whose positions are written by `phase`, given the taps that read them.

    Position p of a padded axis has phase p mod stride and is read by the taps of that phase only;
    the phases, of `phase_extents` each, are interleaved.
    """
    rows = [
        _interleave(walk, [phase(_shifts(windows, (a, c))) for c in _phases(windows, 1)], 1)
        for a in _phases(windows, 0)
    ]
    return _crop(walk, windows, _interleave(walk, rows, 0))


def phase_extents(windows: Windows) -> tuple[int, int]:
    """Return the positions per phase: enough for the picture and for every tap's last read."""
    return _phase_extent(windows, 0), _phase_extent(windows, 1)


def empty_phase(walk: Walk, windows: Windows, like: Value) -> Value:
    """Return zeros for a phase that no tap reads, with the channels of `like`."""
    shape = list(like.shape)
    for dimension, extent in zip(
        walk.formulation.layout.spatial, phase_extents(windows), strict=True
    ):
        shape[dimension] = extent
    return walk.b.splat(0, like.type.with_shape(tuple(shape)))


def _phases(windows: Windows, axis: int) -> range:
    return range(windows.strides[axis])


def _phase_extent(windows: Windows, axis: int) -> int:
    """Number of positions per phase: enough for the picture's end and for every tap's last read."""
    low, _ = windows.padding[axis]
    stride = windows.strides[axis]
    end = max(
        low + windows.extents[axis], windows.spans[axis] + (windows.counts[axis] - 1) * stride
    )
    return -(-end // stride)


def _shifts(windows: Windows, phase: tuple[int, int]) -> Shifts:
    found: Shifts = {}
    for tap in taps(windows):
        reads = [tap[axis] * windows.dilation[axis] for axis in (0, 1)]
        if all(reads[axis] % windows.strides[axis] == phase[axis] for axis in (0, 1)):
            found[tap] = reads[0] // windows.strides[0], reads[1] // windows.strides[1]
    return found


def _sum_of_parts(
    walk: Walk, windows: Windows, by_tap: dict[tuple[int, int], Value], read: Shifts
) -> Value:
    """Return the sum of the parts of all taps of one phase, each at its shift."""
    total: Value | None = None
    for tap, shift in read.items():
        part = by_tap[tap]
        low, high = [0] * 4, [0] * 4
        for axis, dimension in enumerate(walk.formulation.layout.spatial):
            low[dimension] = shift[axis]
            high[dimension] = _phase_extent(windows, axis) - shift[axis] - part.shape[dimension]
        moved = walk.b.pad(part, 0, low, high)
        total = moved if total is None else total + moved
    return empty_phase(walk, windows, next(iter(by_tap.values()))) if total is None else total


def _interleave(walk: Walk, phases: Sequence[Value], axis: int) -> Value:
    """Return the tensor whose position p along a spatial axis is phases[p mod n][p // n]."""
    first = phases[0]
    if len(phases) == 1:
        return first
    dimension = walk.formulation.layout.spatial[axis]
    stacked_shape = list(first.shape)
    stacked_shape.insert(dimension + 1, 1)
    stacked = [walk.b.reshape(phase, tuple(stacked_shape)) for phase in phases]
    joined = walk.b.concatenate(stacked, dimension + 1)
    shape = list(first.shape)
    shape[dimension] *= len(phases)
    return walk.b.reshape(joined, tuple(shape))


def _crop(walk: Walk, windows: Windows, whole: Value) -> Value:
    """Return the picture without its padding; what no window reads is zero already."""
    start, limit = [0] * 4, list(whole.shape)
    for axis, dimension in enumerate(walk.formulation.layout.spatial):
        start[dimension] = windows.padding[axis][0]
        limit[dimension] = start[dimension] + windows.extents[axis]
    return walk.b.slice(whole, start, limit, hint="dx")
