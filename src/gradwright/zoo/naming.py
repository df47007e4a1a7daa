"""Names of tensors: ours, and what a library's state dict calls them."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

Replacement = str | Callable[[re.Match[str]], str]
Rules = Sequence[tuple[str, Replacement]]


@dataclass(frozen=True, slots=True)
class Naming:
    """How one library names the tensors of a net.

    `rules` are (pattern, replacement) pairs, applied in order with `re.sub` to our name.
    """

    library: str
    rules: Rules

    def theirs(self, name: str) -> str:
        """Return the library's name of a slot."""
        for pattern, replacement in self.rules:
            name = re.sub(pattern, replacement, name)
        return name


OURS = Naming("Gradwright", ())
"""Our own names, as `init` gives them and checkpoints hold them."""


def numbered(form: str, depths: Iterable[int], *, first: int) -> Callable[[re.Match[str]], str]:
    """Return what replaces (stage, unit), both from 1, by one running number from `first`."""
    sizes = tuple(depths)

    def replacement(found: re.Match[str]) -> str:
        stage, unit = int(found[1]), int(found[2])
        return form.format(first + sum(sizes[: stage - 1]) + unit - 1)

    return replacement
