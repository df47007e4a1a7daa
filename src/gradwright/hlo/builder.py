"""The builder: every constructor of the vocabulary on one object."""

from collections.abc import Callable, Sequence

from gradwright.hlo.attributes import AllReduce, Call
from gradwright.hlo.contraction import Contraction
from gradwright.hlo.indexing import Indexing
from gradwright.hlo.ir import Function, Value
from gradwright.hlo.shaping import Shaping
from gradwright.hlo.types import ElementType, TensorType


class Builder(Indexing, Contraction, Shaping):
    """Writes one function; see the base classes for the families of operations."""

    def while_loop(
        self,
        initial: Sequence[Value],
        condition: Callable[..., Value],
        body: Callable[..., Sequence[Value]],
        names: Sequence[str],
        *,
        hint: str = "",
    ) -> tuple[Value, ...]:
        """Return the carried values after the last step in which condition(*values) held."""
        types = [value.type for value in initial]
        test = self.region(types, lambda *values: [condition(*values)], names)
        truth = TensorType((), ElementType.I1)
        if test.results[0].type != truth:
            expected = f"a condition that returns {truth}"
            raise self.mismatch("stablehlo.while", expected, str(test.results[0].type))
        step = self.region(types, body, names)
        if [value.type for value in step.results] != types:
            found = ", ".join(str(value.type) for value in step.results)
            expected = f"a body that returns {', '.join(map(str, types))}"
            raise self.mismatch("stablehlo.while", expected, found)
        return self.emit("stablehlo.while", initial, types, hint=hint, regions=(test, step))

    def call(
        self, callee: Function, operands: Sequence[Value], *, hint: str = ""
    ) -> tuple[Value, ...]:
        """Return the results of another function of the module, by default under its names."""
        types = [value.type for value in callee.body.arguments]
        if [value.type for value in operands] != types:
            found = ", ".join(str(value.type) for value in operands)
            raise self.mismatch("func.call", f"({', '.join(map(str, types))})", found)
        results = [value.type for value in callee.body.results]
        hints = [hint or value.name for value in callee.body.results]
        return self.emit("func.call", operands, results, Call(callee.name), hint=hints)

    def all_reduce(
        self, operand: Value, replica_groups: Sequence[Sequence[int]], *, hint: str = ""
    ) -> Value:
        """Return the sum of operand over the replicas of each group."""
        groups = tuple(tuple(group) for group in replica_groups)
        replicas = sorted(replica for group in groups for replica in group)
        even = len({len(group) for group in groups}) == 1
        if not even or not replicas or replicas != list(range(len(replicas))):
            expected = "groups of one size that share out the replicas 0, 1, …"
            raise self.mismatch("stablehlo.all_reduce", expected, str(groups))
        attributes = AllReduce(
            groups, channel_handle=1, channel_type=1, use_global_device_ids=False
        )
        region = self.sum_region(operand.type.with_shape(()))
        opcode = "stablehlo.all_reduce"
        return self.emit_one(
            opcode, (operand,), operand.type, attributes, hint=hint, regions=(region,)
        )

    def optimization_barrier(
        self, *operands: Value, hint: str | Sequence[str] = ""
    ) -> tuple[Value, ...]:
        """Return the operands unchanged; the compiler moves nothing across."""
        types = [operand.type for operand in operands]
        return self.emit("stablehlo.optimization_barrier", operands, types, hint=hint)
