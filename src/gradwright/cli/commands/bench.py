"""`gradwright bench`: what one train step of a net costs on this machine."""

from dataclasses import asdict
from typing import Annotated

import typer

from gradwright.cli.commands.train import BackendName
from gradwright.cli.options import loss_of, optimizer_of
from gradwright.cli.output import write_json, write_line


def bench(
    net: Annotated[str, typer.Argument(metavar="NET")],
    *,
    batch: Annotated[int, typer.Option(help="Samples per step.")] = 128,
    loss: Annotated[str, typer.Option(help="NAME[:FIELD=VALUE,...].")] = "cross-entropy",
    optimizer: Annotated[str, typer.Option(help="NAME[:FIELD=VALUE,...].")] = "adam",
    steps: Annotated[int, typer.Option(min=1, help="Steps to time.")] = 30,
    backend: Annotated[BackendName, typer.Option(help="Who runs it.")] = BackendName.XLA,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Time train steps on random data.

    Each step is timed until its loss has been read; `make bench` compares with other programs.
    """
    from gradwright.cli.measure import measure
    from gradwright.programs import train_step
    from gradwright.run import compile
    from gradwright.zoo import get

    program = train_step(
        get(net), batch=batch, loss=loss_of(loss), optimizer=optimizer_of(optimizer)
    )
    executable = compile(program, backend=backend.value)
    cost = measure(program, executable, steps)
    manifest = executable.manifest
    if as_json:
        write_json(
            {
                "net": net,
                "batch": batch,
                "backend": backend.value,
                "steps": steps,
                **asdict(cost),
                "compile_seconds": manifest.compile_seconds,
                "cache": manifest.cache.value,
            }
        )
        return
    write_line(
        f"{net}, batch {batch}, {backend.value}: {cost.ms_per_step:.2f} ms per step "
        f"({cost.ms_p10:.2f} to {cost.ms_p90:.2f} in the middle 80 % of {steps}), "
        f"peak memory {cost.peak_mib:,.0f} MiB, "
        f"compiled in {manifest.compile_seconds:.2f} s (cache {manifest.cache.value})"
    )
