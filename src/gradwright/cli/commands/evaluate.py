"""`gradwright eval`: accuracy and loss of a trained net over a whole test split."""

from typing import Annotated

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
from gradwright.cli.options import dataset_of
from gradwright.cli.output import write_json, write_line
from gradwright.cli.weights import trained_of
from gradwright.errors import SpecError
from gradwright.spec.numbers import LARGEST_COUNT


def evaluate(
    run: RunOrNet,
    *,
    net: NetOfRun = None,
    weights: WeightsFile = None,
    classes: Classes = None,
    size: Size = "",
    pixels: PixelsRead = None,
    data: Annotated[
        str | None, typer.Option(help="As for train; default: the data of the run.")
    ] = None,
    batch: Annotated[int, typer.Option(min=1, max=LARGEST_COUNT, help="Samples per call.")] = 256,
    backend: Backend = BackendName.XLA,
    as_json: AsJson = False,
) -> None:
    """Evaluate a trained net on a test split.

    The net is that of a run, or one with --weights and --data. Every sample counts once, whatever
    the batch; pixels are normalised as in training.
    """
    from gradwright.finite import require_finite
    from gradwright.programs import eval as emit_eval
    from gradwright.run import compile
    from gradwright.train import Evaluator

    if weights is not None and data is None:
        raise SpecError(where="--weights", expected="--data beside it", found="none")
    trained = trained_of(str(run), net, weights, Chosen.of(classes, size), pixels)
    dataset = trained.as_trained(dataset_of(data or trained.data or "", trained.net))
    program = emit_eval(trained.net, batch=batch)
    executable = compile(program, backend=backend.value)
    evaluator = Evaluator(executable, dataset.test, batch, len(dataset.classes))
    found = evaluator(trained.state)
    require_finite(trained.net.name, f"loss on {dataset.name}", found.loss)
    if as_json:
        write_json(
            {
                "net": trained.net.name,
                "data": dataset.name,
                "backend": backend.value,
                "step": trained.step,
                "samples": found.samples,
                "test_accuracy": found.accuracy,
                "test_loss": found.loss,
            }
        )
        return
    what = weights.name if weights is not None else f"step {trained.step}"
    write_line(
        f"{trained.net.name} on {dataset.name}, {what}: "
        f"accuracy {found.accuracy:.2%}, loss {found.loss:.4f} over {found.samples:,} samples"
    )
