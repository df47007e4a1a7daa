"""Measure how far gradients in each precision are from those in f64.

    python benchmarks/precision_error.py [--write]

One batch at initial parameters, on XLA: the gradient is what a step of momentum adds to a velocity
of 0. The error is the length of the difference over the length of the gradient in f64, for all
parameters together and for the parameter in which it is greatest. Gradients that are 0 but for
rounding (of biases in front of a normalisation) are left out of the latter.
"""

import argparse
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from contest.table import replace_section

import gradwright as gw
from gradwright.hlo import ElementType
from gradwright.layers import BF16, BF16_DENSE, F8E4M3, F8E4M3_BF16, FULL, Precision, Statistics
from gradwright.programs import Standard
from gradwright.zoo.artifacts import FORMULATION

PAGE = Path(__file__).parents[1] / "docs" / "artifacts.md"
MODES: Mapping[str, Precision] = {
    "f32": FULL,
    "bf16": BF16,
    "bf16-dense": BF16_DENSE,
    "f8e4m3": F8E4M3,
    "f8e4m3-bf16": F8E4M3_BF16,
}
NETS = ("cifar8", "cifar8-bn")
BATCH, SEED = 32, 0
NEGLIGIBLE = 1e-6
"""Of the whole gradient's length: a parameter whose gradient is shorter has none."""

Arrays = dict[str, np.ndarray]


def main() -> None:
    """Measure, print, and on request write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help=f"put the table into {PAGE.name}")
    table = "\n".join(
        [
            "| net | precision | loss | error of the gradient | of one parameter at worst |",
            "|---|---|---|---|---|",
            *(line for name in NETS for line in lines(name)),
        ]
    )
    print(table)
    if parser.parse_args().write:
        replace_section(PAGE, "precision", table)


def lines(name: str) -> list[str]:
    """Return the rows of one net."""
    net = gw.zoo.get(name)
    loss, exact = gradient(net, FULL, ElementType.F64)
    rows = [f"| `{name}` | f64 | {loss:.6f} | | |"]
    for mode, precision in MODES.items():
        loss, found = gradient(net, precision, ElementType.F32)
        whole, (worst, where) = errors(found, exact)
        rows.append(f"| `{name}` | {mode} | {loss:.6f} | {whole:.1e} | {worst:.1e}, `{where}` |")
    return rows


def gradient(net: gw.NetSpec, precision: Precision, element: ElementType) -> tuple[float, Arrays]:
    """Return the loss of one batch and its gradient by parameter, computed in a precision."""
    step = gw.programs.train_step(
        net,
        batch=BATCH,
        loss=gw.losses.SoftmaxCrossEntropy(),
        optimizer=gw.optim.Momentum(),
        element=element,
        formulation=FORMULATION,
        abi=Standard(statistics=Statistics.EXAMPLE),
        precision=precision,
    )
    rng = np.random.default_rng(SEED)
    given: Arrays = gw.programs.initial_state(step, SEED)
    given["x"] = rng.uniform(size=(BATCH, *net.input.shape)).astype(element.dtype)
    given["y"] = rng.integers(0, net.output[0], BATCH).astype(np.int32)
    given["lr"] = given["t"] = np.ones((), element.dtype)
    results = gw.run.compile(step)(**given)
    found = {slot.name: results[f"{slot.name}.u"].astype(np.float64) for slot in net.parameters}
    return float(results["loss"]), found


def errors(found: Arrays, exact: Arrays) -> tuple[float, tuple[float, str]]:
    """Return the error of the whole gradient, and that of the worst parameter with its name."""
    whole = length(exact)
    kept = [name for name, g in exact.items() if np.linalg.norm(g) > NEGLIGIBLE * whole]
    parts = [
        (float(np.linalg.norm(found[name] - exact[name]) / np.linalg.norm(exact[name])), name)
        for name in kept
    ]
    return length({name: found[name] - g for name, g in exact.items()}) / whole, max(parts)


def length(arrays: Arrays) -> float:
    """Return the length of all arrays together."""
    return float(np.sqrt(sum(np.sum(array**2) for array in arrays.values())))


if __name__ == "__main__":
    main()
