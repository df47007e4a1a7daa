"""Programs that have a name: small nets under the calling conventions of lean4-mlir.

Each is a net of the zoo, a convention, an optimizer and a precision; the text comes out of the
emitter of every other program. Source: names, orders, counts and baked numbers are those published
for the train steps of the lean4-mlir project.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from gradwright.errors import SpecError, perhaps
from gradwright.kinds import checked
from gradwright.layers import (
    BF16,
    F8E4M3,
    F8E4M3_BF16,
    FULL,
    ConvolutionForm,
    DepthwiseForm,
    Formulation,
    Layout,
    MaxPoolForm,
    Precision,
    Statistics,
    WeightGradient,
)
from gradwright.losses import Labels, SoftmaxCrossEntropy
from gradwright.optim import AdamW, Nesterov, Optimizer, Partition, Sgd
from gradwright.programs import (
    Abi,
    Fused,
    Packed,
    Program,
    Reported,
    forward,
    train_step,
)
from gradwright.spec import NetSpec
from gradwright.zoo import nets

BATCH = 128
"""Pictures per step of every published artifact."""
RATE = 0.1
"""Of the fused steps; their text holds 0.1 / 128."""
WEIGHT_DECAY = 1e-4
"""Of AdamW, on every parameter."""
CLASSES = 10

FORMULATION = Formulation(
    Layout.NCHW,
    WeightGradient.CONVOLUTION,
    DepthwiseForm.CONVOLUTION,
    MaxPoolForm.WINNER,
    ConvolutionForm.DIRECT,
)
"""One convolution per convolution, as published; pools as every backend lowers them."""

OPTIMIZERS: Mapping[str, Optimizer] = {
    "adam": AdamW(weight_decay=WEIGHT_DECAY, partition=Partition.ALL),
    "mom": Nesterov(),
    "sgd": Sgd(),
}
PRECISIONS: Mapping[str, Precision] = {
    "": FULL,
    "bf16": BF16,
    "fp8": F8E4M3,
    "fp8bf16": F8E4M3_BF16,
}


@dataclass(frozen=True, slots=True)
class Artifact:
    """A named program; without an optimizer it is a forward."""

    net: Callable[[int], NetSpec]
    abi: Abi
    optimizer: Optimizer | None
    precision: Precision = FULL

    def program(self, batch: int, formulation: Formulation) -> Program:
        """Emit it."""
        spec = self.net(CLASSES)
        if self.optimizer is None:
            return forward(spec, batch=batch, formulation=formulation, abi=self.abi)
        return train_step(
            spec,
            batch=batch,
            loss=SoftmaxCrossEntropy(labels=Labels.SOFT),
            optimizer=self.optimizer,
            formulation=formulation,
            abi=self.abi,
            precision=self.precision,
        )


def artifact_names() -> list[str]:
    """Return every name that `artifact` knows."""
    return list(ARTIFACTS)


@checked
def artifact(name: str, *, batch: int = BATCH, formulation: Formulation = FORMULATION) -> Program:
    """Return a named program, e.g. `cifar8_adam`; its function is `@cifar8_adam_train_step`.

    The name of the function names it too, and `-` stands for `_`.

    Errors: SpecError names known ones that are like it.
    """
    known = name.replace("-", "_").removesuffix("_train_step")
    found = ARTIFACTS.get(_ALSO_CALLED.get(known, known))
    if found is None:
        expected = "a name that `gradwright artifacts` or gw.zoo.artifact_names() lists"
        raise SpecError(
            where="artifact", expected=expected, found=repr(name), remedy=perhaps(known, ARTIFACTS)
        )
    return found.program(batch, formulation)


_ALSO_CALLED = {
    "mnist_linear": "linear",
    "mnist_mlp": "mlp",
    "mnist_cnn": "cnn",
    "cifar_cnn": "cifar",
}


@dataclass(frozen=True, slots=True)
class _Family:
    """A net under a slug: the number of its first layer, and what its fused step returns."""

    net: Callable[[int], NetSpec]
    first: int = 1
    loss: Reported = Reported.NOTHING

    def fused(self, function: str) -> Fused:
        """Return the convention of plain gradient descent."""
        return Fused(
            statistics=Statistics.EXAMPLE,
            function=function,
            first=self.first,
            rate=RATE,
            loss=self.loss,
        )


_FAMILIES = {
    "linear": _Family(nets.mnist_linear, first=0),
    "mlp": _Family(nets.mnist_mlp, first=0, loss=Reported.LOSS),
    "cnn": _Family(nets.mnist_cnn_plain, loss=Reported.LOSS),
    "cifar": _Family(nets.cifar_cnn),
    "cifar_bn": _Family(nets.cifar_cnn_bn),
    "cifar8": _Family(nets.cifar8),
    "cifar8w": _Family(nets.cifar8_wide),
    "cifar8_bn": _Family(nets.cifar8_bn),
    "cifar8w_bn": _Family(nets.cifar8_bn_wide),
}
"""Fused steps and forwards; batch norm, where there is any, is of each example alone."""

_PACKED: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "cifar8": ("cifar8", ("",)),
    "cifar8w": ("cifar8w", ("",)),
    "cifar8_bn": ("cifar8_bn", ("",)),
    "cifar8w_bn": ("cifar8w_bn", ("",)),
    "cifar8b": ("cifar8", ("", "bf16", "fp8", "fp8bf16")),
    "cifar8wb": ("cifar8w", ("", "bf16", "fp8", "fp8bf16")),
    "cifar8b_bn": ("cifar8_bn", ("", "bf16")),
    "cifar8wb_bn": ("cifar8w_bn", ("", "bf16")),
}
"""Packed steps: the net and the precisions of each slug. Slugs with b are the batched ones."""


def _artifacts() -> Iterator[tuple[str, Artifact]]:
    for slug, family in _FAMILIES.items():
        yield slug, Artifact(family.net, family.fused(f"{slug}_train_step"), Sgd())
    for slug, (net, precisions) in _PACKED.items():
        for precision in precisions:
            for rule, optimizer in OPTIMIZERS.items():
                name = f"{slug}_{_variant(slug, precision, rule)}"
                function = f"{name}_train_step"
                abi = Packed(statistics=Statistics.EXAMPLE, function=function)
                rounding = PRECISIONS[precision]
                yield name, Artifact(_FAMILIES[net].net, abi, optimizer, rounding)
    for slug in dict.fromkeys((*_FAMILIES, *_PACKED)):
        family = _FAMILIES[slug if slug in _FAMILIES else _PACKED[slug][0]]
        yield f"{slug}_fwd", Artifact(family.net, family.fused(f"{slug}_fwd"), None)


def _variant(slug: str, precision: str, rule: str) -> str:
    """Return precision and rule as published: wide slugs write them as one word."""
    return f"{precision}{rule}" if "w" in slug or not precision else f"{precision}_{rule}"


ARTIFACTS: Mapping[str, Artifact] = dict(_artifacts())
"""Every artifact by name."""
