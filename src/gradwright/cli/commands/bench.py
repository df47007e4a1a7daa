"""`gradwright bench`: what one train step of a net costs on this machine."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from gradwright.cli.arguments import (
    AsJson,
    Backend,
    BackendName,
    Classes,
    FormulationName,
    FormulationText,
    LossText,
    NetText,
    OptimizerText,
    Recomputed,
    Size,
    StepBatch,
)
from gradwright.cli.emission import Rounding, numbers_of
from gradwright.cli.nets import Chosen, net_of
from gradwright.cli.options import formulation_of, loss_of, optimizer_of
from gradwright.cli.output import write_json, write_line

if TYPE_CHECKING:
    from gradwright.cli.measure import Cost

# A step of a microsecond, the least that a clock resolves, would take a second of them.
_MOST_STEPS = 10**6


def bench(
    net: NetText,
    *,
    batch: StepBatch = 128,
    classes: Classes = None,
    size: Size = "",
    loss: LossText = "cross-entropy",
    optimizer: OptimizerText = "adam",
    formulation: FormulationText = FormulationName.PORTABLE,
    recompute: Recomputed = "",
    precision: Annotated[
        Rounding, typer.Option(help="Element type, and of which products.")
    ] = Rounding.F32,
    steps: Annotated[int, typer.Option(min=1, max=_MOST_STEPS, help="Steps to time.")] = 30,
    backend: Backend = BackendName.XLA,
    as_json: AsJson = False,
) -> None:
    """Time train steps on random data.

    Each step is timed until its loss has been read; `make bench` compares with other programs.
    """
    from gradwright.cli.measure import measure
    from gradwright.programs import train_step
    from gradwright.run import compile, prefer_resident_heap

    prefer_resident_heap()
    spec = net_of(net, Chosen.of(classes, size))
    element, products = numbers_of(precision)
    program = train_step(
        spec,
        batch=batch,
        loss=loss_of(loss),
        optimizer=optimizer_of(optimizer),
        formulation=formulation_of(formulation, spec, batch, backend, recompute),
        element=element,
        precision=products,
    )
    executable = compile(program, backend=backend.value)
    cost = measure(program, executable, steps)
    manifest = executable.manifest
    if as_json:
        write_json(
            {
                "net": spec.name,
                "batch": batch,
                "backend": backend.value,
                "formulation": formulation.value,
                "recompute": recompute,
                "precision": precision.value,
                "steps": steps,
                **asdict(cost),
                "compile_seconds": manifest.compile_seconds,
                "cache": manifest.cache.value,
            }
        )
        return
    write_line(
        f"{spec.name}, batch {batch}, {precision.value}, {backend.value}: "
        f"{cost.ms_per_step:.2f} ms per step "
        f"({cost.ms_p10:.2f} to {cost.ms_p90:.2f} in the middle 80 % of {steps}), "
        f"{_memory(cost)}, "
        f"compiled in {manifest.compile_seconds:.2f} s (cache {manifest.cache.value})"
    )


def _memory(cost: "Cost") -> str:
    peak = f"peak memory {cost.peak_mib:,.0f} MiB"
    if cost.step_mib is None:
        return peak
    return f"{peak}, of it {cost.step_mib:,.1f} for the step ({cost.temporary_mib:,.1f} temporary)"
