"""Verdicts as values: proved, refuted by a counterexample, or unknown for a reason."""

import enum
from dataclasses import dataclass

Json = dict[str, object]


class Verdict(enum.StrEnum):
    """What is known of a claim; the value is its spelling in JSON."""

    PROVED = "proved"
    REFUTED = "refuted"
    UNKNOWN = "unknown"


class Distribution(enum.StrEnum):
    """How the elements of floating-point inputs were drawn; integers are 0 or 1, booleans either.

    SIMPLEX: positive numbers whose last dimension sums to 1.
    """

    NORMAL = "normal"
    POSITIVE = "uniform on [0.5, 1.5]"
    SMALL = "normal / 8"
    NEGATIVE = "uniform on [-1.5, -0.5]"
    SIMPLEX = "simplex"


@dataclass(frozen=True, slots=True)
class Input:
    """One argument of a counterexample; `values` (row-major) only where there are few.

    Shapes: any; `values` has one number per element.
    """

    name: str
    shape: tuple[int, ...]
    element: str
    distribution: Distribution
    values: tuple[float, ...] | None

    def to_json(self) -> Json:
        """Return the record of `certify --json`."""
        record: Json = {
            "name": self.name,
            "shape": list(self.shape),
            "type": self.element,
            "distribution": self.distribution.value,
        }
        return record if self.values is None else {**record, "values": list(self.values)}


@dataclass(frozen=True, slots=True)
class Grid:
    """Both sides of a counterexample at several elements of the claimed result, as a matrix.

    Shapes: the result, of `shape`, is a matrix whose rows are its first `split` dimensions; `rows`
    and `columns` are those of it that were measured; `emitted` and `wanted` are row-major over
    them.
    """

    shape: tuple[int, ...]
    split: int
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    emitted: tuple[float, ...]
    wanted: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Counterexample:
    """An input at which two sides differ, evaluated in f64 by the reference interpreter.

    `emitted` is what the text returns at `index` of the claimed result, `wanted` what it should
    have been, known within `error`. `inputs` are drawn again from `seed` by `witness.draw`.
    `ratio` is emitted / wanted where that is the same number at every index that was tried. `grid`
    holds more elements where the search was asked for them.
    """

    seed: int
    inputs: tuple[Input, ...]
    index: tuple[int, ...]
    emitted: float
    wanted: float
    error: float
    ratio: str | None = None
    grid: Grid | None = None

    def to_json(self) -> Json:
        """Return the record of `certify --json`."""
        record: Json = {
            "seed": self.seed,
            "inputs": [each.to_json() for each in self.inputs],
            "index": list(self.index),
            "emitted": self.emitted,
            "wanted": self.wanted,
            "error": self.error,
            "replayed": True,
        }
        return record if self.ratio is None else {**record, "ratio": self.ratio}

    def __str__(self) -> str:
        """Return one line for people."""
        place = f"[{', '.join(map(str, self.index))}]"
        ratio = f", {self.ratio} times as much at every index" if self.ratio else ""
        return (
            f"at {place} the text returns {self.emitted:.9g} instead of {self.wanted:.9g}{ratio} "
            f"(seed {self.seed})"
        )


@dataclass(frozen=True, slots=True)
class Proved:
    """Both sides are the same function over the reals, within the scope of the report."""


@dataclass(frozen=True, slots=True)
class Refuted:
    """The sides differ at an input."""

    counterexample: Counterexample


@dataclass(frozen=True, slots=True)
class Unknown:
    """Neither was shown; the reason names the first value at which the proof stops."""

    reason: str


Outcome = Proved | Refuted | Unknown


def verdict_of(outcome: Outcome) -> Verdict:
    """Return the verdict that an outcome carries."""
    match outcome:
        case Proved():
            return Verdict.PROVED
        case Refuted():
            return Verdict.REFUTED
        case Unknown():
            return Verdict.UNKNOWN
