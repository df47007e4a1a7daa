"""Pools: averages, global averages, maxima off ties."""

from gradwright.theory.catalogue import windows as at
from gradwright.theory.catalogue.builders import plain
from gradwright.theory.record import Adjoint, Case, Control, Instance, Symbols, Theorem

_GRID = tuple(
    Case.square(kernel, stride) for kernel in (1, 2, 3, 4, 5, 7) for stride in (1, 2, 3, 4)
)
_QUICK = (Case.square(2, 2), Case.square(3, 2))


def _symbols(case: Case) -> Symbols:
    shapes = (
        f"x[N,C,H,W]; dx[N,C,H,W]; y[N,C,P,Q]; dy[N,C,P,Q]; r[P,Q]; up[N,C,{at.spread(case)}];"
        f"weighted[N,C,P,Q]; wins[N,C,P,Q,{case.axes[0].kernel},{case.axes[1].kernel}]"
    )
    return Symbols((at.N, at.C, at.H, at.W, *at.PADDINGS), shapes, at.counts(case))


def _area(case: Case) -> int:
    return case.axes[0].kernel * case.axes[1].kernel


def _average(case: Case) -> Instance:
    forward = f"y[n,c,i,j] = (sum({at.taps(case)}) x[n,c,{at.reads(case)}])/{_area(case)}"
    return Instance(_symbols(case), Adjoint(forward, "x", _spread_evenly(case, _area(case))))


def _spread_evenly(case: Case, area: int, off: tuple[int, int] = (0, 0)) -> str:
    return (
        f"{at.upsampled(case, 'n,c')}\n"
        f"dx[n,c,h,k] = (sum({at.taps(case)}) "
        f"up[n,c,{at.transposed_reads(case, off=off)}])/{area}"
    )


def _uncounted(case: Case) -> Instance:
    forward = f"y[n,c,i,j] = r[i,j]*(sum({at.taps(case)}) x[n,c,{at.reads(case)}])"
    return Instance(_symbols(case), Adjoint(forward, "x", _weighted(case)))


def _weighted(case: Case, weight: str = "r[i,j]") -> str:
    return (
        f"weighted[n,c,i,j] = {weight}*dy[n,c,i,j]\n"
        f"{at.upsampled(case, 'n,c').replace('dy[', 'weighted[')}\n"
        f"dx[n,c,h,k] = sum({at.taps(case)}) up[n,c,{at.transposed_reads(case)}]"
    )


def _maximum(case: Case, backward: str) -> Instance:
    forward = f"y[n,c,i,j] = max({at.taps(case)}) x[n,c,{at.reads(case)}]"
    return Instance(_symbols(case), Adjoint(forward, "x", backward))


def _scattered(case: Case, row_shift: str = "") -> str:
    rows, columns = at.reads(case).split(", ")
    return (
        f"wins[n,c,i,j,u,v] = [x[n,c,{rows},{columns}] = y[n,c,i,j]]\n"
        f"dx[n,c,h,k] = sum(i,j,{at.taps(case)}) "
        f"[h = {rows}{row_shift}]*[k = {columns}]*wins[n,c,i,j,u,v]*dy[n,c,i,j]"
    )


def _max_input(case: Case) -> Instance:
    return _maximum(case, _scattered(case))


def _first_tap(case: Case) -> Instance:
    """What falls to whom is decided by place, not by value."""
    rows, columns = at.reads(case).split(", ")
    return _maximum(
        case,
        f"dx[n,c,h,k] = sum(i,j,{at.taps(case)}) "
        f"[h = {rows}]*[k = {columns}]*[u = 0]*[v = 0]*dy[n,c,i,j]",
    )


_GLOBAL = Symbols(
    (at.N, at.C, at.H, at.W),
    "x[N,C,H,W]; dx[N,C,H,W]; y[N,C]; dy[N,C]",
)
_GLOBAL_AVERAGE = Instance(
    _GLOBAL,
    Adjoint("y[n,c] = mean(h,k) x[n,c,h,k]", "x", "dx[n,c,h,k] = dy[n,c]/(H*W)"),
)
_GLOBAL_MAXIMUM = Instance(
    _GLOBAL,
    Adjoint("y[n,c] = max(h,k) x[n,c,h,k]", "x", "dx[n,c,h,k] = [x[n,c,h,k] = y[n,c]]*dy[n,c]"),
)

_WHY_AVERAGE = """\
An average pool is the depthwise convolution with the kernel 1/(K*K) everywhere, which is its own
flip: every window hands 1/(K*K) of its cotangent to each entry that it covers. Padding counts."""

_WHY_MAXIMUM = """\
Off ties exactly one entry of a window is the maximum, and a small change of x does not change
which: y[n,c,i,j] = sum over taps of wins[n,c,i,j,u,v] * x at the tap, with wins constant nearby.
That is linear in x, so the one transposition rule gives dx: each window hands its whole
cotangent to its winner, and an entry that wins several windows gets the sum. Padding is -inf and
never wins; a window that is all padding is outside the theorem."""

THEOREMS = (
    Theorem(
        "average-pool-input",
        "dx of an average pool hands 1/(K*K) of each dy to every entry of its window",
        "pooling",
        _WHY_AVERAGE,
        _average,
        _GRID,
        (
            Control(
                "stride for kernel in the divisor",
                Case.square(3, 2),
                lambda case: _average(case).claiming(_spread_evenly(case, 4)),
            ),
            Control(
                "padding of rows off by one",
                Case.square(3, 2),
                lambda case: _average(case).claiming(_spread_evenly(case, 9, (1, 0))),
            ),
        ),
        _QUICK,
    ),
    Theorem(
        "average-pool-uncounted-input",
        "dx of an average pool that divides by a number of its own at each window",
        "pooling",
        "r[i,j] is 1 over the number of entries of window (i, j) that are no padding, or any "
        "number: it does not depend on x, and multiplies the cotangent before it is handed out.",
        _uncounted,
        _GRID,
        (
            Control(
                "the divisor of the first window everywhere",
                Case.square(2, 1),
                lambda case: _uncounted(case).claiming(_weighted(case, "r[0,0]")),
            ),
        ),
        _QUICK,
    ),
    plain(
        "global-average-input",
        "dx of a global average pool is dy / (H*W) at every position",
        "pooling",
        "Every position has the weight 1/(H*W) in the mean.",
        _GLOBAL_AVERAGE,
        ("divided by H only", "dx[n,c,h,k] = dy[n,c]/H"),
    ),
    Theorem(
        "max-pool-input",
        "dx of a max pool hands each dy to the winner of its window, off ties",
        "pooling",
        _WHY_MAXIMUM,
        _max_input,
        _GRID,
        (
            Control(
                "padding of rows off by one",
                Case.square(2, 1),
                lambda case: _maximum(case, _scattered(case, " - 1")),
            ),
            Control("the first entry of the window", Case.square(2, 2), _first_tap),
        ),
        _QUICK,
    ),
    plain(
        "global-max-input",
        "dx of a global max pool is dy at the maximum and 0 elsewhere, off ties",
        "pooling",
        _WHY_MAXIMUM,
        _GLOBAL_MAXIMUM,
        ("dy everywhere", "dx[n,c,h,k] = dy[n,c]"),
    ),
)
