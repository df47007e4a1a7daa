"""The catalogue: every line is built with its published count, or waits for what it names."""

import re
from dataclasses import replace

import pytest

from gradwright import programs, zoo
from gradwright.errors import SpecError
from gradwright.hlo.bindings import verify
from gradwright.zoo import catalogue
from gradwright.zoo.catalogue import ROWS
from gradwright.zoo.catalogue.build import waiting_for
from gradwright.zoo.catalogue.kinds import KINDS
from gradwright.zoo.catalogue.rows import Word
from repository.tree import ROOT

PAGE = ROOT / "docs" / "catalogue.md"
BLOCKS = re.compile(r"(<!-- (waiting|there) -->\n)(.*?)(<!-- end -->)", re.DOTALL)
GOLDEN = 189
"""Rows of the Bestiary's table of counts; their sum stands in for a copy of the table."""
SUM = 26_754_876_190
SAME_NETS = ("resnet18", "resnet50", "resnet101", "resnet152", "vgg11", "vgg13", "vgg16", "vgg19")
"""Nets of the catalogue that are those of torchvision to the last parameter."""


def test_the_golden_rows_are_all_there() -> None:
    golden = [row.parameters for name, row in ROWS.items() if name.startswith("bestiary-")]
    assert (len(golden), sum(golden)) == (GOLDEN, SUM)


@pytest.mark.parametrize("name", zoo.CATALOGUE)
def test_a_net_has_the_published_number_of_parameters(name: str) -> None:
    net = zoo.get(name)
    assert (net.name, net.parameter_count) == (name, ROWS[name].parameters)


@pytest.mark.parametrize("name", SAME_NETS)
def test_the_counts_are_those_of_the_published_nets(name: str) -> None:
    assert ROWS[f"bestiary-{name}"].parameters == zoo.get(name).parameter_count


def test_every_kind_occurs_and_every_line_is_there_or_waits() -> None:
    used = {word.kind for row in ROWS.values() for word in row.words}
    assert set(KINDS) - used == set()
    assert {*zoo.CATALOGUE, *zoo.waiting()} == set(ROWS)
    assert not {*zoo.CATALOGUE} & {*zoo.waiting()}
    assert zoo.waiting() is zoo.waiting()  # asked for each name at every start: 0.2 s, unless kept
    assert {*zoo.CATALOGUE} <= {*zoo.names()}


def test_a_net_that_waits_says_for_what() -> None:
    with pytest.raises(SpecError) as caught:
        zoo.get("bestiary-detr-r50")
    assert str(caught.value) == (
        "zoo: bestiary-detr-r50: expected layers that there are, not patch-embedding, "
        "transformer-encoder, transformer-decoder, detr-heads, found a net that waits for them"
    )


def test_a_join_without_its_half_waits() -> None:
    row = ROWS["bestiary-tiny-unet"]
    assert waiting_for(row) == []
    assert waiting_for(replace(row, words=row.words[1:])) == ["up without its down"]
    assert waiting_for(replace(row, words=[Word("sigmoid-attention", (), frozenset())])) == [
        "sigmoid-attention"
    ]


def test_classes_and_size_change_what_they_name() -> None:
    assert zoo.get("bestiary-wrn-40-2", classes=7, size=(16, 24)).output == (7,)
    assert zoo.get("bestiary-tiny-unet", size=(16, 24)).output == (1, 16, 24)
    with pytest.raises(SpecError, match="expected no classes, since the net ends in conv"):
        zoo.get("bestiary-tiny-unet", classes=3)
    with pytest.raises(SpecError, match="expected no size, since the net reads no pictures"):
        zoo.get("bestiary-dcgan-projector", size=8)


@pytest.mark.slow
@pytest.mark.parametrize("name", zoo.CATALOGUE)
def test_the_pullback_of_a_net_is_emitted_and_verified(name: str) -> None:
    program = programs.vjp(zoo.get(name), batch=2)
    verify(program.text)
    assert sum(port.type.size for port in program.outputs) > ROWS[name].parameters


def waiting_lines() -> str:
    """Return each set of lacking kinds with the lines that wait for it."""
    groups: dict[str, list[str]] = {}
    for name, kinds in catalogue.waiting().items():
        groups.setdefault(", ".join(kinds), []).append(f"`{name}`")
    rows = [f"| {kinds} | {', '.join(names)} |" for kinds, names in groups.items()]
    return "\n".join(["| waits for | nets |", "|---|---|", *rows, ""])


def built_lines() -> str:
    """Return each net with its input, output and parameters."""
    nets = [zoo.get(name) for name in zoo.CATALOGUE]
    rows = [
        f"| `{net.name}` | {_extents(net.input.shape)} | {_extents(net.output)} "
        f"| {net.parameter_count:,} |"
        for net in nets
    ]
    return "\n".join(["| name | input | output | parameters |", "|---|---|---|---|", *rows, ""])


def test_the_page_says_what_the_catalogue_says(accept: bool) -> None:
    said = {"waiting": waiting_lines(), "there": built_lines()}
    page = PAGE.read_text("utf-8")
    if accept:
        page = BLOCKS.sub(lambda found: f"{found[1]}{said[found[2]]}{found[4]}", page)
        PAGE.write_text(page, "utf-8")
    assert {found[2]: found[3] for found in BLOCKS.finditer(page)} == said, "--accept writes it"


def _extents(shape: tuple[int, ...]) -> str:
    return "x".join(map(str, shape))
