"""What becomes of a theorem at one case: proved, refuted by numbers, or unknown."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from gradwright.theory.enclosure import Enclosure


class Verdict(StrEnum):
    """Worst last."""

    PROVED = "proved"
    UNKNOWN = "unknown"
    REFUTED = "refuted"


class Method(StrEnum):
    """By what a theorem was proved."""

    POINTS = "sets of integer points"
    """Both sides read the same products: sets with sizes as parameters are equal."""
    FORMS = "normal forms"
    """Both sides have the same normal form over unknown extents."""


@dataclass(frozen=True, slots=True)
class Proved:
    """The claim holds for all sizes and inputs within the hypotheses."""

    method: Method
    conditions: tuple[str, ...] = ()
    """What is assumed of the inputs, in words."""
    verdict = Verdict.PROVED

    def to_json(self) -> dict[str, object]:
        """Return a record of strings."""
        return {"method": self.method.value, "conditions": list(self.conditions)}


@dataclass(frozen=True, slots=True)
class Counterexample:
    """Sizes, inputs and an index at which both sides are different numbers.

    `inputs` lists the entries that are not 0. The true value comes from the definition of the
    derivative, by exact or enclosed rational arithmetic.
    """

    sizes: Mapping[str, int]
    inputs: Mapping[str, Mapping[tuple[int, ...], Enclosure]]
    value: str
    index: tuple[int, ...]
    stated: Enclosure
    true: Enclosure

    def __str__(self) -> str:
        sizes = ", ".join(f"{name} = {n}" for name, n in self.sizes.items())
        place = f"{self.value}{list(self.index)}" if self.index else self.value
        return f"at {sizes}: {place} is {self.true}, stated {self.stated}"


@dataclass(frozen=True, slots=True)
class Refuted:
    """The claim fails at the counterexample."""

    counterexample: Counterexample
    verdict = Verdict.REFUTED

    def to_json(self) -> dict[str, object]:
        """Return a record of strings and numbers."""
        found = self.counterexample
        return {
            "counterexample": {
                "sizes": dict(found.sizes),
                "value": found.value,
                "index": list(found.index),
                "stated": str(found.stated),
                "true": str(found.true),
            }
        }


@dataclass(frozen=True, slots=True)
class Unknown:
    """Neither; `reason` says why."""

    reason: str
    verdict = Verdict.UNKNOWN

    def to_json(self) -> dict[str, object]:
        """Return a record of strings."""
        return {"reason": self.reason}


Outcome = Proved | Refuted | Unknown
