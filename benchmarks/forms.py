"""Time one convolution in its forms, forward and backward: CPU ms of one core per call.

    python benchmarks/forms.py [--json]

Shapes are those of ResNets, MobileNetV2 and ConvNeXt at 224 x 224 with batch 8; forms take turns.
"""

import argparse
import json
import os
import sys
import time

import numpy as np

import gradwright as gw
from gradwright.layers import (
    FAST,
    PORTABLE,
    TEXTBOOK,
    Conv2d,
    DepthwiseConv2d,
    Layer,
    Padding,
)

BATCH, ROUNDS = 8, 5
FORMS = {
    "TEXTBOOK": TEXTBOOK,
    "PORTABLE": PORTABLE,
    "FASTEST": FAST,
}


def square(channels: int) -> Layer:
    """Return a 3 x 3 convolution that keeps extent and channels."""
    return Conv2d(channels, 3, bias=False)


def depthwise(kernel: int, stride: int = 1) -> Layer:
    """Return a depthwise convolution."""
    return DepthwiseConv2d(kernel, stride, Padding.SYMMETRIC, bias=False)


LAYERS = (
    (square(512), 512, 7),
    (square(256), 256, 14),
    (square(128), 128, 28),
    (square(64), 64, 56),
    (Conv2d(96, 1, bias=False), 16, 112),
    (Conv2d(24, 1, bias=False), 144, 56),
    (Conv2d(384, 1, bias=False), 96, 56),
    (Conv2d(160, 1, bias=False), 960, 7),
    (depthwise(3), 144, 56),
    (depthwise(3, 2), 96, 112),
    (depthwise(7), 96, 56),
)
"""Layers with the channels and the extent of the picture that they read."""


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description="CPU ms of one convolution in its forms")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    found = [_measured(*row, entry) for row in LAYERS for entry in ("forward", "vjp")]
    if options.json:
        print(json.dumps({"batch": BATCH, "rows": found}))
    for row in found:
        print("  ".join(f"{name} {value}" for name, value in row.items()), file=sys.stderr)


def _measured(layer: Layer, channels: int, extent: int, entry: str) -> dict[str, object]:
    net = gw.NetSpec("one", gw.Image(channels, extent, extent), [layer])
    emit = gw.programs.forward if entry == "forward" else gw.programs.vjp
    programs = {name: emit(net, batch=BATCH, formulation=form) for name, form in FORMS.items()}
    random = np.random.default_rng(0)
    ports = programs["PORTABLE"].inputs
    inputs = {port.name: random.standard_normal(port.shape).astype(port.dtype) for port in ports}
    texts = {program.text: name for name, program in reversed(programs.items())}
    compiled = {name: gw.run.compile(programs[name]) for name in reversed(texts.values())}
    samples: dict[str, list[float]] = {name: [] for name in compiled}
    for _ in range(ROUNDS):
        for name, executable in compiled.items():
            start = time.process_time()
            executable(**inputs)
            samples[name].append(1e3 * (time.process_time() - start))
    return {
        "layer": str(layer),
        "channels": channels,
        "extent": extent,
        "entry": entry,
        **{name: round(float(np.median(each)), 1) for name, each in samples.items()},
    }


if __name__ == "__main__":
    main()
