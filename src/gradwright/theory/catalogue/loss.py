"""Losses: cross-entropy on logits, plain and smoothed; squares; binary cross-entropy."""

from gradwright.theory.catalogue.builders import plain
from gradwright.theory.record import Adjoint, Instance, Law, Size, Symbols, Theorem

_SYMBOLS = Symbols(
    (Size("N", "rows of the batch"), Size("K", "classes")),
    "z[N,K]; dz[N,K]; t[N,K]; p[N,K]; s[N,K]; total[N]; a; each[N]; loss",
)
_MASS = Law("t", "the targets of a row sum to 1")
_ENTROPY = """\
each[n] = sum(k) t[n,k]*(log(sum(q) exp(z[n,q])) - z[n,k])
loss = mean(n) each[n]"""
_SMOOTHED = """\
s[n,k] = (1 - a)*t[n,k] + a/K
each[n] = sum(k) s[n,k]*(log(sum(q) exp(z[n,q])) - z[n,k])
loss = mean(n) each[n]"""
_SOFTMAX = "p[n,k] = exp(z[n,k])/(sum(q) exp(z[n,q]))"


def _entropy(forward: str, backward: str, *laws: Law) -> Instance:
    return Instance(_SYMBOLS, Adjoint(forward, "z", backward), laws=laws, positive=("t",))


_SQUARES = Instance(
    Symbols(
        (Size("N", "rows of the batch"), Size("D", "outputs")),
        "z[N,D]; dz[N,D]; t[N,D]; loss",
    ),
    Adjoint("loss = mean(n,d) (z[n,d] - t[n,d])^2", "z", "dz[n,d] = 2*(z[n,d] - t[n,d])/(N*D)"),
)
_BINARY = Instance(
    Symbols((Size("N", "rows of the batch"),), "z[N]; dz[N]; t[N]; loss"),
    Adjoint(
        "loss = mean(n) (log(1 + exp(z[n])) - t[n]*z[n])",
        "z",
        "dz[n] = (logistic(z[n]) - t[n])/N",
    ),
)

_SOFTMAX_INPUT = Instance(
    Symbols(
        (Size("N", "rows"), Size("K", "entries of a row")),
        "z[N,K]; dz[N,K]; p[N,K]; dp[N,K]",
    ),
    Adjoint(_SOFTMAX, "z", "dz[n,k] = p[n,k]*(dp[n,k] - (sum(q) dp[n,q]*p[n,q]))"),
)

_WHY = """\
The loss of a row is T log(sum of exp z) - sum of t z, with T the sum of its targets. The
derivative of the first term is T exp(z) / (sum of exp z) = T p, that of the second -t: dz = (T p
- t) / N. Targets that sum to 1, one-hot or soft, make it p - t. Subtracting a maximum first
changes nothing: it cancels in p."""

THEOREMS: tuple[Theorem, ...] = (
    plain(
        "cross-entropy",
        "dz of softmax cross-entropy is (p - t) / N where the targets of a row sum to 1",
        "loss",
        _WHY,
        _entropy(_ENTROPY, f"{_SOFTMAX}\ndz[n,k] = (p[n,k] - t[n,k])/N", _MASS),
        ("sum for mean over the batch", f"{_SOFTMAX}\ndz[n,k] = p[n,k] - t[n,k]"),
        ("the softmax forgotten", "dz[n,k] = (exp(z[n,k]) - t[n,k])/N"),
    ),
    plain(
        "cross-entropy-any-targets",
        "dz of softmax cross-entropy is (T p - t) / N for targets with any sums T",
        "loss",
        _WHY,
        _entropy(
            _ENTROPY,
            f"{_SOFTMAX}\ntotal[n] = sum(k) t[n,k]\ndz[n,k] = (total[n]*p[n,k] - t[n,k])/N",
        ),
        ("T taken as 1", f"{_SOFTMAX}\ndz[n,k] = (p[n,k] - t[n,k])/N"),
    ),
    plain(
        "cross-entropy-smoothed",
        "dz of label-smoothed cross-entropy is (p - ((1 - a) t + a / K)) / N",
        "loss",
        _WHY + " Smoothing by a moves each target to (1 - a) t + a / K; a row still sums to 1.",
        _entropy(_SMOOTHED, f"{_SOFTMAX}\ndz[n,k] = (p[n,k] - (1 - a)*t[n,k] - a/K)/N", _MASS),
        ("a/(K + 1) for a/K", f"{_SOFTMAX}\ndz[n,k] = (p[n,k] - (1 - a)*t[n,k] - a/(K + 1))/N"),
    ),
    plain(
        "softmax-input",
        "dz of a softmax is p times what dp exceeds its mean under p by",
        "loss",
        "The slope of p[k] by z[q] is p[k] ([k = q] - p[q]); summed against dp: the two terms.",
        _SOFTMAX_INPUT,
        ("the mean forgotten", "dz[n,k] = p[n,k]*dp[n,k]"),
        ("a plain sum for the mean", "dz[n,k] = p[n,k]*(dp[n,k] - (sum(q) dp[n,q]))"),
    ),
    plain(
        "mean-squared-error",
        "dz of the mean squared error is 2 (z - t) / (N D)",
        "loss",
        "Each entry has the weight 1/(N D), and the square the slope 2 (z - t).",
        _SQUARES,
        ("divided by N only", "dz[n,d] = 2*(z[n,d] - t[n,d])/N"),
    ),
    plain(
        "binary-cross-entropy",
        "dz of binary cross-entropy on logits is (logistic(z) - t) / N",
        "loss",
        "The slope of log(1 + exp z) is exp z / (1 + exp z), the logistic function.",
        _BINARY,
        ("z for logistic(z)", "dz[n] = (z[n] - t[n])/N"),
    ),
)
