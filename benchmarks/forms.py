"""Time one 3 x 3 convolution in its forms, forward and backward: CPU ms of one core per call.

    python benchmarks/forms.py [--json]

Shapes are those of ResNets at 224 x 224 with batch 8; forms take turns.
"""

import argparse
import json
import os
import sys
import time

import numpy as np

import gradwright as gw

BATCH, ROUNDS = 8, 7
SHAPES = ((7, 512), (14, 256), (28, 128), (56, 64))
"""Extent of the picture and channels in and out."""
FORMS = {"PORTABLE": gw.layers.PORTABLE, "FAST": gw.layers.FAST}


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description="CPU ms of one convolution in its forms")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    found = [_measured(*shape, entry) for shape in SHAPES for entry in ("forward", "vjp")]
    if options.json:
        print(json.dumps({"batch": BATCH, "rows": found}))
    for row in found:
        print("  ".join(f"{name} {value}" for name, value in row.items()), file=sys.stderr)


def _measured(extent: int, channels: int, entry: str) -> dict[str, object]:
    conv = gw.layers.Conv2d(channels, 3, bias=False)
    net = gw.NetSpec("one", gw.Image(channels, extent, extent), [conv])
    emit = gw.programs.forward if entry == "forward" else gw.programs.vjp
    programs = {name: emit(net, batch=BATCH, formulation=form) for name, form in FORMS.items()}
    random = np.random.default_rng(0)
    ports = programs["PORTABLE"].inputs
    inputs = {port.name: random.standard_normal(port.shape).astype(port.dtype) for port in ports}
    compiled = {name: gw.run.compile(program) for name, program in programs.items()}
    samples: dict[str, list[float]] = {name: [] for name in compiled}
    for _ in range(ROUNDS):
        for name, executable in compiled.items():
            start = time.process_time()
            executable(**inputs)
            samples[name].append(1e3 * (time.process_time() - start))
    return {
        "extent": extent,
        "channels": channels,
        "entry": entry,
        **{name: round(float(np.median(each)), 1) for name, each in samples.items()},
    }


if __name__ == "__main__":
    main()
