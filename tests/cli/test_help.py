"""What the command line says of itself, and what its page says of it."""

import re
from collections.abc import Iterator
from typing import cast

import pytest
from typer.core import TyperGroup
from typer.main import get_command

from gradwright.cli import main
from gradwright.cli.app import app
from repository.tree import ROOT

PAGES = "\n".join(page.read_text("utf-8") for page in sorted((ROOT / "docs").glob("*.md")))
CLI_PAGE = (ROOT / "docs" / "cli.md").read_text("utf-8")


def parameters() -> Iterator[tuple[str, str, str]]:
    """Yield verb, spelling and help of every option and argument."""
    group = get_command(app)
    assert isinstance(group, TyperGroup)
    for verb, command in group.commands.items():
        for parameter in command.params:
            [spelling, *_] = sorted(parameter.opts, key=len, reverse=True)
            yield verb, spelling, str(getattr(parameter, "help", None) or "")


VERBS = sorted({verb for verb, _, _ in parameters()})


def test_every_option_and_argument_is_explained() -> None:
    assert [(verb, name) for verb, name, said in parameters() if len(said) < 5] == []


@pytest.mark.parametrize("verb", VERBS)
def test_usage_is_plain_and_fits_a_terminal(
    verb: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert main([verb, "--help"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert max(map(len, said)) <= 80
    assert not re.search(r"\[\[|\.\.\.[\]}]|{[a-z]", said[0])


def test_verbs_are_listed_with_whole_sentences(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["--help"]) == 0
    _, _, listed = capsys.readouterr().out.partition("Commands:\n")
    lines = listed.splitlines()
    assert len(lines) == len(VERBS)
    assert [line for line in lines if not re.search(r"\w\.$", line)] == []


@pytest.mark.parametrize("words", [["certify", "a", "b"], ["emit"], ["emit", "n", "--foo"]])
def test_a_wrong_usage_is_a_sentence(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 3
    assert re.search(r"[^.]\. See: gradwright \w+ --help\n$", capsys.readouterr().err)


def test_every_option_is_on_a_page() -> None:
    options = {name for _, name, _ in parameters() if name.startswith("--")}
    assert sorted(name for name in options if not re.search(rf"{name}\b", PAGES)) == []


def test_the_page_lists_the_verbs() -> None:
    listed = re.findall(r"^\| `([a-z]+)[ `]", CLI_PAGE, re.MULTILINE)
    assert sorted(listed) == sorted({verb for verb, _, _ in parameters()})


def test_every_verb_answers_in_json() -> None:
    spelled = {(verb, name) for verb, name, _ in parameters()}
    assert sorted(verb for verb, _ in spelled if (verb, "--json") not in spelled) == []


def test_every_number_has_a_least_value() -> None:
    """Else what is too small is said of a field in Python, or not at all."""
    group = get_command(app)
    assert isinstance(group, TyperGroup)
    numbers = {
        (verb, parameter.name): cast("object", getattr(parameter, "min", None))
        for verb, command in group.commands.items()
        for parameter in command.params
        if re.search(r"\b(int|float)\b", str(getattr(parameter, "type_descriptor", "")))
    }
    assert len(numbers) > 20
    assert [name for name, least in numbers.items() if least is None] == []
