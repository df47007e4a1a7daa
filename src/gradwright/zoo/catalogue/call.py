"""One layer of a line at its place, and the conventions that all kinds share.

Where lean4-mlir's layers disagree with a published net, theirs are taken: strided convolutions and
pools pad like TensorFlow, every convolution with batch norm ends in ReLU where nothing is said.
"""

from dataclasses import dataclass

from gradwright.hlo import Shape
from gradwright.layers import Function, Padding
from gradwright.zoo.catalogue.rows import Word

SAME = Padding.SAME_UPPER
RELU, SWISH = Function.RELU, Function.SWISH


@dataclass(frozen=True, slots=True)
class Call:
    """One layer of a line at its place: the word, and the shape that reaches it."""

    word: Word
    input: Shape

    @property
    def channels(self) -> int:
        """Channels or features that reach the layer."""
        return self.input[0]

    @property
    def padding(self) -> Padding:
        """Padding.VALID where the word says so, else as TensorFlow."""
        return Padding.VALID if "valid" in self.word.marks else SAME

    @property
    def activation(self) -> Function:
        """The function that the word names, else the identity."""
        named = [function for function in Function if function.value in self.word.marks]
        return named[0] if named else Function.IDENTITY
