"""Train a small ResNet for real, here and with PyTorch by the same recipe; compare accuracies.

    PYTHON_WITH_TORCH benchmarks/accuracy.py [--pictures 6000] [--epochs 5] [--seeds 5] [--write]

Both start from the same parameters and see the same batches in the same order at the same learning
rates; PyTorch runs torchvision's BasicBlock, its own batch norm and its own SGD. Beyond the first
steps rounding drives the runs apart, so that what is compared are accuracies over seeds. Exit code
1 where their paired difference is not within noise.
"""

# pyright: reportMissingImports=false

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from contest.table import replace_section

import gradwright as gw
from gradwright.data import Dataset, Split
from gradwright.layers import ConvBn, Dense, GlobalAvgPool, Padding, blocks
from gradwright.losses import SoftmaxCrossEntropy
from gradwright.optim import Momentum
from gradwright.train import TrainOptions
from gradwright.train.feed import Feed
from gradwright.train.parts import emit_parts
from zoo.reference import torchvision

# Untyped at this edge.
torch: Any = import_module("torch")
nn: Any = torch.nn
BasicBlock: Any = torchvision().models.resnet.BasicBlock

RESULTS = Path(__file__).with_name("RESULTS.md")
BATCH = 64
PEAK = 0.1
MOMENTUM = 0.9
WEIGHT_DECAY = 5e-4
"""Of CIFAR recipes after He et al. 2016, section 4.2, which has a decay of 1e-4."""
WIDTHS = (8, 16, 32)
"""Half of those of the ResNets of He et al. 2016, section 4.2, whose three stages these are."""
NOISE = 2.0
"""Standard errors of the paired difference that count as noise."""
FIRST_LOSS = 1e-4
"""Relative difference of the first losses, of the same function in f32, that is allowed."""


@dataclass(frozen=True, slots=True)
class Run:
    """One training: the loss of its first step, the accuracy on the test split, and seconds."""

    first_loss: float
    accuracy: float
    seconds: float


def main() -> int:
    """Train both for each seed; print and on request write both accuracies."""
    options = _options()
    dataset = _first(gw.data.load(options.data), options.pictures, options.test)
    pairs: list[tuple[Run, Run]] = []
    for seed in range(options.seeds):
        recipe = TrainOptions(
            epochs=options.epochs, batch=BATCH, lr=PEAK, warmup_epochs=1.0, seed=seed
        )
        pair = _timed(_ours, dataset, recipe), _timed(_theirs, dataset, recipe)
        gap = abs(pair[0].first_loss - pair[1].first_loss)
        print(f"seed {seed}: ours {pair[0]}, PyTorch {pair[1]}", file=sys.stderr, flush=True)
        if gap > FIRST_LOSS * pair[1].first_loss:
            print(f"seed {seed}: the first losses differ by {gap:.1e}", file=sys.stderr)
            return 1
        pairs.append(pair)
    words = f"--data {options.data} --pictures {options.pictures} --test {options.test}"
    words += f" --epochs {options.epochs} --seeds {options.seeds}"
    table, is_noise = _table(pairs, dataset, words)
    print(table)
    if options.write:
        replace_section(RESULTS, "accuracy", table)
    return 0 if is_noise else 1


def small_resnet(dataset: Dataset) -> gw.NetSpec:
    """Return a ResNet of three basic blocks for pictures of a data set."""
    first, second, third = WIDTHS
    same = Padding.SYMMETRIC
    layers = [
        ("stem", ConvBn(first, 3, padding=same)),
        ("one", blocks.BasicBlock(first)),
        ("two", blocks.BasicBlock(second, 2, same)),
        ("three", blocks.BasicBlock(third, 2, same)),
        GlobalAvgPool(),
        ("head", Dense(len(dataset.classes))),
    ]
    return gw.NetSpec("small-resnet", gw.Image(*dataset.train.shape), layers)


def _first(dataset: Dataset, count: int, tested: int) -> Dataset:
    """Return a data set with only the first pictures of both splits, normalised as ever."""
    train, test = (
        Split(split.images[:kept], split.labels[:kept], split.normalisation)
        for split, kept in ((dataset.train, count), (dataset.test, tested))
    )
    return replace(dataset, train=train, test=test)


def _timed(run: Callable[[Dataset, TrainOptions], Run], data: Dataset, recipe: TrainOptions) -> Run:
    started = time.perf_counter()
    return replace(run(data, recipe), seconds=time.perf_counter() - started)


def _ours(dataset: Dataset, recipe: TrainOptions) -> Run:
    result = gw.train.train(
        small_resnet(dataset),
        dataset,
        loss=SoftmaxCrossEntropy(),
        optimizer=Momentum(MOMENTUM, WEIGHT_DECAY),
        options=replace(recipe, log_every=1),
    )
    return Run(result.rows[0].loss, result.summary.test_accuracy, 0.0)


def _theirs(dataset: Dataset, recipe: TrainOptions) -> Run:
    net = _module(dataset, recipe.seed)
    groups = [
        {"params": [p for p in net.parameters() if p.ndim > 1], "weight_decay": WEIGHT_DECAY},
        {"params": [p for p in net.parameters() if p.ndim == 1], "weight_decay": 0.0},
    ]
    optimizer = torch.optim.SGD(groups, lr=PEAK, momentum=MOMENTUM)
    losses: list[float] = []
    for epoch in range(recipe.epochs):
        for fed in _feed(dataset, recipe).epoch(epoch):
            for group in optimizer.param_groups:
                group["lr"] = fed.lr
            x, y = torch.from_numpy(fed.inputs["x"]), torch.from_numpy(fed.inputs["y"]).long()
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(net(x), y)
            loss.backward()
            optimizer.step()
            losses.append(float(loss.detach()))
    return Run(losses[0], _accuracy(net, dataset.test, recipe.eval_batch), 0.0)


def _feed(dataset: Dataset, recipe: TrainOptions) -> Feed:
    """Return the batches and learning rates that our own training gets."""
    optimizer = Momentum(MOMENTUM, WEIGHT_DECAY)
    step = emit_parts(small_resnet(dataset), SoftmaxCrossEntropy(), optimizer, recipe).step
    return Feed(dataset.train, recipe, step.signature.inputs)


def _module(dataset: Dataset, seed: int) -> Any:  # noqa: ANN401 (PyTorch is untyped here)
    """Return PyTorch's net with our initial parameters, which stand in the same order."""
    first, second, third = WIDTHS

    def block(channels: int, out: int, stride: int) -> Any:  # noqa: ANN401 (the same)
        if stride == 1:
            return BasicBlock(channels, out)
        projection = nn.Conv2d(channels, out, 1, stride, bias=False)
        return BasicBlock(channels, out, stride, nn.Sequential(projection, nn.BatchNorm2d(out)))

    net = nn.Sequential(
        nn.Conv2d(dataset.train.shape[0], first, 3, padding=1, bias=False),
        nn.BatchNorm2d(first),
        nn.ReLU(),
        block(first, first, 1),
        block(first, second, 2),
        block(second, third, 2),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(third, len(dataset.classes)),
    )
    spec = small_resnet(dataset)
    start = gw.init(spec, seed=seed)
    with torch.no_grad():
        for slot, theirs in zip(spec.parameters, net.parameters(), strict=True):
            array = start[slot.name]
            ours = array.T if slot.name == "head.weight" else array
            theirs.copy_(torch.from_numpy(np.ascontiguousarray(ours)))
    return net


def _accuracy(net: Any, split: Split, batch: int) -> float:  # noqa: ANN401 (the same)
    net.eval()
    right = 0
    with torch.no_grad():
        for start in range(0, len(split), batch):
            x = split.normalisation.apply(split.images[start : start + batch])
            found = net(torch.from_numpy(x)).argmax(dim=1).numpy()
            right += int((found == split.labels[start : start + batch]).sum())
    return right / len(split)


def _table(pairs: list[tuple[Run, Run]], dataset: Dataset, words: str) -> tuple[str, bool]:
    """Return the section of RESULTS.md, and whether the difference is noise."""
    ours, theirs = (np.array([pair[i].accuracy for pair in pairs]) * 100 for i in (0, 1))
    gaps = ours - theirs
    error = float(np.std(gaps, ddof=1)) / len(gaps) ** 0.5
    mean = float(gaps.mean())
    is_noise = abs(mean) <= NOISE * error
    net = small_resnet(dataset)
    rows = [
        f"| {seed} | {a.accuracy:.2%} | {b.accuracy:.2%} | {gaps[seed]:+.2f} | {a.seconds:.0f} | "
        f"{b.seconds:.0f} |"
        for seed, (a, b) in enumerate(pairs)
    ]
    lines = [
        f"{datetime.now(UTC):%Y-%m-%d}: a ResNet of three basic blocks ({net.parameter_count:,} "
        f"parameters) on {len(dataset.train):,} pictures of {dataset.name}, {len(dataset.test):,} "
        f"to test; batch {BATCH}, momentum {MOMENTUM}, weight decay {WEIGHT_DECAY}, peak rate "
        f"{PEAK} after an epoch of warm-up, then a cosine. Same initial parameters, batches and "
        f"rates; torch {torch.__version__}.",
        "",
        f"`python benchmarks/accuracy.py {words} --write`",
        "",
        f"Ours {ours.mean():.2f} % (deviation over seeds {np.std(ours, ddof=1):.2f}), PyTorch "
        f"{theirs.mean():.2f} % ({np.std(theirs, ddof=1):.2f}); paired difference {mean:+.2f} with "
        f"a standard error of {error:.2f}: {'within' if is_noise else 'beyond'} noise.",
        "",
        "| seed | ours | PyTorch | difference | ours s | PyTorch s |",
        "|---|---|---|---|---|---|",
        *rows,
    ]
    return "\n".join(lines), is_noise


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--data", default="fashion-mnist", help="as `gradwright train` takes it")
    parser.add_argument("--pictures", type=int, default=6000, help="to train on")
    parser.add_argument("--test", type=int, default=10_000, help="pictures to test on")
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--write", action="store_true", help="put the table into RESULTS.md")
    options = parser.parse_args()
    if min(options.pictures // BATCH, options.epochs, options.seeds - 1) < 1:
        parser.error(f"expected {BATCH} pictures, 1 epoch and 2 seeds at least")
    return options


if __name__ == "__main__":
    sys.exit(main())
