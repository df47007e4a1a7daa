"""The functions of the index notation: their values and derivative rules in the kernel."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from gradwright.certify.kernel.algebra import Undenotable
from gradwright.certify.kernel.atoms import Relation
from gradwright.certify.kernel.pointwise import Pointwise
from gradwright.certify.kernel.tensor import Tensor


def apply(p: Pointwise, function: str, x: Sequence[Tensor]) -> Tensor:
    """Return a function of tensors of one shape."""
    match function, x:
        case "+", (a, b):
            return p.add(a, b)
        case "-", (a, b):
            return p.add(a, b, -1)
        case "*", (a, b):
            return p.multiply(a, b)
        case "/", (a, b):
            return p.multiply(a, p.power(b, -1))
        case "max", (a, b):
            return p.maximum(a, b)
        case "min", (a, b):
            return p.minimum(a, b)
        case ">", (a, b):
            return p.mask(Relation.POSITIVE, p.add(a, b, -1))
        case "<", (a, b):
            return p.mask(Relation.NEGATIVE, p.add(a, b, -1))
        case "=", (a, b):
            return p.mask(Relation.ZERO, p.add(a, b, -1))
        case "exp", (a,):
            return p.exponential(a)
        case "log", (a,):
            return p.log(a)
        case "sqrt", (a,):
            return p.power(a, Fraction(1, 2))
        case "logistic", (a,):
            return p.logistic(a)
        case "tanh", (a,):
            return p.tanh(a)
        case "erf", (a,):
            return p.odd("erf", a)
        case "abs", (a,):
            return p.absolute(a)
        case _:
            raise Undenotable(f"no function {function} of {len(x)} arguments")


OPERATIONS: Mapping[str, str] = {
    "+": "stablehlo.add",
    "-": "stablehlo.subtract",
    "*": "stablehlo.multiply",
    "/": "stablehlo.divide",
    "max": "stablehlo.maximum",
    "min": "stablehlo.minimum",
    "exp": "stablehlo.exponential",
    "log": "stablehlo.log",
    "sqrt": "stablehlo.sqrt",
    "logistic": "stablehlo.logistic",
    "tanh": "stablehlo.tanh",
    "erf": "chlo.erf",
    "abs": "stablehlo.abs",
}
"""The operation whose derivative rule a function of the notation has."""
