"""The generated part of docs/layers.md is what the layers say of themselves."""

import re

import pytest

from gradwright.layers import (
    Activation,
    AvgPool,
    BatchNorm,
    ChannelShuffle,
    ChannelSlice,
    Conv2d,
    Dense,
    DepthwiseConv2d,
    Divisor,
    Dropout,
    DropPath,
    Flatten,
    Function,
    GlobalAvgPool,
    Layer,
    LayerNorm,
    LayerScale,
    MaxPool,
    OneHot,
    Padding,
    Spread,
    Upsample,
)
from gradwright.spec import Flat, Image, Input, NetSpec, Tokens
from repository.tree import ROOT

PAGE = ROOT / "docs" / "layers.md"
BLOCK = re.compile(r"(<!-- meanings: .*? -->\n)(.*?)(<!-- end -->)", re.DOTALL)
PICTURE = Image(2, 5, 7)
SAMPLES: tuple[tuple[Layer, Input], ...] = (
    (Dense(3), Flat(4)),
    (Conv2d(4, 3, 2, Padding.SAME_UPPER, groups=2), PICTURE),
    (DepthwiseConv2d(3, dilation=2), PICTURE),
    (BatchNorm(), PICTURE),
    (LayerNorm(1e-6), PICTURE),
    (LayerScale(1e-6), PICTURE),
    (ChannelShuffle(2), PICTURE),
    (ChannelSlice(1, 2), PICTURE),
    (Spread(5, 7), Flat(4)),
    (Upsample(2), PICTURE),
    (MaxPool(3, 2, Padding.SYMMETRIC), PICTURE),
    (AvgPool(2), PICTURE),
    (AvgPool(3, 1, Padding.SYMMETRIC, Divisor.EXCLUDE_PADDING), PICTURE),
    (GlobalAvgPool(), PICTURE),
    (Flatten(), PICTURE),
    (OneHot(6), Tokens(5, 6)),
    (Dropout(0.5), Flat(4)),
    (DropPath(0.5), Flat(4)),
    (Activation(Function.RELU), Flat(4)),
)


def meanings() -> str:
    """Return one paragraph per sample: the declaration and what it means."""
    lines: list[str] = []
    for layer, source in SAMPLES:
        (plan,) = NetSpec("n", source, [layer]).plans
        lines.append(f"{layer}\n    {layer.meaning(plan)}\n")
    return "```text\n" + "\n".join(lines) + "```\n"


def test_the_page_says_what_the_layers_say(accept: bool) -> None:
    text = PAGE.read_text(encoding="utf-8")
    found = BLOCK.search(text)
    assert found is not None
    if accept:
        PAGE.write_text(text.replace(found[0], found[1] + meanings() + found[3]), encoding="utf-8")
        return
    assert found[2] == meanings(), "--accept takes the change over"


@pytest.mark.parametrize("function", Function)
def test_every_function_is_on_the_page(function: Function) -> None:
    assert f"| `{function.name}` |" in PAGE.read_text(encoding="utf-8")
