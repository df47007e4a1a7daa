"""SAME padding: its gradients, and where those of symmetric padding are right as well."""

from dataclasses import replace

from gradwright.theory.catalogue import windows as at
from gradwright.theory.record import (
    Adjoint,
    Case,
    Control,
    Hypothesis,
    Instance,
    Symbols,
    Theorem,
)

_GRID = tuple(
    Case.square(kernel, stride, dilation)
    for kernel in (1, 2, 3, 4, 5, 7)
    for stride in (1, 2, 3, 4)
    for dilation in (1, 2)
)
_QUICK = (Case.square(3, 2), Case.square(4, 3, 2))
_TRAPS = (
    *(Case.square(kernel, stride) for kernel in (3, 5, 7) for stride in (2, 3, 4)),
    *(Case.square(4, stride) for stride in (3, 4)),
)


def _symbols(case: Case) -> Symbols:
    rows, columns = case.axes
    w = f"O,C,{rows.kernel},{columns.kernel}"
    shapes = (
        f"x[N,C,H,W]; dx[N,C,H,W]; w[{w}]; dw[{w}];"
        f"y[N,O,P,Q]; dy[N,O,P,Q]; up[N,O,{at.spread(case)}]"
    )
    return Symbols((at.N, at.C, at.O, at.H, at.W), shapes, at.same_upper(case))


def _forward(case: Case) -> str:
    return f"y[n,o,i,j] = sum(c,{at.taps(case)}) w[o,c,u,v]*x[n,c,{at.reads(case)}]"


def _dx(case: Case, top: str | int = "top", left: str | int = "left") -> str:
    return (
        f"{at.upsampled(case, 'n,o')}\n"
        f"dx[n,c,h,k] = sum(o,{at.taps(case)}) "
        f"w[o,c,{at.flipped(case)}]*up[n,o,{at.transposed_reads(case, top, left)}]"
    )


def _dw(case: Case, top: str | int = "top", left: str | int = "left") -> str:
    return (
        f"{at.upsampled(case, 'n,o')}\n"
        f"dw[o,c,u,v] = sum(n,a,b) up[n,o,a,b]*x[n,c,{at.correlated_reads(case, top, left)}]"
    )


def _input(case: Case) -> Instance:
    return Instance(_symbols(case), Adjoint(_forward(case), "x", _dx(case)))


def _weight(case: Case) -> Instance:
    return Instance(_symbols(case), Adjoint(_forward(case), "w", _dw(case)))


def agreement(case: Case) -> Hypothesis:
    """Return the sizes at which SAME pads above as symmetric padding does, one axis at a time."""
    conditions: list[str] = []
    for window, extent in zip(case.axes, "HW", strict=True):
        s, span = window.stride, window.span
        good = [
            r for r in range(1, s + 1) if max(span - r, 0) // 2 == (span - 1) // 2
        ]  # r: rows of x behind the start of the last window's stride
        named = " or ".join(f"{extent} mod {s} = {r % s}" for r in good)
        conditions.append(f"({named})" if len(good) > 1 else named)
    formula = " and ".join(conditions)
    return Hypothesis(formula, formula, is_exact=True)


def _symmetric_input(case: Case) -> Instance:
    claim = Adjoint(_forward(case), "x", _dx(case, *at.symmetric(case)))
    return Instance(_symbols(case), claim, (agreement(case),))


def _symmetric_weight(case: Case) -> Instance:
    claim = Adjoint(_forward(case), "w", _dw(case, *at.symmetric(case)))
    return Instance(_symbols(case), claim, (agreement(case),))


def _one_axis(instance: Instance) -> Instance:
    """Only the height meets the condition."""
    (both,) = instance.hypotheses
    rows = both.formula.split(" and ")[0]
    return replace(instance, hypotheses=(Hypothesis(rows, rows),))


_WHY = """\
The theorem on all paddings, at the paddings of SAME: P = ceil(H / s), total = max(s*(P - 1) +
span - H, 0), top = total // 2. As top depends on H, so does the padding of the backward: low =
span - 1 - top for dx, and top for dw. One number, top, stands in both directions."""

_WHY_TRAP = """\
A symmetric backward behind a SAME forward has the right shapes, trains, and is wrong. Write H =
s*(P - 1) + r with r in 1 .. s: then total = max(span - r, 0), and the low paddings agree exactly
where total // 2 = (span - 1) // 2. Where they do not, every window reads one row further up or
down than its gradient assumes, so a single entry is enough to see it."""

THEOREMS = (
    Theorem(
        "same-upper-input",
        "dx of a SAME convolution: low padding span - 1 - top, at every H and W",
        "same-upper",
        _WHY,
        _input,
        _GRID,
        (
            Control(
                "symmetric padding in the backward",
                Case.square(3, 2),
                lambda case: _input(case).claiming(_dx(case, *at.symmetric(case))),
            ),
        ),
        _QUICK,
    ),
    Theorem(
        "same-upper-weight",
        "dw of a SAME convolution: the low padding of its forward, at every H and W",
        "same-upper",
        _WHY,
        _weight,
        _GRID,
        (
            Control(
                "symmetric padding in the backward",
                Case.square(3, 2),
                lambda case: _weight(case).claiming(_dw(case, *at.symmetric(case))),
            ),
        ),
        _QUICK,
    ),
    Theorem(
        "symmetric-dx-for-same-upper",
        "the symmetric dx is right behind a SAME forward exactly where their low paddings agree",
        "same-upper",
        _WHY_TRAP,
        _symmetric_input,
        _TRAPS,
        (
            Control(
                "the condition on W forgotten",
                Case.square(3, 2),
                lambda case: _one_axis(_symmetric_input(case)),
            ),
        ),
        _TRAPS[:1],
    ),
    Theorem(
        "symmetric-dw-for-same-upper",
        "the symmetric dw is right behind a SAME forward exactly where their low paddings agree",
        "same-upper",
        _WHY_TRAP,
        _symmetric_weight,
        _TRAPS,
        (
            Control(
                "the condition on W forgotten",
                Case.square(3, 2),
                lambda case: _one_axis(_symmetric_weight(case)),
            ),
        ),
        _TRAPS[:1],
    ),
)
