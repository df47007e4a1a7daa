"""Small nets of several families: one gradient on XLA and on IREE.

`make sweep` compares the train steps of all published nets (benchmarks/zoo_steps.py).
"""

from collections.abc import Mapping

import numpy as np
import pytest

from gradwright import programs, run, zoo
from gradwright.programs import Program
from losses.closeness import Array

pytestmark = [pytest.mark.xla, pytest.mark.iree]

BATCH = 3
SHARE = 1e-4
"""Of the longest gradient: a thousand ulps of float32."""
FAMILIES = {"bestiary-tiny-squeezenet": 8, "bestiary-tiny-unet": 8, "bestiary-tiny-clip-image": 12}
"""Fire modules, upsampling and joins, strided residual blocks; with the size of pictures."""
QUICK = ("bestiary-tiny-clip-image",)
CASES = [
    pytest.param(*case, marks=[] if case[0] in QUICK else [pytest.mark.slow])
    for case in FAMILIES.items()
]


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


@pytest.mark.parametrize(("name", "size"), CASES)
def test_a_net_has_one_gradient_on_xla_and_iree(name: str, size: int) -> None:
    program = programs.vjp(zoo.get(name, size=size), batch=BATCH)
    xla, iree = (
        run.compile(program, backend=backend, cache=run.NO_CACHE) for backend in ("xla", "iree")
    )
    expected = xla(**drawn(program, 0))
    assert apart(iree(**drawn(program, 0)), expected) < SHARE
    assert apart(xla(**drawn(program, 1)), expected) > SHARE
