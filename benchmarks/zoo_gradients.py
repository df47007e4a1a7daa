"""How far each gradient of a net's first step is from float64 on each backend, layer by layer.

    python benchmarks/zoo_gradients.py NAME [--backends xla iree] [--batch 2] [--size 64] [--json]

Where rounding crosses a kink (a ReLU whose input is nearly 0, another winner of a pool), all
gradients behind it agree to rounding and those before it do not, from one layer on; at a ReLU after
a normalization the bias moves and the scale does not, since it is multiplied by what is nearly 0.
Where a kernel is compiled wrongly, one layer is off and so is every batch. Errors are shares of a
gradient's length, or of 1 % of the longest one's; three random batches.
"""

import argparse
import json

from zoo_runs import BATCHES, LEVEL_0, run_exactly, run_steps, shares
from zoo_steps import step_of

import gradwright as gw


def main() -> None:
    """Print a line for each parameter, in the order of the net."""
    options = _options()
    step = step_of(options.name, options.batch, options.size)
    quick = gw.run.Options(xla_flags=LEVEL_0)
    exact = run_exactly(step, quick)
    found = {
        each: run_steps(step, each, quick if each == "xla" else gw.run.Options())
        for each in options.backends
    }
    names = [parameter.name for parameter in step.net.parameters]
    errors = {
        each: [shares(*batch) for batch in zip(cells["gradients"], exact["gradients"], strict=True)]
        for each, cells in found.items()
    }
    if options.json:
        print(json.dumps({"net": options.name, "parameters": names, "off": errors}))
        return
    heads = [f"{each}, batch {i}" for each in errors for i in range(1, BATCHES + 1)]
    print("| parameter |", " | ".join(heads), "|")
    print("|---" * (1 + len(heads)) + "|")
    for i, name in enumerate(names):
        cells = [f"{batch[i]:.0e}" for each in errors.values() for batch in each]
        print(f"| {name} |", " | ".join(cells), "|")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("name", metavar="NAME")
    parser.add_argument("--backends", nargs="+", choices=("xla", "iree"), default=["xla", "iree"])
    parser.add_argument("--batch", type=int, default=2)
    parser.add_argument("--size", type=int, default=64)
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()
