"""What a net computes, written down: the meanings of its layers over the names of one program.

A layer speaks of its input `x`, its output `y`, its slots, its masks, values of its own, and its
parts by their paths. Here each of these gets the name that it has in the whole program: the output
of the layer at `conv1` is `conv1.y`, its parameters are called as ever.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gradwright.layers.layer import emitting
from gradwright.layers.walk import Mode, Statistics
from gradwright.spec import Plan

_NAME = re.compile(r"(?<![\w.'])[A-Za-z_][\w.']*")
_TARGET = re.compile(r"\s*([A-Za-z_][\w.']*)")


@dataclass(frozen=True, slots=True)
class Stated:
    """Statements in order, the name of what they end in, and what each layer reads, by path."""

    lines: tuple[str, ...]
    output: str
    reads: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Reading:
    """Which meaning of each layer is asked for."""

    mode: Mode
    statistics: Statistics

    def of(self, plan: Plan) -> str:
        layer = emitting(plan)
        alone = layer.example_meaning(plan) if self.statistics is Statistics.EXAMPLE else ""
        if alone:
            return alone
        return layer.meaning(plan) if self.mode is Mode.TRAINING else layer.evaluation_meaning(plan)


def net_statements(
    plans: Sequence[Plan], x: str, mode: Mode, statistics: Statistics = Statistics.BATCH
) -> Stated:
    """Return what layers in sequence compute from the value called `x`."""
    lines: list[str] = []
    reads: dict[str, str] = {}
    reading = _Reading(mode, statistics)
    for plan in plans:
        lines += _layer_statements(plan, x, reading, reads)
        x = _output_name(plan)
    return Stated(tuple(lines), x, reads)


def statistics_statements(plans: Sequence[Plan]) -> list[str]:
    """Return how training moves the running statistics, over what `net_statements` defines."""
    walked = [each for plan in plans for each in plan.walk()]
    pairs = [(plan, emitting(plan).statistics(plan)) for plan in walked]
    return [line for plan, text in pairs if text for line in _named(plan, text, {})]


def renamed(text: str, names: Mapping[str, str]) -> str:
    """Return a text of index notation with other names for some values."""
    return _NAME.sub(lambda match: names.get(match[0], match[0]), text)


def definitions(text: str) -> list[tuple[str, str]]:
    """Return the statements of a text, each with the name that it defines."""
    lines = [line.strip() for line in text.replace(";", "\n").splitlines() if line.strip()]
    targets = [_TARGET.match(line) for line in lines]
    return [(found[1], line) for found, line in zip(targets, lines, strict=True) if found]


def _output_name(plan: Plan) -> str:
    return plan.full("y")


def _layer_statements(plan: Plan, x: str, reading: _Reading, reads: dict[str, str]) -> list[str]:
    layer = emitting(plan)
    reads[plan.path] = x
    values = {"x": x}
    lines: list[str] = []
    for child, read in layer.wiring(plan):
        lines += _layer_statements(child, values[read], reading, reads)
        values[child.path] = _output_name(child)
    return lines + _named(plan, reading.of(plan), values)


def _named(plan: Plan, text: str, values: Mapping[str, str]) -> list[str]:
    """Return the statements of one layer over the names of the program."""
    own = definitions(emitting(plan).meaning(plan)) + definitions(text)
    local = [slot.name for slot in plan.slots] + [mask.name for mask in plan.masks]
    local += [target for target, _ in own]
    names = {name: plan.full(name) for name in local} | dict(values)
    return [renamed(line, names) for _, line in definitions(text)]
