"""Padding of strided windows, by name or explicit."""

from dataclasses import dataclass
from typing import cast

from gradwright.errors import SpecError
from gradwright.spec.conventions import Convention
from gradwright.spec.numbers import is_count

Pair = tuple[int, int]


class Padding(Convention):
    """Rule for the zeros (or -inf of a max pool) added below and above a spatial axis."""

    SYMMETRIC = "symmetric"
    """(k' - 1) // 2 on both sides, k' the dilated kernel extent: PyTorch, torchvision."""
    SAME_UPPER = "same-upper"
    """Output ceil(n / s), the odd element above: TensorFlow and JAX 'SAME', ONNX SAME_UPPER."""
    VALID = "valid"
    """No padding."""
    CEILING = "ceiling"
    """None below; above what the last of ceil((n - k') / s) + 1 windows lacks, unless it would lie
    outside altogether: PyTorch's pools with ceil_mode=True and padding 0."""

    def pairs(self, extents: Pair, window: Pair, strides: Pair) -> tuple[Pair, Pair]:
        """Return ((low, high), (low, high)); `window` is dilated already."""
        axes = zip(extents, window, strides, strict=True)
        first, second = (self._pair(n, k, s) for n, k, s in axes)
        return first, second

    def _pair(self, extent: int, window: int, stride: int) -> Pair:
        if self is Padding.VALID:
            return 0, 0
        if self is Padding.SYMMETRIC:
            return (window - 1) // 2, (window - 1) // 2
        if self is Padding.CEILING:
            windows = -(-max(extent - window, 0) // stride) + 1
            return 0, max(min((windows - 1) * stride, extent - 1) + window - extent, 0)
        outputs = -(-extent // stride)
        total = max((outputs - 1) * stride + window - extent, 0)
        return total // 2, total - total // 2


@dataclass(frozen=True, slots=True)
class Explicit:
    """Padding given in full: (low, high) of height, then of width."""

    height: Pair
    width: Pair

    def __post_init__(self) -> None:
        """Check that every amount is 0 or a count."""
        if not all(_is_amounts(pair) for pair in (self.height, self.width)):
            expected = "two pairs (low, high) of integers >= 0"
            raise SpecError(where="padding", expected=expected, found=str(self))

    def pairs(self, extents: Pair, window: Pair, strides: Pair) -> tuple[Pair, Pair]:
        """Return ((low, high), (low, high)), whatever the extents."""
        del extents, window, strides
        return self.height, self.width


AnyPadding = Padding | Explicit


def _is_amounts(pair: object) -> bool:
    if not isinstance(pair, tuple):
        return False
    amounts = cast("tuple[object, ...]", pair)
    return len(amounts) == 2 and all(is_count(a) or (type(a) is int and a == 0) for a in amounts)


@dataclass(frozen=True, slots=True)
class Windows:
    """Windows that slide over an image: the one place that knows where each window reads.

    Window i of an axis reads positions `stride * i + dilation * tap - low`, tap < kernel.
    """

    extents: Pair
    kernel: Pair
    strides: Pair
    dilation: Pair
    padding: tuple[Pair, Pair]

    @staticmethod
    def over(
        extents: Pair, kernel: Pair, strides: Pair, dilation: Pair, padding: AnyPadding
    ) -> "Windows":
        """Resolve a padding rule at these extents."""
        spans = _spans(kernel, dilation)
        return Windows(extents, kernel, strides, dilation, padding.pairs(extents, spans, strides))

    @property
    def spans(self) -> Pair:
        """Extent that a dilated window covers."""
        return _spans(self.kernel, self.dilation)

    @property
    def counts(self) -> Pair:
        """Number of windows along each axis (less than 1: none fits)."""
        height, width = (self._room(axis) // self.strides[axis] + 1 for axis in (0, 1))
        return height, width

    @property
    def remainder(self) -> Pair:
        """Padded positions above the last window that no window reads."""
        height, width = (self._room(axis) % self.strides[axis] for axis in (0, 1))
        return height, width

    def _room(self, axis: int) -> int:
        low, high = self.padding[axis]
        return self.extents[axis] + low + high - self.spans[axis]


def _spans(kernel: Pair, dilation: Pair) -> Pair:
    return (kernel[0] - 1) * dilation[0] + 1, (kernel[1] - 1) * dilation[1] + 1
