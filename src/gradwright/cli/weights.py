"""A net with the weights of a file, as the verbs that use a trained net take it."""

from pathlib import Path
from typing import TYPE_CHECKING

from gradwright.cli.arguments import Pixels
from gradwright.cli.nets import Chosen, net_of
from gradwright.cli.output import tell
from gradwright.cli.runs import Trained, open_run
from gradwright.errors import SpecError

if TYPE_CHECKING:
    from gradwright.data import Normalisation
    from gradwright.spec import NetSpec
    from gradwright.train import State


def trained_of(
    text: str, own: str | None, weights: Path | None, chosen: Chosen, pixels: Pixels | None
) -> Trained:
    """Return what a word names: a net where a file of weights is beside it, else a run."""
    if weights is None:
        return open_run(Path(text), own)
    return with_weights(text, chosen, weights, pixels)


def with_weights(text: str, chosen: Chosen, weights: Path, pixels: Pixels | None) -> Trained:
    """Return a net with the tensors of a file; classes are called by their numbers."""
    from gradwright.zoo import load

    net = net_of(text, chosen)
    return _trained(net, load(net, weights), pixels)


def with_random_weights(text: str, chosen: Chosen, seed: int, pixels: Pixels | None) -> Trained:
    """Return a net with its initial values, and say that they are no more."""
    from gradwright.programs import init

    net = net_of(text, chosen)
    tell(f"{net.name}: random weights, which explain nothing but the way")
    return _trained(net, init(net, seed=seed), pixels)


def _trained(net: "NetSpec", state: "State", pixels: Pixels | None) -> Trained:
    names = tuple(str(number) for number in range(net.output[0]))
    return Trained(net, state, names, _normalisation(net, pixels))


def _normalisation(net: "NetSpec", pixels: Pixels | None) -> "Normalisation":
    from gradwright.data import IMAGENET, Normalisation

    channels = net.input.shape[0] if len(net.input.shape) == 3 else 1
    chosen = pixels or (Pixels.IMAGENET if channels == len(IMAGENET.mean) else Pixels.UNIT)
    match chosen:
        case Pixels.IMAGENET if channels == len(IMAGENET.mean):
            return IMAGENET
        case Pixels.IMAGENET:
            expected = f"a net that reads {len(IMAGENET.mean)} channels"
            found = f"one of {channels}"
            raise SpecError(where="--pixels imagenet", expected=expected, found=found)
        case Pixels.UNIT:
            return Normalisation(IMAGENET.scale, (0.0,) * channels, (1.0,) * channels)
        case Pixels.SIGNED:
            return Normalisation(IMAGENET.scale, (0.5,) * channels, (0.5,) * channels)
