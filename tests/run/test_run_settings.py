"""Settings of the process: chosen before the first runtime exists, or refused."""

import os
import subprocess
import sys
from typing import cast

import pytest

from gradwright import run
from gradwright.errors import ParseError, SpecError
from gradwright.run import compiler
from gradwright.run import settings as process

PREAMBLE = """
import numpy as np, gradwright.run as run
from gradwright.errors import GradwrightError
text = "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }"
x = np.ones(2, np.float32)
"""


def answer(script: str, **environment: str) -> str:
    """What a fresh process prints; a GradwrightError's text where it raises one."""
    guarded = "".join(f"    {line}\n" for line in script.strip().splitlines())
    code = f"{PREAMBLE}\ntry:\n{guarded}except GradwrightError as error:\n    print(error)\n"
    result = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (result.returncode, result.stderr) == (0, "")
    return result.stdout.strip()


def test_defaults() -> None:
    cores = len(os.sched_getaffinity(0))
    assert answer("print(run.current_settings())") == (
        f"Settings(threads={cores}, allocator=<Allocator.SYSTEM: 'system'>)"
    )


def test_the_environment_chooses() -> None:
    assert answer(
        "print(run.current_settings())",
        GRADWRIGHT_THREADS="3",
        GRADWRIGHT_ALLOCATOR="resident-heap",
    ) == ("Settings(threads=3, allocator=<Allocator.RESIDENT_HEAP: 'resident-heap'>)")


@pytest.mark.parametrize("value", ["0", "-1", "two", "", "1025", "9" * 30])
def test_a_wrong_number_of_threads(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setattr(process, "_current", None)
    monkeypatch.setenv("GRADWRIGHT_THREADS", value)
    with pytest.raises(SpecError) as caught:
        run.current_settings()
    expected = "an integer from 1 to 1024"
    assert str(caught.value) == f"GRADWRIGHT_THREADS: expected {expected}, found {value!r}"


@pytest.mark.parametrize("threads", [0, -1, 1025, 1.5, True, "2"], ids=repr)
def test_threads_are_a_sane_number(threads: object) -> None:
    with pytest.raises(SpecError) as caught:
        run.configure(threads=cast("int", threads))
    assert str(caught.value) == f"configure: expected threads from 1 to 1024, found {threads!r}"


def test_a_wrong_allocator(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "_current", None)
    monkeypatch.setenv("GRADWRIGHT_ALLOCATOR", "jemalloc")
    with pytest.raises(SpecError) as caught:
        run.current_settings()
    assert str(caught.value) == (
        "GRADWRIGHT_ALLOCATOR: expected system or resident-heap, found 'jemalloc'"
    )


@pytest.mark.xla
def test_settings_are_sealed_once_a_client_exists() -> None:
    script = """
run.configure(threads=1)
print(run.compile(text)(arg0=x)["out0"].tolist())
run.configure(threads=1, allocator=run.Allocator.SYSTEM)
run.configure(threads=2)
"""
    assert answer(script) == (
        "[1.0, 1.0]\n"
        "configure: expected settings chosen before the compile worker exists, found threads=1, "
        "allocator=system already in force. Call gradwright.run.configure before the first "
        "compile, or set GRADWRIGHT_THREADS and GRADWRIGHT_ALLOCATOR in the environment"
    )


@pytest.mark.parametrize(
    ("backend", "thread"),
    [
        pytest.param("xla", "tf_XLAEigen", marks=pytest.mark.xla),
        pytest.param("iree", "iree-worker-", marks=pytest.mark.iree),
    ],
)
def test_the_pools_have_the_chosen_size(backend: str, thread: str) -> None:
    script = f"""
import os, pathlib, time
run.compile(text, backend={backend!r})(arg0=x)
def count():
    names = [task.read_text() for task in pathlib.Path("/proc/self/task").glob("*/comm")]
    return sum(name.startswith({thread!r}) for name in names)
end = time.monotonic() + 20  # a thread takes its name when it first runs
while count() < int(os.environ["GRADWRIGHT_THREADS"]) and time.monotonic() < end:
    time.sleep(0.05)
print(count())
"""
    assert answer(script, GRADWRIGHT_THREADS="3") == "3"
    assert answer(script, GRADWRIGHT_THREADS="1") == "1"


@pytest.mark.xla
def test_the_resident_heap_ends_page_faults() -> None:
    """Temporaries of 16 MiB are faulted in at each call, or once the heap has grown never again."""
    script = '''
import resource
grid = "tensor<2048x2048xf32>"
text = f"""func.func @main(%row: tensor<2048xf32>) -> tensor<f32> {{
  %x = stablehlo.broadcast_in_dim %row, dims = [0] : (tensor<2048xf32>) -> {grid}
  %y = stablehlo.sine %x : {grid}
  %a = stablehlo.optimization_barrier %y : {grid}
  %t = stablehlo.transpose %a, dims = [1, 0] : ({grid}) -> {grid}
  %u = stablehlo.optimization_barrier %t : {grid}
  %b = stablehlo.add %u, %a : {grid}
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%b init: %z) applies stablehlo.add across dimensions = [0, 1]
      : ({grid}, tensor<f32>) -> tensor<f32>
  return %s : tensor<f32>
}}"""
exe = run.compile(text)
x = np.zeros(2048, np.float32)
counts = []
for _ in range(12):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    exe(arg0=x)
    counts.append(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
print(min(counts))
'''
    assert int(answer(script)) > 2000
    assert int(answer(script, GRADWRIGHT_ALLOCATOR="resident-heap")) < 100


def test_a_resident_heap_is_one_from_when_it_is_chosen() -> None:
    """A thread that allocates before that gets an arena of its own, where large blocks are mapped.

    The parser of large texts has such threads.
    """
    script = """
import ctypes, pathlib, tempfile, threading
CHOOSE
def allocate():
    np.ones(10_000)
thread = threading.Thread(target=allocate)
thread.start()
thread.join()
libc = ctypes.CDLL(None)
libc.fopen.restype = ctypes.c_void_p
path = pathlib.Path(tempfile.mkdtemp()) / "heaps"
file = ctypes.c_void_p(libc.fopen(str(path).encode(), b"w"))
libc.malloc_info(0, file)
libc.fclose(file)
print(path.read_text().count("<heap nr="))
"""
    chosen = "run.configure(allocator=run.Allocator.RESIDENT_HEAP)"
    assert int(answer(script.replace("CHOOSE", ""))) > 1
    assert int(answer(script.replace("CHOOSE", chosen))) == 1
    assert int(answer(script.replace("CHOOSE", "run.prefer_resident_heap()"))) == 1
    preferred = script.replace("CHOOSE", "run.prefer_resident_heap()")
    assert int(answer(preferred, GRADWRIGHT_ALLOCATOR="system")) > 1


def test_the_heap_is_kept_before_the_text_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []

    def read(text: str) -> object:
        order.append("read")
        raise ParseError(where=text, expected="none", found="one")

    monkeypatch.setattr(compiler, "keep_heap_if_chosen", lambda: order.append("kept"))
    monkeypatch.setattr(compiler, "read_main", read)
    with pytest.raises(ParseError):
        run.compile("a text", cache=run.NO_CACHE)
    assert order == ["kept", "read"]


@pytest.mark.xla
def test_the_client_is_made_in_silence_and_without_jax() -> None:
    """`answer` asserts that nothing reaches standard error."""
    script = """
import sys
session = run.compile(text)
session(arg0=x)
print("jax" in sys.modules)
"""
    assert answer(script) == "False"
