"""The files and folders that a command names: what is read is there, what is written harms none.

One table says what each verb does with each path; everything is looked at before any work.
"""

import enum
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from gradwright.cli.nets import names_net, own_file_of
from gradwright.cli.request import Asked, Request
from gradwright.errors import SpecError, perhaps


class Use(enum.Enum):
    """What becomes of a path."""

    READ = enum.auto()
    NET = enum.auto()  # a word that names a net, perhaps in a file
    TEXT = enum.auto()  # a file, or a word that names a net
    DATA = enum.auto()  # a word that names a data set, perhaps in files
    TREE = enum.auto()  # a folder of which everything is read
    RUN = enum.auto()  # the folder of a run, or a checkpoint in it
    WRITTEN = enum.auto()  # a file that is replaced
    PICTURE = enum.auto()  # the same, of a PNG
    FOLDER = enum.auto()  # the folder of a run that is written to


_TEXTS = {
    "file": Use.TEXT,
    "net": Use.NET,
    "forward": Use.READ,
    "backward": Use.READ,
}
PATHS: Mapping[str, Mapping[str, Use]] = {
    "show": {"net": Use.NET},
    "emit": {"net": Use.NET, "out": Use.WRITTEN},
    "train": {"net": Use.NET, "data": Use.DATA, "out": Use.FOLDER},
    "eval": {"run": Use.RUN, "weights": Use.READ, "net": Use.NET, "data": Use.DATA},
    "predict": {"run": Use.RUN, "weights": Use.READ, "image": Use.READ, "net": Use.NET},
    "explain": {
        "net": Use.NET,
        "image": Use.READ,
        "out": Use.PICTURE,
        "checkpoint": Use.RUN,
        "weights": Use.READ,
    },
    "bench": {"net": Use.NET},
    "tune": {"net": Use.NET},
    "certify": {
        **_TEXTS,
        "equal": Use.READ,
        "page": Use.WRITTEN,
        "certificate": Use.WRITTEN,
    },
    "check": {"certificate": Use.READ, "files": Use.READ},
    "mutate": _TEXTS,
    "probes": {"file": Use.READ},
}
"""What each verb does with its paths, by the names of its parameters."""
_WRITES = (Use.WRITTEN, Use.PICTURE, Use.FOLDER)
_OF_A_RUN = ("manifest.json", "metrics.csv", "curves.png", "lock", "checkpoints")


@dataclass(frozen=True, slots=True)
class _Named:
    """A path, what becomes of it, and the parameter that names it."""

    spelling: str
    path: Path
    use: Use

    @property
    def is_written(self) -> bool:
        return self.use in _WRITES


def require_paths(request: Request) -> None:
    """SpecError where an output falls on another path or cannot be, or an input is not there."""
    named = list(_named(request))
    for each in named:
        if each.is_written:
            _require_writable(each)
    for i, each in enumerate(named):
        for other in named[:i]:
            _require_apart(each, other)
    for each in named:
        if each.use is Use.READ:
            require_readable(each.path)
        if each.use is Use.RUN and not each.path.exists():
            raise SpecError(
                where=str(each.path),
                expected="the folder of a run, or a checkpoint in it",
                found="none",
                remedy=_of_net(each),
            )


def _of_net(run: _Named) -> str:
    """Return a remedy: what a net takes in place of a run."""
    named = run.spelling == "RUN_OR_NET" and names_net(str(run.path))
    return f"Beside the net {run.path} say --weights FILE" if named else ""


def require_readable(path: Path) -> None:
    """SpecError where a path is no file that can be read; pipes and devices can."""
    expected = "a file that can be read"
    if path.is_dir():
        raise SpecError(where=str(path), expected=expected, found="a folder")
    if not path.exists():
        raise SpecError(where=str(path), expected=expected, found="none", remedy=_near(path))
    if not os.access(path, os.R_OK):
        raise SpecError(where=str(path), expected=expected, found="no permission to read it")


def _near(path: Path) -> str:
    """Return a remedy: files of the folder that have similar names."""
    try:
        names = os.listdir(path.parent)
    except OSError:
        return f"There is no folder {path.parent}"
    # Equal suffixes make no name like another.
    alike = [name for name in names if perhaps(path.stem, [Path(name).stem])]
    return perhaps(path.name, alike)


def _named(request: Request) -> Iterator[_Named]:
    for name, use in PATHS.get(request.verb, {}).items():
        asked = request[name]
        if name == "run" and request["weights"].given:
            use = Use.NET  # beside weights the word names a net
        for path, becomes in _paths(asked, use):
            yield _Named(asked.spelling, path, becomes)


def _paths(asked: Asked, use: Use) -> Iterator[tuple[Path, Use]]:
    """Yield the paths in the value of a parameter; a word may hold one or none."""
    word = asked.text
    if use in (Use.NET, Use.TEXT) and (file := own_file_of(word)) is not None:
        yield file, Use.NET
    elif use is Use.TEXT:
        for path in asked.paths:
            if path.exists() or not names_net(word):
                yield path, Use.READ
    elif use is Use.DATA:
        kind, colon, place = word.partition(":")
        if colon and place:
            yield Path(place), Use.TREE if kind == "folder" else Use.DATA
    elif use is not Use.NET:
        for path in asked.paths:
            yield path, use


def _require_writable(out: _Named) -> None:
    """Refuse what cannot be written before minutes of work go into it."""
    path = out.path.resolve()
    if out.use is Use.FOLDER:
        if path.exists() and not path.is_dir():
            expected = "a folder, or a name for a new one"
            raise SpecError(where=out.spelling, expected=expected, found=f"the file {out.path}")
        return
    if not path.parent.is_dir():
        raise SpecError(
            where=out.spelling, expected="a folder that exists", found=f"none at {out.path.parent}"
        )
    if path.exists() and not path.is_file():
        found = f"the {'folder' if path.is_dir() else 'device or pipe'} {out.path}"
        raise SpecError(where=out.spelling, expected="a file, or a name for a new one", found=found)
    if not os.access(path.parent, os.W_OK | os.X_OK):
        found = f"no permission at {out.path.parent}"
        raise SpecError(where=out.spelling, expected="a folder to write into", found=found)
    if out.use is Use.PICTURE and path.suffix.lower() != ".png":
        found = out.path.name
        raise SpecError(where=out.spelling, expected="a name that ends in .png", found=found)


def _require_apart(one: _Named, other: _Named) -> None:
    """Refuse an output that is, holds or lies in what the command reads or writes besides."""
    out, kept = (one, other) if one.is_written else (other, one)
    if out.is_written and any(_meet(out, kept.use, file) for file in _touched(kept)):
        raise SpecError(
            where=out.spelling,
            expected=f"a path apart from {kept.spelling}, which is {kept.path}",
            found=str(out.path),
        )


def _touched(kept: _Named) -> Iterator[Path]:
    """Yield what is read or written at a path, links followed."""
    path = kept.path.resolve()
    if kept.use is not Use.RUN:
        yield path
        return
    folder = path if path.is_dir() else path.parent.parent
    yield from (folder / name for name in _OF_A_RUN)


def _meet(out: _Named, use: Use, path: Path) -> bool:
    """Whether writing an output changes a path, or what is read below it."""
    written = out.path.resolve()
    if _same(written, path):
        return True
    if out.use is Use.FOLDER and written in path.parents:
        return True
    return (use is Use.TREE or path.name == "checkpoints") and path in written.parents


def _same(one: Path, other: Path) -> bool:
    """Whether two paths are one, also on file systems that do not tell letters apart."""
    return one == other or (one.exists() and other.exists() and one.samefile(other))
