"""Strides as decimation: keep every s-th position of the stride-1 convolution."""

from dataclasses import replace

from gradwright.theory.catalogue import windows as at
from gradwright.theory.record import (
    Adjoint,
    Case,
    Control,
    Hypothesis,
    Instance,
    Same,
    Size,
    Symbols,
    Theorem,
)

_STRIDES = tuple(Case.square(1, stride) for stride in (2, 3, 4, 8))
_ODD = tuple(Case.square(kernel, 2) for kernel in (3, 5, 7, 9))
_SAME = tuple(
    Case.square(kernel, stride, dilation)
    for kernel in (1, 2, 3, 4, 5, 7)
    for stride in (2, 3, 4)
    for dilation in (1, 2)
)
EVEN = Hypothesis("H mod 2 = 0 and W mod 2 = 0", "H and W are even", is_exact=True)
_PHASES = (
    Size("r", "first row that is kept", 0),
    Size("t", "first column that is kept", 0),
)


def _decimation(case: Case) -> Instance:
    s = case.axes[0].stride
    shapes = "x[N,C,H,W]; dx[N,C,H,W]; y[N,C,P,Q]; dy[N,C,P,Q]"
    counts = (f"P = floor((H - 1 - r) / {s}) + 1", f"Q = floor((W - 1 - t) / {s}) + 1")
    symbols = Symbols((at.N, at.C, at.H, at.W, *_PHASES), shapes, counts)
    forward = f"y[n,c,i,j] = x[n,c,{s}*i + r,{s}*j + t]"
    return Instance(symbols, Adjoint(forward, "x", _upsampling(s, "r")))


def _upsampling(s: int, row: str) -> str:
    return f"dx[n,c,h,k] = sum(i,j) [h = {s}*i + {row}]*[k = {s}*j + t]*dy[n,c,i,j]"


def _shapes(case: Case, z: str) -> str:
    rows, columns = case.axes
    return f"x[N,C,H,W]; w[O,C,{rows.kernel},{columns.kernel}]; z[N,O,{z}]; y[N,O,P,Q]"


def _depthwise(instance: Instance) -> Instance:
    """Return the same claim with one kernel per channel and no sum over channels."""
    assert isinstance(instance.claim, Same)
    claim = Same(_one_channel(instance.claim.left), _one_channel(instance.claim.right))
    symbols = replace(
        instance.symbols,
        sizes=tuple(size for size in instance.symbols.sizes if size != at.O),
        shapes=_one_channel(instance.symbols.shapes),
    )
    return replace(instance, symbols=symbols, claim=claim)


def _one_channel(text: str) -> str:
    """Let channel c of the result read channel c with its own kernel."""
    for dense, own in (("w[O,C,", "w[C,"), ("[N,O,", "[N,C,"), ("w[o,c,", "w[c,")):
        text = text.replace(dense, own)
    return text.replace("sum(c,", "sum(").replace("[n,o,", "[n,c,")


def _convolved(case: Case, target: str, read: str) -> str:
    return f"{target}[n,o,i,j] = sum(c,{at.taps(case)}) w[o,c,u,v]*x[n,c,{read}]"


def _dense(case: Case, top: str | int, left: str | int) -> str:
    """Return z, the stride-1 convolution."""
    rows, columns = case.axes
    d, e = at.times(rows.dilation, "u"), at.times(columns.dilation, "v")
    return _convolved(case, "z", f"i + {d} - {top},j + {e} - {left}")


def _strided(case: Case) -> Instance:
    rows, columns = case.axes
    extents = f"H + top + bottom - {rows.span - 1}, W + left + right - {columns.span - 1}"
    symbols = Symbols(
        (at.N, at.C, at.O, at.H, at.W, *at.PADDINGS), _shapes(case, extents), at.counts(case)
    )
    kept = f"y[n,o,i,j] = z[n,o,{rows.stride}*i,{columns.stride}*j]"
    right = f"{_dense(case, 'top', 'left')}\n{kept}"
    return Instance(symbols, Same(_convolved(case, "y", at.reads(case)), right))


def _phase(case: Case, row: str, column: str) -> str:
    s = case.axes[0].stride
    p, q = at.symmetric(case)
    kept = f"y[n,o,i,j] = z[n,o,{s}*i + {row},{s}*j + {column}]"
    return f"{_dense(case, p, q)}\n{kept}"


def _same_symbols(case: Case) -> Symbols:
    return Symbols((at.N, at.C, at.O, at.H, at.W), _shapes(case, "H,W"), at.same_upper(case))


def _symmetric(case: Case) -> Instance:
    p, q = at.symmetric(case)
    rounded = ("P = floor((H - 1) / 2) + 1", "Q = floor((W - 1) / 2) + 1")
    symbols = Symbols((at.N, at.C, at.O, at.H, at.W), _shapes(case, "H,W"), rounded)
    left = _convolved(case, "y", at.reads(case, p, q))
    return Instance(symbols, Same(left, _phase(case, "0", "0")))


def _odd_phase(case: Case) -> Instance:
    left = _convolved(case, "y", at.reads(case))
    return Instance(_same_symbols(case), Same(left, _phase(case, "1", "1")), (EVEN,))


def _general_phase(case: Case) -> Instance:
    p, q = at.symmetric(case)
    left = _convolved(case, "y", at.reads(case))
    return Instance(_same_symbols(case), Same(left, _phase(case, f"{p} - top", f"{q} - left")))


_EVEN_KERNELS = tuple(Case.square(kernel, 2) for kernel in (1, 2, 4, 6, 8))


def _even_phase(case: Case) -> Instance:
    left = _convolved(case, "y", at.reads(case))
    return Instance(_same_symbols(case), Same(left, _phase(case, "0", "0")))


_WHY_SAME = """\
SAME keeps P = ceil(H / s) windows and pads what they lack, total = max(s*(P - 1) + span - H, 0),
the smaller half above: top = total // 2. The symmetric stride-1 convolution pads p = (span - 1)
// 2 and reads h + d*u - p at position h. At h = s*i + (p - top) that is s*i + d*u - top. As
total is at most span - 1, the phase p - top is never negative. At stride 2 with an odd kernel
from 3 on: for even H the total is K - 2, so top = p - 1 and the phase is 1, the odd positions;
for odd H it is 0, the even ones."""

THEOREMS = (
    Theorem(
        "decimation",
        "dx of keeping every s-th position puts dy there and 0 elsewhere",
        "decimation",
        "Position s*i + r is read by output i alone, every other position by none. This is the "
        "zero-upsampling that a text writes as lhs_dilation or interior padding.",
        _decimation,
        _STRIDES,
        (
            Control(
                "even positions for odd ones",
                Case.square(1, 2),
                lambda case: _decimation(case).claiming(_upsampling(2, "0")),
            ),
        ),
        _STRIDES[:2],
    ),
    Theorem(
        "stride-is-decimation",
        "a convolution of stride s is the stride-1 convolution at every s-th position",
        "decimation",
        "Both read x at s*i + d*u - top through tap u, and the last window of stride s ends no "
        "later than the last one of stride 1, so s*i never leaves z.",
        _strided,
        at.GRID,
        (
            Control(
                "phase 1 for phase 0",
                Case.square(3, 2),
                lambda case: _strided(case).claiming(
                    f"{_dense(case, 'top', 'left')}\ny[n,o,i,j] = z[n,o,2*i + 1,2*j + 1]"
                ),
            ),
        ),
        at.QUICK,
    ),
    Theorem(
        "symmetric-is-even-phase",
        "the symmetric stride-2 convolution keeps the even positions of the symmetric stride-1 one",
        "decimation",
        "With an odd kernel, padding p = (K - 1) / 2 keeps the extent at stride 1, and position "
        "2*i reads 2*i + u - p: what window i of stride 2 reads. "
        "The number of windows is ceil(H / 2).",
        _symmetric,
        _ODD,
        (
            Control(
                "odd positions",
                Case.square(3, 2),
                lambda case: _symmetric(case).claiming(_phase(case, "1", "1")),
            ),
        ),
        _ODD[:2],
    ),
    Theorem(
        "same-upper-is-odd-phase",
        "SAME at stride 2 with an odd kernel keeps the odd positions just where H and W are even",
        "decimation",
        _WHY_SAME,
        _odd_phase,
        _ODD,
        (
            Control(
                "even positions",
                Case.square(3, 2),
                lambda case: _odd_phase(case).claiming(_phase(case, "0", "0")),
            ),
        ),
        _ODD[:2],
    ),
    Theorem(
        "same-upper-is-even-phase",
        "SAME at stride 2 with an even kernel, or 1, keeps the even positions at every H and W",
        "decimation",
        _WHY_SAME,
        _even_phase,
        _EVEN_KERNELS,
        (
            Control(
                "odd positions",
                Case.square(4, 2),
                lambda case: _even_phase(case).claiming(_phase(case, "1", "1")),
            ),
        ),
        (Case.square(4, 2), Case.square(1, 2)),
    ),
    Theorem(
        "depthwise-same-upper-is-odd-phase",
        "the same of depthwise convolutions: odd positions just where H and W are even",
        "decimation",
        _WHY_SAME,
        lambda case: _depthwise(_odd_phase(case)),
        _ODD,
        (
            Control(
                "even positions",
                Case.square(3, 2),
                lambda case: _depthwise(_odd_phase(case).claiming(_phase(case, "0", "0"))),
            ),
        ),
        _ODD[:1],
    ),
    Theorem(
        "depthwise-stride-is-decimation",
        "a depthwise convolution of stride s is the stride-1 one at every s-th position",
        "decimation",
        "As without groups: which channels meet has no part in where a window reads.",
        lambda case: _depthwise(_strided(case)),
        at.GRID,
        (
            Control(
                "phase 1 for phase 0",
                Case.square(3, 2),
                lambda case: _depthwise(
                    _strided(case).claiming(
                        f"{_dense(case, 'top', 'left')}\ny[n,o,i,j] = z[n,o,2*i + 1,2*j + 1]"
                    )
                ),
            ),
        ),
        at.QUICK[:2],
    ),
    Theorem(
        "same-upper-is-a-phase",
        "SAME at any stride is the symmetric stride-1 convolution at the phase p - top",
        "decimation",
        _WHY_SAME,
        _general_phase,
        _SAME,
        (
            Control(
                "phase 1, whatever H",
                Case.square(3, 2),
                lambda case: _general_phase(case).claiming(_phase(case, "1", "1")),
            ),
        ),
        (Case.square(3, 2), Case.square(4, 3), Case.square(5, 4, 2)),
    ),
)
