"""IREE for CPUs (extra `iree`): another compiler for the same text."""

import atexit
import re
import subprocess
import time
import warnings
from collections.abc import Sequence
from importlib import import_module, metadata, util
from typing import Any

from gradwright.errors import LowererError, UnsupportedError
from gradwright.hlo.signature import Port
from gradwright.run.backend import Array, Buffer, Compilable, IreeDriver, Options
from gradwright.run.isolation import describe_exit, first_lines
from gradwright.run.module_text import without_aliases
from gradwright.run.settings import applied

_STACK = 1 << 18
"""Bytes on the stack that a kernel may take: convolutions of bf16 and float8 take 262,144.

By default more than 32,768 are refused, for the sake of workers with stacks of 131,072.
"""
_WORKER_STACK = 4 * _STACK
_SETTLING = 0.05
"""Seconds. A thread that waits for the interpreter gets it in a thousandth of that."""
PINNED_FLAGS = (
    "--iree-input-type=stablehlo",
    "--iree-hal-target-backends=llvm-cpu",
    "--iree-llvmcpu-target-cpu=host",
    # The default computes f64 programs in f32.
    "--iree-input-demote-f64-to-f32=false",
    f"--iree-llvmcpu-stack-allocation-limit={_STACK}",
)
_SELECT_AND_SCATTER = re.compile(r"\bstablehlo\.select_and_scatter\b")


def is_installed() -> bool:
    """Return whether compiler and runtime of IREE are both there."""
    try:
        return all(util.find_spec(f"iree.{part}") for part in ("compiler", "runtime"))
    except ModuleNotFoundError:
        return False


def check_installed() -> None:
    """Raise UnsupportedError where IREE is not installed."""
    if not is_installed():
        raise UnsupportedError(
            where="backend iree",
            expected="IREE's compiler and runtime",
            found="no module iree.compiler or iree.runtime",
            remedy='Install the extra; in the checkout: pip install ".[iree]"',
        )


def version() -> str:
    """Return the version of the installed compiler."""
    return metadata.version("iree-base-compiler")


def flags_of(options: Options) -> tuple[str, ...]:
    """Return all that a compilation depends on besides the text, pinned flags first."""
    return (*PINNED_FLAGS, *options.iree_flags, "without tf.aliasing_output")


def compile_program(program: Compilable, options: Options) -> bytes:
    """Compile with `iree-compile` (a process of its own) and return the module.

    Marks of aliased state are left out of the text: IREE 3.13 takes them as leave to overwrite an
    argument at once, and computes gradients that read a parameter from its updated value.

    Errors: UnsupportedError for select_and_scatter, which IREE compiles to wrong gradients where
    windows do not overlap and not at all where they do; LowererError where the compiler refuses,
    aborts or takes too long.
    """
    _refuse_select_and_scatter(program)
    try:
        result = subprocess.run(
            [_compiler(), "-", *PINNED_FLAGS, *options.iree_flags],
            input=without_aliases(program.text).encode(),
            capture_output=True,
            timeout=options.timeout,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise _refused(program, f"no answer within {options.timeout:g} s") from None
    if result.returncode == 0:
        return result.stdout
    printed = result.stderr.decode(errors="replace")
    raise _refused(program, describe_exit(result.returncode, printed))


def _refuse_select_and_scatter(program: Compilable) -> None:
    for row, line in enumerate(program.text.splitlines(), start=1):
        if _SELECT_AND_SCATTER.search(line.partition("//")[0]):
            raise UnsupportedError(
                where=f"program {program.name} on IREE, line {row}",
                expected="the mask form of max-pool's backward",
                found="stablehlo.select_and_scatter, which IREE gets wrong or cannot lower",
                remedy="Emit the program with the mask form, or use backend xla",
            )


def _refused(program: Compilable, found: str) -> LowererError:
    return LowererError(
        where=f"program {program.name} on IREE",
        expected="a module that iree-compile accepts",
        found=found,
        remedy="Use backend xla, or emit another form of the operation it names",
    )


# --- The edge: IREE's bindings are loosely typed. ---


def _compiler() -> str:
    return str(import_module("iree.compiler.tools.binaries").find_tool("iree-compile"))


_devices: dict[IreeDriver, Any] = {}


@atexit.register
def settle() -> None:
    """Let IREE's threads give back what Python lent them before Python ends.

    IREE 3.13 reads NumPy's memory and Python's bytes as they lie; which thread drops them last is
    chance. One of its own that asks for the interpreter while that shuts down aborts the process:
    without this, every fifth process that ended behind a net's steps.
    """
    if _devices:
        time.sleep(_SETTLING)


def _runtime() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return import_module("iree.runtime")


def _config(driver: IreeDriver) -> Any:
    if driver not in _devices:
        runtime = _runtime()
        with applied("IREE device") as settings:
            if not _devices:
                runtime.flags.parse_flags(
                    f"--task_topology_group_count={settings.threads}",
                    f"--task_worker_stack_size={_WORKER_STACK}",
                )
            _devices[driver] = runtime.Config(driver.value)
    return _devices[driver]


class IreeProgram:
    """A module that this process has loaded."""

    def __init__(self, program: Compilable, blob: bytes, options: Options) -> None:
        self._name = program.name
        self._output_count = len(program.signature.outputs)
        self._runtime = _runtime()
        config = _config(options.iree_driver)
        self._device = config.device
        module = self._runtime.VmModule.copy_buffer(config.vm_instance, blob)
        modules = [*config.default_vm_modules, module]
        self._context = self._runtime.VmContext(config.vm_instance, modules=modules)
        self._main = module.lookup_function("main")

    @property
    def memory(self) -> None:
        """Unknown: IREE allocates as it goes."""

    def put(self, index: int, array: Array) -> Buffer:
        """Copy an array to the device."""
        return self._runtime.asdevicearray(self._device, array)._buffer_view

    def lend(self, index: int, array: Array) -> Buffer:
        """Copy an array to the device: IREE has no safe way to borrow it."""
        return self.put(index, array)

    def run(self, buffers: Sequence[Buffer]) -> Sequence[Buffer]:
        """Run one call."""
        count = self._output_count
        arguments = self._runtime.VmVariantList(len(buffers))
        for buffer in buffers:
            arguments.push_ref(buffer)
        results = self._runtime.VmVariantList(count)
        try:
            self._context.invoke(self._main, arguments, results)
        except (RuntimeError, ValueError) as error:
            raise LowererError(
                where=f"program {self._name} on IREE",
                expected="a call that succeeds",
                found=first_lines(str(error)),
            ) from None
        view = self._runtime.HalBufferView
        return [results.get_as_object(index, view) for index in range(count)]

    def fetch(self, port: Port, buffer: Buffer) -> Array:
        """Copy a value."""
        array = self._runtime.DeviceArray(
            self._device, buffer, implicit_host_transfer=True, override_dtype=port.dtype
        )
        return array.to_host().copy()
