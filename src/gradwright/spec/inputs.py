"""What a net reads: pictures, flat feature vectors, or token ids."""

from dataclasses import dataclass

from gradwright.errors import SpecError
from gradwright.hlo.types import ElementType, Shape
from gradwright.spec.numbers import COUNTS, is_count


@dataclass(frozen=True, slots=True)
class Image:
    """Pictures. Shapes: `x: [B, channels, height, width]`, floating point."""

    channels: int
    height: int
    width: int

    def __post_init__(self) -> None:
        """Check that every extent is at least 1."""
        _check_extents(self, (self.channels, self.height, self.width))

    @property
    def shape(self) -> Shape:
        """Shape of one example."""
        return (self.channels, self.height, self.width)

    @property
    def integer(self) -> ElementType | None:
        """Element type where examples are not floating point."""
        return None


@dataclass(frozen=True, slots=True)
class Flat:
    """Feature vectors. Shapes: `x: [B, features]`, floating point."""

    features: int

    def __post_init__(self) -> None:
        """Check that there is at least one feature."""
        _check_extents(self, (self.features,))

    @property
    def shape(self) -> Shape:
        """Shape of one example."""
        return (self.features,)

    @property
    def integer(self) -> ElementType | None:
        """Element type where examples are not floating point."""
        return None


@dataclass(frozen=True, slots=True)
class Tokens:
    """Token ids. Shapes: `x: [B, length]`, i32 with 0 <= x < vocabulary."""

    length: int
    vocabulary: int

    def __post_init__(self) -> None:
        """Check that length and vocabulary are at least 1."""
        _check_extents(self, (self.length, self.vocabulary))

    @property
    def shape(self) -> Shape:
        """Shape of one example."""
        return (self.length,)

    @property
    def integer(self) -> ElementType | None:
        """Element type where examples are not floating point."""
        return ElementType.I32


Input = Image | Flat | Tokens


def _check_extents(input: object, extents: Shape) -> None:
    if not all(is_count(extent) for extent in extents):
        raise SpecError(where="input", expected=f"extents {COUNTS}", found=str(input))
