"""State that stays on the device."""

import numpy as np
import pytest

from gradwright import run
from gradwright.errors import LowererError, ShapeError
from gradwright.run import Backend
from run.texts import ACCUMULATE, BACKENDS, UNKNOWN_CALL, many

STATE = np.array([0.1, 0.2, 0.3], np.float32)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_session_equals_repeated_calls_bit_for_bit(backend: Backend) -> None:
    exe = run.compile(ACCUMULATE, backend=backend)
    session = exe.session({"arg0": STATE})
    expected, batches = STATE, np.random.default_rng(3).normal(size=(5, 3)).astype(np.float32)
    for batch in batches:
        called = exe(arg0=expected, arg1=batch)
        result = session.step(arg1=batch)
        assert list(result) == ["out1"]
        assert result["out1"].tobytes() == called["out1"].tobytes()
        expected = called["arg0"]
    assert session.state()["arg0"].tobytes() == expected.tobytes()


@pytest.mark.parametrize("backend", BACKENDS)
def test_results_may_be_read_late_and_the_batch_reused_at_once(backend: Backend) -> None:
    session = run.compile(ACCUMULATE, backend=backend).session({"arg0": np.zeros(3, np.float32)})
    batch = np.empty(3, np.float32)
    results: list[run.StepResult] = []
    for value in range(1, 40):
        batch[:] = value
        results.append(session.step(arg1=batch))
    assert [float(result["out1"]) for result in results] == [
        3 * value * (value + 1) / 2 for value in range(1, 40)
    ]


@pytest.mark.parametrize("backend", BACKENDS)
def test_bad_input_does_not_touch_the_state(backend: Backend) -> None:
    session = run.compile(ACCUMULATE, backend=backend).session({"arg0": STATE})
    with pytest.raises(ShapeError):
        session.step(arg1=np.ones(4, np.float32))
    session.step(arg1=np.zeros(3, np.float32))
    assert session.state()["arg0"].tobytes() == STATE.tobytes()


@pytest.mark.parametrize("backend", BACKENDS)
def test_state_is_copied_in_and_out(backend: Backend) -> None:
    mine = STATE.copy()
    session = run.compile(ACCUMULATE, backend=backend).session({"arg0": mine})
    mine[:] = 9
    taken = session.state()["arg0"]
    taken[:] = 7
    assert session.state()["arg0"].tobytes() == STATE.tobytes()


@pytest.mark.xla
@pytest.mark.parametrize("count", [1, 1500])
def test_many_arguments(count: int) -> None:
    exe = run.compile(many(count))
    state = {f"arg{i}": np.full(2, i, np.float32) for i in range(count)}
    session = exe.session(state)
    for _ in range(3):
        session.step()
    after = session.state()
    assert all(after[f"arg{i}"].tolist() == [i + 3, i + 3] for i in range(count))


@pytest.mark.interpreter
def test_a_session_whose_step_failed_says_so() -> None:
    text = UNKNOWN_CALL.replace(
        "%x: tensor<4xf32>", "%x: tensor<4xf32> {tf.aliasing_output = 0 : i32}"
    )
    session = run.compile(text, backend="interpreter").session({"arg0": np.ones(4, np.float32)})
    with pytest.raises(LowererError, match="SIGABRT"):
        session.step()
    with pytest.raises(LowererError) as caught:
        session.state()
    assert str(caught.value) == (
        "session of program unknown_call: expected a state, found an earlier step failed and took "
        "it along. Start a new session from the last checkpoint"
    )
