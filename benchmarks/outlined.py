"""A text whose repeated blocks are private functions, called where they stood.

A block is a run of operations that one top-level layer has in the text: one of its forward, one of
its backward. Runs are the same where they compute the same results from their arguments, whatever
their values are called; constants are written into each function.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from gradwright.hlo import Block, Function, Module, Operation, Value, same_function
from gradwright.hlo import attributes as attr
from gradwright.hlo.copying import renewed

CONSTANT = "stablehlo.constant"
SHORTEST = 10
"""Operations of a run that is worth a function; the updates are functions already."""


@dataclass(frozen=True, slots=True)
class Run:
    """A layer's operations in a row, what they read from others, and what others read of them."""

    layer: str
    operations: tuple[Operation, ...]
    arguments: tuple[Value, ...]
    results: tuple[Value, ...]

    def function(self, name: str, constants: Sequence[Operation]) -> Function:
        """Return the run as a function of its own."""
        body = Block(self.arguments, (*constants, *self.operations), self.results)
        return Function(name, renewed(body, {}))

    def call(self, function: Function) -> Operation:
        """Return the call that stands for the run."""
        called = attr.Call(function.name)
        return Operation("func.call", self.arguments, self.results, called)


def outlined(module: Module) -> tuple[Module, int]:
    """Return the module with each run that occurs twice or more as a function, and their number."""
    body = module.main.body
    constants = [each for each in body.operations if each.opcode == CONSTANT]
    runs = _runs([each for each in body.operations if each.opcode != CONSTANT], body, constants)
    alike = defaultdict[str, list[tuple[Function, list[int]]]](list)
    for place, run in enumerate(runs):
        if len(run.operations) >= SHORTEST:
            _file(run, place, alike["/".join(o.opcode for o in run.operations)], constants)
    kept = [each for group in alike.values() for each in group if len(each[1]) > 1]
    instead = {place: function for function, places in kept for place in places}
    operations = list(constants)
    for place, run in enumerate(runs):
        called = instead.get(place)
        operations += run.operations if called is None else [run.call(called)]
    main = replace(module.main, body=replace(body, operations=tuple(operations)))
    others = [each for each in module.functions if each is not module.main]
    return replace(module, functions=(main, *others, *(f for f, _ in kept))), len(kept)


def _file(
    run: Run,
    place: int,
    group: list[tuple[Function, list[int]]],
    constants: Iterable[Operation],
) -> None:
    """Put a run with those that are the same, or found a new class of runs."""
    read = {id(value) for operation in run.operations for value in operation.reads}
    own = [each for each in constants if id(each.results[0]) in read]
    for function, places in group:
        if same_function(replace(run.function("", own), name=function.name), function):
            places.append(place)
            return
    group.append((run.function(f"{run.layer}_{place}", own), [place]))


def _runs(
    operations: Sequence[Operation], body: Block, constants: Iterable[Operation]
) -> list[Run]:
    """Divide operations where the layer changes."""
    free = {id(each.results[0]) for each in constants}
    readers = defaultdict[int, set[int]](set)
    groups = [(name, tuple(group)) for name, group in groupby(operations, _layer)]
    for place, (_, group) in enumerate(groups):
        for operation in group:
            for value in operation.reads:
                readers[id(value)].add(place)
    for value in body.results:
        readers[id(value)].add(-1)
    runs: list[Run] = []
    for place, (name, group) in enumerate(groups):
        made = [value for operation in group for value in operation.results]
        own = free | {id(value) for value in made}
        read = {id(v): v for operation in group for v in operation.reads if id(v) not in own}
        given = tuple(value for value in made if readers[id(value)] - {place})
        runs.append(Run(name, group, tuple(read.values()), given))
    return runs


def _layer(operation: Operation) -> str:
    return operation.results[0].name.partition(".")[0]
