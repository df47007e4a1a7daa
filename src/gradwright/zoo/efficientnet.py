"""EfficientNet-B0 and EfficientNetV2-S.

Sources: Tan and Le 2019, table 1; Tan and Le 2021, table 4. The plain names have torchvision's
conventions; those with "tf-" what timm's tf_ models keep of the original ones: SAME padding and
epsilon 1e-3, but running statistics that decay by PyTorch's 0.9, not by 0.99.
"""

from functools import partial

from gradwright.layers import BatchNorm, ConvBn, Function, Padding
from gradwright.layers.blocks import FusedInvertedResidual, InvertedResidual, SqueezeExcite
from gradwright.spec import Entry, NetSpec
from gradwright.spec.padding import AnyPadding
from gradwright.zoo.mobilenet import TIMM_INVERTED
from gradwright.zoo.named import Head, Named, pictures, pooled
from gradwright.zoo.naming import Naming, Rules

SWISH = Function.SWISH
GATE_RATIO = 4
"""The gate's width is a quarter of the block's input channels."""

B0_STAGES = (
    (1, 3, 1, 16, 1), (6, 3, 2, 24, 2), (6, 5, 2, 40, 2), (6, 3, 2, 80, 3), (6, 5, 1, 112, 3),
    (6, 5, 2, 192, 4), (6, 3, 1, 320, 1),
)  # fmt: skip
"""Expansion, kernel, stride of the first, output channels, number of blocks."""
V2_FUSED = ((1, 3, 1, 24, 2), (4, 3, 2, 48, 4), (4, 3, 2, 64, 4))
V2_STAGES = ((4, 3, 2, 128, 6), (6, 3, 1, 160, 9), (6, 3, 2, 256, 15))
TF_NORM = BatchNorm(epsilon=1e-3)

GATES = ((r"\.scale\.body\.reduce\.", ".fc1."), (r"\.scale\.body\.expand\.", ".fc2."))
VISION_ENDS = (
    (r"^stem\.", "features.0."),
    (r"^head\.", "classifier.1."),
    (r"\.conv\.(weight)$", r".0.\1"),
    (r"\.bn\.", ".1."),
)
VISION_BLOCKS: Rules = (
    (r"\.body\.", "."),
    (r"^stage(\d+)_(\d+)\.", lambda m: f"features.{m[1]}.{int(m[2]) - 1}.block."),
)
VISION_B0 = Naming(
    "torchvision",
    (
        *GATES,
        *VISION_BLOCKS,
        (r"^features\.1\.0\.block\.depthwise\.", "features.1.0.block.0."),
        (r"^features\.1\.0\.block\.se\.", "features.1.0.block.1."),
        (r"^features\.1\.0\.block\.project\.", "features.1.0.block.2."),
        (r"\.expand\.", ".0."),
        (r"\.depthwise\.", ".1."),
        (r"\.se\.", ".2."),
        (r"\.project\.", ".3."),
        (r"^top\.", "features.8."),
        *VISION_ENDS,
    ),
)
VISION_V2 = Naming(
    "torchvision",
    (
        *GATES,
        *VISION_BLOCKS,
        (r"^(features\.[123]\..*)\.expand\.", r"\1.0."),
        (r"^(features\.[123]\..*)\.project\.", r"\1.1."),
        (r"\.expand\.", ".0."),
        (r"\.depthwise\.", ".1."),
        (r"\.se\.", ".2."),
        (r"\.project\.", ".3."),
        (r"^top\.", "features.7."),
        *VISION_ENDS,
    ),
)
TIMM_B0 = Naming(
    "timm",
    (
        (r"\.scale\.body\.reduce\.", ".conv_reduce."),
        (r"\.scale\.body\.expand\.", ".conv_expand."),
        (r"\.body\.", "."),
        *TIMM_INVERTED,
    ),
)


def efficientnet_b0(name: str, head: Head, *, padding: AnyPadding, norm: BatchNorm) -> NetSpec:
    """Return stem, seven stages of MBConv, 1280 channels, and the head."""
    layers: list[Entry] = [("stem", ConvBn(32, 3, 2, padding, SWISH, norm=norm))]
    channels = 32
    for stage, (expansion, kernel, first, out, depth) in enumerate(B0_STAGES, 1):
        for unit in range(1, depth + 1):
            block = InvertedResidual(
                out,
                expansion * channels,
                kernel,
                first if unit == 1 else 1,
                padding,
                SWISH,
                SqueezeExcite(channels // GATE_RATIO, SWISH, Function.SIGMOID),
                norm,
            )
            layers.append((f"stage{stage}_{unit}", block))
            channels = out
    layers.append(("top", ConvBn(1280, 1, activation=SWISH, norm=norm)))
    return pictures(name, head, [*layers, *pooled(head.classes)])


def efficientnet_v2_s(name: str, head: Head, *, padding: AnyPadding, norm: BatchNorm) -> NetSpec:
    """Return stem, three fused stages, three of MBConv, 1280 channels, and the head."""
    layers: list[Entry] = [("stem", ConvBn(24, 3, 2, padding, SWISH, norm=norm))]
    channels = 24
    for stage, (expansion, kernel, first, out, depth) in enumerate((*V2_FUSED, *V2_STAGES), 1):
        for unit in range(1, depth + 1):
            hidden, strides = expansion * channels, first if unit == 1 else 1
            gate = SqueezeExcite(channels // GATE_RATIO, SWISH, Function.SIGMOID)
            if stage <= len(V2_FUSED):
                layers.append(
                    (
                        f"stage{stage}_{unit}",
                        FusedInvertedResidual(
                            out, hidden, kernel, strides, padding, SWISH, norm=norm
                        ),
                    )
                )
            else:
                block = InvertedResidual(out, hidden, kernel, strides, padding, SWISH, gate, norm)
                layers.append((f"stage{stage}_{unit}", block))
            channels = out
    layers.append(("top", ConvBn(1280, 1, activation=SWISH, norm=norm)))
    return pictures(name, head, [*layers, *pooled(head.classes)])


NETS = {
    "efficientnet-b0": Named(
        partial(efficientnet_b0, padding=Padding.SYMMETRIC, norm=BatchNorm()),
        (VISION_B0, TIMM_B0),
    ),
    "tf-efficientnet-b0": Named(
        partial(efficientnet_b0, padding=Padding.SAME_UPPER, norm=TF_NORM), (TIMM_B0,)
    ),
    "efficientnetv2-s": Named(
        partial(efficientnet_v2_s, padding=Padding.SYMMETRIC, norm=TF_NORM),
        (VISION_V2,),
    ),
}
