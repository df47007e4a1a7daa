"""The theorems, family by family."""

from gradwright.errors import SpecError
from gradwright.theory.catalogue import (
    activation,
    convolution,
    decimation,
    dense,
    grouped,
    loss,
    normalisation,
    patchify,
    pooling,
    same_upper,
)
from gradwright.theory.record import Theorem

THEOREMS: tuple[Theorem, ...] = (
    *dense.THEOREMS,
    *convolution.THEOREMS,
    *grouped.THEOREMS,
    *same_upper.THEOREMS,
    *decimation.THEOREMS,
    *patchify.THEOREMS,
    *pooling.THEOREMS,
    *normalisation.THEOREMS,
    *loss.THEOREMS,
    *activation.THEOREMS,
)


def find(name: str) -> Theorem:
    """Return a theorem by its name."""
    for theorem in THEOREMS:
        if theorem.name == name:
            return theorem
    close = [theorem.name for theorem in THEOREMS if name.split("-")[0] in theorem.name]
    remedy = f"Near it: {', '.join(close)}" if close else "`gradwright theorems` lists them"
    raise SpecError(where=name, expected="the name of a theorem", found="none", remedy=remedy)
