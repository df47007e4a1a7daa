"""Running a compiled program: single calls, and sessions that keep state on the device."""

from collections.abc import Iterator, Mapping

from gradwright.errors import LowererError
from gradwright.hlo.signature import Port, Signature
from gradwright.run.backend import Array, Buffer, Loaded, Manifest, Memory
from gradwright.run.ports import as_array, check_names


class Executable:
    """A program that is ready to run.

    Call it with one array per input (`exe(x=..., y=...)`, `exe(**{"conv1.weight": w})`): it
    returns one array per output, by name, and leaves the arguments untouched.

    Attributes:
        signature: inputs and outputs, in order.
        manifest: how the program was compiled.
    """

    def __init__(self, name: str, signature: Signature, loaded: Loaded, manifest: Manifest) -> None:
        self.signature = signature
        self.manifest = manifest
        self._name = name
        self._loaded = loaded

    @property
    def memory(self) -> Memory | None:
        """What a call takes, in bytes; None where the backend does not say."""
        return self._loaded.memory

    def __call__(self, /, **inputs: object) -> dict[str, Array]:
        """Run once and wait.

        Errors: SpecError or ShapeError where inputs do not fit the signature; LowererError where
        the backend fails.
        """
        ports = self.signature.inputs
        check_names(self._name, ports, inputs)
        arrays = [as_array(self._name, port, inputs[port.name]) for port in ports]
        buffers = [self._loaded.lend(index, array) for index, array in enumerate(arrays)]
        results = self._loaded.run(buffers)
        return {
            port.name: self._loaded.fetch(port, buffer)
            for port, buffer in zip(self.signature.outputs, results, strict=True)
        }

    def session(self, state: Mapping[str, object]) -> "Session":
        """Copy `state` (one array per state input) to the device and keep it there."""
        return Session(self._name, self.signature, self._loaded, state)


class StepResult(Mapping[str, Array]):
    """What one step returned besides its state, by name; read on demand.

    Reading waits for the step; making, passing on and dropping a result does not.
    """

    def __init__(self, loaded: Loaded, buffers: Mapping[Port, Buffer]) -> None:
        self._loaded = loaded
        self._buffers = {port.name: (port, buffer) for port, buffer in buffers.items()}
        self._read: dict[str, Array] = {}

    def __getitem__(self, name: str) -> Array:
        """Wait for one output and return it."""
        if name not in self._read:
            self._read[name] = self._loaded.fetch(*self._buffers[name])
        return self._read[name]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names, in the program's order."""
        return iter(self._buffers)

    def __len__(self) -> int:
        """Return the number of outputs."""
        return len(self._buffers)


class Session:
    """State on the device, and a step that updates it in place. Not for several threads at once."""

    def __init__(
        self, name: str, signature: Signature, loaded: Loaded, state: Mapping[str, object]
    ) -> None:
        self._name = name
        self._loaded = loaded
        slots = list(enumerate(signature.inputs))
        self._kept = [(index, port) for index, port in slots if port.role.is_state]
        self._fed = [(index, port) for index, port in slots if not port.role.is_state]
        self._fed_ports = [port for _, port in self._fed]
        self._updates = signature.aliases
        updated = {output for _, output in self._updates}
        self._returned = [
            (index, port) for index, port in enumerate(signature.outputs) if index not in updated
        ]
        check_names(name, [port for _, port in self._kept], state)
        arrays = {index: as_array(name, port, state[port.name]) for index, port in self._kept}
        self._buffers: list[Buffer] = [None] * len(slots)
        for index, array in arrays.items():
            self._buffers[index] = loaded.put(index, array)
        self._is_lost = False

    def step(self, /, **inputs: object) -> StepResult:
        """Run one step on the state; returns before it has finished where the backend can.

        Inputs that do not fit raise SpecError or ShapeError and leave the state as it is. Where
        the backend fails (LowererError) the state may be lost: start again from a checkpoint.
        """
        self._check_state()
        check_names(self._name, self._fed_ports, inputs)
        arrays = [as_array(self._name, port, inputs[port.name]) for port in self._fed_ports]
        arguments = self._buffers.copy()
        for (index, _), array in zip(self._fed, arrays, strict=True):
            arguments[index] = self._loaded.put(index, array)
        self._is_lost = True  # until the call went through: it consumes the state
        results = self._loaded.run(arguments)
        for source, target in self._updates:
            self._buffers[source] = results[target]
        self._is_lost = False
        return StepResult(self._loaded, {port: results[index] for index, port in self._returned})

    def state(self) -> dict[str, Array]:
        """Wait for the last step and return a copy of the state, by name."""
        self._check_state()
        return {
            port.name: self._loaded.fetch(port, self._buffers[index]) for index, port in self._kept
        }

    def _check_state(self) -> None:
        if self._is_lost:
            raise LowererError(
                where=f"session of program {self._name}",
                expected="a state",
                found="an earlier step failed and took it along",
                remedy="Start a new session from the last checkpoint",
            )
