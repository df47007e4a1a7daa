"""Whatever a compiler does to its process, this one lives on and says what happened."""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from gradwright import run
from gradwright.errors import LowererError
from gradwright.hlo import ElementType, verify
from gradwright.run import isolation
from run.texts import ABORTS_XLA, BATCH_NORM_GRAD, CALLS_ITSELF, UNKNOWN_CALL, identity

REMEDY = (
    "The verifier accepts the text, so this is a defect of the backend: try another backend, or "
    "leave out operations until it answers"
)
FINE = identity((2,), ElementType.F32)
X = np.ones(2, np.float32)


def still_works(backend: str) -> bool:
    y = run.compile(FINE, backend=backend, cache=run.NO_CACHE)(arg0=X)["out0"]
    return bool((y == X).all())


@pytest.mark.xla
def test_xla_aborts_on_a_module_that_the_verifier_accepts() -> None:
    verify(ABORTS_XLA)
    with pytest.raises(LowererError) as caught:
        run.compile(ABORTS_XLA)
    assert caught.value.where == "program negative_padding on XLA"
    assert caught.value.found.startswith("the process died (SIGABRT: algebraic_simplifier.cc:")
    assert "Check failed" in caught.value.found
    assert caught.value.remedy == REMEDY
    assert still_works("xla")


@pytest.mark.xla
def test_xla_runs_out_of_stack() -> None:
    verify(CALLS_ITSELF)
    with pytest.raises(LowererError) as caught:
        run.compile(CALLS_ITSELF)
    assert str(caught.value) == (
        "program calls_itself on XLA: expected an answer, found the process died (SIGSEGV). "
        + REMEDY
    )
    assert still_works("xla")


@pytest.mark.xla
def test_xla_refuses_in_words() -> None:
    with pytest.raises(LowererError) as caught:
        run.compile(UNKNOWN_CALL)
    assert str(caught.value) == (
        "program unknown_call on XLA: expected a module that it accepts, found NOT_FOUND: "
        "No registered implementation for untyped custom call to nowhere for Host"
    )


@pytest.mark.interpreter
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (UNKNOWN_CALL, "Unsupported op: %0 = stablehlo.custom_call @nowhere"),
        (BATCH_NORM_GRAD, "Operation stablehlo.batch_norm_grad is unsupported"),
    ],
)
def test_the_interpreter_aborts(text: str, reason: str) -> None:
    exe = run.compile(text, backend="interpreter")
    inputs = {port.name: np.ones(port.shape, np.float32) for port in exe.signature.inputs}
    with pytest.raises(LowererError) as caught:
        exe(**inputs)
    assert caught.value.found.startswith(f"the process died (SIGABRT: LLVM ERROR: {reason}")
    assert still_works("interpreter")


@pytest.mark.iree
def test_iree_refuses_in_words() -> None:
    with pytest.raises(LowererError) as caught:
        run.compile(UNKNOWN_CALL, backend="iree")
    assert caught.value.where == "program unknown_call on IREE"
    assert "failed to legalize operation 'stablehlo.custom_call'" in caught.value.found
    assert "Stack dump" not in caught.value.found


@pytest.mark.iree
def test_iree_takes_too_long() -> None:
    with pytest.raises(LowererError) as caught:
        run.compile(CALLS_ITSELF, backend="iree", options=run.Options(timeout=2))
    assert caught.value.found == "no answer within 2 s"


@pytest.mark.interpreter
def test_a_call_of_the_interpreter_takes_too_long() -> None:
    endless = """module @endless {
      func.func @main(%x: tensor<i32>) -> tensor<i32> {
        %y = stablehlo.while(%i = %x) : tensor<i32>
          cond { %go = stablehlo.constant dense<true> : tensor<i1>
                 stablehlo.return %go : tensor<i1> }
          do { stablehlo.return %i : tensor<i32> }
        return %y : tensor<i32>
      }
    }"""
    exe = run.compile(endless, backend="interpreter", options=run.Options(timeout=1))
    with pytest.raises(LowererError) as caught:
        exe(arg0=1)
    assert caught.value.found == "the process died (no answer within 1 s)"
    assert still_works("interpreter")


@pytest.mark.interpreter
def test_a_worker_that_was_killed_between_two_requests_is_replaced() -> None:
    assert still_works("interpreter")
    first = isolation.worker_pid()
    assert first is not None
    os.kill(first, signal.SIGKILL)
    while isolation.worker_pid() is not None:
        time.sleep(0.01)
    assert still_works("interpreter")
    assert isolation.worker_pid() not in (None, first)


@pytest.mark.interpreter
def test_a_worker_that_is_killed_at_work_becomes_an_error() -> None:
    assert still_works("interpreter")
    pid = isolation.worker_pid()
    assert pid is not None
    timer = threading.Timer(0.3, os.kill, (pid, signal.SIGKILL))
    timer.start()
    count = 1 << 20
    text = identity((count,), ElementType.F32)
    exe = run.compile(text, backend="interpreter")

    def call_until_it_fails() -> None:
        while True:
            exe(arg0=np.ones(count, np.float32))

    with pytest.raises(LowererError, match="SIGKILL"):
        call_until_it_fails()


@pytest.mark.interpreter
def test_threads_take_turns() -> None:
    exe = run.compile(FINE, backend="interpreter")
    wrong: list[float] = []

    def call(value: float) -> None:
        x = np.full(2, value, np.float32)
        wrong.extend(v for _ in range(20) for v in exe(arg0=x)["out0"] if v != value)

    threads = [threading.Thread(target=call, args=(value,)) for value in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_messages_are_cut_to_what_tells() -> None:
    printed = (
        "E1130 03:33:09.52 7058 status.cc:58] INTERNAL: shape\n"
        "F1130 03:33:09.53 7058 simplify.cc:586] Check failed: shape\n"
        "*** Check failure stack trace: ***\n    @ 0x7f5a  absl::Send()\n"
    )
    assert isolation.describe_exit(-6, printed) == "SIGABRT: simplify.cc:586] Check failed: shape"
    assert isolation.describe_exit(1, "") == "exit code 1"
    assert len(isolation.first_lines("x" * 9999)) == 400


@pytest.mark.interpreter
def test_the_worker_loads_no_more_than_it_needs() -> None:
    """Its start is on the way of every first compile; the package's own imports stay outside."""
    worker = isolation.Worker()
    try:
        worker.request({"do": "interpret", "inputs": [((2,), "f32")]}, [FINE.encode(), X.data], 60)
        loaded = Path(f"/proc/{worker.pid}/maps").read_text()
    finally:
        worker.close()
    assert "jaxlib" in loaded
    assert not re.search("sklearn|matplotlib|safetensors|/jax/", loaded)


@pytest.mark.interpreter
def test_the_worker_ends_with_its_parent_even_if_that_is_killed() -> None:
    script = (
        "import os\n"
        "import gradwright.run as run\n"
        "from gradwright.run import isolation\n"
        f"run.compile({FINE!r}, backend='interpreter')(arg0=__import__('numpy').ones(2, 'f4'))\n"
        "print(isolation.worker_pid(), flush=True)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == -signal.SIGKILL
    status = Path(f"/proc/{int(done.stdout)}/stat")
    deadline = time.monotonic() + 30
    while status.exists() and status.read_text().rpartition(")")[2].split()[0] != "Z":
        assert time.monotonic() < deadline, "the worker lives on without its parent"
        time.sleep(0.02)
