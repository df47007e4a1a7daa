"""The files of this repository as records that a rule can be run over."""

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Source:
    """One text file: its path from the root (posix) and its text."""

    path: str
    text: str

    @property
    def name(self) -> str:
        """File name with its suffix."""
        return Path(self.path).name

    def inside(self, *folders: str) -> bool:
        """Whether the file lies in one of the folders."""
        return any(self.path.startswith(f"{folder}/") for folder in folders)


def tracked() -> Iterator[Source]:
    """Yield every tracked text file that exists in the working tree."""
    listing = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    for path in filter(None, listing.stdout.split("\0")):
        file = ROOT / path
        if not file.is_file() or file.suffix in {".png", ".gz", ".npz", ".safetensors"}:
            continue
        yield Source(path, file.read_text(encoding="utf-8"))


def python_files() -> list[Source]:
    """List the tracked Python files."""
    return [source for source in tracked() if source.path.endswith(".py")]
