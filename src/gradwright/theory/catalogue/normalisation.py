"""Normalisations: batch norm in training and with fixed statistics, layer norm, RMS norm."""

from gradwright.theory.catalogue import windows as at
from gradwright.theory.catalogue.builders import plain
from gradwright.theory.record import Adjoint, Instance, Size, Symbols, Theorem

_PICTURE = Symbols(
    (at.N, at.C, at.H, at.W),
    "x[N,C,H,W]; dx[N,C,H,W]; y[N,C,H,W]; dy[N,C,H,W]; z[N,C,H,W]; gamma[C]; dgamma[C]; beta[C];"
    "dbeta[C]; mu[C]; var[C]; r[C]; eps",
)
_ROWS = Symbols(
    (Size("N", "rows"), Size("D", "entries of a row")),
    "x[N,D]; dx[N,D]; y[N,D]; dy[N,D]; z[N,D]; gamma[D]; dgamma[D]; beta[D]; dbeta[D];"
    "mu[N]; var[N]; r[N]; eps",
)

_BATCH_FORWARD = """\
mu[c] = mean(n,h,k) x[n,c,h,k]
var[c] = mean(n,h,k) (x[n,c,h,k] - mu[c])^2
y[n,c,h,k] = gamma[c]*(x[n,c,h,k] - mu[c])/sqrt(var[c] + eps) + beta[c]"""
_BATCH_Z = """\
r[c] = 1/sqrt(var[c] + eps)
z[n,c,h,k] = (x[n,c,h,k] - mu[c])*r[c]"""
_MEAN = "(mean(m,i,j) dy[m,c,i,j])"
_MEAN_Z = "(mean(m,i,j) dy[m,c,i,j]*z[m,c,i,j])"
_BATCH_DX = f"""\
{_BATCH_Z}
dx[n,c,h,k] = gamma[c]*r[c]*(dy[n,c,h,k] - {_MEAN} - z[n,c,h,k]*{_MEAN_Z})"""

_FIXED_FORWARD = "y[n,c,h,k] = gamma[c]*(x[n,c,h,k] - mu[c])/sqrt(var[c] + eps) + beta[c]"
_FIXED_DX = "dx[n,c,h,k] = dy[n,c,h,k]*gamma[c]/sqrt(var[c] + eps)"

_LAYER_FORWARD = """\
mu[n] = mean(d) x[n,d]
var[n] = mean(d) (x[n,d] - mu[n])^2
y[n,d] = gamma[d]*(x[n,d] - mu[n])/sqrt(var[n] + eps) + beta[d]"""
_LAYER_Z = """\
r[n] = 1/sqrt(var[n] + eps)
z[n,d] = (x[n,d] - mu[n])*r[n]"""
_ROW = "(mean(e) gamma[e]*dy[n,e])"
_ROW_Z = "(mean(e) gamma[e]*dy[n,e]*z[n,e])"
_LAYER_DX = f"""\
{_LAYER_Z}
dx[n,d] = r[n]*(gamma[d]*dy[n,d] - {_ROW} - z[n,d]*{_ROW_Z})"""

_RMS_FORWARD = "y[n,d] = gamma[d]*x[n,d]/sqrt(mean(e) x[n,e]^2 + eps)"
_RMS_DX = """\
r[n] = 1/sqrt(mean(e) x[n,e]^2 + eps)
dx[n,d] = r[n]*(gamma[d]*dy[n,d] - r[n]^2*x[n,d]*(mean(e) gamma[e]*dy[n,e]*x[n,e]))"""


def _batch(wrt: str, backward: str) -> Instance:
    return Instance(_PICTURE, Adjoint(_BATCH_FORWARD, wrt, backward), positive=("eps",))


def _layer(wrt: str, backward: str) -> Instance:
    return Instance(_ROWS, Adjoint(_LAYER_FORWARD, wrt, backward), positive=("eps",))


_WHY_THREE = """\
Write z = (x - mu) r with r = 1 / sqrt(var + eps). An entry of x moves y in three ways. Directly:
gamma r dy. Through the mean, which it moves by 1/M of itself (M entries share it): minus the
mean of gamma r dy. Through the variance, which it moves by 2 (x - mu) / M: minus z times the
mean of gamma r dy z. The mean inside the variance moves nothing, because the sum of x - mu is 0.
All three have the factor r."""

THEOREMS: tuple[Theorem, ...] = (
    plain(
        "batch-norm-input",
        "dx of batch norm in training has three terms: dy, its mean, and its mean along z",
        "normalisation",
        _WHY_THREE,
        _batch("x", _BATCH_DX),
        ("mean treated as constant", _BATCH_DX.replace(f" - {_MEAN}", "")),
        ("variance treated as constant", _BATCH_DX.replace(f" - z[n,c,h,k]*{_MEAN_Z}", "")),
        (
            "1/(M - 1) for 1/M in the last term",
            _BATCH_DX.replace(f"z[n,c,h,k]*{_MEAN_Z}", f"z[n,c,h,k]*{_MEAN_Z}*N*H*W/(N*H*W - 1)"),
        ),
    ),
    plain(
        "batch-norm-gamma",
        "dgamma of batch norm is the sum of dy times z",
        "normalisation",
        "gamma[c] multiplies z[n,c,h,k], wherever the statistics come from.",
        _batch("gamma", f"{_BATCH_Z}\ndgamma[c] = sum(n,h,k) dy[n,c,h,k]*z[n,c,h,k]"),
        ("x for z", "dgamma[c] = sum(n,h,k) dy[n,c,h,k]*x[n,c,h,k]"),
    ),
    plain(
        "batch-norm-beta",
        "dbeta of batch norm is the sum of dy",
        "normalisation",
        "beta[c] is added once everywhere.",
        _batch("beta", "dbeta[c] = sum(n,h,k) dy[n,c,h,k]"),
        ("mean for sum over the batch", "dbeta[c] = mean(n) (sum(h,k) dy[n,c,h,k])"),
    ),
    plain(
        "fixed-norm-input",
        "dx of batch norm with fixed statistics is dy times gamma / sqrt(var + eps)",
        "normalisation",
        "With mu and var from elsewhere y is affine in each entry of x alone.",
        Instance(_PICTURE, Adjoint(_FIXED_FORWARD, "x", _FIXED_DX), positive=("eps", "var")),
        ("gamma forgotten", _FIXED_DX.replace("*gamma[c]", "")),
    ),
    plain(
        "layer-norm-input",
        "dx of layer norm has three terms, with gamma inside the means",
        "normalisation",
        _WHY_THREE + " Here gamma differs along the mean, and stays inside it.",
        _layer("x", _LAYER_DX),
        ("mean treated as constant", _LAYER_DX.replace(f" - {_ROW}", "")),
        ("gamma outside the means", _LAYER_DX.replace("gamma[e]", "gamma[d]")),
        ("a sign", _LAYER_DX.replace("- z[n,d]*", "+ z[n,d]*")),
    ),
    plain(
        "layer-norm-gamma",
        "dgamma of layer norm is the sum of dy times z over the rows",
        "normalisation",
        "gamma[d] multiplies z[n,d] in every row.",
        _layer("gamma", f"{_LAYER_Z}\ndgamma[d] = sum(n) dy[n,d]*z[n,d]"),
        ("r forgotten", "dgamma[d] = sum(n) dy[n,d]*(x[n,d] - mu[n])"),
    ),
    plain(
        "rms-norm-input",
        "dx of RMS norm has two terms: there is no mean to move",
        "normalisation",
        "y = gamma x r with r = (mean of x^2 + eps) ** -1/2. Directly: gamma r dy. Through r, "
        "which an entry moves by -r^3 x / D: minus r^3 x times the mean of gamma dy x.",
        Instance(_ROWS, Adjoint(_RMS_FORWARD, "x", _RMS_DX), positive=("eps",)),
        ("r for r cubed", _RMS_DX.replace("r[n]^2*x[n,d]", "x[n,d]")),
    ),
)
