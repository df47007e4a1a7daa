"""Initial values of everything that lives on between steps."""

import numpy as np

from gradwright.errors import SpecError
from gradwright.hlo import Role
from gradwright.kinds import checked
from gradwright.programs.program import Program
from gradwright.spec import Constant, NetSpec, Slot

Arrays = dict[str, np.ndarray]


@checked
def init(net: NetSpec, seed: int = 0) -> Arrays:
    """Return initial parameters and running statistics by name, in float32.

    Each random slot has its own stream, derived from (seed, position of the slot), so that one
    layer's draws do not depend on another's. Domain: seed >= 0, an integer.
    Source: NumPy's SeedSequence and PCG64.
    """
    if type(seed) is not int or seed < 0:
        raise SpecError(where="init", expected="a seed, an integer >= 0", found=repr(seed))
    streams = np.random.SeedSequence(seed).spawn(len(net.slots))
    return {slot.name: _draw(slot, stream) for slot, stream in zip(net.slots, streams, strict=True)}


@checked
def initial_state(program: Program, seed: int = 0) -> Arrays:
    """Return every state input of a program: `init`, and moments of zero."""
    names = program.abi.names(program.net)
    known = {names[slot]: value for slot, value in init(program.net, seed).items()}
    state: Arrays = {}
    for port in program.inputs:
        if not port.role.is_state:
            continue
        zeros = port.role is Role.MOMENT
        value = np.zeros(port.shape) if zeros else known[port.name]
        state[port.name] = value.astype(port.dtype)
    return state


def _draw(slot: Slot, stream: np.random.SeedSequence) -> np.ndarray:
    if isinstance(slot.initializer, Constant):
        return np.full(slot.shape, slot.initializer.value, dtype=np.float32)
    generator = np.random.default_rng(stream)
    return (generator.standard_normal(slot.shape) * slot.initializer.deviation).astype(np.float32)
