"""Finding a data set by name or by what it is and where: `load("digits")`, `load("idx:DIR")`."""

import os
from collections.abc import Callable
from pathlib import Path

from gradwright.data.cifar import load_cifar
from gradwright.data.digits import load_digits
from gradwright.data.folders import PictureOptions, load_folder
from gradwright.data.idx import load_idx
from gradwright.data.known import CIFAR10, FASHION_MNIST, MNIST, KnownSet
from gradwright.data.npz import load_npz
from gradwright.data.records import Dataset
from gradwright.errors import DataError, perhaps
from gradwright.kinds import require_kind

ROOT_VARIABLE = "GRADWRIGHT_DATA"
_NAMED = ("digits", MNIST.name, FASHION_MNIST.name, CIFAR10.name)
_FORMS = "digits, mnist, fashion-mnist, cifar10, idx:DIR, cifar:DIR, npz:FILE or folder:DIR"


def load(
    name_or_uri: str, root: Path | None = None, *, pictures: PictureOptions | None = None
) -> Dataset:
    """Load a data set: `digits | mnist | fashion-mnist | cifar10 | idx:DIR | cifar:DIR | ...`.

    `mnist`, `fashion-mnist` and `cifar10` are folders of these names under `root` (default: the
    environment variable GRADWRIGHT_DATA, else `data`) and are compared with the published sets.
    `npz:FILE` is one archive, `folder:DIR` class folders of pictures, read as `pictures` says.

    Errors: `DataError` names the file, what was expected and found, and what to do.
    """
    if type(name_or_uri) is not str:
        raise DataError(where="data set", expected=_FORMS, found=repr(name_or_uri))
    require_kind("data set: root", root, Path | None)
    require_kind("data set: pictures", pictures, PictureOptions | None)
    if name_or_uri == "digits":
        return load_digits()
    for known, reader in ((MNIST, load_idx), (FASHION_MNIST, load_idx), (CIFAR10, load_cifar)):
        if name_or_uri == known.name:
            return reader(_folder(known, root), name=known.name, known=known)
    kind, separator, place = name_or_uri.partition(":")
    readers: dict[str, Callable[[Path], Dataset]] = {
        "idx": load_idx,
        "cifar": load_cifar,
        "npz": load_npz,
        "folder": lambda path: load_folder(path, pictures),
    }
    if not separator or not place or kind not in readers:
        known = [*_NAMED, *(f"{each}:" for each in readers)]
        remedy = "" if kind in readers else perhaps(kind, known)
        raise DataError(where="data set", expected=_FORMS, found=repr(name_or_uri), remedy=remedy)
    return readers[kind](Path(place))


def _folder(known: KnownSet, root: Path | None) -> Path:
    root = Path(os.environ.get(ROOT_VARIABLE, "data")) if root is None else root
    folder = root / known.name
    if not folder.is_dir():
        raise DataError(
            where=known.name,
            expected=f"its files in {folder}",
            found="no such folder",
            remedy=known.remedy,
        )
    return folder
