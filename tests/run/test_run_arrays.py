"""Arrays go in and come out as they are, on every backend."""

import numpy as np
import pytest

from gradwright import run
from gradwright.hlo import ElementType
from gradwright.run import Backend
from run.texts import ACCUMULATE, BACKENDS, identity

SHAPES = ((), (1,), (3, 5), (0, 3), (2, 1, 7))


def bits(array: np.ndarray) -> bytes:
    return array.tobytes()


def some_values(shape: tuple[int, ...], element: ElementType) -> np.ndarray:
    """Values of every kind that the type has: distinct, negative, not finite."""
    size = int(np.prod(shape))
    if element is ElementType.I1:
        return (np.arange(size) % 3 == 1).reshape(shape)
    values = np.arange(size) % 6
    array = values.astype(np.float64).astype(element.dtype)
    if element.is_float and size > 2:
        array[:3] = np.array([-1.5, np.nan, -0.0]).astype(element.dtype)
    elif size > 1 and not element.value.startswith("u"):
        array[0] = -3
    return array.reshape(shape)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("element", ElementType)
def test_every_element_type_goes_through(backend: Backend, element: ElementType) -> None:
    for shape in SHAPES:
        x = some_values(shape, element)
        y = run.compile(identity(shape, element), backend=backend)(arg0=x)["out0"]
        assert (y.dtype, y.shape) == (x.dtype, x.shape)
        assert bits(y) == bits(x)


@pytest.mark.parametrize("backend", BACKENDS)
def test_strided_and_transposed_arrays_are_read_right(backend: Backend) -> None:
    exe = run.compile(identity((4, 3), ElementType.F32), backend=backend)
    grid = np.arange(48, dtype=np.float32).reshape(6, 8)
    repeated = np.ndarray((4, 3), np.float32, buffer=grid, strides=(0, 4))
    for x in (grid[:3, :4].T, grid[::-1][1:5, 6:0:-2], repeated):
        assert exe(arg0=x)["out0"].tolist() == x.tolist()


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_donating_program_leaves_the_callers_arrays_alone(backend: Backend) -> None:
    exe = run.compile(ACCUMULATE, backend=backend)
    # Aligned as a device buffer is, so that a lent array would be the device's own memory.
    raw = np.zeros(64 + 12, np.uint8)
    start = -raw.ctypes.data % 64
    state = raw[start : start + 12].view(np.float32)
    state[:] = (1, 2, 3)
    x = np.ones(3, np.float32)
    first = exe(arg0=state, arg1=x)
    assert state.tolist() == [1, 2, 3]
    assert x.tolist() == [1, 1, 1]
    assert first["arg0"].tolist() == [2, 3, 4]
    first["arg0"][:] = 0  # results are the caller's own
    assert exe(arg0=state, arg1=x)["arg0"].tolist() == [2, 3, 4]


@pytest.mark.xla
def test_a_result_outlives_its_executable() -> None:
    y = run.compile(identity((3,), ElementType.F32))(arg0=np.ones(3, np.float32))["out0"]
    assert y.flags.owndata
    assert y.flags.writeable
