"""Print, parse and verify officially, read: every operation comes back equal."""

from dataclasses import fields, replace
from typing import cast

import numpy as np
import pytest

from gradwright.hlo import (
    Block,
    Builder,
    ElementType,
    Module,
    Operation,
    TensorType,
    Value,
    print_module,
    read_module,
    same_module,
    to_bytecode,
    verify,
)
from gradwright.hlo.attributes import Attributes, CompareType, Constant, ConvolutionDims, Direction
from hlo.vocabulary import blocks, vocabulary

FLOATS = [element for element in ElementType if element.is_float]


@pytest.mark.parametrize("element", FLOATS)
def test_every_operation_comes_back_equal(element: ElementType) -> None:
    module = vocabulary(element)
    text = print_module(module, header=["a net", "two\nlines"])
    verify(text)
    read = read_module(text)
    assert same_module(read, module)
    assert print_module(read, header=["a net", "two\nlines"]) == text


def test_the_same_module_gives_the_same_bytes() -> None:
    assert print_module(vocabulary()) == print_module(vocabulary())


def test_the_sample_uses_every_constructor() -> None:
    opcodes = {operation.opcode for operation in _operations(vocabulary())}
    shown = {"conv": "convolution", "dot": "dot_general", "sum": "reduce", "max": "reduce"}
    renamed = shown | {
        "broadcast": "broadcast_in_dim",
        "logical_and": "and",
        "logical_or": "or",
        "logical_not": "not",
        "scatter_add": "scatter",
        "while_loop": "while",
    }
    not_operations = {
        *("adds", "argument", "binary", "emit", "emit_one", "finish", "maxima", "minima"),
        *("mismatch", "region", "scope", "scope_path", "splat", "splat_like", "sum_region"),
        "unary",
    }
    constructors = {name for name in dir(Builder) if name[0] != "_"} - not_operations
    used = {opcode.partition(".")[2] for opcode in opcodes}
    assert {renamed.get(name, name) for name in constructors} <= used


def test_the_text_shows_names_sections_and_aliases() -> None:
    text = print_module(vocabulary(), header=["a net"])
    assert text.startswith("// a net\nmodule @vocabulary attributes {mhlo.num_replicas = 2 : i32}")
    assert "%table: tensor<5x4xf32> {tf.aliasing_output = 0 : i32}" in text
    assert "    // windows forward\n" in text
    assert "    %products.y = stablehlo.convolution(%image, %conv1.weight)" in text
    assert "func.func private @double(%operand: tensor<5x4xf32>)" in text


def test_bytecode_holds_the_same_module() -> None:
    module = vocabulary()
    main, double = module.functions
    # The portable dialect keeps the handle of a channel but not its type.
    kept = tuple(op for op in main.body.operations if op.opcode != "stablehlo.all_reduce")
    gone = {id(v) for op in main.body.operations if op not in kept for v in op.results}
    results = tuple(value for value in main.body.results if id(value) not in gone)
    body = Block(main.body.arguments, kept, results)
    module = replace(module, functions=(replace(main, body=body), double))
    assert same_module(read_module(to_bytecode(print_module(module))), module)


def test_one_change_anywhere_makes_modules_unequal() -> None:
    module = vocabulary()
    changed = 0
    for index, function in enumerate(module.functions):
        for block in blocks(function.body):
            for operation in block.operations:
                for variant in _variants(operation, function.body.arguments[0]):
                    body = _replaced(function.body, operation, variant)
                    functions = list(module.functions)
                    functions[index] = replace(function, body=body)
                    other = replace(module, functions=tuple(functions))
                    assert not same_module(module, other), operation
                    assert not same_module(other, module), operation
                    changed += 1
    assert changed > 200


@pytest.mark.parametrize("change", ["name", "replicas", "functions", "aliases", "results"])
def test_a_change_of_the_frame_makes_modules_unequal(change: str) -> None:
    module = vocabulary()
    main, double = module.functions
    body = main.body
    other = {
        "name": replace(module, name="other"),
        "replicas": replace(module, replicas=1),
        "functions": replace(module, functions=(main,)),
        "aliases": replace(module, functions=(replace(main, aliases=()), double)),
        "results": replace(
            module,
            functions=(replace(main, body=replace(body, results=body.results[::-1])), double),
        ),
    }[change]
    assert same_module(module, vocabulary())
    assert not same_module(module, other)


def test_names_do_not_matter_to_equality() -> None:
    module = vocabulary()
    renamed = read_module(print_module(module).replace("%table", "%renamed"))
    assert same_module(module, renamed)


def _operations(module: Module) -> list[Operation]:
    return [operation for f in module.functions for operation in f.body.walk()]


def _variants(operation: Operation, stranger: Value) -> list[Operation]:
    """Return the operation with one thing changed at a time."""
    variants = [replace(operation, opcode=f"{operation.opcode}_")]
    variants += [
        replace(
            operation, operands=(*operation.operands[:i], stranger, *operation.operands[i + 1 :])
        )
        for i, operand in enumerate(operation.operands)
        if operand is not stranger
    ]
    variants += [replace(operation, attributes=a) for a in _changed(operation.attributes)]
    variants += [
        replace(operation, regions=operation.regions[:i]) for i in range(len(operation.regions))
    ]
    types = [Value(result.type.with_shape((9,)), result.name) for result in operation.results]
    return [*variants, replace(operation, results=tuple(types))]


def _changed(attributes: Attributes) -> list[Attributes]:
    if attributes is None:
        return []
    if isinstance(attributes, Constant):
        array = attributes.array.copy()
        array.reshape(-1).view(np.uint8)[-1] ^= 1
        return [Constant.of(array)]
    return [
        replace(attributes, **{field.name: _other(getattr(attributes, field.name))})
        for field in fields(attributes)
    ]


def _other(value: object) -> object:
    if isinstance(value, Direction | CompareType):
        return Direction.NE if isinstance(value, Direction) else CompareType.TOTALORDER
    if isinstance(value, ConvolutionDims):
        return replace(value, output_spatial=value.output_spatial[::-1])
    if isinstance(value, str):
        return f"{value}_"
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    assert isinstance(value, tuple)
    return (*cast("tuple[object, ...]", value), 3)


def _replaced(block: Block, old: Operation, new: Operation) -> Block:
    """Return the block with one operation, at any depth, replaced."""
    operations = tuple(
        new
        if operation is old
        else replace(
            operation, regions=tuple(_replaced(region, old, new) for region in operation.regions)
        )
        for operation in block.operations
    )
    return Block(block.arguments, operations, block.results)


def test_the_change_of_a_constant_is_seen_at_the_bit() -> None:
    for left, right in ((0.0, -0.0), (1.0, np.nextafter(1, 2))):
        assert Constant.of(np.array([left])) != Constant.of(np.array([right]))
    nan = np.array([np.nan])
    assert Constant.of(nan) == Constant.of(nan.copy())
    assert Constant.of(nan) != Constant.of(-nan)


def test_a_constant_is_a_copy_and_a_splat_where_its_elements_are_equal() -> None:
    array = np.ones((2, 3), np.float32)
    constant = Constant.of(array)
    array[0, 0] = 2
    assert constant.splat
    assert constant == Constant.repeated(np.ones(1, np.float32), (2, 3))
    assert not constant.array.flags.writeable
    assert array.flags.writeable
    empty = Constant.of(np.ones((0, 2)))
    assert not empty.splat
    assert empty == Constant.repeated(np.ones(1), (0, 2))


def test_equal_constants_of_a_block_are_written_once() -> None:
    b = Builder()
    x = b.argument("x", TensorType((2,)))
    y = x * 2 + b.constant(np.array([2, 2], np.float32)) + 2.0
    function = b.finish("main", [y])
    opcodes = [operation.opcode for operation in function.body.operations]
    assert opcodes.count("stablehlo.constant") == 1
