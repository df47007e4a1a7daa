"""Precisions: which products of a program are computed in a narrower float type.

Every such product rounds both operands, has a result of the narrow type, and is converted back;
biases, normalisation, pooling, loss and update stay in the type of the program. Over the reals a
rounding counts as the identity, so the gradients are those of the unrounded net, straight through.
"""

from dataclasses import dataclass

from gradwright.hlo import ElementType
from gradwright.spec.conventions import Convention
from gradwright.spec.fields import check_fields


class Leaf(Convention):
    """The type that the operands and the result of a product are rounded to."""

    FULL = "full"
    """That of the program: nothing is rounded."""
    BF16 = "bf16"
    """8 bits of exponent, 8 of precision (Wang and Kanwar 2019, "BFloat16")."""
    F8E4M3 = "f8e4m3"
    """4 bits of exponent, 4 of precision, largest number 448 (Micikevicius et al. 2022, "FP8
    Formats for Deep Learning"); not scaled, and what rounds to more than 448 becomes NaN."""

    @property
    def element(self) -> ElementType | None:
        """Its element type; None for that of the program."""
        return _ELEMENTS.get(self)


_ELEMENTS = {Leaf.BF16: ElementType.BF16, Leaf.F8E4M3: ElementType.F8E4M3FN}


@dataclass(frozen=True, slots=True)
class Precision:
    """The type of each kind of product.

    `forward`, `input_gradient` and `weight_gradient` are of convolutions; `dense` of the three
    products of dense layers. The biases are added, and their gradients summed, in full.
    """

    forward: Leaf = Leaf.FULL
    input_gradient: Leaf = Leaf.FULL
    weight_gradient: Leaf = Leaf.FULL
    dense: Leaf = Leaf.FULL

    def __post_init__(self) -> None:
        """Check that every choice is a member of its enum."""
        check_fields(self)

    @property
    def leaves(self) -> tuple[Leaf, ...]:
        """The types of the four kinds of product."""
        return (self.forward, self.input_gradient, self.weight_gradient, self.dense)

    @property
    def is_full(self) -> bool:
        """Whether nothing is rounded."""
        return self == FULL


FULL = Precision()
"""Every product in the type of the program."""
BF16 = Precision(Leaf.BF16, Leaf.BF16, Leaf.BF16)
"""Every convolution, forward and backward, in bf16."""
BF16_DENSE = Precision(Leaf.BF16, Leaf.BF16, Leaf.BF16, Leaf.BF16)
"""Every convolution and every product of a dense layer in bf16."""
F8E4M3 = Precision(Leaf.F8E4M3, Leaf.F8E4M3)
"""Convolutions forward and towards the input in E4M3, gradients of kernels in full."""
F8E4M3_BF16 = Precision(Leaf.F8E4M3, Leaf.F8E4M3, Leaf.BF16)
"""The same with the gradients of kernels in bf16."""
