"""`gradwright explain`: where a picture speaks for a class, drawn over the picture."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gradwright.cli.arguments import (
    AsJson,
    Backend,
    BackendName,
    Classes,
    NetText,
    PixelsRead,
    Size,
    WeightsFile,
)
from gradwright.cli.nets import Chosen, is_own
from gradwright.cli.output import write_json, write_line
from gradwright.cli.runs import Trained, open_run
from gradwright.cli.weights import with_random_weights, with_weights
from gradwright.errors import SpecError

if TYPE_CHECKING:
    from gradwright.tasks import Explanation


def explain(
    net: NetText,
    *,
    image: Annotated[Path, typer.Option(help="PNG or JPEG; brought to the size of the net.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="PNG to write.")],
    checkpoint: Annotated[
        Path | None, typer.Option(help="Run folder that `train` wrote, or a checkpoint in it.")
    ] = None,
    weights: WeightsFile = None,
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
    pixels: PixelsRead = None,
    backend: Backend = BackendName.XLA,
    as_json: AsJson = False,
) -> None:
    """Draw where a picture speaks for a class.

    What is written is a PNG, Grad-CAM over the picture. The net takes its parameters from
    --checkpoint, --weights or --seed, one of them.
    """
    from gradwright.cli.pictures import read_pictures
    from gradwright.report.heat_map import heat_png
    from gradwright.tasks import explain as explained
    from gradwright.train import write_atomically

    chosen = Chosen.of(classes, size)
    if checkpoint is not None:
        ready = _of_run(net, checkpoint)
    elif weights is not None:
        ready = with_weights(net, chosen, weights, pixels)
    elif seed is not None:
        ready = with_random_weights(net, chosen, seed, pixels)
    else:
        expected = "one of --checkpoint, --weights and --seed"
        raise SpecError(where="explain", expected=expected, found="none")
    read = read_pictures([image], ready.net)
    x = ready.normalisation.apply(read).reshape(1, *ready.net.input.shape)
    found = explained(ready.net, ready.state, x, layer=layer, target=target, backend=backend.value)
    write_atomically(out, heat_png(read[0], found.heat[0]))
    if as_json:
        write_json({"net": ready.net.name, **_record(found, ready.classes), "out": str(out)})
    else:
        write_line(_sentence(found, ready.classes, out))


def _of_run(net: str, checkpoint: Path) -> Trained:
    trained = open_run(checkpoint, net if is_own(net) else None)
    if not is_own(net) and trained.net.name != net:
        raise SpecError(where=str(checkpoint), expected=f"a {net}", found=trained.net.name)
    return trained


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
