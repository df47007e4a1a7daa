"""`gradwright mutate`: seeded defects of a text, and who sees them."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gradwright.cli.exits import Exit
from gradwright.cli.output import tell, write_json, write_line, write_table
from gradwright.cli.texts import GradientTexts

if TYPE_CHECKING:
    from gradwright.certify.mutants_campaign import Campaign, Trial

# How long the reference interpreter may work on one mutant.
_SECONDS = 30.0


def mutate(
    file: Annotated[
        Path | None,
        typer.Argument(metavar="[FILE]", help="Text that returns a loss and its gradients."),
    ] = None,
    *,
    loss: Annotated[int, typer.Option(help="Result of FILE that is differentiated.")] = 0,
    wrt: Annotated[str, typer.Option(help="I,J: arguments of FILE or of --forward.")] = "",
    grads: Annotated[str, typer.Option(help="K,L: results of FILE that are their gradients.")] = "",
    forward: Annotated[Path | None, typer.Option(help="Text that --backward goes with.")] = None,
    backward: Annotated[Path | None, typer.Option(help="The text to change.")] = None,
    count: Annotated[int, typer.Option(min=1, help="Mutants, at most.")] = 50,
    seed: Annotated[int, typer.Option(help="Of the choice and of the inputs.")] = 0,
    seconds: Annotated[
        float, typer.Option(min=1, help="Budget of the interpreter per mutant.")
    ] = _SECONDS,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Plant defects in a text, one at a time, and see who notices.

    What a mutant computes is decided by evaluation in f64. The exit code is 1 where a wrong mutant
    was proved, or a harmless one refuted; 0 otherwise.
    """
    from gradwright.certify import Search
    from gradwright.certify.mutants_campaign import Found, campaign

    subject = GradientTexts(file, loss, wrt, grads, forward, backward).subject()

    def observe(trial: "Trial") -> None:
        tell(f"{trial.found.value:18} line {trial.line}: {trial.defect.value} ({trial.label})")

    found = campaign(subject, count=count, seed=seed, search=Search(seconds), observe=observe)
    if as_json:
        write_json(found.to_json())
    else:
        _write(found)
    if found.count(Found.MISSED) or found.count(Found.FALSE_ALARM):
        raise typer.Exit(Exit.MISSED)


def _write(campaign: "Campaign") -> None:
    from gradwright.certify.mutants_attributes import Defect
    from gradwright.certify.mutants_campaign import Found

    kinds = [d for d in Defect if any(trial.defect is d for trial in campaign.trials)]
    rows = [
        [
            defect.value,
            *(str(campaign.count(found, defect)) for found in Found),
            *_usual(campaign, defect),
        ]
        for defect in kinds
    ]
    totals = ["all", *(str(campaign.count(found)) for found in Found), *_usual(campaign, None)]
    heads = [f">{found.value}" for found in Found]
    write_table(["defect", *heads, ">f32 elements", ">one direction"], [*rows, totals])
    wrong, refuted = len(campaign.wrong), campaign.count(Found.REFUTED)
    write_line(
        f"\nthe text itself: {campaign.original.value}; {refuted} of {wrong} wrong mutants refuted"
    )


def _usual(campaign: "Campaign", defect: object) -> list[str]:
    """Return how many wrong mutants the usual checks catch."""
    wrong = [trial for trial in campaign.wrong if defect in (None, trial.defect)]
    by_elements = sum(trial.by_elements for trial in wrong)
    by_direction = sum(trial.by_direction for trial in wrong)
    return [str(by_elements), str(by_direction)]
