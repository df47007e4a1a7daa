"""Options that several verbs share, from their spelling to the records of the package."""

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from gradwright.cli.arguments import BackendName, FormulationName
from gradwright.cli.choices import parse_choice
from gradwright.errors import SpecError

if TYPE_CHECKING:
    from gradwright.data import Augmentation, Dataset
    from gradwright.layers import Formulation
    from gradwright.losses import Loss
    from gradwright.optim import Optimizer
    from gradwright.programs import Abi
    from gradwright.spec import NetSpec

_AUGMENTATION = re.compile(r"(?:none|(?P<flip>flip)|(?:(?P<both>flip),)?crop:(?P<padding>\d+))")

_BLOCKS = "blocks"


def losses() -> "dict[str, type[Loss]]":
    """Return the losses by the name that an option gives them."""
    from gradwright.losses import BinaryCrossEntropy, MeanSquaredError, SoftmaxCrossEntropy

    return {loss.kind: loss for loss in (SoftmaxCrossEntropy, MeanSquaredError, BinaryCrossEntropy)}


def optimizers() -> "dict[str, type[Optimizer]]":
    """Return the optimizers by the name that an option gives them."""
    from gradwright.optim import Adam, AdamW, Momentum, Nesterov, Sgd

    return {rule.kind: rule for rule in (Sgd, Momentum, Nesterov, Adam, AdamW)}


def conventions() -> "dict[str, type[Abi]]":
    """Return the calling conventions by the name that an option gives them."""
    from gradwright.programs import Fused, Packed, Standard

    return {abi.kind: abi for abi in (Standard, Fused, Packed)}


def formulation_of(
    name: FormulationName,
    net: "NetSpec",
    batch: int,
    backend: BackendName = BackendName.XLA,
    recompute: str = "",
) -> "Formulation":
    """Return what `--formulation` and `--recompute` name; SpecError where a net was not tuned."""
    form = _forms_of(name, net, batch, backend)
    if not recompute:
        return form
    return replace(form, recomputed=_paths_of(recompute, net))


def _paths_of(recompute: str, net: "NetSpec") -> tuple[str, ...]:
    from gradwright.layers import blocks_of

    if recompute != _BLOCKS:
        return tuple(recompute.split(","))
    if blocks := blocks_of(net):
        return blocks
    raise SpecError(
        where="--recompute",
        expected=f"a net with blocks, or paths of the layers of {net.name}",
        found=f"{_BLOCKS!r}, and each of its layers alone",
        remedy=f"gradwright show {net.name} lists its layers",
    )


def _forms_of(
    name: FormulationName, net: "NetSpec", batch: int, backend: BackendName
) -> "Formulation":
    from gradwright.layers import FAST, PORTABLE, TEXTBOOK

    if name is FormulationName.TUNED:
        from gradwright.run import Backend
        from gradwright.tune import tuned

        return tuned(net, batch=batch, backend=Backend(backend.value))
    return {
        FormulationName.PORTABLE: PORTABLE,
        FormulationName.TEXTBOOK: TEXTBOOK,
        FormulationName.FAST: FAST,
    }[name]


def abi_of(text: str) -> "Abi":
    """Read `--abi`."""
    return parse_choice("--abi", text, conventions())


def loss_of(text: str, *, label_smoothing: float | None = None) -> "Loss":
    """Read `--loss`, with the field that has an option of its own."""
    return parse_choice("--loss", _with(text, "label_smoothing", label_smoothing), losses())


def optimizer_of(text: str, *, weight_decay: float | None = None) -> "Optimizer":
    """Read `--optimizer`, with the field that has an option of its own."""
    return parse_choice("--optimizer", _with(text, "weight_decay", weight_decay), optimizers())


def _with(text: str, field: str, value: float | None) -> str:
    if value is None:
        return text
    return f"{text}{',' if ':' in text else ':'}{field}={value!r}"


def augmentation_of(text: str) -> "Augmentation":
    """Read `--augment`: none, flip, crop:N, or flip,crop:N."""
    from gradwright.data import Augmentation, Flip

    found = _AUGMENTATION.fullmatch(text)
    if found is None:
        raise SpecError(
            where="--augment", expected="none, flip, crop:N or flip,crop:N", found=repr(text)
        )
    flip = Flip.HALF if found["flip"] or found["both"] else Flip.NEVER
    return Augmentation(flip=flip, padding=int(found["padding"] or 0))


def dataset_of(text: str, net: "NetSpec") -> "Dataset":
    """Read `--data`; pictures of a folder are brought to what the net reads."""
    from gradwright.data import Channels, PictureOptions, load
    from gradwright.spec import Image

    if not isinstance(net.input, Image):
        return load(text)
    channels = Channels.GRAY if net.input.channels == 1 else Channels.RGB
    size = (net.input.height, net.input.width)
    return load(text, pictures=PictureOptions(channels=channels, resize=size))
