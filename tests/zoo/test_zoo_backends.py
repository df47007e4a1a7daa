"""Small nets of several families on XLA and on IREE: one gradient, one whole train step.

`make sweep` compares the train steps of all published nets (benchmarks/zoo_steps.py).
"""

from collections.abc import Mapping

import numpy as np
import pytest

from gradwright import losses, optim, programs, run, zoo
from gradwright.programs import Program
from losses.closeness import Array

pytestmark = [pytest.mark.xla, pytest.mark.iree]

BATCH = 3
SHARE = 1e-4
"""Of the longest gradient: a thousand ulps of float32."""
FAMILIES = {"bestiary-tiny-squeezenet": 8, "bestiary-tiny-unet": 8, "bestiary-tiny-clip-image": 12}
"""Fire modules, upsampling and joins, strided residual blocks; with the size of pictures."""
STEPS = [
    pytest.param("squeezenet1.1", 32),
    pytest.param("resnet18", 64, marks=pytest.mark.slow),
]
RATE = 0.1
SEEDS = (0, 1)
"""Of batches, of which one must agree: at a ReLU whose argument is 0 but for rounding the backends
may fall on different sides. ResNet-18's first batch is such a one (2e-2, the second 1e-5), and
float64 says on which backend."""
QUICKLY = run.Options(xla_flags=(("xla_backend_optimization_level", "0"),))
"""For XLA, which compiles ten times as fast then; IREE reads nothing of it."""


def drawn(program: Program, rows: int) -> dict[str, Array]:
    """Return weights, pictures of which the first `rows` rows are turned, and a cotangent."""
    arrays = programs.init(program.net, seed=1)
    random = np.random.default_rng(0)
    for port in program.inputs[len(program.net.parameters) :]:
        arrays[port.name] = random.standard_normal(port.shape).astype(np.float32)
    arrays["x"][:, :, :rows] *= -1
    return {port.name: arrays[port.name] for port in program.inputs}


def apart(found: Mapping[str, Array], expected: Mapping[str, Array]) -> float:
    """Return the longest difference as a share of the longest gradient."""
    longest = max(float(np.linalg.norm(array)) for array in expected.values())
    return max(float(np.linalg.norm(found[n] - expected[n])) for n in expected) / longest


@pytest.mark.slow
@pytest.mark.parametrize(("name", "size"), FAMILIES.items())
def test_a_net_has_one_gradient_on_xla_and_iree(name: str, size: int) -> None:
    program = programs.vjp(zoo.get(name, size=size), batch=BATCH)
    xla, iree = (
        run.compile(program, backend=backend, cache=run.NO_CACHE) for backend in ("xla", "iree")
    )
    expected = xla(**drawn(program, 0))
    assert apart(iree(**drawn(program, 0)), expected) < SHARE
    assert apart(xla(**drawn(program, 1)), expected) > SHARE


@pytest.mark.parametrize(("name", "size"), STEPS)
def test_a_whole_train_step_of_a_published_net_is_one_on_xla_and_iree(name: str, size: int) -> None:
    net = zoo.get(name, classes=10, size=size)
    loss, rule = losses.SoftmaxCrossEntropy(), optim.Sgd()
    step = programs.train_step(net, batch=2, loss=loss, optimizer=rule)
    before = programs.initial_state(step, seed=1)
    batches = [
        np.random.default_rng(seed).standard_normal((2, *net.input.shape)).astype(np.float32)
        for seed in SEEDS
    ]

    iree, xla = (
        run.compile(step, backend=backend, options=QUICKLY, cache=run.NO_CACHE)
        for backend in ("iree", "xla")
    )

    def moves(compiled: run.Executable, pictures: Array) -> dict[str, Array]:
        session = compiled.session(before)
        session.step(x=pictures, y=np.array([3, 7], np.int32), lr=RATE, t=1.0)
        return {name: array - before[name] for name, array in session.state().items()}

    found = [moves(iree, x) for x in batches]
    assert {slot.name for slot in net.parameters} <= found[0].keys()
    flipped = [np.flip(x, axis=3).copy() for x in batches]
    assert min(apart(f, moves(xla, x)) for f, x in zip(found, batches, strict=True)) < SHARE
    assert min(apart(f, moves(xla, x)) for f, x in zip(found, flipped, strict=True)) > SHARE
