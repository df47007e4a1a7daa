"""Layers written from their definitions in NumPy, index by index, apart from the emitter.

Pictures are [N, C, H, W]. Forwards accept complex numbers where they are analytic, so that
`complex_step` yields their gradients to rounding.
"""

from collections.abc import Callable, Mapping

import numpy as np

from oracles.subject import Array, Arrays

Pair = tuple[int, int]
Pads = tuple[Pair, Pair]

IMAGINARY_STEP = 1e-100
"""No difference is taken, so the step may be as small as its square underflows."""


def complex_step(
    forward: Callable[[Mapping[str, np.ndarray]], np.ndarray], arrays: Arrays, name: str
) -> Array:
    """Return the gradient of <dy, forward> with respect to one array, exact to rounding."""
    gradient = np.empty_like(arrays[name])
    for index in range(gradient.size):
        moved = arrays[name].astype(np.complex128)
        moved.flat[index] += 1j * IMAGINARY_STEP
        output = forward({**arrays, name: moved})
        gradient.flat[index] = np.sum(arrays["dy"] * np.imag(output)) / IMAGINARY_STEP
    return gradient


def tensorflow_same(extent: int, kernel: int, stride: int, dilation: int = 1) -> Pair:
    """Return (before, after) by the rule of TensorFlow's guide, which starts from n mod s.

    Source: tensorflow.org/api_docs/python/tf/nn, "Notes on padding".
    """
    window = (kernel - 1) * dilation + 1
    rest = extent % stride
    total = max(window - (stride if rest == 0 else rest), 0)
    return total // 2, total - total // 2


def torch_symmetric(kernel: int, dilation: int = 1) -> Pair:
    """Return the padding that torchvision's nets pass to PyTorch."""
    amount = dilation * (kernel - 1) // 2
    return amount, amount


class Patches:
    """Where every window of a picture reads: tap (u, v) of all windows is one strided slice."""

    def __init__(
        self, extents: Pair, kernel: Pair, strides: Pair, dilation: Pair, pads: Pads
    ) -> None:
        self.kernel, self.pads, self.extents = kernel, pads, extents
        self.slices = [
            [slice(u * d, u * d + n + sum(pad) - (k - 1) * d, s) for u in range(k)]
            for n, k, s, d, pad in zip(extents, kernel, strides, dilation, pads, strict=True)
        ]

    def gather(self, x: np.ndarray, border: float = 0.0) -> np.ndarray:
        """Return [kH, kW, N, C, P, Q]."""
        padded = np.pad(x, ((0, 0), (0, 0), *self.pads), constant_values=border)
        return np.array(
            [[padded[:, :, rows, columns] for columns in self.slices[1]] for rows in self.slices[0]]
        )

    def scatter(self, parts: np.ndarray) -> np.ndarray:
        """Return the transpose of `gather`: every part added where it was read."""
        (low_h, high_h), (low_w, high_w) = self.pads
        height, width = self.extents
        padded = np.zeros((*parts.shape[2:4], height + low_h + high_h, width + low_w + high_w))
        for u, rows in enumerate(self.slices[0]):
            for v, columns in enumerate(self.slices[1]):
                padded[:, :, rows, columns] += parts[u, v]
        return padded[:, :, low_h : low_h + height, low_w : low_w + width]


def convolution(patches: Patches, arrays: Mapping[str, np.ndarray], groups: int) -> np.ndarray:
    """Return y[n,o,i,j] = bias[o] + sum over c, u, v of weight[o,c,u,v] * reads."""
    reads, weight, bias = patches.gather(arrays["x"]), arrays["weight"], arrays["bias"]
    y = np.empty((weight.shape[0], reads.shape[2], *reads.shape[4:]), np.result_type(reads, weight))
    for o in range(weight.shape[0]):
        own = reads[:, :, :, _channels(weight, groups, o)]
        y[o] = np.einsum("uvncij,cuv->nij", own, weight[o])
    return y.swapaxes(0, 1) + bias[:, None, None]


def convolution_gradients(patches: Patches, arrays: Arrays, groups: int) -> Arrays:
    """Return the gradients of <dy, convolution> by collecting each product's share."""
    reads, weight, dy = patches.gather(arrays["x"]), arrays["weight"], arrays["dy"]
    shares, dweight = np.zeros_like(reads), np.zeros_like(weight)
    for o in range(weight.shape[0]):
        own = _channels(weight, groups, o)
        shares[:, :, :, own] += np.einsum("nij,cuv->uvncij", dy[:, o], weight[o])
        dweight[o] = np.einsum("nij,uvncij->cuv", dy[:, o], reads[:, :, :, own])
    return {"x": patches.scatter(shares), "weight": dweight, "bias": np.sum(dy, axis=(0, 2, 3))}


def _channels(weight: np.ndarray, groups: int, o: int) -> slice:
    """Return the input channels that output channel o reads."""
    group = o // (weight.shape[0] // groups)
    return slice(group * weight.shape[1], (group + 1) * weight.shape[1])


def max_pool(patches: Patches, x: Array) -> Array:
    """Return the maximum of each window; what lies outside the picture is -inf."""
    return patches.gather(x, -np.inf).max(axis=(0, 1))


def max_pool_gradient(patches: Patches, x: Array, dy: Array) -> Array:
    """Return dx: each window's dy to its first maximum in row-major order."""
    reads = patches.gather(x, -np.inf)
    flat = reads.reshape(-1, *dy.shape)
    first = flat.argmax(axis=0)
    parts = [np.equal(first, tap) * dy for tap in range(flat.shape[0])]
    return patches.scatter(np.array(parts).reshape(reads.shape))


def avg_pool(patches: Patches, x: np.ndarray, *, count_padding: bool) -> np.ndarray:
    """Return the mean of each window, over all its positions or those inside the picture."""
    inside = patches.gather(np.ones_like(x, dtype=np.float64))
    positions = patches.kernel[0] * patches.kernel[1]
    divisor = positions if count_padding else inside.sum(axis=(0, 1))
    return patches.gather(x).sum(axis=(0, 1)) / divisor


def batch_norm(arrays: Mapping[str, np.ndarray], epsilon: float) -> np.ndarray:
    """Return the normalised batch; channels are axis 1."""
    x = arrays["x"]
    axes = (0, *range(2, x.ndim))
    spread = (None, slice(None), *(None for _ in range(x.ndim - 2)))
    mean = x.mean(axis=axes)
    centred = x - mean[spread]
    variance = np.mean(centred * centred, axis=axes)
    scaled = centred / np.sqrt(variance + epsilon)[spread]
    return scaled * arrays["weight"][spread] + arrays["bias"][spread]
