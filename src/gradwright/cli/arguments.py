"""Arguments and options that several verbs take, each with its one help text."""

import enum
from pathlib import Path
from typing import Annotated

import typer

from gradwright.spec.numbers import LARGEST_COUNT


class BackendName(enum.StrEnum):
    """Who runs the program."""

    XLA = "xla"
    IREE = "iree"
    INTERPRETER = "interpreter"


class FormulationName(enum.StrEnum):
    """Which forms of the layers are written."""

    PORTABLE = "portable"
    TEXTBOOK = "textbook"
    FAST = "fast"
    TUNED = "tuned"


class Pixels(enum.StrEnum):
    """How a net that comes with no training data reads pixels."""

    IMAGENET = "imagenet"
    UNIT = "unit"
    SIGNED = "signed"


EmittedText = Annotated[
    str,
    typer.Argument(
        metavar="NET",
        help="One that `gradwright nets` lists, FILE.py:NAME, or artifact:NAME of `artifacts`.",
    ),
]
NetText = Annotated[
    str,
    typer.Argument(
        metavar="NET",
        help="One that `gradwright nets` lists, or FILE.py:NAME, a NetSpec in a file of yours.",
    ),
]
Classes = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=LARGEST_COUNT,
        help="Classes of a named net; default: those it was published with.",
    ),
]
Size = Annotated[
    str, typer.Option(metavar="H[xW]", help="Height and width of a named net's pictures.")
]
RunOrNet = Annotated[
    Path,
    typer.Argument(
        metavar="RUN_OR_NET",
        help="Folder that `train` wrote (its newest checkpoint is read), or a checkpoint in it; "
        "with --weights a net.",
    ),
]
WeightsFile = Annotated[
    Path | None, typer.Option(help="safetensors or PyTorch file, by our names or a library's.")
]
PixelsRead = Annotated[
    Pixels | None,
    typer.Option("--pixels", help="Without a run; default: imagenet for RGB, unit for gray."),
]
NetOfRun = Annotated[
    str | None, typer.Option("--net", help="FILE.py:NAME, if the net of the run is your own.")
]
LossText = Annotated[
    str, typer.Option(help="cross-entropy, mse or bce, then [:FIELD=VALUE,...]; see docs/cli.md.")
]
OptimizerText = Annotated[
    str, typer.Option(help="sgd, momentum, nesterov, adam or adamw, then [:FIELD=VALUE,...].")
]
EntryText = Annotated[
    str,
    typer.Option(
        "--entry",
        help="train-step, forward, eval, capture, saliency, vjp, optimizer-step, or probe:LAYER.",
    ),
]
CapturedLayer = Annotated[
    str | None,
    typer.Option("--layer", help="Path of the layer whose map `capture` and `saliency` return."),
]
BatchCount = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=LARGEST_COUNT,
        help="Samples per call: 8 unless said, 128 of an artifact; a probe has its own, an "
        "optimizer step none.",
    ),
]
StepBatch = Annotated[int, typer.Option(min=1, max=LARGEST_COUNT, help="Samples per step.")]
AbiText = Annotated[
    str,
    typer.Option(
        help="Calling convention: standard, fused or packed, then [:FIELD=VALUE,...]; see "
        "docs/artifacts.md."
    ),
]
FormulationText = Annotated[
    FormulationName, typer.Option("--formulation", help="How it is computed; see docs/speed.md.")
]
EmittedForms = Annotated[
    FormulationName | None,
    typer.Option(
        "--formulation",
        help="How it is computed: portable unless said, an artifact as published; see "
        "docs/speed.md.",
    ),
]
Recomputed = Annotated[
    str,
    typer.Option(
        metavar="blocks|PATH,…",
        help="Layers that the backward computes again instead of keeping; see docs/speed.md.",
    ),
]
Backend = Annotated[BackendName, typer.Option(help="What compiles and runs the program.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
