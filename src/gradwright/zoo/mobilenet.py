"""MobileNets V2, V3-Large and V4-Conv-M.

Sources: Sandler et al. 2018, table 2; Howard et al. 2019, table 1; Qin et al. 2024, table 11; each
with the conventions of its reference (torchvision for V2 and V3, timm for V4).
"""

from gradwright.layers import Activation, BatchNorm, ConvBn, Dense, Function, GlobalAvgPool, Padding
from gradwright.layers.blocks import (
    FusedInvertedResidual,
    InvertedResidual,
    SqueezeExcite,
    UniversalInvertedBottleneck,
)
from gradwright.spec import Entry, NetSpec
from gradwright.zoo.named import Head, Named, pictures, pooled
from gradwright.zoo.naming import Naming, Rules, numbered

SYMMETRIC = Padding.SYMMETRIC
RELU, RELU6, HARD_SWISH = Function.RELU, Function.RELU6, Function.HARD_SWISH

V2_STAGES = (
    (1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2),
    (6, 320, 1, 1),
)  # fmt: skip
"""Expansion, output channels, number of blocks, stride of the first."""

V3_NORM = BatchNorm(epsilon=1e-3, decay=0.99)
"""torchvision's MobileNetV3."""
V3_STAGES = (
    ((3, 16, 16, 0, RELU, 1),),
    ((3, 64, 24, 0, RELU, 2), (3, 72, 24, 0, RELU, 1)),
    ((5, 72, 40, 24, RELU, 2), *((5, 120, 40, 32, RELU, 1),) * 2),
    ((3, 240, 80, 0, HARD_SWISH, 2), (3, 200, 80, 0, HARD_SWISH, 1))
    + ((3, 184, 80, 0, HARD_SWISH, 1),) * 2,
    ((3, 480, 112, 120, HARD_SWISH, 1), (3, 672, 112, 168, HARD_SWISH, 1)),
    ((5, 672, 160, 168, HARD_SWISH, 2), *((5, 960, 160, 240, HARD_SWISH, 1),) * 2),
)
"""Kernel, inner channels, output channels, width of the gate (0: none), activation, stride."""

V4_STAGES = (
    ((80, 4, 3, 5, 2), (80, 2, 3, 3, 1)),
    (
        (160, 6, 3, 5, 2), (160, 4, 3, 3, 1), (160, 4, 3, 3, 1), (160, 4, 3, 5, 1),
        (160, 4, 3, 3, 1), (160, 4, 3, 0, 1), (160, 2, 0, 0, 1), (160, 4, 3, 0, 1),
    ),
    (
        (256, 6, 5, 5, 2), (256, 4, 5, 5, 1), (256, 4, 3, 5, 1), (256, 4, 3, 5, 1),
        (256, 4, 0, 0, 1), (256, 4, 3, 0, 1), (256, 2, 3, 5, 1), (256, 4, 5, 5, 1),
        (256, 4, 0, 0, 1), (256, 4, 0, 0, 1), (256, 2, 5, 0, 1),
    ),
)  # fmt: skip
"""Output channels, expansion, first and second depthwise kernel, stride."""

V2_DEPTHS = [depth for _, _, depth, _ in V2_STAGES]
IN_BLOCK = ((r"\.body\.", "."),)
VISION_V2 = Naming(
    "torchvision",
    (
        *IN_BLOCK,
        (r"^stem\.", "features.0."),
        (r"^stage(\d+)_(\d+)\.", numbered("features.{}.conv.", V2_DEPTHS, first=1)),
        (r"^(features\.1\.conv)\.depthwise\.", r"\1.0."),
        (r"^(features\.1\.conv)\.project\.conv\.", r"\1.1."),
        (r"^(features\.1\.conv)\.project\.bn\.", r"\1.2."),
        (r"\.expand\.", ".0."),
        (r"\.depthwise\.", ".1."),
        (r"\.project\.conv\.", ".2."),
        (r"\.project\.bn\.", ".3."),
        (r"^top\.", "features.18."),
        (r"^head\.", "classifier.1."),
        (r"\.conv\.(weight)$", r".0.\1"),
        (r"\.bn\.", ".1."),
    ),
)
TIMM_INVERTED: Rules = (
    (r"^stem\.conv\.", "conv_stem."),
    (r"^stem\.bn\.", "bn1."),
    (r"^top\.conv\.", "conv_head."),
    (r"^top\.bn\.", "bn2."),
    (r"^head\.", "classifier."),
    (r"^stage1_1\.depthwise\.conv", "blocks.0.0.conv_dw"),
    (r"^stage1_1\.depthwise\.bn", "blocks.0.0.bn1"),
    (r"^stage1_1\.project\.conv", "blocks.0.0.conv_pw"),
    (r"^stage1_1\.project\.bn", "blocks.0.0.bn2"),
    (r"^stage(\d+)_(\d+)\.", lambda m: f"blocks.{int(m[1]) - 1}.{int(m[2]) - 1}."),
    (r"\.expand\.conv\.", ".conv_pw."),
    (r"\.expand\.bn\.", ".bn1."),
    (r"\.depthwise\.conv\.", ".conv_dw."),
    (r"\.depthwise\.bn\.", ".bn2."),
    (r"\.project\.conv\.", ".conv_pwl."),
    (r"\.project\.bn\.", ".bn3."),
)
"""What timm calls a stem, stages of inverted residuals, the first not widened, and a head."""
TIMM_V2 = Naming(
    "timm",
    (
        *IN_BLOCK,
        *TIMM_INVERTED,
    ),
)
VISION_V3 = Naming(
    "torchvision",
    (
        (r"\.scale\.body\.reduce\.", ".fc1."),
        (r"\.scale\.body\.expand\.", ".fc2."),
        *IN_BLOCK,
        (r"^stem\.", "features.0."),
        (r"^stage(\d+)_(\d+)\.", numbered("features.{}.block.", map(len, V3_STAGES), first=1)),
        (r"^top\.", "features.16."),
        (r"^hidden\.", "classifier.0."),
        (r"^head\.", "classifier.3."),
        (r"^(features\.1\.block)\.depthwise\.", r"\1.0."),
        (r"^(features\.1\.block)\.project\.", r"\1.1."),
        (r"\.expand\.", ".0."),
        (r"\.depthwise\.", ".1."),
        (r"\.se\.", ".2."),
        (r"^(features\.(?:4|5|6|11|12|13|14|15)\.block)\.project\.", r"\1.3."),
        (r"\.project\.", ".2."),
        (r"\.conv\.(weight)$", r".0.\1"),
        (r"\.bn\.", ".1."),
    ),
)
TIMM_V4 = Naming(
    "timm",
    (
        *IN_BLOCK,
        (r"^stem\.conv\.", "conv_stem."),
        (r"^stem\.bn\.", "bn1."),
        (r"^fused\.expand\.conv\.", "blocks.0.0.conv_exp."),
        (r"^fused\.expand\.bn\.", "blocks.0.0.bn1."),
        (r"^fused\.project\.conv\.", "blocks.0.0.conv_pwl."),
        (r"^fused\.project\.bn\.", "blocks.0.0.bn2."),
        (r"^top\.conv\.", "blocks.4.0.conv."),
        (r"^top\.bn\.", "blocks.4.0.bn1."),
        (r"^stage(\d+)_(\d+)\.", lambda m: f"blocks.{m[1]}.{int(m[2]) - 1}."),
        (r"\.first\.", ".dw_start."),
        (r"\.expand\.", ".pw_exp."),
        (r"\.second\.", ".dw_mid."),
        (r"\.project\.", ".pw_proj."),
        (r"^hidden\.", "conv_head."),
        (r"^hidden_norm\.", "norm_head."),
        (r"^head\.", "classifier."),
    ),
)


def mobilenet_v2(name: str, head: Head) -> NetSpec:
    """Return stem, inverted residuals, a 1x1 convolution to 1280 channels, and the head."""
    layers: list[Entry] = [("stem", ConvBn(32, 3, 2, SYMMETRIC, RELU6))]
    channels = 32
    for stage, (expansion, out, depth, first) in enumerate(V2_STAGES, 1):
        for unit in range(1, depth + 1):
            strides = first if unit == 1 else 1
            block = InvertedResidual(out, expansion * channels, 3, strides, SYMMETRIC, RELU6)
            layers.append((f"stage{stage}_{unit}", block))
            channels = out
    layers.append(("top", ConvBn(1280, 1, activation=RELU6)))
    return pictures(name, head, [*layers, *pooled(head.classes)])


def mobilenet_v3_large(name: str, head: Head) -> NetSpec:
    """Return stem, gated inverted residuals, 960 channels, a hidden layer of 1280, the head."""
    layers: list[Entry] = [("stem", ConvBn(16, 3, 2, SYMMETRIC, HARD_SWISH, norm=V3_NORM))]
    for stage, units in enumerate(V3_STAGES, 1):
        for unit, (kernel, hidden, out, gate, activation, strides) in enumerate(units, 1):
            squeeze = SqueezeExcite(gate, RELU, Function.HARD_SIGMOID) if gate else None
            block = InvertedResidual(
                out, hidden, kernel, strides, SYMMETRIC, activation, squeeze, V3_NORM
            )
            layers.append((f"stage{stage}_{unit}", block))
    layers += [
        ("top", ConvBn(960, 1, activation=HARD_SWISH, norm=V3_NORM)),
        ("pool", GlobalAvgPool()),
        ("hidden", Dense(1280)),
        ("hidden_act", Activation(HARD_SWISH)),
        ("head", Dense(head.classes)),
    ]
    return pictures(name, head, layers)


def mobilenet_v4_conv_m(name: str, head: Head) -> NetSpec:
    """Return stem, a fused block, universal bottlenecks, 960 channels, 1280 hidden, the head."""
    fused = FusedInvertedResidual(48, 4 * 32, 3, 2, SYMMETRIC, RELU)
    layers: list[Entry] = [("stem", ConvBn(32, 3, 2, SYMMETRIC)), ("fused", fused)]
    for stage, units in enumerate(V4_STAGES, 1):
        for unit, (out, expansion, first, second, strides) in enumerate(units, 1):
            block = UniversalInvertedBottleneck(
                out, expansion, first, second, strides, SYMMETRIC, RELU
            )
            layers.append((f"stage{stage}_{unit}", block))
    layers += [
        ("top", ConvBn(960, 1)),
        ("pool", GlobalAvgPool()),
        ("hidden", Dense(1280, bias=False)),
        ("hidden_norm", BatchNorm()),
        ("hidden_act", Activation(RELU)),
        ("head", Dense(head.classes)),
    ]
    return pictures(name, head, layers)


NETS = {
    "mobilenetv2": Named(mobilenet_v2, (VISION_V2, TIMM_V2)),
    "mobilenetv3-large": Named(mobilenet_v3_large, (VISION_V3,)),
    "mobilenetv4-conv-m": Named(mobilenet_v4_conv_m, (TIMM_V4,)),
}
