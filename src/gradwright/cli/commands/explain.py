"""`gradwright explain`: where a picture speaks for a class, drawn over the picture."""

import enum
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gradwright.cli.arguments import AsJson, Backend, BackendName, Classes, NetText, Size
from gradwright.cli.nets import Chosen, is_own, net_of
from gradwright.cli.output import tell, write_json, write_line
from gradwright.cli.runs import open_run
from gradwright.errors import SpecError, UnsupportedError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gradwright.data import Normalisation
    from gradwright.spec import NetSpec
    from gradwright.tasks import Explanation


class Pixels(enum.StrEnum):
    """How a net that comes with no training data reads pixels."""

    IMAGENET = "imagenet"
    UNIT = "unit"
    SIGNED = "signed"


@dataclass(frozen=True, slots=True)
class Ready:
    """A net with arrays for its slots, the names of its classes, and how it reads pixels."""

    net: "NetSpec"
    state: "dict[str, NDArray[np.generic]]"
    classes: tuple[str, ...]
    normalisation: "Normalisation"


def explain(
    net: NetText,
    *,
    picture: Annotated[Path, typer.Option(help="PNG or JPEG; brought to the size of the net.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="PNG to write.")],
    checkpoint: Annotated[
        Path | None, typer.Option(help="Run folder that `train` wrote, or a checkpoint in it.")
    ] = None,
    weights: Annotated[
        Path | None, typer.Option(help="safetensors or PyTorch file, by our names or a library's.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Random weights instead, by this seed.")
    ] = None,
    layer: Annotated[
        str | None, typer.Option(help="Path of a layer that returns a map; default: the last.")
    ] = None,
    target: Annotated[
        int | None,
        typer.Option("--class", min=0, help="Class to explain; default: the likeliest."),
    ] = None,
    classes: Classes = None,
    size: Size = "",
    pixels: Annotated[
        Pixels | None,
        typer.Option(help="Beside --weights and --seed; default: imagenet for RGB, unit for gray."),
    ] = None,
    backend: Backend = BackendName.XLA,
    as_json: AsJson = False,
) -> None:
    """Draw where a picture speaks for a class: Grad-CAM over the picture, as a PNG.

    The net takes its parameters from --checkpoint, --weights or --seed, one of them.
    """
    from gradwright.cli.pictures import read_pictures
    from gradwright.report.heat_map import heat_png
    from gradwright.tasks import explain as explained
    from gradwright.train import write_atomically

    chosen = Chosen.of(classes, size)
    if checkpoint is not None:
        ready = _trained(net, checkpoint)
    else:
        ready = _with_arrays(net, chosen, weights, seed, pixels)
    read = read_pictures([picture], ready.net)
    x = ready.normalisation.apply(read).reshape(1, *ready.net.input.shape)
    found = explained(ready.net, ready.state, x, layer=layer, target=target, backend=backend.value)
    write_atomically(out, heat_png(read[0], found.heat[0]))
    if as_json:
        write_json({"net": ready.net.name, **_record(found, ready.classes), "out": str(out)})
    else:
        write_line(_sentence(found, ready.classes, out))


def _trained(net: str, checkpoint: Path) -> Ready:
    trained = open_run(checkpoint, net if is_own(net) else None)
    if not is_own(net) and trained.net.name != net:
        raise SpecError(where=str(checkpoint), expected=f"a {net}", found=trained.net.name)
    state = dict(trained.checkpoint.state)
    return Ready(trained.net, state, trained.classes, trained.normalisation)


def _with_arrays(
    text: str, chosen: Chosen, weights: Path | None, seed: int | None, pixels: Pixels | None
) -> Ready:
    from gradwright.programs import init
    from gradwright.zoo import load

    if weights is None and seed is None:
        expected = "one of --checkpoint, --weights and --seed"
        raise SpecError(where="explain", expected=expected, found="none")
    net = net_of(text, chosen)
    state = load(net, weights) if weights is not None else init(net, seed=seed or 0)
    if weights is None:
        tell(f"{net.name}: random weights, which explain nothing but the way")
    names = tuple(str(number) for number in range(net.output[0]))
    return Ready(net, dict(state), names, _normalisation(net, pixels))


def _normalisation(net: "NetSpec", pixels: Pixels | None) -> "Normalisation":
    from gradwright.data import IMAGENET, Normalisation

    channels = net.input.shape[0] if len(net.input.shape) == 3 else 1
    chosen = pixels or (Pixels.IMAGENET if channels == len(IMAGENET.mean) else Pixels.UNIT)
    match chosen:
        case Pixels.IMAGENET if channels == len(IMAGENET.mean):
            return IMAGENET
        case Pixels.IMAGENET:
            expected = f"a net that reads {len(IMAGENET.mean)} channels"
            found = f"{channels} channel"
            raise UnsupportedError(where="--pixels imagenet", expected=expected, found=found)
        case Pixels.UNIT:
            return Normalisation(IMAGENET.scale, (0.0,) * channels, (1.0,) * channels)
        case Pixels.SIGNED:
            return Normalisation(IMAGENET.scale, (0.5,) * channels, (0.5,) * channels)


def _record(found: "Explanation", names: tuple[str, ...]) -> dict[str, object]:
    import numpy as np

    target = int(found.target[0])
    heat = found.heat[0]
    row, column = np.unravel_index(int(heat.argmax()), heat.shape)
    return {
        "layer": found.layer,
        "class": target,
        "name": names[target],
        "probability": float(found.probabilities[0, target]),
        "likeliest": int(found.probabilities[0].argmax()),
        "map": list(heat.shape),
        "peak": [int(row), int(column)] if heat.max() > 0 else None,
    }


def _sentence(found: "Explanation", names: tuple[str, ...], out: Path) -> str:
    target = int(found.target[0])
    share = f"{found.probabilities[0, target]:.2%}"
    height, width = found.heat.shape[1:]
    what = "no place speaks for it" if found.heat.max() == 0 else f"{height}x{width} places"
    return f"{out}: class {names[target]} ({share}) by {found.layer}, {what}"
