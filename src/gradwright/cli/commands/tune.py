"""`gradwright tune`: which form is fastest at each site of a net, on this machine."""

from typing import TYPE_CHECKING, Annotated

import typer

from gradwright.cli.arguments import AsJson, Backend, BackendName, Classes, NetText, Size, StepBatch
from gradwright.cli.nets import Chosen, net_of
from gradwright.cli.output import tell, write_json, write_line, write_table

if TYPE_CHECKING:
    from gradwright.layers import Site
    from gradwright.tune import Tuning


def tune(
    net: NetText,
    *,
    batch: StepBatch = 128,
    classes: Classes = None,
    size: Size = "",
    largest_error: Annotated[
        float,
        typer.Option(min=0, help="Relative difference from the usual forms that is allowed."),
    ] = 1e-4,
    backend: Backend = BackendName.XLA,
    as_json: AsJson = False,
) -> None:
    """Time the forms of each layer and keep the fastest.

    `--formulation tuned` takes them. Each layer is run alone, forward and backward; its forms take
    turns.
    """
    from gradwright.layers import PORTABLE
    from gradwright.run import Backend as Runner
    from gradwright.run import prefer_resident_heap
    from gradwright.tune import Store
    from gradwright.tune import tune as measure

    prefer_resident_heap()
    spec, runner = net_of(net, Chosen.of(classes, size)), Runner(backend.value)
    found = measure(
        spec, batch=batch, backend=runner, largest_error=largest_error, watch=_tell_of_site
    )
    store = Store(runner, PORTABLE.layout)
    if as_json:
        write_json(
            {
                "net": spec.name,
                "batch": batch,
                "backend": backend.value,
                "machine": dict(store.machine),
                "folder": str(store.folder),
                "sites": [_record(tuning) for tuning in found],
            }
        )
        return
    columns = ("site", "clock", ">usual, ms", ">chosen, ms", ">error", "other than usual")
    write_table(columns, [_row(tuning) for tuning in found])
    write_line(f"kept in {store.folder}")


def _tell_of_site(site: "Site", tuning: "Tuning | None") -> None:
    if tuning is None:
        tell(f"{site}: one form")
        return
    for trial in tuning.trials:
        tell(f"{site}: {trial.form!r} {trial.ms:.2f} ms, usual {tuning.usual_ms:.2f}")


def _row(tuning: "Tuning") -> list[str]:
    return [
        str(tuning.site),
        tuning.clock.value,
        f"{tuning.usual_ms:.2f}",
        f"{tuning.chosen_ms:.2f}",
        f"{tuning.error:.0e}" if tuning.error else "0",
        ", ".join(map(repr, tuning.changed)),
    ]


def _record(tuning: "Tuning") -> dict[str, object]:
    return {
        "site": str(tuning.site),
        "clock": tuning.clock.value,
        "usual": [repr(form) for form in tuning.usual],
        "usual_ms": tuning.usual_ms,
        "trials": [
            {"form": repr(trial.form), "ms": trial.ms, "error": trial.error}
            for trial in tuning.trials
        ],
        "chosen": [repr(form) for form in tuning.forms],
        "chosen_ms": tuning.chosen_ms,
        "error": tuning.error,
    }
