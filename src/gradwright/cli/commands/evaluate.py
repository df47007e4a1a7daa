"""`gradwright eval`: accuracy and loss of a trained net over a whole test split."""

from typing import Annotated

import typer

from gradwright.cli.arguments import AsJson, Backend, BackendName, NetOfRun, RunPath
from gradwright.cli.options import dataset_of
from gradwright.cli.output import write_json, write_line
from gradwright.cli.runs import open_run
from gradwright.spec.numbers import LARGEST_COUNT


def evaluate(
    run: RunPath,
    *,
    net: NetOfRun = None,
    data: Annotated[
        str | None, typer.Option(help="As for train; default: the data of the run.")
    ] = None,
    batch: Annotated[int, typer.Option(min=1, max=LARGEST_COUNT, help="Samples per call.")] = 256,
    backend: Backend = BackendName.XLA,
    as_json: AsJson = False,
) -> None:
    """Evaluate a trained net on a test split.

    Every sample counts once, whatever the batch; pixels are normalised as in training.
    """
    from gradwright.programs import eval as emit_eval
    from gradwright.run import compile
    from gradwright.train import Evaluator

    trained = open_run(run, net)
    dataset = trained.as_trained(
        dataset_of(data or trained.checkpoint.identity["data"], trained.net)
    )
    program = emit_eval(trained.net, batch=batch)
    executable = compile(program, backend=backend.value)
    evaluator = Evaluator(executable, dataset.test, batch, len(dataset.classes))
    found = evaluator(trained.checkpoint.state)
    if as_json:
        write_json(
            {
                "net": trained.net.name,
                "data": dataset.name,
                "backend": backend.value,
                "step": trained.checkpoint.progress.step,
                "samples": found.samples,
                "test_accuracy": found.accuracy,
                "test_loss": found.loss,
            }
        )
        return
    write_line(
        f"{trained.net.name} on {dataset.name}, step {trained.checkpoint.progress.step}: "
        f"accuracy {found.accuracy:.2%}, loss {found.loss:.4f} over {found.samples:,} samples"
    )
