"""Dense layers: y = x w + b."""

from gradwright.theory.catalogue.builders import plain
from gradwright.theory.record import Adjoint, Instance, Size, Symbols

_SYMBOLS = Symbols(
    (Size("N", "rows of the batch"), Size("I", "inputs"), Size("O", "outputs")),
    "x[N,I]; dx[N,I]; w[I,O]; dw[I,O]; b[O]; db[O]; y[N,O]; dy[N,O]",
)
_FORWARD = "y[n,o] = sum(i) x[n,i]*w[i,o] + b[o]"


def _instance(wrt: str, backward: str) -> Instance:
    return Instance(_SYMBOLS, Adjoint(_FORWARD, wrt, backward))


THEOREMS = (
    plain(
        "dense-input",
        "dx of a dense layer is dy times the transposed weight",
        "dense",
        "x[n,i] reaches every y[n,o] of its row, with the factor w[i,o].",
        _instance("x", "dx[n,i] = sum(o) dy[n,o]*w[i,o]"),
        ("the weight not transposed", "dx[n,i] = sum(o) dy[n,o]*w[o,i]"),
    ),
    plain(
        "dense-weight",
        "dw of a dense layer is the transposed x times dy",
        "dense",
        "w[i,o] reaches y[n,o] of every row n, with the factor x[n,i].",
        _instance("w", "dw[i,o] = sum(n) x[n,i]*dy[n,o]"),
        ("mean for sum over the batch", "dw[i,o] = mean(n) x[n,i]*dy[n,o]"),
    ),
    plain(
        "dense-bias",
        "db of a dense layer is the sum of dy over the batch",
        "dense",
        "b[o] is added once in every row.",
        _instance("b", "db[o] = sum(n) dy[n,o]"),
        ("the first row only", "db[o] = dy[0,o]"),
    ),
)
