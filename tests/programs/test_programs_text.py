"""What holds of every text: valid, complete, without waste, and the same bytes each time."""

import hashlib
import re
import subprocess
import sys
from collections.abc import Callable, Hashable, Iterator

import pytest

from gradwright import programs, zoo
from gradwright.hlo import Block, ElementType, Operation, Value, read_module, same_module, verify
from gradwright.layers import PORTABLE, TEXTBOOK, Formulation
from gradwright.losses import SoftmaxCrossEntropy
from gradwright.optim import AdamW
from gradwright.programs import Program
from gradwright.spec import NetSpec
from programs.nets import BLOCKS, NETS
from repository.tree import ROOT

CE = SoftmaxCrossEntropy(label_smoothing=0.1)
ALL = {**NETS, **{name: zoo.get(name) for name in zoo.NETS}}
FORMS = {"textbook": TEXTBOOK, "portable": PORTABLE}
Emit = Callable[[NetSpec, Formulation, ElementType], Program]
ENTRIES: dict[str, Emit] = {
    "train-step": lambda n, f, e: programs.train_step(
        n, batch=2, loss=CE, optimizer=AdamW(), element=e, formulation=f
    ),
    "forward": lambda n, f, e: programs.forward(n, batch=2, element=e, formulation=f),
    "eval": lambda n, f, e: programs.eval(n, batch=2, element=e, formulation=f),
    "vjp": lambda n, f, e: programs.vjp(n, batch=2, element=e, formulation=f),
    "optimizer-step": lambda n, f, e: programs.optimizer_step(n, optimizer=AdamW(), element=e),
}
EVERY_NET = pytest.mark.parametrize("net", ALL.values(), ids=ALL.keys())
EVERY_FORM = pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())


def emitted(net: NetSpec, form: Formulation) -> Iterator[Program]:
    for emit in ENTRIES.values():
        for element in (ElementType.F32, ElementType.F64):
            yield emit(net, form, element)


def dead_operations(block: Block) -> list[str]:
    """List operations none of whose results is read or returned."""
    read = {id(value) for operation in block.walk() for value in operation.operands}
    read |= {id(v) for op in block.walk() for region in op.regions for v in region.results}
    read |= {id(value) for value in block.results}
    return [
        operation.results[0].name
        for operation in block.walk()
        if not any(id(result) in read for result in operation.results)
    ]


def shape_of(operation: Operation, numbers: dict[int, int]) -> Hashable:
    """Return a key that two operations share when they compute the same from the same values."""

    def reference(value: Value) -> int:
        return numbers.setdefault(id(value), id(value))

    def region(block: Block) -> Hashable:
        inner = {**numbers, **{id(value): -i - 1 for i, value in enumerate(block.arguments)}}
        return tuple(
            (shape_of(op, inner), inner.setdefault(id(op.results[0]), -100 - i))
            for i, op in enumerate(block.operations)
        )

    return (
        operation.opcode,
        tuple(map(reference, operation.operands)),
        operation.attributes,
        tuple(result.type for result in operation.results),
        tuple(map(region, operation.regions)),
    )


def repeated_operations(block: Block) -> list[str]:
    """List operations that compute what an earlier one has computed."""
    first: dict[Hashable, str] = {}
    again: list[str] = []
    for operation in block.operations:
        name = operation.results[0].name
        if first.setdefault(shape_of(operation, {}), name) != name:
            again.append(name)
    return again


def sections(text: str) -> list[str]:
    return re.findall(r"^ +// (.*)$", text, re.MULTILINE)


@EVERY_NET
@EVERY_FORM
def test_every_text_is_valid_and_reads_back_equal(net: NetSpec, form: Formulation) -> None:
    for program in emitted(net, form):
        verify(program.text)
        assert same_module(read_module(program.text), program.module), program


@EVERY_NET
@EVERY_FORM
def test_no_operation_is_idle_or_repeated(net: NetSpec, form: Formulation) -> None:
    for program in emitted(net, form):
        body = program.module.main.body
        assert dead_operations(body) == []
        assert repeated_operations(body) == []


@EVERY_NET
@EVERY_FORM
def test_every_value_has_a_name_of_its_own(net: NetSpec, form: Formulation) -> None:
    for program in emitted(net, form):
        body = program.module.main.body
        names = [v.name for v in body.arguments]
        names += [v.name for operation in body.operations for v in operation.results]
        assert len(names) == len(set(names))
        assert [v.name for v in body.arguments] == [port.name for port in program.inputs]


@EVERY_NET
@EVERY_FORM
def test_each_layer_and_direction_has_one_comment(net: NetSpec, form: Formulation) -> None:
    for program in emitted(net, form):
        found = sections(program.text.split("func.func private")[0])
        assert len(found) == len(set(found))
        wanted = {p.path for p in net.walk() if p.slots and not p.children}
        if program.entry != "optimizer-step":
            assert wanted <= {line.split(":")[0] for line in found}
        if program.entry in ("train-step", "vjp"):
            backward = {line.split(":")[0] for line in found if line.endswith(", backward")}
            assert wanted <= backward


@EVERY_NET
@EVERY_FORM
def test_a_program_in_f64_holds_nothing_in_f32(net: NetSpec, form: Formulation) -> None:
    for emit in ENTRIES.values():
        assert not re.search(r"[x<]f32>", emit(net, form, ElementType.F64).text)
        assert re.search(r"[x<]f32>", emit(net, form, ElementType.F32).text)


def test_the_header_says_what_was_asked_for() -> None:
    text = ENTRIES["train-step"](NETS["linear"], PORTABLE, ElementType.F64).text
    head = text.split("\nmodule")[0].split("\n")
    assert head[:3] == ["// linear: train-step", "// element f64", "// batch 2"]
    assert head[3].startswith("// SoftmaxCrossEntropy(labels=Labels.INDEX, label_smoothing=0.1")
    assert head[4].startswith("// AdamW(beta1=0.9, beta2=0.999, epsilon=1e-08")


_DIGESTS = """
from programs.test_programs_text import digests
print(digests(), end="")
"""


def digests() -> str:
    """Return the SHA-256 of several texts."""
    nets = (BLOCKS, zoo.get("digits-cnn"))
    texts = [p.text for net in nets for form in FORMS.values() for p in emitted(net, form)]
    return "\n".join(hashlib.sha256(text.encode()).hexdigest() for text in texts)


@pytest.mark.parametrize("hash_seed", ["0", "12345"])
def test_another_process_writes_the_same_bytes(hash_seed: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _DIGESTS],
        cwd=ROOT,
        env={"PYTHONHASHSEED": hash_seed, "PYTHONPATH": "tests", "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == digests()


def test_the_checks_see_idle_and_repeated_operations() -> None:
    program = ENTRIES["train-step"](BLOCKS, PORTABLE, ElementType.F32)
    body = program.module.main.body
    reductions = [op for op in body.operations if op.regions]
    copies = [
        Operation(
            op.opcode,
            op.operands,
            tuple(Value(r.type, f"{r.name}.again") for r in op.results),
            op.attributes,
            op.regions,
        )
        for op in (body.operations[0], reductions[0])
    ]
    doubled = Block(body.arguments, (*body.operations, *copies), body.results)
    assert dead_operations(doubled) == [copy.results[0].name for copy in copies]
    assert repeated_operations(doubled) == [copy.results[0].name for copy in copies]
