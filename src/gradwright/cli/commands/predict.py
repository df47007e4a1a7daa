"""`gradwright predict`: the classes that a net with weights sees in pictures."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gradwright.cli.arguments import (
    AsJson,
    Backend,
    BackendName,
    Classes,
    NetOfRun,
    PixelsRead,
    RunOrNet,
    Size,
    WeightsFile,
)
from gradwright.cli.nets import Chosen
from gradwright.cli.output import write_json, write_table
from gradwright.cli.runs import Trained
from gradwright.cli.weights import trained_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Prediction:
    """The class of largest probability: its label, its name and that probability."""

    image: str
    label: int
    name: str
    probability: float


def predict(
    run: RunOrNet,
    *,
    image: Annotated[list[Path], typer.Option(help="PNG or JPEG; may be given several times.")],
    net: NetOfRun = None,
    weights: WeightsFile = None,
    classes: Classes = None,
    size: Size = "",
    pixels: PixelsRead = None,
    backend: Backend = BackendName.XLA,
    as_json: AsJson = False,
) -> None:
    """Classify pictures with a trained net.

    The net is that of a run, or one with --weights. Each picture is brought to the size and the
    channels that the net reads.
    """
    from gradwright.cli.pictures import read_pictures

    trained = trained_of(str(run), net, weights, Chosen.of(classes, size), pixels)
    scores = _probabilities(trained, read_pictures(image, trained.net), backend)
    best = [int(label) for label in scores.argmax(axis=1)]
    found = [
        Prediction(str(path), label, trained.classes[label], float(row[label]))
        for path, label, row in zip(image, best, scores, strict=True)
    ]
    if as_json:
        write_json({"net": trained.net.name, "predictions": [asdict(one) for one in found]})
        return
    rows = [[one.image, one.name, f"{one.probability:.2%}"] for one in found]
    write_table(["picture", "class", ">probability"], rows)


def _probabilities(
    trained: Trained, pixels: "NDArray[np.uint8]", backend: BackendName
) -> "NDArray[np.float64]":
    """Return softmax of the logits. Shapes: pixels [N, C, H, W]; result [N, K]."""
    import numpy as np

    from gradwright.finite import require_finite
    from gradwright.programs import eval as emit_eval
    from gradwright.run import compile

    executable = compile(emit_eval(trained.net, batch=len(pixels)), backend=backend.value)
    state = trained.state
    inputs = {
        port.name: state[port.name] if port.role.is_state else _fitted(trained, pixels, port.shape)
        for port in executable.signature.inputs
    }
    [output] = executable(**inputs).values()
    require_finite(trained.net.name, "logits", output)
    logits = output.astype(np.float64)
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def _fitted(
    trained: Trained, pixels: "NDArray[np.uint8]", shape: Sequence[int]
) -> "NDArray[np.float32]":
    return trained.normalisation.apply(pixels).reshape(shape)
