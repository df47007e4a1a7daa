"""Steps of a program on a backend, and how far its first gradients are from those in float64.

Two backends differ by what both round, so that neither is the measure of the other. The measure is
the same program in float64 on XLA, from the same numbers. How far that one moves where the pictures
are rounded anew says what rounding does to the net whoever computes it.
"""

import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import gradwright as gw
from gradwright.cli.measure import example_inputs
from gradwright.hlo import ElementType, Role
from gradwright.programs import Program

Cells = dict[str, Any]
Arrays = Mapping[str, NDArray[Any]]
Digest = Sequence[Sequence[float]]

STEPS = 3
BATCHES = 3
RATE, RATE_OF_DESCENT = 1e-4, 0.1
"""The latter where gradients are read from how far parameters moved, beside their rounding."""
ULP = 2.0**-24
"""Half a unit in the last place of a float32 in [1, 2): what rounding moves a number by."""
SMALL = 1e-2
"""Of the longest gradient of a net. Errors of shorter ones are shares of this.

Many are 0, or the size of an epsilon: a bias or a scale that the next batch norm takes out again.
What a backend computes there is what rounding left of sums that cancel.
"""
LEVEL_0 = (("xla_backend_optimization_level", "0"),)
"""Compiles ten times as fast; products run as fast as ever."""


def run_steps(step: Program, backend: str, options: gw.run.Options) -> Cells:
    """Compile, run three steps; return seconds, least milliseconds, and the digest of each picture.

    The first step is run once more from the same state for each other of the `pictures`.
    """
    executable = gw.run.compile(step, backend=backend, options=options, cache=gw.run.NO_CACHE)
    fed, times, digests = _fed(step), list[float](), list[Digest]()
    for x in pictures(step):
        before = gw.programs.initial_state(step)
        session = executable.session(before)
        for t in range(1, 1 + (1 if digests else STEPS)):
            now = {"x": x, **({"t": np.float32(t)} if "t" in fed else {})}
            start = time.perf_counter()
            returned = dict(session.step(**{**fed, **now}))
            times.append(1e3 * (time.perf_counter() - start))
            if t == 1:
                digests.append(_digest(step, before, {**session.state(), **returned}))
    return {
        "compile": executable.manifest.compile_seconds,
        "ms": min(times),
        "gradients": digests,
    }


def run_exactly(step: Program, options: gw.run.Options) -> Cells:
    """Return the digests of the step in float64, and how far rounded pictures move the first."""
    wide = in_f64(step)
    executable = gw.run.compile(wide, options=options, cache=gw.run.NO_CACHE)
    before, fed = gw.programs.initial_state(step), _fed(step)

    def digest(x: NDArray[Any]) -> Digest:
        given = {**before, **fed, "x": x}
        arrays = {port.name: np.asarray(given[port.name], port.dtype) for port in wide.inputs}
        return _digest(step, before, executable(**arrays))

    x = fed["x"].astype(np.float64)
    nudges = 1 + ULP * np.random.default_rng(0).uniform(-1, 1, x.shape)
    exact = [digest(each) for each in pictures(step)]
    return {"gradients": exact, "moved": distance(digest(x * nudges), exact[0])}


def pictures(step: Program) -> list[NDArray[Any]]:
    """Return random batches.

    A kink that rounding crosses (another winner of a pool, the other side of a ReLU) moves
    gradients by percents, and hardly at all of them; what is compiled wrongly is wrong at each.
    """
    return [example_inputs(step, seed=seed)["x"] for seed in range(BATCHES)]


def in_f64(step: Program) -> Program:
    """Return the same program in float64, without roundings."""
    settings: Cells = {"batch": step.batch, "element": ElementType.F64, "abi": step.abi}
    settings["formulation"] = step.formulation
    if step.loss is None or step.optimizer is None:
        return gw.programs.forward(step.net, **settings)
    return gw.programs.train_step(step.net, loss=step.loss, optimizer=step.optimizer, **settings)


def distance(found: Digest, exact: Digest) -> float:
    """Return the largest difference of an array, as a share of its length (see `SMALL`)."""
    return max(shares(found, exact))


def shares(found: Digest, exact: Digest) -> list[float]:
    """Return the difference of each array as a share of its length (see `SMALL`)."""
    theirs, ours = np.array(found), np.array(exact)
    lengths = np.maximum(ours[:, 0], SMALL * ours[:, 0].max())
    return np.max(np.abs(theirs - ours) / lengths[:, None], axis=1).tolist()


def _fed(step: Program) -> dict[str, NDArray[Any]]:
    fed = dict(example_inputs(step, seed=0))
    rate = RATE if _has_first_moments(step) else RATE_OF_DESCENT
    return {**fed, "lr": np.asarray(rate, np.float32)} if "lr" in fed else fed


def _has_first_moments(step: Program) -> bool:
    return step.optimizer is not None and "m" in step.optimizer.moments


def _digest(step: Program, before: Arrays, after: Arrays) -> Digest:
    """Return length and a random projection of each array that a gradient can be read from.

    Those are first moments; without them, how far parameters moved, the rate being the same for
    all; without an update, what the program returns. The projection of a difference is as long as
    the difference, to a factor around 1.
    """
    if _has_first_moments(step):
        names = [p.name for p in step.inputs if p.role is Role.MOMENT and p.moment[1] == "m"]
    else:
        roles = (Role.OUTPUT,) if step.optimizer is None else (Role.PARAMETER,)
        names = [port.name for port in step.outputs if port.role in roles]
    random = np.random.default_rng(0)
    found = [np.asarray(after[n], np.float64) - before.get(n, np.zeros(())) for n in names]
    return [
        (float(np.linalg.norm(a)), float(np.vdot(a, random.standard_normal(a.shape))))
        for a in found
    ]
