"""Grad-CAM: which places of a picture speak for a class, by the gradient of its logit."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gradwright.errors import ShapeError, SpecError, UnsupportedError
from gradwright.finite import require_finite
from gradwright.kinds import checked
from gradwright.programs import saliency
from gradwright.programs.capture import last_map, map_of
from gradwright.run import compile
from gradwright.spec import NetSpec

Arrays = NDArray[np.generic]


@dataclass(frozen=True, slots=True)
class Explanation:
    """Where pictures speak for a class each.

    Shapes: `target` [N], the explained classes; `probabilities` [N, K], softmax of the logits;
    `heat` [N, h, w] at the size of the layer's map, 0 where nothing speaks for the class.
    """

    layer: str
    target: NDArray[np.int64]
    probabilities: NDArray[np.float64]
    heat: NDArray[np.float64]


@checked
def explain(
    net: NetSpec,
    state: Mapping[str, NDArray[np.generic]],
    x: NDArray[np.float32],
    *,
    layer: str | None = None,
    target: int | None = None,
    backend: str = "xla",
) -> Explanation:
    """Return Grad-CAM of a layer's map for a class, by default the likeliest of each picture.

    Shapes: x [N, C, H, W], normalised as in training. `state` holds parameters and running
    statistics by name. `layer` is the path of a layer that returns a map, by default the last one
    that is no pool. The gradient comes from `programs.saliency`, in evaluation mode.
    Errors: ShapeError for pictures of another shape; SpecError for pictures that are not finite,
    for a class or a layer that the net lacks, and for a layer that returns no map;
    UnsupportedError for a net whose output is no vector of logits; DivergedError where logits or
    heat are not finite.
    Source: Selvaraju et al. 2017, "Grad-CAM". Same as pytorch-grad-cam's `GradCAM` before it scales
    each map to 0..1.
    """
    classes = _classes(net)
    if target is not None and not (type(target) is int and 0 <= target < classes):
        raise SpecError(
            where=f"{net.name}: class", expected=f"0 to {classes - 1}", found=repr(target)
        )
    if not np.isfinite(x).all():
        raise SpecError(where=f"{net.name}: x", expected="finite numbers", found="NaN or infinity")
    path = last_map(net) if layer is None else map_of(net, layer)
    if x.ndim != 4 or x.shape[1:] != net.input.shape:
        raise ShapeError(
            where=f"{net.name}: x",
            expected=f"[N, {', '.join(map(str, net.input.shape))}]",
            found=f"{list(x.shape)}",
            remedy="One picture is x[None]" if x.shape == net.input.shape else "",
        )
    program = saliency(net, batch=len(x), layer=path)
    executable = compile(program, backend=backend)
    given = {p.name: state[p.name] for p in program.inputs if p.role.is_state} | {"x": x}
    logits = executable(**given, dy=np.zeros((len(x), classes), np.float32))["output"]
    require_finite(net.name, "logits", logits)
    chosen = logits.argmax(axis=1) if target is None else np.full(len(x), target)
    found = executable(**given, dy=np.eye(classes, dtype=np.float32)[chosen])
    heat = grad_cam(found["features"], found["d.features"])
    require_finite(net.name, f"maps and gradients at {path}", heat)
    return Explanation(path, chosen.astype(np.int64), _softmax(logits), heat)


@checked
def grad_cam(features: Arrays, gradient: Arrays) -> NDArray[np.float64]:
    """Return the heat of each place of a map.

    Shapes: features, gradient [N, C, H, W]; result [N, H, W], not negative.
    Math: alpha_k = mean over places of d logit / d A_k; heat = max(sum_k alpha_k A_k, 0).
    Source: Selvaraju et al. 2017, equations 1 and 2. Where the net is a global average pool and a
    dense layer W after the map, it is CAM / (H W): alpha_k = W[k, class] / (H W).
    """
    alpha = gradient.astype(np.float64).mean(axis=(2, 3))
    return np.maximum(np.einsum("nk,nkij->nij", alpha, features.astype(np.float64)), 0)


def _classes(net: NetSpec) -> int:
    if len(net.output) != 1:
        expected, found = "a net that returns logits [K]", f"{list(net.output)}"
        raise UnsupportedError(where=f"{net.name}: output", expected=expected, found=found)
    return net.output[0]


def _softmax(logits: Arrays) -> NDArray[np.float64]:
    wide = logits.astype(np.float64)
    powers = np.exp(wide - wide.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)
