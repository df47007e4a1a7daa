"""Order, names, roles and types of what programs take and return."""

import re

import pytest

from gradwright import programs, zoo
from gradwright.hlo import ElementType, Role
from gradwright.losses import Labels, MeanSquaredError, SoftmaxCrossEntropy
from gradwright.optim import AdamW, Momentum, Optimizer, Sgd
from gradwright.programs import Program
from gradwright.spec import NetSpec
from programs.nets import BLOCKS, LINEAR, MASKED, NETS, TOKENS

BATCH = 2
PARAMETERS = ["dense1.weight", "dense1.bias", "bn1.weight", "bn1.bias", "top.weight", "top.bias"]
STATISTICS = ["bn1.running_mean", "bn1.running_var"]
MOMENTS = [f"{name}.{moment}" for moment in ("m", "v") for name in PARAMETERS]
GRADIENTS = [f"d.{name}" for name in PARAMETERS]
CE = SoftmaxCrossEntropy()
_HEAD = re.compile(r"func\.func public @main\((.*?)\) -> \((.*?)\) \{\n", re.DOTALL)
_ARGUMENT = re.compile(r"%([\w.]+): (tensor<\w+>)(?: \{tf.aliasing_output = (\d+) : i32\})?")


def step(net: NetSpec, optimizer: Optimizer | None = None) -> Program:
    return programs.train_step(net, batch=BATCH, loss=CE, optimizer=optimizer or AdamW())


def names(program: Program) -> tuple[list[str], list[str]]:
    return [p.name for p in program.inputs], [p.name for p in program.outputs]


def test_the_train_step() -> None:
    state = [*PARAMETERS, *MOMENTS, *STATISTICS]
    expected = [*state, "lr", "t", "x", "y", "drop1.mask"], [*state, "loss", "correct"]
    assert names(step(MASKED)) == expected


def test_the_train_step_with_less_state() -> None:
    state = [*PARAMETERS, *(f"{name}.u" for name in PARAMETERS), *STATISTICS]
    assert names(step(MASKED, Momentum()))[1] == [*state, "loss", "correct"]
    assert names(step(LINEAR, Sgd())) == (
        ["dense1.weight", "dense1.bias", "lr", "t", "x", "y"],
        ["dense1.weight", "dense1.bias", "loss", "correct"],
    )


def test_the_inference_programs() -> None:
    forward = programs.forward(MASKED, batch=BATCH)
    assert names(forward) == ([*PARAMETERS, "x", "drop1.mask"], ["output"])
    evaluation = programs.eval(MASKED, batch=BATCH)
    assert names(evaluation) == ([*PARAMETERS, *STATISTICS, "x"], ["output"])
    capture = programs.capture(BLOCKS, batch=BATCH)
    assert names(capture)[0] == names(programs.eval(BLOCKS, batch=BATCH))[0]
    assert [(p.name, p.shape) for p in capture.outputs] == [
        ("features", (BATCH, 5, 3, 2)),
        ("output", (BATCH, 3)),
    ]


def test_the_parts_of_a_step() -> None:
    vjp = programs.vjp(MASKED, batch=BATCH)
    assert names(vjp) == ([*PARAMETERS, "x", "drop1.mask", "dy"], [*GRADIENTS, "d.x"])
    update = programs.optimizer_step(MASKED, optimizer=AdamW())
    state = [*PARAMETERS, *MOMENTS]
    assert names(update) == ([*state, "lr", "t", *GRADIENTS], state)


def test_tokens_are_integers_and_have_no_cotangent() -> None:
    vjp = programs.vjp(TOKENS, batch=BATCH)
    [x] = [port for port in vjp.inputs if port.name == "x"]
    assert (x.shape, x.type.element) == ((BATCH, 4), ElementType.I32)
    assert "d.x" not in names(vjp)[1]


def test_the_roles_of_a_train_step() -> None:
    program = step(MASKED)
    roles = {port.name: port.role for port in (*program.inputs, *program.outputs)}
    expected = (
        dict.fromkeys(PARAMETERS, Role.PARAMETER)
        | dict.fromkeys(MOMENTS, Role.MOMENT)
        | dict.fromkeys(STATISTICS, Role.STATISTIC)
        | {"lr": Role.LEARNING_RATE, "t": Role.STEP, "x": Role.DATA, "y": Role.LABEL}
        | {"drop1.mask": Role.MASK, "loss": Role.LOSS, "correct": Role.METRIC}
    )
    assert roles == expected


def test_the_types_of_labels_follow_the_loss() -> None:
    def label(loss: SoftmaxCrossEntropy | MeanSquaredError) -> tuple[tuple[int, ...], ElementType]:
        program = programs.train_step(LINEAR, batch=BATCH, loss=loss, optimizer=Sgd())
        [y] = [port for port in program.inputs if port.role is Role.LABEL]
        return y.shape, y.type.element

    assert label(CE) == ((BATCH,), ElementType.I32)
    assert label(SoftmaxCrossEntropy(Labels.SOFT)) == ((BATCH, 3), ElementType.F32)
    assert label(MeanSquaredError()) == ((BATCH, 3), ElementType.F32)


def test_only_losses_over_classes_count_right_answers() -> None:
    program = programs.train_step(LINEAR, batch=BATCH, loss=MeanSquaredError(), optimizer=Sgd())
    assert names(program)[1][-1] == "loss"


EVERY = [*NETS.values(), *(zoo.get(name) for name in zoo.NETS)]


@pytest.mark.parametrize("net", EVERY, ids=lambda net: net.name)
def test_state_comes_first_and_goes_out_as_it_came_in(net: NetSpec) -> None:
    program = step(net)
    count = 3 * len(net.parameters) + len(net.statistics)
    assert program.inputs[:count] == program.outputs[:count]
    assert all(port.role.is_state for port in program.inputs[:count])
    assert not any(port.role.is_state for port in program.inputs[count:])
    assert program.signature.aliases == tuple((i, i) for i in range(count))


@pytest.mark.parametrize("net", NETS.values(), ids=lambda net: net.name)
@pytest.mark.parametrize("entry", ["train-step", "forward", "eval", "vjp", "optimizer-step"])
def test_the_text_says_what_the_signature_says(net: NetSpec, entry: str) -> None:
    program = {
        "train-step": lambda: step(net),
        "forward": lambda: programs.forward(net, batch=BATCH),
        "eval": lambda: programs.eval(net, batch=BATCH),
        "vjp": lambda: programs.vjp(net, batch=BATCH),
        "optimizer-step": lambda: programs.optimizer_step(net, optimizer=AdamW()),
    }[entry]()
    assert program.entry == entry
    assert program.name == f"{net.identifier}_{entry.replace('-', '_')}"
    assert f"\nmodule @{program.name} {{\n" in program.text
    [(arguments, results)] = _HEAD.findall(program.text)
    found = _ARGUMENT.findall(arguments)
    aliases = dict(program.signature.aliases)
    expected = [
        (port.name, str(port.type), str(aliases.get(i, "")))
        for i, port in enumerate(program.inputs)
    ]
    assert found == expected
    assert re.findall(r"tensor<\w+>", results) == [str(port.type) for port in program.outputs]
    assert bool(aliases) == (entry in ("train-step", "optimizer-step"))


def test_a_program_knows_which_masks_to_draw() -> None:
    assert [mask.name for mask in step(MASKED).masks] == ["drop1.mask"]
    assert step(MASKED).masks[0].keep == 0.75
    assert programs.eval(MASKED, batch=BATCH).masks == ()
