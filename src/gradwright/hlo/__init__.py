"""StableHLO functions: types, values, operations with shape rules, printer and reader."""

from gradwright.hlo.signature import Port, Role, Signature
from gradwright.hlo.types import ElementType, Shape, TensorType

__all__ = ["ElementType", "Port", "Role", "Shape", "Signature", "TensorType"]
