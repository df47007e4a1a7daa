"""The net that a word of the command line names: one of the zoo, or one in a file of the user."""

import importlib.util
import re
import sys
import traceback
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Self

from gradwright.errors import GradwrightError, SpecError, perhaps

if TYPE_CHECKING:
    from gradwright.spec import NetSpec


_SIZE = re.compile(r"(\d{1,9})(?:x(\d{1,9}))?")
# Pixels on a side: more than a JPEG can have.
_LARGEST = 65_535


@dataclass(frozen=True, slots=True)
class Chosen:
    """What options say of a named net: its classes, and height and width of its pictures.

    A net of one's own has the input and the outputs that its file declares.
    """

    classes: int | None = None
    size: tuple[int, int] | None = None

    @classmethod
    def of(cls, classes: int | None, size: str) -> Self:
        """Read the options; `size` is H, HxW or nothing."""
        if not size:
            return cls(classes)
        found = _SIZE.fullmatch(size) if size.isascii() else None
        extents = (int(found[1]), int(found[2] or found[1])) if found else (0, 0)
        if not all(1 <= extent <= _LARGEST for extent in extents):
            expected = f"H or HxW, as 64 or 64x96, each from 1 to {_LARGEST:,}"
            raise SpecError(where="--size", expected=expected, found=repr(size))
        return cls(classes, extents)


PROBE_OF = "probe:"
"""Before the name of a probe in place of a net, and before the path of a layer as an entry."""
DEFAULT = Chosen()
"""A named net as it was published."""


def own_file_of(text: str) -> Path | None:
    """Return the file in a word of the form FILE.py:NAME, None for any other word."""
    file, colon, _ = text.rpartition(":")
    return Path(file) if colon and file.endswith(".py") else None


def is_own(text: str) -> bool:
    """Whether the word has the form FILE.py:NAME."""
    return own_file_of(text) is not None


def artifact_of(text: str) -> str | None:
    """Return the name in a word of the form artifact:NAME, None for any other word."""
    prefix, separator, name = text.partition(":")
    return name if separator and prefix == "artifact" else None


def names_net(text: str) -> bool:
    """Whether a word that is no file is meant as a net: one's own, one of the zoo, or misspelt."""
    from gradwright.zoo import names

    return (
        artifact_of(text) is not None
        or is_own(text)
        or text in names()
        or (not Path(text).suffix and Path(text).name == text)
    )


def net_of(text: str, chosen: Chosen = DEFAULT) -> "NetSpec":
    """Return a named net, or the NetSpec called NAME in the module FILE.py.

    Errors: SpecError for a name that the zoo or the file lacks, and for a file that fails.
    """
    from gradwright.zoo import get

    file = own_file_of(text)
    if file is not None:
        return _declared(file, text.rpartition(":")[2])
    if artifact_of(text) is not None or text.startswith(PROBE_OF):
        raise SpecError(
            where=text,
            expected="the name of a net",
            found="that of a program",
            remedy="`emit`, `certify` and `mutate` take it; `gradwright artifacts` lists nets",
        )
    return get(text, classes=chosen.classes, size=chosen.size)


def _declared(file: Path, name: str) -> "NetSpec":
    from gradwright.spec import NetSpec

    values = vars(_imported(file))
    found = values.get(name)
    if isinstance(found, NetSpec):
        return found
    own = [key for key, value in values.items() if isinstance(value, NetSpec)]
    raise SpecError(
        where=str(file),
        expected=f"a NetSpec called {name}",
        found=f"only {', '.join(own)}" if own else "none",
        remedy=perhaps(name, own),
    )


def _imported(file: Path) -> ModuleType:
    """Import a file with the modules beside it; what it prints is no answer of the verb."""
    name = f"_own_{file.stem}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None or not file.is_file():
        raise SpecError(where=str(file), expected="a Python file", found="none")
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(file.parent.resolve()))
    try:
        with redirect_stdout(sys.stderr):
            spec.loader.exec_module(module)
    except GradwrightError as error:
        raise error.at(f"{_place(file, error)}, {error.where}") from error
    except (Exception, SystemExit) as error:
        raise SpecError(
            where=_place(file, error),
            expected="Python that runs to its end",
            found=f"{type(error).__name__}: {error}",
            remedy="--debug shows where",
        ) from error
    finally:
        sys.path.pop(0)
    return module


def _place(file: Path, error: BaseException) -> str:
    """Return the file with the line of it at which an error passed through."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if Path(frame.filename) == file.absolute()]
    return f"{file}:{lines[-1]}" if lines else str(file)
