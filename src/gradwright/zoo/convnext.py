"""ConvNeXt nets. Source: Liu et al. 2022, section 3, with torchvision's and timm's conventions.

Stochastic depth is left out: it has no parameters, and evaluation has none.
"""

from collections.abc import Sequence
from functools import partial

from gradwright.layers import Dense, Function, GlobalAvgPool, LayerNorm
from gradwright.layers.blocks import ConvNeXtBlock, ConvNeXtDownsample, ConvNeXtStem
from gradwright.spec import Entry, NetSpec
from gradwright.zoo.named import Head, Named, pictures
from gradwright.zoo.naming import Naming

NORM = LayerNorm(1e-6)
SCALE, PATCH = 1e-6, 4

VISION = Naming(
    "torchvision",
    (
        (r"\.body\.", "."),
        (r"^stem\.conv\.", "features.0.0."),
        (r"^stem\.norm\.", "features.0.1."),
        (r"^down(\d)\.norm\.", lambda m: f"features.{2 * int(m[1]) - 2}.0."),
        (r"^down(\d)\.conv\.", lambda m: f"features.{2 * int(m[1]) - 2}.1."),
        (r"\.scale\.weight$", ".layer_scale"),
        (r"\.depthwise\.", ".block.0."),
        (r"^(stage.*)\.norm\.", r"\1.block.2."),
        (r"\.expand\.", ".block.3."),
        (r"\.project\.", ".block.5."),
        (r"^stage(\d)_(\d+)\.", lambda m: f"features.{2 * int(m[1]) - 1}.{int(m[2]) - 1}."),
        (r"^head_norm\.", "classifier.0."),
        (r"^head\.", "classifier.2."),
    ),
)
TIMM = Naming(
    "timm",
    (
        (r"\.body\.", "."),
        (r"^stem\.conv\.", "stem.0."),
        (r"^stem\.norm\.", "stem.1."),
        (r"^down(\d)\.norm\.", lambda m: f"stages.{int(m[1]) - 1}.downsample.0."),
        (r"^down(\d)\.conv\.", lambda m: f"stages.{int(m[1]) - 1}.downsample.1."),
        (r"\.scale\.weight$", ".gamma"),
        (r"\.depthwise\.", ".conv_dw."),
        (r"\.expand\.", ".mlp.fc1."),
        (r"\.project\.", ".mlp.fc2."),
        (r"^stage(\d)_(\d+)\.", lambda m: f"stages.{int(m[1]) - 1}.blocks.{int(m[2]) - 1}."),
        (r"^head_norm\.", "head.norm."),
        (r"^head\.(weight|bias)", r"head.fc.\1"),
    ),
)


def convnext(name: str, head: Head, *, depths: Sequence[int], widths: Sequence[int]) -> NetSpec:
    """Return stem, four stages with downsampling between, pool, norm, and the head."""
    layers: list[Entry] = [("stem", ConvNeXtStem(widths[0], PATCH, NORM))]
    for stage, (width, depth) in enumerate(zip(widths, depths, strict=True), 1):
        if stage > 1:
            layers.append((f"down{stage}", ConvNeXtDownsample(width, NORM)))
        block = ConvNeXtBlock(NORM, Function.GELU_ERF, SCALE)
        layers += [(f"stage{stage}_{unit}", block) for unit in range(1, depth + 1)]
    layers += [("pool", GlobalAvgPool()), ("head_norm", NORM), ("head", Dense(head.classes))]
    return pictures(name, head, layers)


TINY, DEEP = (3, 3, 9, 3), (3, 3, 27, 3)
NETS = {
    name: Named(partial(convnext, depths=depths, widths=widths), (VISION, TIMM))
    for name, depths, widths in (
        ("convnext-t", TINY, (96, 192, 384, 768)),
        ("convnext-s", DEEP, (96, 192, 384, 768)),
        ("convnext-b", DEEP, (128, 256, 512, 1024)),
    )
}
