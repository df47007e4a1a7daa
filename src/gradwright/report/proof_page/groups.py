"""How claims and lines of scope are sorted on the page: by layer, by what they say."""

from collections.abc import Collection, Sequence

from gradwright.certify.claims import Claim

NO_LAYER = "inputs and results"

SCOPE_GROUPS = (
    ("Hypotheses", ("assumed", "divisors are not 0", "meets the hypotheses")),
    ("Conventions at kinks and ties", ("kink", "case of equality")),
    ("Literals and idealised constants", ("literal", "constants are")),
)
"""Headings, and the words by which a line of scope belongs under one."""
GENERAL = "What the verdict is about"


def layer_of(claim: Claim, arguments: Collection[str]) -> str:
    """Return the layer of the value that a claim is about: `stem` of `%stem.weight`.

    What hangs below an argument (`stem.weight.m`, a moment) belongs to the layer of that argument.
    """
    words = [word.strip("%(),") for word in claim.name.replace("d/d%", "").split()]
    named = claim.anchors.wrt or claim.anchors.result if claim.anchors is not None else None
    known = [word for word in words if word in arguments or "." in word]
    name = named.name if named is not None else next(iter(known), "")
    while name and name.rpartition(".")[0] in arguments:
        name = name.rpartition(".")[0]
    return name.rpartition(".")[0] or NO_LAYER


def scope_groups(scope: Sequence[str]) -> list[tuple[str, list[str]]]:
    """Return the lines of scope under their headings, in the order of the headings."""
    groups: dict[str, list[str]] = {GENERAL: []} | {name: [] for name, _ in SCOPE_GROUPS}
    for line in scope:
        fitting = (name for name, words in SCOPE_GROUPS if any(word in line for word in words))
        groups[next(fitting, GENERAL)].append(line)
    return [(name, lines) for name, lines in groups.items() if lines]
