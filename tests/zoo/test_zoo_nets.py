"""The named nets: exact sizes, options, errors and initial values."""

import numpy as np
import pytest

from gradwright import programs, zoo
from gradwright.errors import SpecError
from gradwright.hlo import Role
from gradwright.losses import SoftmaxCrossEntropy
from gradwright.optim import AdamW
from gradwright.spec import Constant, HeNormal
from losses.closeness import Array

# Parameters and tensors. The published ones are lean4-mlir's; the digits nets are summed by hand.
SIZES = {
    "mnist-linear": (7_850, 2),
    "mnist-mlp": (669_706, 6),
    "mnist-cnn": (1_676_458, 16),
    "mnist-cnn-plain": (3_489_130, 10),
    "digits-mlp": ((64 + 1) * 128 + (128 + 1) * 128 + (128 + 1) * 10, 6),
    "digits-cnn": (
        (9 + 2) * 32 + (32 * 9 + 2) * 32 + (32 * 9 + 2) * 64 + (256 + 1) * 128 + (128 + 1) * 10,
        13,
    ),
    "cifar-cnn": (2_431_018, 14),
    "cifar8": (52_858, 22),
    "cifar8-bn": (53_242, 38),
}
STATISTICS = {"mnist-cnn": 8, "digits-cnn": 6, "cifar8-bn": 16}
SIGMAS = 5
"""Standard errors that an estimate from random draws may be off."""


def random_slots(seed: int) -> dict[str, tuple[HeNormal, Array]]:
    """Return the random parameters of digits-cnn with what they were drawn from."""
    net = zoo.get("digits-cnn")
    values = programs.init(net, seed)
    return {
        slot.name: (slot.initializer, values[slot.name])
        for slot in net.parameters
        if isinstance(slot.initializer, HeNormal)
    }


def test_every_net_has_its_size_stated() -> None:
    assert SIZES.keys() == zoo.NETS.keys()


@pytest.mark.parametrize(("name", "size"), SIZES.items(), ids=SIZES.keys())
def test_the_counts_are_the_published_ones(name: str, size: tuple[int, int]) -> None:
    """One definition: count, slots, initial values and the program's arguments agree."""
    net = zoo.get(name)
    assert net.name == name
    assert (net.parameter_count, len(net.parameters)) == size
    assert len(net.statistics) == STATISTICS.get(name, 0)
    values = programs.init(net)
    assert sum(values[slot.name].size for slot in net.parameters) == size[0]
    program = programs.train_step(net, batch=2, loss=SoftmaxCrossEntropy(), optimizer=AdamW())
    taken = [port for port in program.inputs if port.role is Role.PARAMETER]
    assert sum(port.type.size for port in taken) == size[0]
    assert [port.name for port in taken] == [slot.name for slot in net.parameters]


@pytest.mark.parametrize("name", zoo.NETS)
@pytest.mark.parametrize("classes", [2, 100])
def test_the_number_of_classes_changes_the_head_alone(name: str, classes: int) -> None:
    ten, other = zoo.get(name), zoo.get(name, classes=classes)
    assert other.output == (classes,)
    changed = {
        a.name for a, b in zip(ten.parameters, other.parameters, strict=True) if a.shape != b.shape
    }
    assert changed == {slot.name for slot in ten.parameters[-2:]}


def test_an_unknown_name_is_answered_with_those_near_it() -> None:
    with pytest.raises(SpecError) as caught:
        zoo.get("resnet-9000")
    assert str(caught.value) == (
        "zoo: expected a name that `gradwright nets` or gw.zoo.names() lists, found "
        "'resnet-9000'. Perhaps resnet50 or resnet101 or resnet34"
    )


@pytest.mark.parametrize("name", ["mnist-linear", "resnet18", "bestiary-alexnet"])
def test_a_net_of_no_classes_is_refused(name: str) -> None:
    with pytest.raises(SpecError) as caught:
        zoo.get(name, classes=0)
    expected = "a number of classes >= 1 (plain integers up to 2147483647)"
    assert str(caught.value) == f"zoo: {name}: expected {expected}, found 0"


def test_kernels_have_the_variance_that_they_declare() -> None:
    for name, (initializer, value) in random_slots(0).items():
        variance = 2 / initializer.fan_in
        assert initializer.deviation**2 == pytest.approx(variance)
        error = variance * np.sqrt(2 / value.size)
        assert abs(float(np.mean(value**2)) - variance) < SIGMAS * error, name
        assert abs(float(value.mean())) < SIGMAS * np.sqrt(variance / value.size), name


def test_the_fan_in_is_that_of_the_kernel() -> None:
    fans = {name: initializer.fan_in for name, (initializer, _) in random_slots(0).items()}
    assert fans == {
        "convbn1.conv.weight": 9,
        "convbn2.conv.weight": 9 * 32,
        "convbn3.conv.weight": 9 * 32,
        "dense1.weight": 4 * 64,
        "dense2.weight": 128,
    }


def test_constants_start_as_declared() -> None:
    net = zoo.get("digits-cnn")
    values = programs.init(net)
    for slot in net.slots:
        if isinstance(slot.initializer, Constant):
            assert (values[slot.name] == slot.initializer.value).all()
    assert (values["convbn1.bn.running_var"] == 1).all()
    assert not values["convbn1.bn.running_mean"].any()


def test_a_seed_decides_and_another_one_differs() -> None:
    first, again, other = random_slots(3), random_slots(3), random_slots(4)
    for name, (_, value) in first.items():
        assert (value == again[name][1]).all()
        assert abs(np.corrcoef(value.ravel(), other[name][1].ravel())[0, 1]) < 0.25


def test_no_two_parameters_share_their_draws() -> None:
    """Consecutive seeds of one generator would repeat one stream at an offset."""
    drawn = [value.ravel()[:288] for _, value in random_slots(0).values() if value.size >= 288]
    table = np.corrcoef(np.array(drawn)) - np.eye(len(drawn))
    assert abs(table).max() < SIGMAS / np.sqrt(288)


def test_one_layer_does_not_move_the_draws_of_another() -> None:
    ten, seven = (programs.init(zoo.get("digits-cnn", classes=k)) for k in (10, 7))
    for name, value in ten.items():
        assert name.startswith("dense2.") or (value == seven[name]).all()


def test_the_initial_state_is_what_the_program_takes() -> None:
    net = zoo.get("digits-cnn")
    program = programs.train_step(net, batch=2, loss=SoftmaxCrossEntropy(), optimizer=AdamW())
    state = programs.initial_state(program, seed=5)
    ports = [port for port in program.inputs if port.role.is_state]
    assert list(state) == [port.name for port in ports]
    parameters = programs.init(net, seed=5)
    for port in ports:
        assert (state[port.name].shape, state[port.name].dtype) == (port.shape, port.dtype)
        zero = port.role is Role.MOMENT
        expected = np.zeros(port.shape) if zero else parameters[port.name]
        assert (state[port.name] == expected).all()
