"""The gradient by an inner map: against JAX, against CAM, proved, and refuted where it is wrong."""

import importlib
from typing import Any

import numpy as np
import pytest

import gradwright as gw
from gradwright import programs
from gradwright.certify import Declared, Search
from gradwright.errors import GradwrightError, SpecError, UnsupportedError
from gradwright.hlo import ElementType
from gradwright.layers import (
    PORTABLE,
    TEXTBOOK,
    Activation,
    Conv2d,
    Dense,
    Flatten,
    Formulation,
    Function,
    GlobalAvgPool,
    MaxPool,
    Padding,
    Residual,
    Sequential,
)
from gradwright.programs.capture import last_map
from gradwright.spec import Image, NetSpec
from losses.closeness import Array, assert_ulps
from programs.calls import Arrays, arguments, call
from programs.nets import BLOCKS, LINEAR, PLAIN

BATCH = 2
Traced = Any
GRADIENT = {"gradient of features"}
ULPS = 2**12
"""Roundings of sums of at most some hundred terms, by two programs."""
TWO_PATHS = NetSpec(
    "two-paths",
    Image(2, 6, 5),
    [
        ("stem", Conv2d(3, 3, padding=Padding.SYMMETRIC)),
        ("res", Residual(Sequential([("conv", Conv2d(3, 3)), Activation(Function.TANH)]))),
        GlobalAvgPool(),
        ("head", Dense(4)),
    ],
)
"""A map of which a part of the output depends by a path of its own."""


def jax_gradient(given: Arrays, captured: str) -> tuple[Array, Array]:
    """Return the map and d <dy, output> / d map, by a sum with a map of zeros, in JAX's words."""
    jax: Any = importlib.import_module("jax")
    jnp = jax.numpy

    def conv(x: Traced, name: str) -> Traced:
        dimensions = ("NCHW", "OIHW", "NCHW")
        weight, bias = given[f"{name}.weight"], given[f"{name}.bias"]
        y = jax.lax.conv_general_dilated(x, weight, (1, 1), "SAME", dimension_numbers=dimensions)
        return y + bias.reshape(1, -1, 1, 1)

    def run(moved: Traced) -> tuple[Traced, Traced]:
        stem = conv(jnp.asarray(given["x"]), "stem") + moved * (captured == "stem")
        inner = conv(stem, "res.body.conv") + moved * (captured == "res.body.conv")
        pooled = (stem + jnp.tanh(inner)).mean((2, 3))
        output = pooled @ given["head.weight"] + given["head.bias"]
        return jnp.sum(output * given["dy"]), stem if captured == "stem" else inner

    with jax.enable_x64(True):
        gradient, features = jax.grad(run, has_aux=True)(jnp.zeros((BATCH, 3, 6, 5)))
        return np.asarray(features), np.asarray(gradient)


@pytest.mark.interpreter
@pytest.mark.jax
@pytest.mark.parametrize("layer", ["stem", "res.body.conv"])
@pytest.mark.parametrize("form", [PORTABLE, TEXTBOOK], ids=["portable", "textbook"])
def test_the_gradient_is_jaxs(layer: str, form: Formulation) -> None:
    program = programs.saliency(
        TWO_PATHS, batch=BATCH, layer=layer, element=ElementType.F64, formulation=form
    )
    given = arguments(program)
    found = call(program, given)
    features, gradient = jax_gradient(given, layer)
    assert_ulps(found["features"] + 8, features + 8, ULPS)
    assert_ulps(found["d.features"] + 8, gradient + 8, ULPS)
    assert gradient.std() > 0.01


@pytest.mark.interpreter
def test_before_a_pool_and_a_dense_layer_it_is_cam() -> None:
    program = programs.saliency(BLOCKS, batch=BATCH, element=ElementType.F64)
    given = arguments(program)
    gradient = call(program, given)["d.features"]
    _, _, height, width = gradient.shape
    weights = given["dy"] @ given["head.weight"].T / (height * width)
    assert_ulps(gradient, np.broadcast_to(weights[:, :, None, None], gradient.shape), ULPS)


@pytest.mark.parametrize(
    ("net", "layer"),
    [(BLOCKS, None), (BLOCKS, "convbn1"), (PLAIN, "act1"), (TWO_PATHS, "res.body.conv")],
    ids=["before the pool", "the first", "before a max pool", "inside a residual"],
)
@pytest.mark.parametrize("form", [PORTABLE, TEXTBOOK], ids=["portable", "textbook"])
def test_every_result_is_proved(net: NetSpec, layer: str | None, form: Formulation) -> None:
    program = programs.saliency(net, batch=BATCH, layer=layer, formulation=form)
    claims = gw.certify(program, search=Search(seconds=0)).claims
    assert [(claim.name, claim.verdict.value) for claim in claims] == [
        ("features as declared", "proved"),
        ("output as declared", "proved"),
        ("gradient of features", "proved"),
    ]


@pytest.mark.interpreter
@pytest.mark.parametrize(
    ("old", "new", "wrong"),
    [
        ("dense<30.0>", "dense<29.0>", {"output as declared"}),
        (
            "%res.body.conv.dsum = stablehlo.add",
            "%res.body.conv.dsum = stablehlo.subtract",
            GRADIENT,
        ),
    ],
    ids=["the mean, in both directions", "the sum of both paths"],
)
def test_a_wrong_text_is_refuted(old: str, new: str, wrong: set[str]) -> None:
    program = programs.saliency(TWO_PATHS, batch=BATCH, layer="stem", formulation=TEXTBOOK)
    assert old in program.text, program.text
    report = gw.certify(Declared.of(program, program.text.replace(old, new)))
    assert {claim.name for claim in report.claims if claim.verdict == "refuted"} == wrong
    assert {claim.name for claim in report.claims if claim.verdict == "unknown"} == set()


@pytest.mark.interpreter
def test_gradients_without_a_function_in_the_text_are_unknown() -> None:
    program = programs.saliency(TWO_PATHS, batch=BATCH)
    alone = Declared(program.text, program.signature, (), {}, None)
    features, output, gradient = gw.certify(alone).claims
    assert (features.verdict, output.verdict) == ("unknown", "unknown")
    assert output.reason == "no statement defines output; there is nothing to compare it with"
    assert gradient.verdict == "proved"
    vjp = programs.vjp(LINEAR, batch=BATCH)
    lonely = Declared(vjp.text, vjp.signature, (), {}, None)
    assert {claim.verdict.value for claim in gw.certify(lonely).claims} == {"unknown"}


def test_the_default_is_the_last_map_that_is_no_pool() -> None:
    inside = Sequential([("inner", Conv2d(2, 1)), MaxPool(2), Flatten()])
    assert last_map(NetSpec("nested", Image(1, 4, 4), [("all", inside), Dense(2)])) == "all.inner"
    assert last_map(PLAIN) == "act1"
    assert last_map(BLOCKS) == "convbn2"


def refusal(kind: type[GradwrightError], net: NetSpec, layer: str | None) -> str:
    with pytest.raises(kind) as caught:
        programs.saliency(net, batch=BATCH, layer=layer)
    return str(caught.value)


def test_what_is_refused() -> None:
    assert refusal(SpecError, BLOCKS, "convbn3") == (
        "blocks: layer: expected the path of a layer that returns a map [C, H, W], such as "
        "convbn2, convbn1, convbn2.bn, found 'convbn3'. `gradwright show` lists the layers of a net"
    )
    assert refusal(SpecError, BLOCKS, "head").endswith(
        ", found 'head', which returns [3]. `gradwright show` lists the layers of a net"
    )
    assert refusal(UnsupportedError, LINEAR, None) == (
        "linear: saliency: expected a layer that returns a map [C, H, W], found none"
    )
