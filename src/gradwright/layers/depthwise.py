"""Depthwise convolution as sums of products of shifted slices."""

from gradwright.hlo import Value
from gradwright.layers.slices import padded, scatter_taps, tap_slice, taps
from gradwright.layers.walk import Walk
from gradwright.spec.padding import Windows


def convolve(walk: Walk, windows: Windows, x: Value, weight: Value) -> Value:
    """Return sum over taps of slice * weight[:, 0, u, v]."""
    inside = padded(walk, windows, x, 0)
    total: Value | None = None
    for tap in taps(windows):
        piece = tap_slice(walk, windows, inside, tap)
        product = piece * walk.per_channel(_tap_weight(walk, weight, tap), piece)
        total = product if total is None else walk.b.add(total, product, hint="xw")
    assert total is not None  # a kernel has at least one tap: Conv2d.plan checks
    return total


def input_gradient(walk: Walk, windows: Windows, weight: Value, dy: Value) -> Value:
    """Return the sum over taps of dy * weight[:, 0, u, v], each where the tap reads."""
    parts = [dy * walk.per_channel(_tap_weight(walk, weight, tap), dy) for tap in taps(windows)]
    return scatter_taps(walk, windows, parts)


def weight_gradient(walk: Walk, windows: Windows, x: Value, dy: Value) -> Value:
    """Return [C, 1, kH, kW]: for each tap the sum of slice * dy over batch and positions.

    One reduction with a result per tap of a kernel row, so that each slice is read once.
    """
    b = walk.b
    inside = padded(walk, windows, x, 0)
    sums: list[Value] = []
    for u in range(windows.kernel[0]):
        products = [tap_slice(walk, windows, inside, (u, v)) * dy for v in range(windows.kernel[1])]
        zeros = [0] * len(products)
        sums.extend(b.reduce(products, zeros, walk.other_axes(dy), b.adds, hint="tap"))
    channels = sums[0].shape[0]
    columns = [b.reshape(total, (channels, 1)) for total in sums]
    joined = b.concatenate(columns, 1)
    return b.reshape(joined, (channels, 1, *windows.kernel), hint="dweight")


def _tap_weight(walk: Walk, weight: Value, tap: tuple[int, int]) -> Value:
    channels = weight.shape[0]
    u, v = tap
    one = walk.b.slice(weight, (0, 0, u, v), (channels, 1, u + 1, v + 1))
    return walk.b.reshape(one, (channels,))
