"""Grad-CAM: by its definition, by CAM, and in what it refuses."""

import numpy as np
import pytest

import gradwright as gw
from gradwright.errors import ShapeError, SpecError, UnsupportedError
from gradwright.layers import Conv2d, Dense, GlobalAvgPool, Padding
from gradwright.spec import Flat, Image, NetSpec
from gradwright.tasks import explain, grad_cam
from losses.closeness import assert_ulps

F32 = 2**6 * 2**29
"""Ulps of f64 that 64 roundings of f32 leave."""
NET = NetSpec(
    "cam",
    Image(1, 6, 6),
    [
        ("first", Conv2d(4, 3, 2, padding=Padding.SYMMETRIC)),
        ("last", Conv2d(5, 3, padding=Padding.SYMMETRIC)),
        GlobalAvgPool(),
        ("head", Dense(3)),
    ],
)
X = np.random.default_rng(0).standard_normal((4, 1, 6, 6)).astype(np.float32)


def test_grad_cam_by_its_definition() -> None:
    features = np.array([[[[1.0, -2.0]], [[0.5, 4.0]]]])
    gradient = np.array([[[[3.0, 1.0]], [[-1.0, -3.0]]]])
    # alpha = (2, -2): 2 * 1 - 2 * 0.5 = 1 at the first place, 2 * -2 - 2 * 4 < 0 at the second.
    assert grad_cam(features, gradient).tolist() == [[[1.0, 0.0]]]


@pytest.mark.interpreter
@pytest.mark.parametrize("target", [None, 2])
def test_before_a_pool_it_is_cam(target: int | None) -> None:
    state = gw.init(NET, seed=3)
    found = explain(NET, state, X, target=target, backend="interpreter")
    capture = gw.programs.capture(NET, batch=len(X))
    returned = gw.run.compile(capture, backend="interpreter")(**state, x=X)
    features, logits = (returned[name].astype(np.float64) for name in ("features", "output"))
    classes = logits.argmax(axis=1) if target is None else np.full(len(X), target)
    weights = state["head.weight"].astype(np.float64)[:, classes].T
    cam = np.maximum(np.einsum("nk,nkij->nij", weights, features), 0) / features[0, 0].size
    assert_ulps(found.heat + 1, cam + 1, F32)
    assert found.layer == "last"
    assert found.target.tolist() == classes.tolist()
    assert len(set(found.target.tolist())) > 1 or target == 2
    powers = np.exp(logits)
    assert_ulps(found.probabilities, powers / powers.sum(axis=1, keepdims=True), F32)
    assert found.heat.max() > 0.01


@pytest.mark.xla
def test_an_earlier_layer_has_its_own_map() -> None:
    found = explain(NET, gw.init(NET, seed=3), X, layer="first")
    assert found.layer == "first"
    assert found.heat.shape == (4, 3, 3)


@pytest.mark.parametrize("target", [-1, 3, True])
def test_a_class_that_is_none(target: int) -> None:
    with pytest.raises(SpecError) as caught:
        explain(NET, {}, X, target=target)
    assert str(caught.value) == f"cam: class: expected 0 to 2, found {target!r}"


def test_what_has_no_map() -> None:
    flat = NetSpec("flat", Flat(4), [Dense(3)])
    with pytest.raises(UnsupportedError, match="flat: saliency: expected a layer that returns a"):
        explain(flat, {}, X)
    with pytest.raises(SpecError, match="cam: layer: expected the path of a layer that returns"):
        explain(NET, {}, X, layer="lost")


def test_an_output_without_classes() -> None:
    net = NetSpec("map", Image(1, 6, 6), [Conv2d(2, 1)])
    with pytest.raises(UnsupportedError, match=r"map: output: expected a net that returns logits"):
        explain(net, {}, X)


def test_one_picture_without_its_axis() -> None:
    with pytest.raises(ShapeError) as caught:
        explain(NET, {}, X[0])
    shape = ", ".join(map(str, X.shape[1:]))
    assert str(caught.value) == (
        f"cam: x: expected [N, {shape}], found [{shape}]. One picture is x[None]"
    )


def test_pictures_that_are_not_finite() -> None:
    with pytest.raises(SpecError, match="cam: x: expected finite numbers, found NaN or infinity"):
        explain(NET, {}, np.where(X > 2, np.float32("nan"), X))
