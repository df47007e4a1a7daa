"""Whether an input is one that a claim is about: integers fit their types, indices are as promised.

A claim supposes that of every text it compares; a difference at another input refutes nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gradwright.certify.refute_integers import are_inside, computed_indices
from gradwright.certify.scope_integers import overflowing
from gradwright.certify.witness import widened
from gradwright.certify.witness_process import Evaluator
from gradwright.hlo import Function, Module, Operation, Value, print_module
from gradwright.hlo import attributes as attr
from gradwright.hlo.writing import without_dead_code

_BITS = frozenset(
    f"stablehlo.{name}"
    for name in (
        *("bitcast_convert", "shift_left", "shift_right_logical", "shift_right_arithmetic"),
        *("popcnt", "count_leading_zeros", "not"),
    )
)
"""Operations that are others on wider integers."""


@dataclass(frozen=True, slots=True)
class Supposed:
    """What a function supposes of the integers that it computes."""

    count: int
    """Arguments of the function."""
    text: str
    indexing: tuple[tuple[Operation, tuple[int, ...]], ...]
    """For the first results of the text, which are indices, what reads them and their limits."""
    computed: tuple[Value, ...]
    """Its other results: integers that their types may not hold, computed with 64 bits."""

    @staticmethod
    def of(function: Function) -> "Supposed | None":
        """Return what is supposed outside of regions, None for nothing."""
        body = function.body
        indices = [(op, v, last) for op in body.operations for v, last in computed_indices(op)]
        is_plain = not any(each.opcode in _BITS for each in body.walk())
        doubtful = {id(each) for each in overflowing([function])} if is_plain else ()
        here = [each for each in body.operations if id(each) in doubtful]
        computed = tuple(
            value for each in here for value in each.results if value.type.element.is_integer
        )
        results = (*(value for _, value, _ in indices), *computed)
        if not results:
            return None
        looked_at = Function("main", without_dead_code(replace(body, results=results)))
        module = widened(Module("supposed", (looked_at,)), integers=is_plain)
        reading = tuple((operation, last) for operation, _, last in indices)
        return Supposed(len(body.arguments), print_module(module), reading, computed)

    def holds(self, inputs: Sequence[np.ndarray], evaluate: Evaluator) -> bool:
        """Return whether an input meets it."""
        found = evaluate(self.text, [_wide(each) for each in inputs[: self.count]])
        indices = found[: len(self.indexing)]
        return all(
            are_inside([array], [last]) and _is_as_promised(operation.attributes, array)
            for (operation, last), array in zip(self.indexing, indices, strict=True)
        ) and all(
            bool(np.all(array >= kind.lowest) and np.all(array <= kind.highest))
            for kind, array in zip(
                (value.type.element for value in self.computed),
                found[len(indices) :],
                strict=True,
            )
        )


def _wide(array: np.ndarray) -> np.ndarray:
    return array.astype(np.int64) if array.dtype.kind in "iu" else array


def _is_as_promised(attributes: attr.Attributes, array: np.ndarray) -> bool:
    """Return whether indices are sorted and unique where their operation says so."""
    if not isinstance(attributes, attr.Gather | attr.Scatter):
        return True
    parts_at = attributes.index_vector_dim
    whole = array[..., None] if parts_at == array.ndim else np.moveaxis(array, parts_at, -1)
    rows = [tuple(row) for row in whole.reshape(-1, whole.shape[-1]).tolist()]
    is_unique = isinstance(attributes, attr.Scatter) and attributes.unique_indices
    return (not attributes.indices_are_sorted or rows == sorted(rows)) and (
        not is_unique or len(set(rows)) == len(rows)
    )
