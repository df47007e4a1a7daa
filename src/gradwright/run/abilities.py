"""What a backend can do, tried on small modules whose results are known exactly."""

from dataclasses import dataclass

import numpy as np

from gradwright.errors import GradwrightError
from gradwright.run.backend import Backend
from gradwright.run.cache import NO_CACHE
from gradwright.run.compiler import compile


@dataclass(frozen=True, slots=True)
class Ability:
    """Something a backend may be able to do: a module of one argument, [1, 2, 3, 4] as `shape`.

    `wanted` is its result in row-major order.
    """

    name: str
    text: str
    shape: tuple[int, ...]
    wanted: tuple[float, ...]


def _elementwise(name: str, element: str) -> Ability:
    """Return x + x computed in an element type that holds 1 … 8."""
    inner = f"tensor<4x{element}>"
    body = [
        f"%y = stablehlo.convert %x : (tensor<4xf32>) -> {inner}",
        f"%s = stablehlo.add %y, %y : {inner}",
        f"%z = stablehlo.convert %s : ({inner}) -> tensor<4xf32>",
        "return %z : tensor<4xf32>",
    ]
    return Ability(name, _module("4", "4", body), (4,), (2, 4, 6, 8))


def _module(taken: str, given: str, body: list[str]) -> str:
    lines = "\n".join(f"    {line}" for line in body)
    signature = f"(%x: tensor<{taken}xf32>) -> tensor<{given}xf32>"
    return f"module @ability {{\n  func.func public @main{signature} {{\n{lines}\n  }}\n}}\n"


_CONVOLUTION = _module(
    "1x1x2x2",
    "1x1x1x1",
    [
        "%y = stablehlo.convolution(%x, %x) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1],",
        "  window = {stride = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}",
        "  : (tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>) -> tensor<1x1x1x1xf32>",
        "return %y : tensor<1x1x1x1xf32>",
    ],
)
_SCATTERED_WINDOWS = _module(
    "4",
    "4",
    [
        "%g = stablehlo.constant dense<[5.0, 7.0, 9.0]> : tensor<3xf32>",
        "%zero = stablehlo.constant dense<0.0> : tensor<f32>",
        '%y = "stablehlo.select_and_scatter"(%x, %g, %zero) ({',
        "^bb0(%a: tensor<f32>, %b: tensor<f32>):",
        "  %p = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>",
        "  stablehlo.return %p : tensor<i1>",
        "}, {",
        "^bb0(%a: tensor<f32>, %b: tensor<f32>):",
        "  %s = stablehlo.add %a, %b : tensor<f32>",
        "  stablehlo.return %s : tensor<f32>",
        "}) {window_dimensions = array<i64: 2>, window_strides = array<i64: 1>}",
        "  : (tensor<4xf32>, tensor<3xf32>, tensor<f32>) -> tensor<4xf32>",
        "return %y : tensor<4xf32>",
    ],
)

ABILITIES = (
    Ability("convolution", _CONVOLUTION, (1, 1, 2, 2), (30,)),
    Ability("select_and_scatter", _SCATTERED_WINDOWS, (4,), (0, 5, 7, 9)),
    _elementwise("f64", "f64"),
    _elementwise("bf16", "bf16"),
    _elementwise("f8E4M3FN", "f8E4M3FN"),
)
"""What programs here use besides f32 arithmetic."""


@dataclass(frozen=True, slots=True)
class Trial:
    """What became of trying an ability; `reason` is empty where it works."""

    ability: str
    works: bool
    reason: str


def try_ability(backend: Backend, ability: Ability) -> Trial:
    """Compile and run the module of an ability and compare its result."""
    x = np.arange(1, 5, dtype=np.float32).reshape(ability.shape)
    try:
        found = compile(ability.text, backend=backend, cache=NO_CACHE)(arg0=x)["out0"]
    except GradwrightError as error:
        return Trial(ability.name, works=False, reason=str(error).splitlines()[0])
    right = tuple(float(value) for value in found.ravel()) == ability.wanted
    reason = "" if right else f"wrong: {found.ravel().tolist()} for {list(ability.wanted)}"
    return Trial(ability.name, works=right, reason=reason)
