"""Time one training step beside JAX and PyTorch: one interleaved race per net.

    python benchmarks/train_step.py --torch PYTHON_WITH_TORCH [--write]

Every contestant starts from the same parameters and trains on the same batch; their first losses
must agree before anything is timed. Exit code 1 where they do not.
"""

import argparse
import contextlib
import json
import os
import shlex
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from contest import machine, nets
from contest.contestant import RESIDENT
from contest.entry import write_entry
from contest.race import Contestant, ContestantFailed, Entrant, run_rounds
from contest.table import Result, agree, disagreement, markdown, replace_section, standings
from contest.work import floating_point_operations

NETS = ("mnist-mlp", "mnist-cnn", "cifar8", "cifar8-bn")
LARGE_NETS = ("resnet34", "resnet50", "mobilenetv2", "efficientnet-b0", "convnext-blocks")
RESULTS = Path(__file__).with_name("RESULTS.md")
OUR_VARIANTS = ("xla", "xla in order", "xla fast")
OUR_LARGE_VARIANTS = ("xla", "xla fast")
"""Wide convolutions fill every core by themselves."""
JAX_VARIANTS = ("NHWC", "NCHW")
TORCH_VARIANTS = ("eager", "eager channels-last", "compiled", "compiled channels-last")


def main() -> int:
    """Race, print, and on request write RESULTS.md."""
    options = _options()
    if options.cores:
        os.sched_setaffinity(0, set(range(options.cores)))
    facts = machine.measure()
    print(facts.sentence, file=sys.stderr)
    results: list[Result] = []
    for net in options.net or (LARGE_NETS if options.large else NETS):
        result = _race(net, options)
        if result is None:
            return 1
        results.append(result)
    versions = {s.facts.version: None for result in results for s in result.standings}
    command = f"python benchmarks/train_step.py {shlex.join(_shown(sys.argv[1:]))}".strip()
    load = max(result.foreign for result in results)
    heading = (
        f"{datetime.now(UTC):%Y-%m-%d}, allocator {options.allocator}, {', '.join(versions)}.",
        f"{facts.sentence}. Foreign load in the quieter half of the rounds: {load:.2f} cores. Of "
        "the peak: products, two operations per multiply-add, beside sgemm. Start: of the "
        "process, to its fourth step, compilation included; peak: what it held at most.",
        "",
        f"`{command}`",
    )
    report = markdown(results, heading, 1e9 * facts.sgemm)
    print(report, file=sys.stderr)
    if options.write:
        size = "large " if set(options.net or ()) & nets.LARGE or options.large else ""
        replace_section(RESULTS, f"train-step {size}{options.allocator}", report)
    if options.json:
        print(json.dumps({"machine": asdict(facts), "results": [asdict(r) for r in results]}))
    return 0


def _race(net: str, options: argparse.Namespace) -> Result | None:
    """Return the standings of one net, None where the contestants do not do the same work."""
    entrants = _entrants(net, options)
    with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as stack:
        write_entry(net, options.batch or nets.batch_of(net), Path(name))
        contestants: list[Contestant] = []
        for entrant in entrants:
            contestant = Contestant(entrant, Path(name), options.allocator)
            contestants.append(stack.enter_context(contestant))
            shown = ", ".join(f"{loss:.6f}" for loss in contestant.losses)
            print(f"{net}: {entrant.name} ready, losses {shown}", file=sys.stderr)
        losses = [contestant.losses for contestant in contestants]
        if not agree(losses):
            worst = ", ".join(f"{each:.1e}" for each in disagreement(losses))
            print(f"{net}: first losses differ by {worst} (relative)", file=sys.stderr)
            return None
        rounds = run_rounds(contestants, options.rounds, options.seconds)
        facts = [contestant.facts for contestant in contestants]
        work = floating_point_operations(net, options.batch or nets.batch_of(net))
        return standings(net, work, entrants, facts, rounds)


def _entrants(net: str, options: argparse.Namespace) -> list[Entrant]:
    own, torch = sys.executable, options.torch
    variants = OUR_LARGE_VARIANTS if net in nets.LARGE else OUR_VARIANTS
    variants = (*variants, "xla tuned") if options.tuned else variants
    entrants = [Entrant("ours", variant, own, "ours") for variant in variants]
    entrants += [Entrant("jax", variant, own, "peer_jax") for variant in JAX_VARIANTS]
    if torch:
        entrants += [Entrant("torch", variant, torch, "peer_torch") for variant in TORCH_VARIANTS]
    return entrants


def _shown(arguments: Sequence[str]) -> list[str]:
    """Return the command line without the place of this machine's PyTorch."""
    return [".venv-torch/bin/python" if Path(word).is_file() else word for word in arguments]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="ms per training step beside JAX and PyTorch")
    parser.add_argument("--net", action="append", help=f"default: {', '.join(NETS)}")
    parser.add_argument("--batch", type=int, help="pictures per step (default: 128; large nets 8)")
    parser.add_argument("--large", action="store_true", help=f"race {', '.join(LARGE_NETS)}")
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--seconds", type=float, default=1.5, help="of each slice")
    parser.add_argument("--cores", type=int, help="use only so many (default: all)")
    parser.add_argument("--allocator", choices=("system", RESIDENT), default="system")
    parser.add_argument(
        "--torch",
        default=os.environ.get("GRADWRIGHT_TORCH_PYTHON"),
        help="interpreter with PyTorch (or GRADWRIGHT_TORCH_PYTHON); without it, JAX alone",
    )
    parser.add_argument(
        "--tuned", action="store_true", help="race what `gradwright tune` found here as well"
    )
    parser.add_argument("--write", action="store_true", help=f"update {RESULTS.name}")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    return parser.parse_args()


if __name__ == "__main__":
    try:
        sys.exit(main())
    except ContestantFailed as failure:
        print(failure, file=sys.stderr)
        sys.exit(2)
