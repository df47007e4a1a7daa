"""Loops that read values from outside: JAX's, with what they carry unchanged captured instead."""

import json
from collections.abc import Mapping
from dataclasses import replace

import pytest

from gradwright.certify import Search, Verdict, certify_text
from gradwright.certify.texts_calls import inlined
from gradwright.check.replay import check
from gradwright.hlo import Block, Function, Module, Operation, Value, print_module, read_module
from gradwright.hlo.copying import on, renewed, uses

pytestmark = [pytest.mark.jax, pytest.mark.interpreter]
LOOPS = ("lstm-scanned", "gru-scanned", "ssm-scanned", "fori-loop", "rnn-scanned")
SUM = "stablehlo.add"


def capturing(block: Block) -> Block:
    """Return a block whose loops read from outside what they would carry unchanged."""
    names: dict[int, Value] = {}
    operations: list[Operation] = []
    for original in block.operations:
        operation = on(original, names)
        if is_loop(operation):
            operation = _captured(operation, names)
        operations.append(operation)
    return Block(block.arguments, tuple(operations), uses(block.results, names))


def _captured(loop: Operation, names: dict[int, Value]) -> Operation:
    condition, body = loop.regions
    pairs = list(enumerate(zip(body.arguments, body.results, strict=True)))
    same = {i: loop.operands[i] for i, (before, after) in pairs if before is after}
    names.update((id(loop.results[i]), value) for i, value in same.items())
    kept = [i for i, _ in pairs if i not in same]
    regions = [_reading(region, same) for region in (condition, body)]
    condition, body = regions
    results = tuple(body.results[i] for i in kept)
    return replace(
        loop,
        operands=tuple(loop.operands[i] for i in kept),
        results=tuple(loop.results[i] for i in kept),
        regions=(condition, capturing(replace(body, results=results))),
    )


def _reading(region: Block, captured: Mapping[int, Value]) -> Block:
    inner = renewed(region, {id(region.arguments[i]): v for i, v in captured.items()})
    kept = [v for i, v in enumerate(inner.arguments) if i not in captured]
    return replace(inner, arguments=tuple(kept))


def text_of(block: Block) -> str:
    return print_module(Module("loops", (Function("main", block),)))


def text_by_jax(name: str) -> tuple[str, int]:
    """Return a text without calls, and of how many arguments it has the gradients."""
    from certify.jax.functions import CASES

    case = CASES[name]
    return text_of(inlined(read_module(case.text())).body), len(case.shapes)


@pytest.mark.parametrize("name", LOOPS)
def test_gradients_of_loops_that_capture_are_proved_and_checked(name: str) -> None:
    carrying, count = text_by_jax(name)
    text = text_of(capturing(read_module(carrying).main.body))
    assert captures(text)
    assert not captures(carrying)
    grads = range(1, count + 1)
    report = certify_text(text, wrt=range(count), grads=grads, search=Search(seconds=0))
    assert report.verdict is Verdict.PROVED
    checked = check(json.dumps(report.certificate), text)
    assert checked.accepted, checked.reason
    assert len(checked.claims) == count


@pytest.mark.parametrize("name", LOOPS)
def test_a_wrong_gradient_in_a_loop_that_captures_is_refuted(name: str) -> None:
    carrying, count = text_by_jax(name)
    *_, backward = filter(is_loop, read_module(carrying).main.body.operations)
    sums = [each for each in backward.regions[1].operations if each.opcode == SUM]
    line = next(each.line for each in sums if each.results[0].type.element.is_float)
    lines = carrying.splitlines()
    assert SUM in lines[line - 1]
    lines[line - 1] = lines[line - 1].replace(SUM, "stablehlo.subtract")
    text = text_of(capturing(read_module("\n".join(lines)).main.body))
    assert captures(text)
    report = certify_text(text, wrt=range(count), grads=range(1, count + 1))
    assert report.verdict is Verdict.REFUTED


def captures(text: str) -> bool:
    loops = filter(is_loop, read_module(text).main.body.walk())
    return any(region.captured for loop in loops for region in loop.regions)


def is_loop(operation: Operation) -> bool:
    return operation.opcode == "stablehlo.while"
