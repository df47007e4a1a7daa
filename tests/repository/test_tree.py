"""Rules that every file of the repository keeps, each shown to bite on a bad file."""

import ast
import re
from collections.abc import Callable, Iterable

import pytest

from repository.tree import Source, python_files, tracked

Rule = Callable[[Iterable[Source]], list[str]]

LINES = 400
# Files that may be longer, and why no border was found along which to cut them.
LONGER: dict[str, str] = {
    "benchmarks/RESULTS.md": "tables that commands write, a row for every net and artifact",
}

VAGUE = re.compile(r"(^|_)(utils?|helpers?|misc|common)(_|\.py$|$)")

# Written so that no pattern matches itself.
PRIVATE = re.compile(
    r"/(?:ho[m]e|Use[r]s|ro[o]t|wo[r]k|op[t])/\w|/tm[p]/"
    r"|py[p]i\.org|python[h]osted|npm[j]s|conda[.]anaconda|deb[.]debian|snapshot[.]debian"
)

TALKATIVE = ("src/gradwright/cli", "src/gradwright/report", "benchmarks", "tools")


def long_files(sources: Iterable[Source]) -> list[str]:
    return [
        f"{source.path}: {source.text.count(chr(10))} lines"
        for source in sources
        if source.path not in LONGER and source.text.count("\n") > LINES
    ]


def vague_names(sources: Iterable[Source]) -> list[str]:
    return [
        source.path
        for source in sources
        if any(VAGUE.search(part) for part in source.path.split("/"))
    ]


def private_paths(sources: Iterable[Source]) -> list[str]:
    return [
        f"{source.path}:{number}: {found.group()}"
        for source in sources
        for number, line in enumerate(source.text.splitlines(), 1)
        if (found := PRIVATE.search(line))
    ]


def prints(sources: Iterable[Source]) -> list[str]:
    return [
        f"{source.path}:{node.lineno}"
        for source in sources
        if not source.inside(*TALKATIVE)
        for node in ast.walk(ast.parse(source.text))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "print"
    ]


def undocumented_modules(sources: Iterable[Source]) -> list[str]:
    return [
        source.path
        for source in sources
        if source.inside("src")
        and not (ast.get_docstring(ast.parse(source.text)) or "").split("\n")[0].endswith(".")
    ]


def imports_of_the_root(sources: Iterable[Source]) -> list[str]:
    """List modules of the package that import the package itself, hence everything."""
    return [
        f"{source.path}:{node.lineno}"
        for source in sources
        if source.inside("src") and source.path != "src/gradwright/__init__.py"
        for node in ast.walk(ast.parse(source.text))
        if (isinstance(node, ast.ImportFrom) and node.module == "gradwright")
        or (isinstance(node, ast.Import) and "gradwright" in {name.name for name in node.names})
    ]


def test_no_file_is_too_long() -> None:
    assert long_files(tracked()) == []


def test_every_exception_to_the_length_is_needed() -> None:
    lengths = {source.path: source.text.count("\n") for source in tracked()}
    assert [path for path in LONGER if lengths.get(path, 0) <= LINES] == []
    assert all(LONGER.values())


def test_names_say_what_is_inside() -> None:
    assert vague_names(python_files()) == []


def test_nothing_names_a_machine_or_a_registry() -> None:
    assert private_paths(tracked()) == []


def test_only_the_command_line_and_reports_print() -> None:
    assert prints(python_files()) == []


def test_every_module_says_in_a_sentence_what_it_is() -> None:
    assert undocumented_modules(python_files()) == []


def test_no_module_imports_the_whole_package() -> None:
    assert imports_of_the_root(python_files()) == []


@pytest.mark.parametrize(
    ("rule", "path", "text"),
    [
        (long_files, "src/gradwright/big.py", "x = 1\n" * 401),
        (vague_names, "src/gradwright/hlo/shape_utils.py", ""),
        (vague_names, "src/gradwright/helpers/shape.py", ""),
        (private_paths, "docs/a.md", "see /ho" + "me/someone/x"),
        (private_paths, "docs/a.md", "pip install -i https://py" + "pi.org/simple"),
        (prints, "src/gradwright/run/loop.py", '"""A."""\nprint(1)\n'),
        (undocumented_modules, "src/gradwright/run/loop.py", "x = 1\n"),
        (undocumented_modules, "src/gradwright/run/loop.py", '"""no full stop"""\n'),
        (imports_of_the_root, "src/gradwright/run/loop.py", "import gradwright as gw\n"),
        (imports_of_the_root, "src/gradwright/run/loop.py", "from gradwright import zoo\n"),
    ],
)
def test_a_bad_file_is_found(rule: Rule, path: str, text: str) -> None:
    assert len(rule([Source(path, text)])) == 1


@pytest.mark.parametrize(
    "rule", [long_files, vague_names, private_paths, prints, undocumented_modules]
)
def test_a_good_file_is_left_alone(rule: Rule) -> None:
    text = '"""Lower a program."""\n\nimport gradwright.errors\n'
    assert rule([Source("src/gradwright/run/lower.py", text)]) == []
