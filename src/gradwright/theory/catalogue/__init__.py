"""The theorems, family by family."""

from gradwright.errors import SpecError, perhaps
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
    remedy = (
        perhaps(name, [theorem.name for theorem in THEOREMS]) or "`gradwright theorems` lists them"
    )
    raise SpecError(where=name, expected="the name of a theorem", found="none", remedy=remedy)
