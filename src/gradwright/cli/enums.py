"""Read the conventions of the package, and what each means, from where they are declared."""

import ast
import enum
import importlib
import inspect
import pkgutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, is_dataclass
from types import ModuleType


@dataclass(frozen=True, slots=True)
class Convention:
    """One closed choice: its name, what it decides, and its (value, meaning) pairs.

    A meaning is "" where the source does not give one.
    """

    name: str
    module: str
    meaning: str
    choices: tuple[tuple[str, str], ...]


def conventions(packages: Sequence[str]) -> list[Convention]:
    """List the enums declared in the modules of `packages`, in the order of the source."""
    found: list[Convention] = []
    for package in packages:
        for module in _modules(package):
            found += _declared(module)
    return found


@dataclass(frozen=True, slots=True)
class Rule:
    """What a public record says of itself: its name and the first sentences of its docstring."""

    name: str
    module: str
    meaning: str


def rules(packages: Sequence[str]) -> list[Rule]:
    """List the public dataclasses of `packages` (layers, losses, optimizers), by package."""
    found: list[Rule] = []
    for package in map(importlib.import_module, packages):
        for name in package.__all__:
            record: object = getattr(package, name)
            if isinstance(record, type) and is_dataclass(record):
                meaning = inspect.cleandoc(record.__doc__ or "")
                found.append(Rule(name, record.__module__, meaning))
    return found


def _modules(package: str) -> Iterator[ModuleType]:
    root = importlib.import_module(package)
    yield root
    for info in pkgutil.walk_packages(root.__path__, f"{package}."):
        yield importlib.import_module(info.name)


def _declared(module: ModuleType) -> Iterator[Convention]:
    source = inspect.getsource(module)
    for node in ast.parse(source).body:
        if not isinstance(node, ast.ClassDef):
            continue
        kind: object = getattr(module, node.name)
        if not isinstance(kind, type) or not issubclass(kind, enum.Enum) or not len(kind):
            continue
        if not all(isinstance(member.value, str) for member in kind):
            continue  # nobody can write its members, so that it only tells things apart
        yield Convention(
            node.name,
            module.__name__,
            _first_sentence(ast.get_docstring(node) or ""),
            tuple(_choices(node, kind, source.splitlines())),
        )


def _choices(
    node: ast.ClassDef, kind: type[enum.Enum], lines: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """Yield value and meaning of each member; a meaning is a string or comment at the member."""
    for index, member in enumerate(node.body):
        if not isinstance(member, ast.Assign) or not isinstance(member.targets[0], ast.Name):
            continue
        following = node.body[index + 1 : index + 2]
        value = kind[member.targets[0].id]
        yield str(value.value), _text(following) or _comment(member, lines)


def _text(following: Sequence[ast.stmt]) -> str:
    for statement in following:
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            return _first_sentence(str(statement.value.value))
    return ""


def _comment(member: ast.Assign, lines: Sequence[str]) -> str:
    """Return the comment after a member, else the one on the lines above it."""
    rest = lines[(member.end_lineno or member.lineno) - 1][member.end_col_offset or 0 :].strip()
    if rest.startswith("#"):
        return rest.removeprefix("#").strip()
    above: list[str] = []
    for line in reversed(lines[: member.lineno - 1]):
        if not line.strip().startswith("#"):
            break
        above.insert(0, line.strip().removeprefix("#").strip())
    return " ".join(above)


def _first_sentence(text: str) -> str:
    paragraph = " ".join(inspect.cleandoc(text).split("\n\n")[0].split())
    return paragraph.removesuffix(".")
