"""Constructors of elementwise operations."""

from gradwright.hlo.attributes import Compare, CompareType, Direction, ReducePrecision
from gradwright.hlo.ir import Value
from gradwright.hlo.types import ElementType
from gradwright.hlo.writing import Writer

_OF_BOOLEANS = frozenset(
    f"stablehlo.{name}" for name in ("add", "and", "maximum", "minimum", "multiply", "or")
)
"""Functions of two operands that StableHLO defines for i1."""


class Elementwise(Writer):
    """Elementwise operations: all operands have one shape, and so has the result."""

    def unary(self, opcode: str, operand: Value, *, hint: str = "") -> Value:
        """Append a function of one floating-point operand, e.g. `stablehlo.tanh`."""
        if not operand.type.element.is_float:
            raise self.mismatch(opcode, "a floating-point operand", str(operand.type))
        return self.emit_one(opcode, (operand,), operand.type, hint=hint)

    def binary(self, opcode: str, lhs: Value, rhs: Value, *, hint: str = "") -> Value:
        """Append a function of two operands of one type."""
        if lhs.type != rhs.type:
            raise self.mismatch(opcode, "two operands of one type", f"{lhs.type} and {rhs.type}")
        if lhs.type.element is ElementType.I1 and opcode not in _OF_BOOLEANS:
            raise self.mismatch(opcode, "numbers", str(lhs.type))
        return self.emit_one(opcode, (lhs, rhs), lhs.type, hint=hint)

    def add(self, lhs: Value, rhs: Value, *, hint: str = "") -> Value:
        """Return lhs + rhs."""
        return self.binary("stablehlo.add", lhs, rhs, hint=hint)

    def subtract(self, lhs: Value, rhs: Value, *, hint: str = "") -> Value:
        """Return lhs - rhs."""
        return self.binary("stablehlo.subtract", lhs, rhs, hint=hint)

    def multiply(self, lhs: Value, rhs: Value, *, hint: str = "") -> Value:
        """Return lhs * rhs."""
        return self.binary("stablehlo.multiply", lhs, rhs, hint=hint)

    def divide(self, lhs: Value, rhs: Value, *, hint: str = "") -> Value:
        """Return lhs / rhs."""
        return self.binary("stablehlo.divide", lhs, rhs, hint=hint)

    def maximum(self, lhs: Value, rhs: Value, *, hint: str = "") -> Value:
        """Return max(lhs, rhs)."""
        return self.binary("stablehlo.maximum", lhs, rhs, hint=hint)

    def minimum(self, lhs: Value, rhs: Value, *, hint: str = "") -> Value:
        """Return min(lhs, rhs)."""
        return self.binary("stablehlo.minimum", lhs, rhs, hint=hint)

    def power(self, lhs: Value, rhs: Value, *, hint: str = "") -> Value:
        """Return lhs ** rhs."""
        return self.binary("stablehlo.power", lhs, rhs, hint=hint)

    def remainder(self, lhs: Value, rhs: Value, *, hint: str = "") -> Value:
        """Return the remainder of lhs / rhs, with the sign of lhs."""
        return self.binary("stablehlo.remainder", lhs, rhs, hint=hint)

    def logical_and(self, lhs: Value, rhs: Value, *, hint: str = "") -> Value:
        """Return lhs and rhs, bitwise."""
        return self._bitwise("stablehlo.and", lhs, rhs, hint)

    def logical_or(self, lhs: Value, rhs: Value, *, hint: str = "") -> Value:
        """Return lhs or rhs, bitwise."""
        return self._bitwise("stablehlo.or", lhs, rhs, hint)

    def logical_not(self, operand: Value, *, hint: str = "") -> Value:
        """Return not operand, bitwise."""
        if operand.type.element.is_float:
            raise self.mismatch("stablehlo.not", "a boolean or integer operand", str(operand.type))
        return self.emit_one("stablehlo.not", (operand,), operand.type, hint=hint)

    def negate(self, operand: Value, *, hint: str = "") -> Value:
        """Return -operand."""
        if operand.type.element is ElementType.I1:
            raise self.mismatch("stablehlo.negate", "numbers", str(operand.type))
        return self.emit_one("stablehlo.negate", (operand,), operand.type, hint=hint)

    def abs(self, operand: Value, *, hint: str = "") -> Value:
        """Return |operand|."""
        if operand.type.element is ElementType.I1 or operand.type.element.is_unsigned:
            raise self.mismatch("stablehlo.abs", "signed or floating numbers", str(operand.type))
        return self.emit_one("stablehlo.abs", (operand,), operand.type, hint=hint)

    def exponential(self, operand: Value, *, hint: str = "") -> Value:
        """Return e ** operand."""
        return self.unary("stablehlo.exponential", operand, hint=hint)

    def log(self, operand: Value, *, hint: str = "") -> Value:
        """Return ln(operand), operand > 0."""
        return self.unary("stablehlo.log", operand, hint=hint)

    def exponential_minus_one(self, operand: Value, *, hint: str = "") -> Value:
        """Write exp(operand) - 1 without loss of precision near 0."""
        return self.unary("stablehlo.exponential_minus_one", operand, hint=hint)

    def log_plus_one(self, operand: Value, *, hint: str = "") -> Value:
        """Return ln(1 + operand), operand > -1."""
        return self.unary("stablehlo.log_plus_one", operand, hint=hint)

    def tanh(self, operand: Value, *, hint: str = "") -> Value:
        """Return the hyperbolic tangent of operand."""
        return self.unary("stablehlo.tanh", operand, hint=hint)

    def logistic(self, operand: Value, *, hint: str = "") -> Value:
        """Return 1 / (1 + e ** -operand)."""
        return self.unary("stablehlo.logistic", operand, hint=hint)

    def erf(self, operand: Value, *, hint: str = "") -> Value:
        """Return the error function of operand (dialect CHLO)."""
        return self.unary("chlo.erf", operand, hint=hint)

    def sqrt(self, operand: Value, *, hint: str = "") -> Value:
        """Return the square root of operand >= 0."""
        return self.unary("stablehlo.sqrt", operand, hint=hint)

    def rsqrt(self, operand: Value, *, hint: str = "") -> Value:
        """Return 1 / sqrt(operand), operand > 0."""
        return self.unary("stablehlo.rsqrt", operand, hint=hint)

    def compare(self, direction: Direction, lhs: Value, rhs: Value, *, hint: str = "") -> Value:
        """Return the truth of `lhs direction rhs` as i1."""
        if lhs.type != rhs.type:
            found = f"{lhs.type} and {rhs.type}"
            raise self.mismatch("stablehlo.compare", "two operands of one type", found)
        attributes = Compare(direction, natural_order(lhs.type.element))
        boolean = lhs.type.with_element(ElementType.I1)
        return self.emit_one("stablehlo.compare", (lhs, rhs), boolean, attributes, hint=hint)

    def select(self, predicate: Value, on_true: Value, on_false: Value, *, hint: str = "") -> Value:
        """Return on_true where predicate holds, else on_false."""
        whole = on_true.type.with_element(ElementType.I1)
        scalar = whole.with_shape(())
        if on_true.type != on_false.type or predicate.type not in (whole, scalar):
            found = f"{predicate.type}, {on_true.type}, {on_false.type}"
            expected = f"a predicate {whole} or {scalar} and two operands of one type"
            raise self.mismatch("stablehlo.select", expected, found)
        operands = (predicate, on_true, on_false)
        return self.emit_one("stablehlo.select", operands, on_true.type, hint=hint)

    def clamp(self, low: Value, operand: Value, high: Value, *, hint: str = "") -> Value:
        """Return min(max(operand, low), high); the bounds are scalars or of operand's type."""
        allowed = (operand.type, operand.type.with_shape(()))
        if low.type not in allowed or high.type not in allowed:
            expected = f"bounds {allowed[0]} or {allowed[1]}"
            raise self.mismatch("stablehlo.clamp", expected, f"{low.type} and {high.type}")
        return self.emit_one("stablehlo.clamp", (low, operand, high), operand.type, hint=hint)

    def convert(self, operand: Value, element: ElementType, *, hint: str = "") -> Value:
        """Return operand with another element type; the same value where it has it already."""
        if operand.type.element is element:
            return operand
        type = operand.type.with_element(element)
        return self.emit_one("stablehlo.convert", (operand,), type, hint=hint)

    def reduce_precision(
        self, operand: Value, exponent_bits: int, mantissa_bits: int, *, hint: str = ""
    ) -> Value:
        """Round operand to a smaller float format, keeping its element type."""
        if not operand.type.element.is_float or exponent_bits < 1 or mantissa_bits < 0:
            found = f"{operand.type}, e{exponent_bits}m{mantissa_bits}"
            expected = "a float operand, exponent bits >= 1 and mantissa bits >= 0"
            raise self.mismatch("stablehlo.reduce_precision", expected, found)
        attributes = ReducePrecision(exponent_bits, mantissa_bits)
        opcode = "stablehlo.reduce_precision"
        return self.emit_one(opcode, (operand,), operand.type, attributes, hint=hint)

    def _bitwise(self, opcode: str, lhs: Value, rhs: Value, hint: str) -> Value:
        if lhs.type.element.is_float:
            raise self.mismatch(opcode, "boolean or integer operands", str(lhs.type))
        return self.binary(opcode, lhs, rhs, hint=hint)


def natural_order(element: ElementType) -> CompareType:
    """Return how elements of a type compare where nothing else is stated."""
    if element.is_float:
        return CompareType.FLOAT
    unsigned = element is ElementType.I1 or element.is_unsigned
    return CompareType.UNSIGNED if unsigned else CompareType.SIGNED
