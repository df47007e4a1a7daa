"""Convolutions: input, weight and bias gradients at every padding."""

from gradwright.theory.catalogue import windows as at
from gradwright.theory.record import Adjoint, Case, Control, Instance, Symbols, Theorem


def _symbols(case: Case) -> Symbols:
    rows, columns = case.axes
    w = f"O,C,{rows.kernel},{columns.kernel}"
    shapes = (
        f"x[N,C,H,W]; dx[N,C,H,W]; w[{w}]; dw[{w}]; bias[O]; dbias[O];"
        f"y[N,O,P,Q]; dy[N,O,P,Q]; up[N,O,{at.spread(case)}]"
    )
    return Symbols((at.N, at.C, at.O, at.H, at.W, *at.PADDINGS), shapes, at.counts(case))


def _forward(case: Case) -> str:
    return f"y[n,o,i,j] = sum(c,{at.taps(case)}) w[o,c,u,v]*x[n,c,{at.reads(case)}] + bias[o]"


def input_backward(case: Case, off: tuple[int, int] = (0, 0)) -> str:
    """Return dx as a convolution of the upsampled dy with the flipped kernel."""
    return (
        f"{at.upsampled(case, 'n,o')}\n"
        f"dx[n,c,h,k] = sum(o,{at.taps(case)}) "
        f"w[o,c,{at.flipped(case)}]*up[n,o,{at.transposed_reads(case, off=off)}]"
    )


def weight_backward(case: Case, top: str = "top") -> str:
    """Return dw as the correlation of x with the upsampled dy."""
    return (
        f"{at.upsampled(case, 'n,o')}\n"
        f"dw[o,c,u,v] = sum(n,a,b) up[n,o,a,b]*x[n,c,{at.correlated_reads(case, top)}]"
    )


def _input(case: Case) -> Instance:
    return Instance(_symbols(case), Adjoint(_forward(case), "x", input_backward(case)))


def _weight(case: Case) -> Instance:
    return Instance(_symbols(case), Adjoint(_forward(case), "w", weight_backward(case)))


def _bias(case: Case) -> Instance:
    return Instance(
        _symbols(case), Adjoint(_forward(case), "bias", "dbias[o] = sum(n,i,j) dy[n,o,i,j]")
    )


def _unflipped(case: Case) -> Instance:
    return _input(case).claiming(input_backward(case).replace(at.flipped(case), "u, v"))


def _unswapped(case: Case) -> Instance:
    wrong = input_backward(case).replace("w[o,c,", "w[c,o,")
    return _input(case).claiming(wrong)


def _unspread(case: Case) -> Instance:
    """The kernel steps by the stride where the cotangent should have been spread."""
    text = input_backward(case).replace("up[n,o,h", "dy[n,o,h").split("\n")[1]
    return _input(case).claiming(text)


_WHY_INPUT = """\
Entry x[n,c,h,k] is read by window (i, j) through tap (u, v) exactly where s*i + d*u - top = h
(and the same for columns). So its cotangent is the sum of w[o,c,u,v] * dy[n,o,i,j] over all such
(i, u). Solve for the other side: s*i = h + top - d*u. Turning the kernel around, u -> K-1-u,
gives s*i = h + d*u - (d*(K-1) - top): a window that slides over dy with s - 1 zeros between its
entries, low padding d*(K-1) - top. Rows that no window reads (where s does not divide H + top +
bottom - span) meet no i, and get 0 from the padding above."""

_WHY_WEIGHT = """\
Tap (u, v) of the kernel from channel c to o is multiplied, in window (i, j) of picture n, with
x[n,c,s*i + d*u - top, ...]. Its cotangent is the sum of dy[n,o,i,j] times that, over n, i, j: x
correlated with dy, where dy has s - 1 zeros between its entries, the steps of the result are d
and the low padding is that of the forward. Batch and channels change places."""

THEOREMS = (
    Theorem(
        "conv-input",
        "dx of a convolution is the convolution of the upsampled dy with the flipped kernel",
        "convolution",
        _WHY_INPUT,
        _input,
        at.GRID,
        (
            Control("missing flip", Case.square(3), _unflipped),
            Control("missing swap of channels", Case.square(3), _unswapped),
            Control("no zeros between the entries of dy", Case.square(3, 2), _unspread),
            Control(
                "padding off by one at the left border only",
                Case.square(3, 2),
                lambda case: _input(case).claiming(input_backward(case, off=(0, 1))),
            ),
        ),
        at.QUICK,
    ),
    Theorem(
        "conv-weight",
        "dw of a convolution is x correlated with the upsampled dy, at the forward's low padding",
        "convolution",
        _WHY_WEIGHT,
        _weight,
        at.GRID,
        (
            Control(
                "low padding of rows off by one",
                Case.square(3, 2),
                lambda case: _weight(case).claiming(weight_backward(case, "top - 1")),
            ),
            Control(
                "stride and dilation exchanged",
                Case.square(3, 2),
                lambda case: _weight(case).claiming(
                    "dw[o,c,u,v] = sum(n,i,j) dy[n,o,i,j]*x[n,c,i + 2*u - top, j + 2*v - left]"
                ),
            ),
        ),
        at.QUICK,
    ),
    Theorem(
        "conv-bias",
        "dbias is the sum of dy over pictures and positions, whatever stride and padding",
        "convolution",
        "bias[o] is added once to every y[n,o,i,j], so every dy[n,o,i,j] arrives once.",
        _bias,
        at.GRID,
        (
            Control(
                "mean for sum over the batch",
                Case.square(1),
                lambda case: _bias(case).claiming("dbias[o] = mean(n) (sum(i,j) dy[n,o,i,j])"),
            ),
        ),
        at.QUICK,
    ),
)
