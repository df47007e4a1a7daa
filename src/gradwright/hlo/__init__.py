"""StableHLO functions: types, values, operations with shape rules, printer and reader."""

from gradwright.hlo.batch_norms import with_batch_norms_written
from gradwright.hlo.bindings import evaluate, to_bytecode, verify
from gradwright.hlo.builder import Builder
from gradwright.hlo.captures import with_captures_carried
from gradwright.hlo.ir import (
    Block,
    Function,
    Module,
    Number,
    Operation,
    Value,
    same_function,
    same_module,
)
from gradwright.hlo.printer import print_module
from gradwright.hlo.reader import read_module
from gradwright.hlo.signature import Port, Role, Signature
from gradwright.hlo.types import ElementType, Shape, TensorType, first_difference

__all__ = [
    "Block",
    "Builder",
    "ElementType",
    "Function",
    "Module",
    "Number",
    "Operation",
    "Port",
    "Role",
    "Shape",
    "Signature",
    "TensorType",
    "Value",
    "evaluate",
    "first_difference",
    "print_module",
    "read_module",
    "same_function",
    "same_module",
    "to_bytecode",
    "verify",
    "with_batch_norms_written",
    "with_captures_carried",
]
