"""StableHLO functions: types, values, operations with shape rules, printer and reader."""

from gradwright.hlo.builder import Builder
from gradwright.hlo.ir import Block, Function, Module, Operation, Value, same_function, same_module
from gradwright.hlo.signature import Port, Role, Signature
from gradwright.hlo.types import ElementType, Shape, TensorType

__all__ = [
    "Block",
    "Builder",
    "ElementType",
    "Function",
    "Module",
    "Operation",
    "Port",
    "Role",
    "Shape",
    "Signature",
    "TensorType",
    "Value",
    "same_function",
    "same_module",
]
