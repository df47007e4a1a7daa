"""What a profile of a step counts to which kind, and time once only."""

import sys
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType

import pytest

from repository.tree import ROOT

COMPILED = """HloModule jit
%fused (p: f32[4,4]) -> f32[4,4] {
  %p = f32[4,4]{1,0} parameter(0)
  ROOT %dot.1 = f32[4,4]{1,0} dot(%p, %p), lhs_contracting_dims={1}
}
%moved (p.1: f32[4,4]) -> f32[4,4] {
  %p.1 = f32[4,4]{1,0} parameter(0)
  ROOT %transpose.1 = f32[4,4]{0,1} transpose(%p.1), dimensions={1,0}
}
%body (s: (s32[], f32[4,4])) -> (s32[], f32[4,4]) {
  %s = (s32[], f32[4,4]{1,0}) parameter(0)
  ROOT %exp.1 = f32[4,4]{1,0} exponential(%s)
}
ENTRY %main (x: f32[4,4]) -> f32[] {
  %x = f32[4,4]{1,0} parameter(0)
  %ynn_fusion.2 = f32[4,4]{1,0} fusion(%x), kind=kCustom, calls=%fused
  %copy_fusion = f32[4,4]{1,0} fusion(%x), kind=kLoop, calls=%moved
  %while.3 = (s32[], f32[4,4]{1,0}) while(%copy_fusion), body=%body
  ROOT %reduce.4 = f32[] reduce(%while.3), dimensions={0,1}
}
"""


@pytest.fixture
def profile(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.setattr(sys, "path", [str(ROOT / "benchmarks"), *sys.path])
    return import_module("step_profile")


@dataclass(frozen=True, slots=True)
class Event:
    name: str
    start_ns: float
    duration_ns: float

    @property
    def end_ns(self) -> float:
        return self.start_ns + self.duration_ns


def test_an_operation_is_of_the_first_kind_that_is_fused_in_it(profile: ModuleType) -> None:
    kinds = profile.kinds_of(COMPILED.splitlines())
    wanted = {
        "ynn_fusion.2": "products",
        "copy_fusion": "layouts",
        "while.3": "loops",
        "exp.1": "elements",
        "reduce.4": "sums, windows",
    }
    assert {name: kinds[name] for name in wanted} == wanted


def test_what_is_inside_counts_once(profile: ModuleType) -> None:
    events = [Event("loop", 0, 10), Event("exp", 1, 3), Event("dot", 5, 4), Event("after", 10, 2)]
    own = [("loop", 3), ("exp", 3), ("dot", 4), ("after", 2)]
    assert profile.own_times(reversed(events)) == own
