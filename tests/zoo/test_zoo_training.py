"""Every named net learns: each parameter gets a gradient, and one small batch can be overfit."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from gradwright import programs, run, zoo
from gradwright.layers import BatchNorm, Conv2d
from gradwright.losses import SoftmaxCrossEntropy
from gradwright.optim import Adam
from gradwright.run.cache import FOLDER_VARIABLE
from gradwright.spec import NetSpec
from losses.closeness import Array

pytestmark = pytest.mark.xla
BATCH, STEPS, SHARE = 4, 200, 0.05
VANISHED = 1e-4
"""Of the largest gradient of a net: what rounding leaves of one that is zero by theory."""
# One net per family: linear, dense, plain convolutions, with batch norm; the latter two deep too.
FAMILIES = {
    "mnist-linear": 1e-2,
    "digits-mlp": 1e-3,
    "cifar-cnn": 1e-3,
    "digits-cnn": 1e-3,
    "cifar8": 3e-3,
    "cifar8-bn": 1e-3,
}


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(FOLDER_VARIABLE, str(folder))
        yield folder


def session(net: NetSpec) -> run.Session:
    program = programs.train_step(net, batch=BATCH, loss=SoftmaxCrossEntropy(), optimizer=Adam())
    return run.compile(program).session(programs.initial_state(program))


def small_batch(net: NetSpec) -> dict[str, Array]:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(BATCH, *net.input.shape)).astype(np.float32)
    return {"x": x, "y": np.array([3, 0, 9, 5], np.int32)}


def biases_in_front_of_a_norm(net: NetSpec) -> set[str]:
    """Return the biases that a batch norm subtracts again with the mean."""
    plans = list(net.walk())
    return {
        plan.full("bias")
        for plan, after in pairwise(plans)
        if isinstance(plan.layer, Conv2d) and plan.layer.bias and isinstance(after.layer, BatchNorm)
    }


def test_only_cifar8_bn_has_biases_in_front_of_a_norm() -> None:
    found = {name: biases_in_front_of_a_norm(zoo.get(name)) for name in zoo.NETS}
    eight = {f"conv{i}.bias" for i in range(1, 9)}
    assert {name: biases for name, biases in found.items() if biases} == {"cifar8-bn": eight}


@pytest.mark.parametrize("name", zoo.NETS)
def test_every_parameter_gets_a_gradient(name: str) -> None:
    """huggingface/candle#3613, #3526: a fused operation without a backward never trained.

    Read from Adam's first moment, which is the gradient; parameters hide its size.
    """
    net = zoo.get(name)
    training = session(net)
    training.step(**small_batch(net), lr=np.float32(0), t=np.float32(1))
    state = training.state()
    sizes = {s.name: float(np.abs(state[f"{s.name}.m"]).max()) for s in net.parameters}
    floor = VANISHED * max(sizes.values())
    still = {parameter for parameter, size in sizes.items() if size <= floor}
    assert still == biases_in_front_of_a_norm(net)


@pytest.mark.parametrize(("name", "rate"), FAMILIES.items(), ids=FAMILIES.keys())
def test_one_small_batch_can_be_overfit(name: str, rate: float) -> None:
    net = zoo.get(name)
    training, fed = session(net), small_batch(net)
    first = float(training.step(**fed, lr=np.float32(rate), t=np.float32(1))["loss"])
    last, correct = first, 0.0
    for t in range(2, STEPS + 1):
        result = training.step(**fed, lr=np.float32(rate), t=np.float32(t))
        if t % 10 == 0:
            last, correct = (float(np.asarray(result[key])) for key in ("loss", "correct"))
        if last < SHARE * first:
            break
    assert last < SHARE * first
    assert correct == BATCH
