"""Contestant: our train step, compiled by XLA, state kept on the device."""

import os
from pathlib import Path

import numpy as np

from gradwright import layers, losses, optim, programs, run, tune
from gradwright.run.pjrt import jaxlib_version
from gradwright.spec import NetSpec

from . import nets
from .recipe import read
from .slices import serve

FLAGS = {
    "xla": "",
    "xla in order": "--xla_cpu_enable_concurrency_optimized_scheduler=false",
    "xla fast": "",
    "xla tuned": "",
}
"""How XLA orders operations: so that independent ones run beside each other, its default, or so
that they need little memory, mostly one after the other. The first suits convolutions, the second
matrix products that fill every core by themselves. As an option of one program this flag has no
effect in jaxlib 0.12, so it goes through the environment. The third is the formulation FAST, the
fourth what `gradwright tune` found on this machine."""


def main(folder: Path, variant: str) -> None:
    """Build the step of the recipe and serve."""
    recipe, start = read(folder)
    net = nets.get(recipe.net)
    optimizer = optim.Adam(beta1=recipe.beta1, beta2=recipe.beta2, epsilon=recipe.epsilon)
    program = programs.train_step(
        net,
        batch=recipe.batch,
        loss=losses.SoftmaxCrossEntropy(),
        optimizer=optimizer,
        formulation=_formulation(net, recipe.batch, variant),
    )
    state = programs.initial_state(program) | {
        name: array for name, array in start.items() if name not in ("x", "y")
    }
    os.environ["XLA_FLAGS"] = FLAGS[variant]  # XLA reads it when its client is made, here and below
    session = run.compile(program, cache=run.NO_CACHE).session(state)
    lr, t = np.float32(recipe.lr), 0

    def step() -> float:
        nonlocal t
        t += 1
        result = session.step(lr=lr, t=np.float32(t), x=start["x"], y=start["y"])
        return float(result["loss"])

    serve(f"ours {variant}", f"jaxlib {jaxlib_version()}", step)


def _formulation(net: NetSpec, batch: int, variant: str) -> layers.Formulation:
    match variant:
        case "xla fast":
            return layers.FAST
        case "xla tuned":
            return tune.tuned(net, batch=batch)
        case _:
            return layers.PORTABLE
