"""The contestant's side of a race: run steps for a slice of time when told to."""

import json
import sys
import time
from collections.abc import Callable, Mapping

Step = Callable[[], float]
"""Train on the batch once and return the loss, so that the step has finished."""

CHECKED_STEPS = 2
"""Adam's first steps move every weight by the learning rate whatever the size of its gradient, so
rounding errors of gradients near 0 grow from step to step: more steps prove less."""
WARMUP_STEPS = 2


def serve(name: str, version: str, step: Step) -> None:
    """Answer the driver on standard input and output, one JSON object a line.

    First says who this is and the losses of the first steps; then, for each line with a number of
    seconds, runs whole steps for at least so long and answers with steps, seconds and CPU seconds.
    """
    losses = [step() for _ in range(CHECKED_STEPS)]
    for _ in range(WARMUP_STEPS):
        step()
    _say({"name": name, "version": version, "losses": losses})
    for line in sys.stdin:
        _say(_slice(step, float(line)))


def _slice(step: Step, seconds: float) -> dict[str, float]:
    steps, cpu, start = 0, time.process_time(), time.perf_counter()
    while time.perf_counter() - start < seconds:
        step()
        steps += 1
    wall = time.perf_counter() - start
    return {"steps": steps, "seconds": wall, "cpu": time.process_time() - cpu}


def _say(answer: Mapping[str, object]) -> None:
    print(json.dumps(answer), flush=True)
