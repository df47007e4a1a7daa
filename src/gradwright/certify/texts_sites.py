"""The site of a defect: the operations that the failed claims share, and proved ones do not.

An operation is the more suspect the more failed results and the fewer proved ones depend on it.
This points at a place to look; no verdict rests on it.
"""

from collections.abc import Mapping, Sequence

from gradwright.certify.scope import place
from gradwright.hlo import Block, Function

CLEARING = 4
"""How much a proved result speaks for an operation, beside a failed one against it.

A defect leaves a dependent result right only where that is right anyhow, such as a constant 0.
"""


def sites(
    function: Function, failed: Sequence[int], proved: Sequence[int], sound: set[int]
) -> Mapping[int, str]:
    """Return line and name of the operations at fault, for each failed result by index.

    `sound` are values, by identity, that are known to be right. Failed results that share their
    most suspect operations have one site.
    """
    body = function.body
    users = _users(body)
    remaining, cleared = sum(1 << k for k in set(failed)), sum(1 << k for k in set(proved))
    suspects = {
        i: users[i]
        for i, operation in enumerate(body.operations)
        if not any(id(result) in sound for result in operation.results)
    }
    found: dict[int, str] = {}
    while remaining:
        scores = {i: _score(mask, remaining, cleared) for i, mask in suspects.items()}
        best = max(scores.values(), default=0.0)
        chosen = [i for i, score in scores.items() if score == best and best > 0]
        covered = suspects[chosen[0]] & remaining if chosen else remaining
        chosen = [i for i in chosen if suspects[i] & remaining == covered]
        site = _range(body, chosen)
        found |= {k: site or _at(body, k) for k in failed if covered >> k & 1}
        remaining &= ~covered
    return found


def _users(body: Block) -> list[int]:
    """Return for each operation the set of results that depend on it, as bits."""
    reached: dict[int, int] = {}
    for k, value in enumerate(body.results):
        reached[id(value)] = reached.get(id(value), 0) | 1 << k
    masks: list[int] = []
    for operation in reversed(body.operations):
        arrived = [reached.get(id(result), 0) for result in operation.results]
        mask = 0
        for part in arrived:
            mask |= part
        if operation.opcode != "stablehlo.optimization_barrier":  # it ties each result to its own
            arrived = [mask] * len(operation.reads)
        for value, part in zip(operation.reads, arrived, strict=True):
            reached[id(value)] = reached.get(id(value), 0) | part
        masks.append(mask)
    return masks[::-1]


def _score(mask: int, failed: int, proved: int) -> float:
    """Return Ochiai's coefficient, squared (Abreu et al., PRDC 2006), proved results weighed."""
    hit, cleared = (mask & failed).bit_count(), CLEARING * (mask & proved).bit_count()
    return hit * hit / (failed.bit_count() * (hit + cleared)) if hit else 0.0


def _range(body: Block, chosen: Sequence[int]) -> str | None:
    if not chosen:
        return None
    # What is called may stand below what calls it.
    ordered = sorted((body.operations[k] for k in sorted(chosen)), key=lambda each: each.line)
    first, last = ordered[0], ordered[-1]
    if first is last or not first.line:
        return place(last)
    names = f"%{first.results[0].name} to %{last.results[0].name}"
    return f"lines {first.line} to {last.line}: {names}"


def _at(body: Block, k: int) -> str:
    value = body.results[k]
    makers = [operation for operation in body.operations if value in operation.results]
    return place(makers[0]) if makers else f"%{value.name}"
