"""`gradwright mutate`: seeded defects of a text or of a net's program, and who sees them."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gradwright.cli.arguments import (
    AbiText,
    BatchCount,
    CapturedLayer,
    Classes,
    EmittedForms,
    EntryText,
    Recomputed,
    Size,
)
from gradwright.cli.declared import DeclaredText
from gradwright.cli.emission import Emission, Rounding
from gradwright.cli.exits import Exit
from gradwright.cli.nets import Chosen
from gradwright.cli.output import tell, write_json, write_line, write_table
from gradwright.cli.texts import GradientTexts

if TYPE_CHECKING:
    from gradwright.certify.mutants_attributes import Defect
    from gradwright.certify.mutants_campaign import Campaign, Trial

# How long the reference interpreter may work on one mutant.
_SECONDS = 30.0


def mutate(
    file: Annotated[
        Path | None,
        typer.Argument(metavar="FILE|NET", help="Text of a loss and its gradients, or a net."),
    ] = None,
    *,
    net: Annotated[str, typer.Option(help="Net whose program FILE is.")] = "",
    entry: EntryText = "train-step",
    batch: BatchCount = None,
    classes: Classes = None,
    size: Size = "",
    optimizer: Annotated[str, typer.Option(help="Of NET: NAME[:FIELD=VALUE,...].")] = "adam",
    precision: Annotated[Rounding, typer.Option(help="Element types of NET.")] = Rounding.F32,
    abi: AbiText = "standard",
    layer: CapturedLayer = None,
    formulation: EmittedForms = None,
    recompute: Recomputed = "",
    loss: Annotated[
        str,
        typer.Option(
            help="Result of FILE to differentiate, 0 unless said; of NET, NAME[:FIELD=…]."
        ),
    ] = "",
    wrt: Annotated[str, typer.Option(help="I,J-K,%NAME: arguments of FILE or --forward.")] = "",
    grads: Annotated[str, typer.Option(help="Results of FILE that are their gradients.")] = "",
    forward: Annotated[Path | None, typer.Option(help="Text that --backward goes with.")] = None,
    backward: Annotated[Path | None, typer.Option(help="The text to change.")] = None,
    count: Annotated[int, typer.Option(min=1, help="Mutants, at most.")] = 50,
    seed: Annotated[int, typer.Option(min=0, help="Of the choice and of the inputs.")] = 0,
    seconds: Annotated[
        float, typer.Option(min=1, help="Budget of the interpreter per mutant.")
    ] = _SECONDS,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Plant defects in a text, one at a time, and see who notices.

    The text is named as for `certify`. What a mutant computes is decided by evaluation in f64. The
    exit code is 1 where a wrong mutant was proved, a harmless one or the text itself refuted; 2
    where the text itself is unknown; 0 otherwise.
    """
    from gradwright.certify import Search
    from gradwright.certify.mutants_campaign import Found, campaign
    from gradwright.certify.mutants_programs import program_campaign

    emission = Emission.at(
        entry,
        batch,
        loss or "cross-entropy",
        optimizer,
        precision,
        abi,
        layer,
        formulation,
        recompute,
    )
    declared = DeclaredText.chosen(file, net, emission, Chosen.of(classes, size))
    texts = GradientTexts(
        None if declared is not None else file,
        loss,
        wrt,
        grads,
        forward,
        backward,
    )

    def observe(trial: "Trial") -> None:
        tell(f"{trial.found.value:18} line {trial.line}: {trial.defect.value} ({trial.label})")

    search = Search(seconds)
    if declared is None:
        subject = texts.subject()
        found = campaign(subject, count=count, seed=seed, search=search, observe=observe)
    else:
        with declared.sources.named():
            found = program_campaign(
                declared.program(), count=count, seed=seed, search=search, observe=observe
            )
    if as_json:
        write_json(found.to_json())
    else:
        _write(found)
    original = found.original.value
    if original != "proved":
        tell(f"the text itself is {original}: what is said of its mutants is said of no right text")
    if found.count(Found.MISSED) or found.count(Found.FALSE_ALARM) or original == "refuted":
        raise typer.Exit(Exit.MISSED)
    if original == "unknown":
        raise typer.Exit(Exit.UNSUPPORTED)


def _write(campaign: "Campaign") -> None:
    from gradwright.certify.mutants_attributes import Defect
    from gradwright.certify.mutants_campaign import Found

    kinds = [d for d in Defect if any(trial.defect is d for trial in campaign.trials)]
    rows = [[defect.value, *_counts(campaign, defect)] for defect in kinds]
    heads = [f">{name}" for name in (*(found.value for found in Found), *campaign.noticed())]
    write_table(["defect", *heads], [*rows, ["all", *_counts(campaign, None)]])
    wrong, refuted = len(campaign.wrong), campaign.count(Found.REFUTED)
    write_line(
        f"\nthe text itself: {campaign.original.value}; {refuted} of {wrong} wrong mutants refuted"
    )


def _counts(campaign: "Campaign", defect: "Defect | None") -> list[str]:
    """Return what became of the mutants of one kind or of all, and who else saw the wrong ones."""
    from gradwright.certify.mutants_campaign import Found

    counts = (campaign.count(found, defect) for found in Found)
    return [str(count) for count in (*counts, *campaign.noticed(defect).values())]
