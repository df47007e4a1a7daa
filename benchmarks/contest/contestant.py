"""Start one contestant: python -m contest.contestant KIND FOLDER VARIANT ALLOCATOR."""

import sys
from importlib import import_module
from pathlib import Path

from .heap import keep_resident

RESIDENT = "resident-heap"
"""Name of the allocator setting that `heap` applies; any other leaves the system's."""


def main(kind: str, folder: str, variant: str, allocator: str) -> None:
    """Choose the allocator before the contestant's libraries are loaded, then hand over."""
    if allocator == RESIDENT:
        keep_resident()
    import_module(f".{kind}", __package__).main(Path(folder), variant)


if __name__ == "__main__":
    main(*sys.argv[1:])
