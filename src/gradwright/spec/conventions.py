"""The base of every named choice."""

import enum


class Convention(enum.Enum):
    """A closed choice that a declaration names; printed as it is written, `Padding.SYMMETRIC`."""

    def __repr__(self) -> str:
        """Return the member as source code names it."""
        return f"{type(self).__name__}.{self.name}"
