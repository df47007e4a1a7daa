"""Arguments for any program, and calling it on the reference interpreter."""

from collections.abc import Mapping

import numpy as np

from gradwright.hlo import Port, Role, evaluate
from gradwright.programs import Program
from gradwright.spec import Tokens
from losses.closeness import Array

Arrays = dict[str, Array]


def arguments(program: Program, seed: int = 0) -> Arrays:
    """Return one array per input; what two programs both take is the same for both."""
    return {port.name: _draw(program, port, seed).astype(port.dtype) for port in program.inputs}


def call(program: Program, given: Mapping[str, Array]) -> Arrays:
    """Return the results by name; arguments that the program does not take are left out."""
    arrays = [np.asarray(given[port.name]).astype(port.dtype) for port in program.inputs]
    results = evaluate(program.text, arrays)
    return {port.name: value for port, value in zip(program.outputs, results, strict=True)}


def _draw(program: Program, port: Port, seed: int) -> Array:
    rng = np.random.default_rng([seed, *port.name.encode()])
    if port.role in (Role.LEARNING_RATE, Role.STEP):
        return np.array(1.0)
    if port.role is Role.LABEL and len(port.shape) == 1:
        return rng.integers(0, program.net.output[0], port.shape)
    if isinstance(program.net.input, Tokens) and port.role is Role.DATA:
        return rng.integers(0, program.net.input.vocabulary, port.shape)
    if port.role is Role.MASK:
        [keep] = [mask.keep for mask in program.net.masks if mask.name == port.name]
        return (rng.uniform(size=port.shape) < keep) / keep
    if port.name.endswith((".running_var", ".v")):
        return rng.uniform(0.5, 2, port.shape)
    return rng.normal(size=port.shape)
