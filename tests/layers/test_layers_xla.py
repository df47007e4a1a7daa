"""The same pullbacks compiled by XLA: what runs is what was checked on the interpreter."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from gradwright import run
from gradwright.layers import PORTABLE, TEXTBOOK, Formulation, MaxPool, Padding
from gradwright.programs import Program
from gradwright.spec import Image
from oracles.closeness import assert_rounded
from oracles.subject import Subject
from oracles.subjects import SUBJECTS

pytestmark = pytest.mark.xla

TERMS = 4096
COMPILED = ("convolution", "grouped", "depthwise", "average pool", "batch norm", "gate")


def compiled(program: Program, arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Run a program as XLA compiles it."""
    executable = run.compile(program, cache=run.NO_CACHE)
    return executable(**{p.name: np.asarray(arrays[p.name], p.dtype) for p in program.inputs})


@pytest.mark.parametrize("form", [TEXTBOOK, PORTABLE], ids=["textbook", "portable"])
@pytest.mark.parametrize("name", COMPILED)
def test_xla_computes_the_same_gradients(name: str, form: Formulation) -> None:
    subject = SUBJECTS[name].under(form)
    arrays = subject.draw()
    expected = subject.gradients(arrays)
    for slot, gradient in replace(subject, runner=compiled).gradients(arrays).items():
        assert_rounded(gradient, expected[slot], terms=TERMS, name=slot)


@pytest.mark.parametrize("form", [TEXTBOOK, PORTABLE], ids=["textbook", "portable"])
def test_xla_routes_ties_to_the_first(form: Formulation) -> None:
    """bugs B5, B6: overlapping windows, ties and a border, in both forms."""
    subject = Subject([MaxPool(3, 2, Padding.SYMMETRIC)], Image(2, 7, 6), 3, form)
    arrays = subject.draw()
    arrays["x"] = np.maximum(np.round(arrays["x"]), 0)
    found = replace(subject, runner=compiled).gradients(arrays)["x"]
    assert_rounded(found, subject.gradients(arrays)["x"], terms=9)
