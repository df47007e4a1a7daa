"""The net that a word of the command line names: one of the zoo, or one in a file of the user."""

import importlib.util
import sys
import traceback
from contextlib import redirect_stdout
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from gradwright.errors import GradwrightError, SpecError

if TYPE_CHECKING:
    from gradwright.spec import NetSpec


def is_own(text: str) -> bool:
    """Whether the word has the form FILE.py:NAME."""
    return ".py:" in text


def names_net(text: str) -> bool:
    """Whether a word that is no file is meant as a net: one's own, one of the zoo, or misspelt."""
    from gradwright.zoo import names

    return is_own(text) or text in names() or (not Path(text).suffix and Path(text).name == text)


def net_of(text: str, *, classes: int | None = None) -> "NetSpec":
    """Return a named net, or the NetSpec called NAME in the module FILE.py.

    `classes` is for named nets; a net of one's own has the outputs that its file declares.

    Errors: SpecError for a name that the zoo or the file lacks, and for a file that fails.
    """
    from gradwright.zoo import DEFAULT_CLASSES, get

    if not is_own(text):
        return get(text, classes=DEFAULT_CLASSES if classes is None else classes)
    file, _, name = text.rpartition(":")
    return _declared(Path(file), name)


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
    except GradwrightError:
        raise
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
