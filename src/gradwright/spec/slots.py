"""Parameter slots: name, shape, initialiser, weight decay, trainable or running statistic."""

import math
from dataclasses import dataclass

from gradwright.hlo.types import Shape
from gradwright.spec.conventions import Convention


@dataclass(frozen=True, slots=True)
class Constant:
    """Every element is `value`."""

    value: float


@dataclass(frozen=True, slots=True)
class HeNormal:
    """Normal with mean 0 and variance 2 / fan_in.

    Source: He et al. 2015, "Delving Deep into Rectifiers", eq. 10. Differs from PyTorch's default
    for linear and convolution layers (uniform with bound 1 / sqrt(fan_in)).
    """

    fan_in: int

    @property
    def deviation(self) -> float:
        """Standard deviation."""
        return math.sqrt(2 / self.fan_in)


Initializer = Constant | HeNormal


class Decay(Convention):
    """Whether weight decay acts on a slot: kernels and matrices yes, biases and norms no."""

    DECAYS = "decays"
    EXEMPT = "exempt"


@dataclass(frozen=True, slots=True)
class Slot:
    """One named array of a net.

    A slot that is not trainable is a running statistic: the train step updates it, the optimizer
    does not.
    """

    name: str
    shape: Shape
    initializer: Initializer
    decay: Decay
    trainable: bool = True

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)


@dataclass(frozen=True, slots=True)
class MaskSlot:
    """A multiplicative mask that the caller supplies in training.

    Shapes: `[B, *shape]`; the elements are 0 with probability 1 - keep, else 1 / keep, so that a
    mask of ones is the identity.
    """

    name: str
    shape: Shape
    keep: float
