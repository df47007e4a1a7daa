"""Grouped and depthwise convolutions. A channel is a pair: its group and its place in the group."""

from gradwright.theory.catalogue import windows as at
from gradwright.theory.record import Adjoint, Case, Control, Instance, Size, Symbols, Theorem

G = Size("G", "groups")
_C = Size("C", "channels of x in a group")
_O = Size("O", "channels of y in a group")


def _symbols(case: Case) -> Symbols:
    rows, columns = case.axes
    w = f"G,O,C,{rows.kernel},{columns.kernel}"
    shapes = (
        f"x[N,G,C,H,W]; dx[N,G,C,H,W]; w[{w}]; dw[{w}];"
        f"y[N,G,O,P,Q]; dy[N,G,O,P,Q]; up[N,G,O,{at.spread(case)}]"
    )
    return Symbols((at.N, G, _C, _O, at.H, at.W, *at.PADDINGS), shapes, at.counts(case))


def _input(case: Case) -> Instance:
    forward = f"y[n,g,o,i,j] = sum(c,{at.taps(case)}) w[g,o,c,u,v]*x[n,g,c,{at.reads(case)}]"
    backward = (
        f"{at.upsampled(case, 'n,g,o')}\n"
        f"dx[n,g,c,h,k] = sum(o,{at.taps(case)}) "
        f"w[g,o,c,{at.flipped(case)}]*up[n,g,o,{at.transposed_reads(case)}]"
    )
    return Instance(_symbols(case), Adjoint(forward, "x", backward))


def _weight(case: Case) -> Instance:
    forward = f"y[n,g,o,i,j] = sum(c,{at.taps(case)}) w[g,o,c,u,v]*x[n,g,c,{at.reads(case)}]"
    backward = (
        f"{at.upsampled(case, 'n,g,o')}\n"
        f"dw[g,o,c,u,v] = sum(n,a,b) up[n,g,o,a,b]*x[n,g,c,{at.correlated_reads(case)}]"
    )
    return Instance(_symbols(case), Adjoint(forward, "w", backward))


def _depthwise_symbols(case: Case) -> Symbols:
    rows, columns = case.axes
    w = f"C,{rows.kernel},{columns.kernel}"
    shapes = (
        f"x[N,C,H,W]; dx[N,C,H,W]; w[{w}]; dw[{w}];"
        f"y[N,C,P,Q]; dy[N,C,P,Q]; up[N,C,{at.spread(case)}]"
    )
    return Symbols((at.N, at.C, at.H, at.W, *at.PADDINGS), shapes, at.counts(case))


def _depthwise(case: Case) -> str:
    return f"y[n,c,i,j] = sum({at.taps(case)}) w[c,u,v]*x[n,c,{at.reads(case)}]"


def _depthwise_input(case: Case) -> Instance:
    backward = (
        f"{at.upsampled(case, 'n,c')}\n"
        f"dx[n,c,h,k] = sum({at.taps(case)}) "
        f"w[c,{at.flipped(case)}]*up[n,c,{at.transposed_reads(case)}]"
    )
    return Instance(_depthwise_symbols(case), Adjoint(_depthwise(case), "x", backward))


def _depthwise_weight(case: Case) -> Instance:
    backward = (
        f"{at.upsampled(case, 'n,c')}\n"
        f"dw[c,u,v] = sum(n,a,b) up[n,c,a,b]*x[n,c,{at.correlated_reads(case)}]"
    )
    return Instance(_depthwise_symbols(case), Adjoint(_depthwise(case), "w", backward))


def _wrong_group(case: Case) -> Instance:
    right = _input(case)
    assert isinstance(right.claim, Adjoint)
    return right.claiming(right.claim.backward.replace("w[g,o,c", "w[0,o,c"))


def _mixed_channels(case: Case) -> Instance:
    right = _depthwise_input(case)
    assert isinstance(right.claim, Adjoint)
    mixed = right.claim.backward.replace("sum(u", "sum(e,u").replace("up[n,c,h", "up[n,e,h")
    return right.claiming(mixed)


def _swapped_axes(case: Case) -> Instance:
    right = _depthwise_weight(case)
    assert isinstance(right.claim, Adjoint)
    return right.claiming(right.claim.backward.replace("up[n,c,a,b]*", "up[n,c,b,a]*"))


_WHY = """\
Groups are convolutions side by side: channel (g, c) of x meets channel (g, o) of y only. The
index g stands in every read and no sum runs over it, so each group is the ungrouped theorem, and
inside a group input and output change places as they do there. Flat channels are g*C + c and g*O
+ o."""

THEOREMS = (
    Theorem(
        "grouped-input",
        "dx of a grouped convolution swaps input and output inside each group",
        "convolution",
        _WHY,
        _input,
        at.GRID,
        (Control("the kernel of group 0 for all groups", Case.square(3), _wrong_group),),
        at.QUICK,
    ),
    Theorem(
        "grouped-weight",
        "dw of a grouped convolution correlates each group of x with the same group of dy",
        "convolution",
        _WHY,
        _weight,
        at.GRID,
        (
            Control(
                "the cotangent of group 0 for all groups",
                Case.square(3),
                lambda case: _weight(case).claiming(
                    "dw[g,o,c,u,v] = sum(n,i,j) dy[n,0,o,i,j]*x[n,g,c,i + u - top, j + v - left]"
                ),
            ),
        ),
        at.QUICK,
    ),
    Theorem(
        "depthwise-input",
        "dx of a depthwise convolution convolves each channel with its own flipped kernel",
        "convolution",
        _WHY,
        _depthwise_input,
        at.GRID,
        (Control("a sum over channels", Case.square(3), _mixed_channels),),
        at.QUICK,
    ),
    Theorem(
        "depthwise-weight",
        "dw of a depthwise convolution correlates each channel of x with that of dy",
        "convolution",
        _WHY,
        _depthwise_weight,
        at.GRID,
        (Control("rows and columns of dy exchanged", Case.square(3), _swapped_axes),),
        at.QUICK,
    ),
)
