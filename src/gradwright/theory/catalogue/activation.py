"""Activations off their kinks."""

from gradwright.theory.catalogue.builders import plain
from gradwright.theory.record import Adjoint, Instance, Size, Symbols, Theorem

_SYMBOLS = Symbols((Size("M", "entries, of any shape"),), "x[M]; dx[M]; y[M]; dy[M]; s[M]")


def _activation(name: str, value: str, slope: str, why: str, wrong: str, what: str) -> Theorem:
    """Return the theorem on y = value; `s` may stand for a line before the slope."""
    return plain(
        name,
        _title(value, slope),
        "activation",
        why,
        Instance(_SYMBOLS, Adjoint(f"y[i] = {value}", "x", _backward(slope))),
        (what, _backward(wrong)),
    )


def _title(value: str, slope: str) -> str:
    *lines, last = slope.split("; ")
    named = f" with {lines[0]}" if lines else ""
    return f"the slope of {value} is {last}{named}".replace("[i]", "")


def _backward(slope: str) -> str:
    *lines, last = slope.split("; ")
    return "\n".join((*lines, f"dx[i] = dy[i]*({last})"))


_INNER = "sqrt(2/pi)*(x[i] + 0.044715*x[i]^3)"
_GELU_TANH = f"s[i] = tanh({_INNER}); (1 + s[i])/2 + x[i]*(1 - s[i]^2)/2*sqrt(2/pi)"

THEOREMS = (
    _activation(
        "relu",
        "max(x[i], 0)",
        "[x[i] > 0]",
        "On x > 0 it is x, on x < 0 it is 0; the kink at 0 is outside.",
        "[0 - x[i] > 0]",
        "the other side",
    ),
    _activation(
        "relu6",
        "min(max(x[i], 0), 6)",
        "[x[i] > 0]*[x[i] < 6]",
        "Between the kinks 0 and 6 it is x, elsewhere constant.",
        "[x[i] > 0]",
        "the upper kink forgotten",
    ),
    _activation(
        "leaky-relu",
        "max(x[i], 0) + 0.01*min(x[i], 0)",
        "[x[i] > 0] + 0.01*[x[i] < 0]",
        "Slope 1 above the kink, 0.01 below it.",
        "[x[i] > 0]",
        "the slope below forgotten",
    ),
    _activation(
        "hard-sigmoid",
        "min(max(x[i] + 3, 0), 6)/6",
        "[x[i] + 3 > 0]*[x[i] < 3]/6",
        "Between the kinks -3 and 3 it is (x + 3) / 6.",
        "[x[i] + 3 > 0]*[x[i] < 3]",
        "the factor 1/6 dropped",
    ),
    _activation(
        "hard-swish",
        "x[i]*min(max(x[i] + 3, 0), 6)/6",
        "[x[i] + 3 > 0]*[x[i] < 3]*(2*x[i] + 3)/6 + [x[i] > 3]",
        "It is 0 below -3, x (x + 3) / 6 between the kinks and x above 3.",
        "[x[i] + 3 > 0]*[x[i] < 3]*(x[i] + 3)/6 + [x[i] > 3]",
        "x treated as constant in one factor",
    ),
    _activation(
        "sigmoid",
        "logistic(x[i])",
        "logistic(x[i])*(1 - logistic(x[i]))",
        "s = 1 / (1 + exp(-x)) has s' = exp(-x) s^2 = s (1 - s).",
        "logistic(x[i])",
        "the factor 1 - s dropped",
    ),
    _activation(
        "tanh",
        "tanh(x[i])",
        "1 - tanh(x[i])^2",
        "tanh x = 2 logistic(2 x) - 1, so the slope is 4 s (1 - s) = 1 - tanh^2.",
        "1 - tanh(x[i])",
        "the square dropped",
    ),
    _activation(
        "swish",
        "x[i]*logistic(x[i])",
        "logistic(x[i])*(1 + x[i]*(1 - logistic(x[i])))",
        "A product: s from the first factor and x s (1 - s) from the second.",
        "logistic(x[i])",
        "the second term dropped",
    ),
    _activation(
        "softplus",
        "log(1 + exp(x[i]))",
        "logistic(x[i])",
        "exp x / (1 + exp x) is the logistic function.",
        "exp(x[i])",
        "the divisor dropped",
    ),
    _activation(
        "gelu-erf",
        "x[i]*(1 + erf(x[i]/sqrt(2)))/2",
        "(1 + erf(x[i]/sqrt(2)))/2 + x[i]*exp(0 - x[i]^2/2)/sqrt(2*pi)",
        "x F(x) with F the normal distribution function: F + x F', and F' is the bell curve.",
        "(1 + erf(x[i]/sqrt(2)))/2",
        "the second term dropped",
    ),
    _activation(
        "gelu-tanh",
        f"x[i]*(1 + tanh({_INNER}))/2",
        f"{_GELU_TANH}*(1 + 3*0.044715*x[i]^2)",
        "With s = tanh u: (1 + s) / 2 from the first factor, x (1 - s^2) u' / 2 from the second, "
        "and u' = sqrt(2/pi) (1 + 3 * 0.044715 x^2).",
        f"{_GELU_TANH}*(1 + 0.044715*x[i]^2)",
        "the 3 of the cube's slope dropped",
    ),
)
