"""All that Gradwright uses of jaxlib's private XLA client, in one place.

jaxlib ships the PJRT CPU client, but only jax is meant to talk to it: the names used here may move
with any release. `missing_names` is the feature test; everything else is reached through `Client`.
jax itself is never imported (that would cost a second at start-up). Where the bindings ask for a
jax object, a small stand-in answers: `_Aval` for `jax.core.ShapedArray`, `_on_device` for
`jax.sharding.SingleDeviceSharding`. Checked with jaxlib 0.10.2 and 0.12.0.1.
"""

import ctypes
import os
import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.generic]
# jaxlib's binding objects carry no types: a buffer is an ArrayImpl, an executable a
# LoadedExecutable. This file is the only one that looks inside.
Buffer = Any

# The log level of XLA; the library reads it when it is loaded. Fatal messages are always printed.
LOG_LEVEL = "TF_CPP_MIN_LOG_LEVEL"
QUIET = "3"

# XLA may reorder and approximate under fast math: pinned off, each honour flag on.
PINNED_FLAGS: Mapping[str, bool] = {
    "xla_cpu_enable_fast_math": False,
    "xla_cpu_fast_math_honor_division": True,
    "xla_cpu_fast_math_honor_functions": True,
    "xla_cpu_fast_math_honor_infs": True,
    "xla_cpu_fast_math_honor_nans": True,
}

PINNED_OVERRIDES: Mapping[str, str] = {"xla_allow_excess_precision": "False"}
"""Else a conversion to a narrower type and back is taken for nothing, and its rounding left out."""

_CLIENT_NAMES = (
    "compile_and_load",
    "serialize_executable",
    "deserialize_executable",
    "local_devices",
)
_MODULE_NAMES = (
    "make_cpu_client",
    "CompileOptions",
    "HloSharding",
    "HostBufferSemantics",
    "batched_device_put",
    "array_result_handler",
    "XlaRuntimeError",
)
_BINDING_NAMES = ("DeviceList", "SingleDeviceSharding", "ArrayImpl", "Client")


def jaxlib_version() -> str:
    """Return the version of the installed jaxlib."""
    return str(import_module("jaxlib.version").__version__)


def missing_names() -> tuple[str, ...]:
    """Return the names that this file needs and the installed jaxlib lacks; () where it fits."""
    xla, binding = _modules()
    client = getattr(binding, "Client", None)
    return (
        *(f"xla_client.{name}" for name in _MODULE_NAMES if not hasattr(xla, name)),
        *(f"_jax.{name}" for name in _BINDING_NAMES if not hasattr(binding, name)),
        *(f"Client.{name}" for name in _CLIENT_NAMES if not hasattr(client, name)),
    )


def _modules() -> tuple[Any, Any]:
    return import_module("jaxlib.xla_client"), import_module("jaxlib._jax")


@contextmanager
def _quiet() -> Generator[None]:
    """Drop what the client logs when it is made (its device count), unless a level was chosen."""
    if LOG_LEVEL in os.environ:
        yield
        return
    sys.stderr.flush()
    kept, sink = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(sink, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(sink)


class _Aval:
    """The three fields that the bindings read of an abstract array."""

    __slots__ = ("dtype", "shape", "weak_type")

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype[np.generic]) -> None:
        self.shape = shape
        self.dtype = dtype
        self.weak_type = False


def _on_device(xla: Any, binding: Any, device: Any) -> Any:
    """Return the sharding «all on this device» in the form that the bindings ask for."""
    replicated = xla.HloSharding.replicate()

    class OneDevice(binding.SingleDeviceSharding):
        memory_kind = None

        def _to_xla_hlo_sharding(self, rank: int) -> object:
            return replicated

    return OneDevice(device)


class Program:
    """One loaded executable: runs on device buffers and hands back device buffers."""

    def __init__(self, executable: Any, handlers: list[Any]) -> None:
        self._executable = executable
        self._execute = executable.execute_sharded
        self._handlers = handlers

    def run(self, buffers: Sequence[Buffer]) -> list[Buffer]:
        """Dispatch one call; donated buffers are deleted, results may still be on their way."""
        return self._execute(buffers).consume_with_handlers(self._handlers)

    @property
    def memory(self) -> tuple[int, int, int, int]:
        """Bytes of arguments, results, results in place of arguments, and temporaries."""
        stats = self._executable.get_compiled_memory_stats()
        return (
            stats.argument_size_in_bytes,
            stats.output_size_in_bytes,
            stats.alias_size_in_bytes,
            stats.temp_size_in_bytes,
        )


class Client:
    """The PJRT CPU client of this process."""

    def __init__(self) -> None:
        self._xla, self._binding = _modules()
        with _quiet():
            self._client = self._xla.make_cpu_client()
        self._device = self._client.local_devices()[0]
        self._devices = self._binding.DeviceList((self._device,))
        self._sharding = _on_device(self._xla, self._binding, self._device)
        semantics = self._xla.HostBufferSemantics
        self._copied = semantics.IMMUTABLE_ONLY_DURING_CALL
        self._borrowed = semantics.ZERO_COPY

    def compile(self, text: str, flags: Mapping[str, str]) -> bytes:
        """Compile StableHLO text and return the serialized executable."""
        executable = self._client.compile_and_load(text, self._devices, self._options(flags))
        return bytes(self._client.serialize_executable(executable))

    def load(
        self,
        blob: bytes,
        flags: Mapping[str, str],
        outputs: Sequence[tuple[tuple[int, ...], np.dtype[np.generic]]],
    ) -> Program:
        """Load what `compile` returned; `outputs` are the shapes and types of the results."""
        executable = self._client.deserialize_executable(blob, self._devices, self._options(flags))
        return Program(executable, [self._handler(_Aval(*output)) for output in outputs])

    def put(self, array: Array) -> Buffer:
        """Copy an array to the device; the caller may change it as soon as this returns."""
        return self._put(array, self._copied)

    def borrow(self, array: Array) -> Buffer:
        """Lend an array to the device, without a copy where it is 64-byte aligned.

        The caller must leave it alone until the call that reads it has finished.
        """
        return self._put(array, self._borrowed)

    def _put(self, array: Array, semantics: object) -> Buffer:
        return self._xla.batched_device_put(
            _Aval(array.shape, array.dtype),
            self._sharding,
            [array],
            [self._device],
            True,
            host_buffer_semantics=semantics,
            enable_x64=True,
        )

    def _handler(self, aval: _Aval) -> Any:
        make = self._xla.array_result_handler
        try:
            return make(aval, self._sharding, True, True)  # up to 0.11: _skip_checks
        except TypeError:
            return make(aval, self._sharding, True)

    def _options(self, flags: Mapping[str, str]) -> Any:
        options = self._xla.CompileOptions()
        for name, value in PINNED_FLAGS.items():
            setattr(options.executable_build_options.debug_options, name, value)
        options.env_option_overrides = list({**PINNED_OVERRIDES, **flags}.items())
        return options


def fetch(buffer: Buffer, shape: tuple[int, ...], dtype: np.dtype[np.generic]) -> Array:
    """Wait for a device buffer and return a copy of it that the caller owns.

    Reads through the address, since NumPy's own route knows no bfloat16 and, where jax is
    installed, would import it. Entry results are dense and row-major by default.
    """
    buffer.block_until_ready()
    result = np.empty(shape, dtype)
    if result.nbytes:
        ctypes.memmove(result.ctypes.data, buffer.unsafe_buffer_pointer(), result.nbytes)
    return result
