"""Small image nets by name: MNIST, digits and CIFAR sizes.

Sources of the layer lists: the MNIST and CIFAR nets are those whose parameter counts are published
for the lean4-mlir project's training runs; the digits nets are ours.
"""

from collections.abc import Callable

from gradwright.layers import (
    Activation,
    BatchNorm,
    Conv2d,
    ConvBn,
    Dense,
    Flatten,
    Function,
    MaxPool,
    Padding,
)
from gradwright.spec import Entry, Image, NetSpec

SAME = Padding.SYMMETRIC
"""At stride 1 and odd kernels every convention of "same" agrees; this is its name here."""


def _relu() -> Activation:
    return Activation(Function.RELU)


def _conv(channels: int) -> list[Entry]:
    return [Conv2d(channels, 3, padding=SAME), _relu()]


def _conv_bn(channels: int) -> list[Entry]:
    """Convolution with a bias, which the published cifar8-bn keeps in front of its norm."""
    return [Conv2d(channels, 3, padding=SAME), BatchNorm(), _relu()]


def _head(*widths: int, classes: int) -> list[Entry]:
    hidden = [entry for width in widths for entry in (Dense(width), _relu())]
    return [Flatten(), *hidden, Dense(classes)]


def mnist_linear(classes: int) -> NetSpec:
    """Softmax regression."""
    return NetSpec("mnist-linear", Image(1, 28, 28), _head(classes=classes))


def mnist_mlp(classes: int) -> NetSpec:
    """Multi-layer perceptron 784-512-512-10."""
    return NetSpec("mnist-mlp", Image(1, 28, 28), _head(512, 512, classes=classes))


def mnist_cnn(classes: int) -> NetSpec:
    """Four convolutions with batch norm, two dense layers."""
    layers = [
        ConvBn(32, 3, padding=SAME),
        ConvBn(32, 3, padding=SAME),
        MaxPool(2),
        ConvBn(64, 3, padding=SAME),
        ConvBn(64, 3, padding=SAME),
        MaxPool(2),
        *_head(512, classes=classes),
    ]
    return NetSpec("mnist-cnn", Image(1, 28, 28), layers)


def mnist_cnn_plain(classes: int) -> NetSpec:
    """Two convolutions without batch norm, three dense layers."""
    layers = [*_conv(32), *_conv(32), MaxPool(2), *_head(512, 512, classes=classes)]
    return NetSpec("mnist-cnn-plain", Image(1, 28, 28), layers)


def digits_mlp(classes: int) -> NetSpec:
    """Multi-layer perceptron 64-128-128-10 for the embedded 8x8 digits."""
    return NetSpec("digits-mlp", Image(1, 8, 8), _head(128, 128, classes=classes))


def digits_cnn(classes: int) -> NetSpec:
    """Three convolutions with batch norm for the embedded 8x8 digits."""
    layers = [
        ConvBn(32, 3, padding=SAME),
        ConvBn(32, 3, padding=SAME),
        MaxPool(2),
        ConvBn(64, 3, padding=SAME),
        MaxPool(2),
        *_head(128, classes=classes),
    ]
    return NetSpec("digits-cnn", Image(1, 8, 8), layers)


def cifar_cnn(classes: int) -> NetSpec:
    """Four convolutions without batch norm, three dense layers."""
    layers = [
        *_conv(32),
        *_conv(32),
        MaxPool(2),
        *_conv(64),
        *_conv(64),
        MaxPool(2),
        *_head(512, 512, classes=classes),
    ]
    return NetSpec("cifar-cnn", Image(3, 32, 32), layers)


def cifar_cnn_bn(classes: int) -> NetSpec:
    """The convolutions of cifar-cnn with batch norm after each."""
    layers = [
        *_conv_bn(32),
        *_conv_bn(32),
        MaxPool(2),
        *_conv_bn(64),
        *_conv_bn(64),
        MaxPool(2),
        *_head(512, 512, classes=classes),
    ]
    return NetSpec("cifar-cnn-bn", Image(3, 32, 32), layers)


def cifar8(classes: int) -> NetSpec:
    """Eight narrow convolutions, four pools, three dense layers."""
    return NetSpec("cifar8", Image(3, 32, 32), _eight(_conv, NARROW, classes))


def cifar8_bn(classes: int) -> NetSpec:
    """The net cifar8 with batch norm after each convolution."""
    return NetSpec("cifar8-bn", Image(3, 32, 32), _eight(_conv_bn, NARROW, classes))


def cifar8_wide(classes: int) -> NetSpec:
    """The net cifar8 with wide dense layers."""
    return NetSpec("cifar8-wide", Image(3, 32, 32), _eight(_conv, WIDE, classes))


def cifar8_bn_wide(classes: int) -> NetSpec:
    """The net cifar8-bn with wide dense layers."""
    return NetSpec("cifar8-bn-wide", Image(3, 32, 32), _eight(_conv_bn, WIDE, classes))


NARROW, WIDE = 64, 512
"""Hidden features of the dense layers of the two widths of cifar8."""


def _eight(unit: Callable[[int], list[Entry]], width: int, classes: int) -> list[Entry]:
    layers: list[Entry] = []
    for channels in (16, 16, 32, 32):
        layers += [*unit(channels), *unit(channels), MaxPool(2)]
    return [*layers, *_head(width, width, classes=classes)]


NETS: dict[str, Callable[[int], NetSpec]] = {
    "mnist-linear": mnist_linear,
    "mnist-mlp": mnist_mlp,
    "mnist-cnn": mnist_cnn,
    "mnist-cnn-plain": mnist_cnn_plain,
    "digits-mlp": digits_mlp,
    "digits-cnn": digits_cnn,
    "cifar-cnn": cifar_cnn,
    "cifar8": cifar8,
    "cifar8-bn": cifar8_bn,
}
"""The small nets; the value takes the number of classes."""

DEFAULT_CLASSES = 10
"""All data sets of these nets have ten classes."""
