"""Names of tensors: ours, and what a library's state dict calls them."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

Replacement = str | Callable[[re.Match[str]], str]


@dataclass(frozen=True, slots=True)
class Naming:
    """How one library names the tensors of a net.

    `rules` are (pattern, replacement) pairs, applied in order with `re.sub` to our name.
    """

    library: str
    rules: Sequence[tuple[str, Replacement]]

    def theirs(self, name: str) -> str:
        """Return the library's name of a slot."""
        for pattern, replacement in self.rules:
            name = re.sub(pattern, replacement, name)
        return name


OURS = Naming("Gradwright", ())
"""Our own names, as `init` gives them and checkpoints hold them."""
