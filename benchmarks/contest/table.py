"""From samples to ratios, and the part of a Markdown file that holds them."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .race import Entrant, Facts, Sample, quieter_half

MIB = 2**20
AGREEMENT = (1e-4, 5e-3)
"""Relative differences up to which the losses of the first steps count as equal.

The first is of one forward pass: a few hundred ulps of float32. The second comes after a step of
Adam, which moves a weight by the whole learning rate however small its gradient, so that rounding
decides where a gradient is rounding itself: in MobileNetV2 it changes the loss by 7e-4."""


@dataclass(frozen=True, slots=True)
class Standing:
    """One contestant in the quieter rounds. Units: ms per step, cores.

    `ratio` is the best of ours divided by this one, of medians; `low` and `high` bound the middle
    half of the ratios of single rounds. The best of ours has 1. `cpu_ratio` is the same of CPU
    time, which survives being pre-empted: on one core it is the one to read on a busy machine.
    """

    family: str
    name: str
    facts: Facts
    ms: float
    cpu_ms: float
    ratio: float
    low: float
    high: float
    cpu_ratio: float


@dataclass(frozen=True, slots=True)
class Result:
    """One net's race; `work` are the floating-point operations of the products of a step."""

    net: str
    work: float
    standings: tuple[Standing, ...]
    rounds: int
    foreign: float

    def best(self, family: str) -> Standing | None:
        """Return the fastest of a family, None where none ran."""
        members = [standing for standing in self.standings if standing.family == family]
        return min(members, key=lambda standing: standing.ms, default=None)


def standings(
    net: str,
    work: float,
    entrants: Sequence[Entrant],
    facts: Sequence[Facts],
    rounds: Sequence[Sequence[Sample]],
) -> Result:
    """Judge a race: everyone against the best of the first entrant's family, which is ours."""
    quiet = quieter_half(rounds)
    walls = [[samples[i].wall_ms for samples in quiet] for i in range(len(entrants))]
    cpus = [statistics.median(samples[i].cpu_ms for samples in quiet) for i in range(len(entrants))]
    medians = [statistics.median(wall) for wall in walls]
    family = [i for i, entrant in enumerate(entrants) if entrant.family == entrants[0].family]
    ours = min(family, key=lambda i: medians[i])
    rows: list[Standing] = []
    for i, (entrant, known) in enumerate(zip(entrants, facts, strict=True)):
        ratios = sorted(a / b for a, b in zip(walls[ours], walls[i], strict=True))
        quarter = len(ratios) // 4
        rows.append(
            Standing(
                entrant.family,
                entrant.name,
                known,
                medians[i],
                cpus[i],
                medians[ours] / medians[i],
                ratios[quarter],
                ratios[-1 - quarter],
                cpus[ours] / cpus[i],
            )
        )
    foreign = statistics.median(sample.foreign for samples in quiet for sample in samples)
    return Result(net, work, tuple(rows), len(quiet), foreign)


def disagreement(losses: Sequence[Sequence[float]]) -> tuple[float, ...]:
    """Return, for each step, the largest relative difference of a loss from the first's."""
    return tuple(
        max(abs(own - each[0]) / abs(each[0]) for own in each) for each in zip(*losses, strict=True)
    )


def agree(losses: Sequence[Sequence[float]]) -> bool:
    """Return whether all contestants did the same work."""
    return all(map(float.__le__, disagreement(losses), AGREEMENT))


def markdown(results: Sequence[Result], heading: Sequence[str], peak: float) -> str:
    """Return heading and tables: the summary, then every contestant.

    `peak`: floating-point operations per second of the machine's matrix product.
    """
    head = "net", "best of ours", "best JAX", "best PyTorch", "ours / best peer", "of the peak"
    lines = [*heading, "", f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for result in results:
        peers = [result.best(family) for family in ("jax", "torch")]
        shown = [result.best(result.standings[0].family), *peers]
        cells = [f"{best.ms:.2f} ({best.name})" if best else "not run" for best in shown]
        ran = [peer for peer in peers if peer]
        best = min(ran, key=lambda peer: peer.ms) if ran else None
        cells.append(
            f"**{best.ratio:.2f}** ({best.low:.2f} to {best.high:.2f})" if best else "no peer ran"
        )
        assert shown[0] is not None  # ours always run
        cells.append(f"{1e3 * result.work / shown[0].ms / peak:.0%}")
        lines.append(f"| {result.net} | {' | '.join(cells)} |")
    head = "net", "contestant", "ms", "CPU ms", "ours / it (middle half)", "of CPU"
    head = *head, "peak MiB", "start, s"
    lines += ["", f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    lines += [
        f"| {result.net} | {s.name} | {s.ms:.2f} | {s.cpu_ms:.2f} "
        f"| {s.ratio:.2f} ({s.low:.2f} to {s.high:.2f}) | {s.cpu_ratio:.2f} "
        f"| {s.facts.peak / MIB:,.0f} | {s.facts.start:.1f} |"
        for result in results
        for s in result.standings
    ]
    return "\n".join(lines)


def read_section(path: Path, mark: str) -> str:
    """Return what is between `<!-- mark -->` and `<!-- /mark -->` of a file, nothing without it."""
    text = path.read_text("utf-8") if path.exists() else ""
    return text.partition(f"<!-- {mark} -->\n")[2].partition(f"\n<!-- /{mark} -->")[0]


def replace_section(path: Path, mark: str, body: str) -> None:
    """Put body between `<!-- mark -->` and `<!-- /mark -->` of a file, added where missing."""
    opening, closing = f"<!-- {mark} -->", f"<!-- /{mark} -->"
    text = path.read_text("utf-8") if path.exists() else ""
    section = f"{opening}\n{body}\n{closing}"
    if opening in text and closing in text:
        before, _, rest = text.partition(opening)
        text = before + section + rest.partition(closing)[2]
    else:
        text = f"{text.rstrip()}\n\n{section}\n".lstrip()
    path.write_text(text, "utf-8")
