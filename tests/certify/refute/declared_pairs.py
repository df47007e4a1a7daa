"""Programs under two declarations of one convention: the text of one is not the other's."""

from collections.abc import Sequence
from dataclasses import dataclass

from gradwright import programs
from gradwright.layers import (
    TEXTBOOK,
    Activation,
    AvgPool,
    BatchNorm,
    Conv2d,
    Dense,
    Divisor,
    Function,
    Layer,
    MaxPool,
    Padding,
    RunningVariance,
)
from gradwright.losses import SoftmaxCrossEntropy
from gradwright.optim import Adam, EpsilonPlacement, Nesterov, NesterovForm, Optimizer, Sgd
from gradwright.programs import Program
from gradwright.spec import Flat, Image, NetSpec

LINEAR = NetSpec("linear", Flat(2), [Dense(2)])


@dataclass(frozen=True, slots=True)
class Pair:
    """The same declaration but for one convention, and the results that differ by it."""

    first: Program
    second: Program
    claims: Sequence[str]


def pulled(first: Layer, second: Layer, claims: Sequence[str], image: Image) -> Pair:
    """Return vector-Jacobian products of a layer in two conventions."""
    made = [
        programs.vjp(NetSpec("net", image, [layer]), batch=1, formulation=TEXTBOOK)
        for layer in (first, second)
    ]
    return Pair(made[0], made[1], claims)


def updated(first: Optimizer, second: Optimizer, claims: Sequence[str]) -> Pair:
    """Return updates of a linear net under two rules."""
    made = [programs.optimizer_step(LINEAR, optimizer=rule) for rule in (first, second)]
    return Pair(made[0], made[1], claims)


def stepped(first: BatchNorm, second: BatchNorm, claims: Sequence[str]) -> Pair:
    """Return train steps through a batch norm in two conventions."""
    made = [
        programs.train_step(
            NetSpec("net", Flat(2), [layer]), batch=3, loss=SoftmaxCrossEntropy(), optimizer=Sgd()
        )
        for layer in (first, second)
    ]
    return Pair(made[0], made[1], claims)


def smoothed(first: float, second: float) -> Pair:
    """Return train steps with labels smoothed by two amounts."""
    made = [
        programs.train_step(
            LINEAR, batch=2, loss=SoftmaxCrossEntropy(label_smoothing=share), optimizer=Sgd()
        )
        for share in (first, second)
    ]
    return Pair(made[0], made[1], ["loss as declared"])


WEIGHTS = ["update of dense1.weight", "update of dense1.bias"]
VELOCITIES = ["update of dense1.weight.u", "update of dense1.bias.u"]
LARGE = 0.1
"""An epsilon that moves a step by more than a millionth at ordinary gradients."""
CORRECTED, RAW, INSIDE = (
    Adam(epsilon=LARGE, placement=placement)
    for placement in (
        EpsilonPlacement.OUTSIDE_CORRECTED_ROOT,
        EpsilonPlacement.OUTSIDE_RAW_ROOT,
        EpsilonPlacement.INSIDE_ROOT,
    )
)
PAIRS: dict[str, Pair] = {
    "bugs A11 convolution": pulled(
        Conv2d(1, 3, 2, Padding.SAME_UPPER),
        Conv2d(1, 3, 2, Padding.SYMMETRIC),
        ["gradient of conv1.weight", "gradient of x"],
        Image(1, 4, 4),
    ),
    "bugs A11 max pool": pulled(
        MaxPool(3, 2, Padding.SAME_UPPER),
        MaxPool(3, 2, Padding.SYMMETRIC),
        ["gradient of x"],
        Image(1, 4, 4),
    ),
    "bugs B7": pulled(
        AvgPool(3, 2, Padding.SYMMETRIC, Divisor.INCLUDE_PADDING),
        AvgPool(3, 2, Padding.SYMMETRIC, Divisor.EXCLUDE_PADDING),
        ["gradient of x"],
        Image(1, 4, 5),
    ),
    "bugs C1": stepped(
        BatchNorm(running_variance=RunningVariance.UNBIASED),
        BatchNorm(running_variance=RunningVariance.BIASED),
        ["bn1.running_var' as declared"],
    ),
    "bugs C2": stepped(
        BatchNorm(decay=0.99),
        BatchNorm(decay=0.01),
        ["bn1.running_mean' as declared", "bn1.running_var' as declared"],
    ),
    # Of two classes, 0.1 on the other one is smoothing by 0.2: the true class keeps its share.
    "bugs D10": smoothed(0.1, 0.2),
    "bugs E4": pulled(
        Activation(Function.GELU_TANH),
        Activation(Function.GELU_ERF),
        ["gradient of x"],
        Image(1, 1, 2),
    ),
    "bugs H2 corrected and raw root": updated(CORRECTED, RAW, WEIGHTS),
    "bugs H2 corrected root and inside": updated(CORRECTED, INSIDE, WEIGHTS),
    "bugs H2 inside and raw root": updated(INSIDE, RAW, WEIGHTS),
    "bugs H9": updated(
        Nesterov(form=NesterovForm.TORCH),
        Nesterov(form=NesterovForm.SUTSKEVER),
        [*WEIGHTS, *VELOCITIES],
    ),
}
IN_CI = ("bugs A11 max pool", "bugs C1", "bugs D10", "bugs H2 corrected and raw root", "bugs H9")
"""One of each; the others are swept, where another test of their bug is in CI."""
