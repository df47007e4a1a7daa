"""Texts that theorems on windows share: where a window reads, zero-upsampling, paddings."""

from gradwright.theory.record import Case, Size, Window

N = Size("N", "pictures of the batch")
C = Size("C", "channels of x")
O = Size("O", "channels of y")  # noqa: E741 (the papers' letter)
H = Size("H", "height of x")
W = Size("W", "width of x")
PADDINGS = (
    Size("top", "rows of padding above", 0),
    Size("bottom", "rows of padding below", 0),
    Size("left", "columns of padding at the left", 0),
    Size("right", "columns of padding at the right", 0),
)

SQUARES = tuple(
    Case.square(kernel, stride, dilation)
    for kernel in (1, 2, 3, 4, 5, 7)
    for stride in (1, 2, 3, 4)
    for dilation in (1, 2, 3)
    if kernel > 1 or dilation == 1
)
PATCHES = (Case.square(8, 8), Case.square(16, 16))


def oblong(*windows: tuple[int, int, int]) -> Case:
    """Return different windows for height and width."""
    height, width = (Case.square(*window).axes[0] for window in windows)
    return Case(height, width)


OBLONGS = (oblong((3, 1, 1), (5, 2, 1)), oblong((1, 2, 1), (4, 3, 2)), oblong((7, 4, 1), (2, 1, 3)))
GRID = (*SQUARES, *PATCHES, *OBLONGS)
QUICK = (Case.square(3, 2), Case.square(3), Case.square(4, 3, 2), OBLONGS[1])


def counts(case: Case) -> tuple[str, str]:
    """Return how many windows fit, as P and Q, for paddings that are open."""
    rows, columns = case.axes
    return _count("P = ", "H + top + bottom", rows), _count("Q = ", "W + left + right", columns)


def _count(target: str, room: str, window: Window) -> str:
    if window.stride == 1:
        return f"{target}{room} - {window.span - 1}"
    return f"{target}floor(({room} - {window.span}) / {window.stride}) + 1"


def same_upper(case: Case) -> tuple[str, ...]:
    """Return P, Q and the low paddings of SAME: P = ceil(H / s), the odd row below."""
    lines: list[str] = []
    for window, extent, count, low in zip(case.axes, "HW", "PQ", ("top", "left"), strict=True):
        s = window.stride
        lines.append(f"{count} = floor(({extent} + {s - 1}) / {s})")
        needed = f"{s}*{count} - {s} + {window.span} - {extent}"
        lines.append(f"{low} = floor(max({needed}, 0) / 2)")
    return tuple(lines)


def symmetric(case: Case) -> tuple[int, int]:
    """Return the low paddings (span - 1) // 2."""
    return (case.axes[0].span - 1) // 2, (case.axes[1].span - 1) // 2


def taps(case: Case) -> str:
    """Return the indices of a window with their bounds."""
    return f"u<{case.axes[0].kernel},v<{case.axes[1].kernel}"


def reads(case: Case, top: str | int = "top", left: str | int = "left") -> str:
    """Return where tap (u, v) of window (i, j) reads."""
    rows, columns = case.axes
    return (
        f"{times(rows.stride, 'i')} + {times(rows.dilation, 'u')} - {top}, "
        f"{times(columns.stride, 'j')} + {times(columns.dilation, 'v')} - {left}"
    )


def flipped(case: Case) -> str:
    """Return the indices of a kernel turned around."""
    return f"{case.axes[0].kernel - 1} - u, {case.axes[1].kernel - 1} - v"


def spread(case: Case) -> str:
    """Return the extents of a cotangent with zeros between its entries."""
    return ", ".join(
        count if w.stride == 1 else f"{w.stride}*{count} - {w.stride - 1}"
        for w, count in zip(case.axes, "PQ", strict=True)
    )


def upsampled(case: Case, leading: str) -> str:
    """Return the statement that puts s - 1 zeros between the entries of dy."""
    rows, columns = case.axes
    where = f"[a = {times(rows.stride, 'i')}]*[b = {times(columns.stride, 'j')}]"
    return f"up[{leading},a,b] = sum(i,j) {where}*dy[{leading},i,j]"


def transposed_reads(
    case: Case, top: str | int = "top", left: str | int = "left", off: tuple[int, int] = (0, 0)
) -> str:
    """Return where tap (u, v) of dx[h,k] reads the upsampled dy: low padding span - 1 - top."""
    rows, columns = case.axes
    return (
        f"h + {times(rows.dilation, 'u')} - ({rows.span - 1 + off[0]} - {top}), "
        f"k + {times(columns.dilation, 'v')} - ({columns.span - 1 + off[1]} - {left})"
    )


def correlated_reads(case: Case, top: str | int = "top", left: str | int = "left") -> str:
    """Return where entry (a, b) of the upsampled dy meets x in the gradient of tap (u, v)."""
    rows, columns = case.axes
    return f"a + {times(rows.dilation, 'u')} - {top}, b + {times(columns.dilation, 'v')} - {left}"


def times(factor: int, index: str) -> str:
    """Return factor * index as text."""
    return index if factor == 1 else f"{factor}*{index}"
