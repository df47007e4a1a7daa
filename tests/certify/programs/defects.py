"""Seeded defects of one train step, and the claim that each must spoil."""

from dataclasses import dataclass

from gradwright import programs
from gradwright.layers import (
    TEXTBOOK,
    Activation,
    BatchNorm,
    Conv2d,
    Dense,
    Flatten,
    Function,
    MaxPool,
    Padding,
)
from gradwright.losses import SoftmaxCrossEntropy
from gradwright.optim import AdamW
from gradwright.spec import Image, NetSpec

NET = NetSpec(
    "net",
    Image(1, 5, 4),
    [
        Conv2d(2, 3, padding=Padding.SYMMETRIC),
        BatchNorm(),
        Activation(Function.SWISH),
        MaxPool(2),
        Flatten(),
        Dense(3),
    ],
)
STEP = programs.train_step(
    NET,
    batch=3,
    loss=SoftmaxCrossEntropy(label_smoothing=0.1),
    optimizer=AdamW(),
    formulation=TEXTBOOK,
)


@dataclass(frozen=True)
class Defect:
    """One replaced piece of the text and the claim that it must refute."""

    name: str
    old: str
    new: str
    claim: str


DEFECTS = (
    Defect(
        "forward: epsilon",
        "%c1em05 = stablehlo.constant dense<1.0e-5>",
        "%c1em05 = stablehlo.constant dense<1.0e-2>",
        "loss as declared",
    ),
    Defect(
        "forward: activation",
        "%act1.y = stablehlo.multiply %bn1.y, %act1.logistic",
        "%act1.y = stablehlo.multiply %act1.logistic, %act1.logistic",
        "loss as declared",
    ),
    Defect(
        "forward: variance over N - 1",
        "%bn1.var = stablehlo.divide %bn1.squares, %c60",
        "%bn1.var = stablehlo.multiply %bn1.squares, %bn1.squares",
        "loss as declared",
    ),
    Defect(
        "loss: batch size",
        "%batch = stablehlo.constant dense<3.0>",
        "%batch = stablehlo.constant dense<4.0>",
        "loss as declared",
    ),
    Defect(
        "loss: smoothing",
        "%c0.0333333 = stablehlo.constant dense<0.033333335>",
        "%c0.0333333 = stablehlo.constant dense<0.05>",
        "loss as declared",
    ),
    Defect(
        "metric: the last maximum",
        "applies stablehlo.minimum across",
        "applies stablehlo.maximum across",
        "correct as declared",
    ),
    Defect(
        "metric: truth left out",
        "multiply %loss.convert, %loss.onehot",
        "multiply %loss.convert, %loss.convert",
        "correct as declared",
    ),
    Defect(
        "statistic: biased variance",
        "%c59 = stablehlo.constant dense<59.0>",
        "%c59 = stablehlo.constant dense<58.0>",
        "bn1.running_var' as declared",
    ),
    Defect(
        "statistic: old mean lost",
        "add %bn1.multiply_2, %bn1.multiply_3",
        "add %bn1.multiply_3, %bn1.multiply_3",
        "bn1.running_mean' as declared",
    ),
    Defect(
        "gradient: term of the norm dropped",
        "subtract %bn1.subtract, %bn1.multiply_8",
        "subtract %act1.dx, %bn1.multiply_8",
        "gradient of conv1.weight",
    ),
    Defect(
        "gradient: swish without its second term",
        "multiply %act1.logistic, %act1.add",
        "multiply %act1.logistic, %c1",
        "gradient of bn1.bias",
    ),
    Defect(
        "gradient: padding",
        "[f, b, 0, 1]x[i, o, 0, 1]->[b, f, 0, 1], window = {pad = [[1, 1], [1, 1]]}",
        "[f, b, 0, 1]x[i, o, 0, 1]->[b, f, 0, 1], window = {pad = [[2, 0], [1, 1]]}",
        "gradient of conv1.weight",
    ),
    Defect(
        "gradient: seed",
        "subtract %loss.multiply_3, %loss.target",
        "subtract %loss.softmax, %loss.onehot",
        "gradient of dense1.bias",
    ),
    Defect(
        "update: decay lost",
        "subtract %dense1.weight, %dense1.weight.add_2",
        "subtract %dense1.weight, %dense1.weight.multiply_6",
        "update of dense1.weight",
    ),
    Defect(
        "update: second moment",
        "add %dense1.bias.multiply_3, %dense1.bias.multiply_5",
        "add %dense1.bias.multiply_3, %dense1.bias.multiply_3",
        "update of dense1.bias.v",
    ),
    Defect(
        "update: bias correction",
        "stablehlo.power %c0.999, %t",
        "stablehlo.power %c0.9_3, %t",
        "update of conv1.weight",
    ),
    Defect(
        "update: sign",
        "%new = stablehlo.subtract %theta,",
        "%new = stablehlo.add %theta,",
        "update of bn1.bias",
    ),
)
"""Over forward, loss, metric, statistic, gradient and update, that of several parameters too."""
