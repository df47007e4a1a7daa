"""Every theorem holds at all sizes, and every wrong statement near it has a counterexample."""

import re
from functools import cache
from itertools import product
from pathlib import Path

import pytest

from gradwright.errors import SpecError
from gradwright.theory import (
    THEOREMS,
    Case,
    Control,
    Hypothesis,
    Instance,
    Method,
    Proved,
    Refuted,
    Result,
    Theorem,
    find,
    markdown,
    prove,
    settle,
)
from gradwright.theory.measure import completed, differences, input_shapes
from gradwright.theory.search import drawn, search

CONTROLS = [(theorem, control) for theorem in THEOREMS for control in theorem.controls]
# Families of sums of products: their proofs need no normal forms.
LINEAR = {"dense", "convolution", "same-upper", "decimation", "pooling"}


PAGE = Path(__file__).parents[2] / "docs" / "theory.md"


@cache
def quick(name: str) -> Result:
    theorem = find(name)
    return settle(theorem, theorem.quick)


def named(value: Theorem | Control) -> str:
    return value.name


@pytest.mark.parametrize("theorem", THEOREMS, ids=named)
def test_a_theorem_is_proved(theorem: Theorem) -> None:
    result = quick(theorem.name)
    expected = Method.POINTS if theorem.family in LINEAR else Method.FORMS
    for settled in result.settled:
        assert isinstance(settled.outcome, Proved), settled
        assert settled.outcome.method is expected


@pytest.mark.slow
@pytest.mark.parametrize("theorem", THEOREMS, ids=named)
def test_a_theorem_is_proved_on_its_whole_grid(theorem: Theorem) -> None:
    result = settle(theorem, theorem.grid)
    wrong = [s for s in result.settled if not isinstance(s.outcome, Proved)]
    assert wrong == []


@pytest.mark.parametrize(
    ("theorem", "control"), CONTROLS, ids=[f"{t.name}: {c.name}" for t, c in CONTROLS]
)
def test_a_wrong_statement_is_refuted(theorem: Theorem, control: Control) -> None:
    instance = control.instance(control.at)
    outcome = prove(instance)
    assert isinstance(outcome, Refuted), (theorem.name, outcome)
    found = outcome.counterexample
    again = next(
        differences(
            instance,
            found.sizes,
            {
                name: {place: x.low for place, x in entries.items()}
                for name, entries in found.inputs.items()
            },
            found.index,
        )
    )
    assert again == found
    assert not found.true.meets(found.stated)


def test_every_theorem_has_a_control_and_a_grid_without_repetition() -> None:
    for theorem in THEOREMS:
        assert theorem.controls, theorem.name
        assert len(set(theorem.grid)) == len(theorem.grid), theorem.name
        assert set(theorem.quick) <= set(theorem.grid), theorem.name
        assert {control.at for control in theorem.controls} <= set(theorem.grid), theorem.name
    assert len({theorem.name for theorem in THEOREMS}) == len(THEOREMS)


@pytest.mark.parametrize("theorem", THEOREMS, ids=named)
def test_no_numbers_contradict_a_proof(theorem: Theorem) -> None:
    assert search(theorem.instance(theorem.quick[-1]), tried=3) is None


def smaller(instance: Instance, sizes: dict[str, int]) -> list[dict[str, int]]:
    """Return all sizes with a smaller sum than the given ones."""
    free = instance.symbols.sizes
    total = sum(sizes[s.symbol] for s in free)
    ranges = [range(s.least, total + 1) for s in free]
    return [
        {s.symbol: n for s, n in zip(free, choice, strict=True)}
        for choice in product(*ranges)
        if sum(choice) < total
    ]


def disagree(instance: Instance, sizes: dict[str, int]) -> bool:
    """Return whether the sides differ at these sizes, at inputs without pattern."""
    whole = completed(instance, sizes)
    shapes = input_shapes(instance, whole)
    if any(n < 1 for shape in shapes.values() for n in shape):
        return False
    return any(differences(instance, whole, drawn(instance, shapes, 0)))


@pytest.mark.parametrize(
    ("name", "control"),
    [
        ("dense-input", "the weight not transposed"),
        ("same-upper-input", "symmetric padding in the backward"),
        ("symmetric-dx-for-same-upper", "the condition on W forgotten"),
        ("decimation", "even positions for odd ones"),
    ],
)
def test_a_counterexample_has_the_least_sizes(name: str, control: str) -> None:
    wrong = next(c for c in find(name).controls if c.name == control)
    instance = wrong.instance(wrong.at)
    outcome = prove(instance)
    assert isinstance(outcome, Refuted)
    sizes = dict(outcome.counterexample.sizes)
    assert disagree(instance, {s.symbol: sizes[s.symbol] for s in instance.symbols.sizes})
    if not instance.hypotheses:
        assert not any(disagree(instance, less) for less in smaller(instance, sizes))


def test_symmetric_gradients_of_same_upper_fail_at_every_other_size() -> None:
    theorem = find("symmetric-dx-for-same-upper")
    instance = theorem.instance(Case.square(3, 2))
    [condition] = instance.hypotheses
    assert condition.is_exact
    wider = instance.without(condition)
    for height, width in product(range(1, 5), repeat=2):
        sizes = {"N": 1, "C": 1, "O": 1, "H": height, "W": width}
        assert disagree(wider, sizes) is (height % 2 == 0 or width % 2 == 0)


def test_a_condition_that_is_too_strong_is_not_called_exact() -> None:
    theorem = find("symmetric-dx-for-same-upper")
    instance = theorem.instance(Case.square(3, 2))
    narrow = Hypothesis("H mod 4 = 1 and W mod 2 = 1", "H is 4 a + 1", is_exact=True)
    outcome = prove(Instance(instance.symbols, instance.claim, (narrow,)))
    assert outcome.verdict.value == "unknown"


def test_dropping_any_condition_is_refuted() -> None:
    dropped = 0
    for theorem in THEOREMS:
        instance = theorem.instance(theorem.quick[0])
        for condition in (*instance.hypotheses, *instance.laws):
            assert isinstance(prove(instance.without(condition)), Refuted), theorem.name
            dropped += 1
    assert dropped >= 5


def test_the_page_has_the_table_that_the_command_makes() -> None:
    for theorem in THEOREMS:
        result = quick(theorem.name)
        *_, row = markdown([result]).splitlines()
        whole = row.replace(f"| {len(result.settled)} | p", f"| {len(theorem.grid)} | p")
        assert whole in PAGE.read_text("utf-8").splitlines(), theorem.name
    rows = re.findall(r"^\| `.*\| (\d+) \| proved \| .*\|$", PAGE.read_text("utf-8"), re.MULTILINE)
    assert len(rows) == len(THEOREMS)
    assert f"({sum(map(int, rows))}\ncases" in PAGE.read_text("utf-8")


def test_a_name_that_is_unknown_is_answered_with_near_ones() -> None:
    with pytest.raises(SpecError, match="Perhaps conv-input or"):
        find("conv-inputs")
