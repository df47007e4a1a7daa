"""Certificates that are well formed and lie, with words of the reason for refusing them."""

import json
from collections.abc import Callable

from attacks.subjects import Json, copy, step
from gradwright.check.replay import digest

Forge = Callable[[Json], object]


def rows(certificate: Json, name: str) -> list[list[object]]:
    """Return the rows of a field, to be changed in place."""
    found: list[list[object]] = certificate[name]  # pyright: ignore[reportAssignmentType]
    return found


def claims(certificate: Json, kind: str) -> list[Json]:
    """Return the claims of a kind, to be changed in place."""
    found: list[Json] = certificate["claims"]  # pyright: ignore[reportAssignmentType]
    return [claim for claim in found if claim["kind"] == kind]


def answer(certificate: Json, kind: str, least: int = 0) -> list[object]:
    """Return an answer of a kind with so many rows in its last list."""
    return next(
        row
        for row in rows(certificate, "answers")
        if row[1] == kind and (not least or len(_last(row)) >= least)
    )


def _last(row: list[object]) -> list[object]:
    last = row[-1]
    assert isinstance(last, list)
    return list(last)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]


def _put(row: list[object], place: int, value: object) -> None:
    row[place] = value


def _set(certificate: Json, name: str, value: object) -> None:
    certificate[name] = value


def _edit(certificate: Json, kind: str, name: str, value: object, which: int = 0) -> None:
    claims(certificate, kind)[which][name] = value


def _same_everywhere(certificate: Json) -> None:
    """Map every summed point to one: no bijection."""
    row = answer(certificate, "sum", 2)
    row[4] = [[0] for _ in _last(row)]


def _shifted(certificate: Json) -> None:
    """Map each summed point to its neighbour, which leaves the sum at one end."""
    row = answer(certificate, "sum", 2)
    maps: list[list[int]] = row[4]  # pyright: ignore[reportAssignmentType]
    back: list[list[int]] = row[5]  # pyright: ignore[reportAssignmentType]
    maps[0][0] += 1
    back[0][0] -= 1


def _swapped(certificate: Json) -> None:
    """Exchange two summed variables, which changes what is read."""
    row = answer(certificate, "sum", 3)
    for place in (4, 5):
        maps = row[place]
        assert isinstance(maps, list)
        maps[0], maps[1] = maps[1], maps[0]


def _swap_reads(certificate: Json) -> None:
    update = claims(certificate, "update")[0]
    reads: Json = update["reads"]  # pyright: ignore[reportAssignmentType]
    reads["lr"] = step().signature.inputs.index(
        next(port for port in step().signature.inputs if port.name == "t")
    )


def _restate(certificate: Json, old: str, new: str) -> None:
    """Change every statement that says something."""
    found = [row for row in rows(certificate, "statements") if old in str(row[0])]
    assert found
    for row in found:
        row[0] = str(row[0]).replace(old, new)


def _swap_names(certificate: Json) -> None:
    names: Json = certificate["names"]  # pyright: ignore[reportAssignmentType]
    places = [f"convbn1.bn.running_{name}" for name in ("mean", "var")]
    names[places[0]], names[places[1]] = names[places[1]], names[places[0]]


def _swap_gradients(certificate: Json) -> None:
    """Say of a bias what is true of another slot of the same shape."""
    gradients = claims(certificate, "gradient")
    gradients[1]["value"], gradients[2]["value"] = gradients[2]["value"], gradients[1]["value"]


def _without_answers(certificate: Json) -> None:
    kept = [row for row in rows(certificate, "answers") if row[1] != "split"]
    certificate["answers"] = kept


def _beyond(certificate: Json) -> None:
    row = answer(certificate, "value", 1)
    access: list[list[int]] = row[4]  # pyright: ignore[reportAssignmentType]
    access[0][0] += 1000


def _unknown_variable(certificate: Json) -> None:
    row = answer(certificate, "value", 1)
    access: list[list[int]] = row[4]  # pyright: ignore[reportAssignmentType]
    access[0] = [0, 999, 1]


def _mapped_back_by_nothing(certificate: Json) -> None:
    row = answer(certificate, "sum", 1)
    maps: list[list[int]] = row[5]  # pyright: ignore[reportAssignmentType]
    maps[0] = [0, 999, 1]


def _another_kind(certificate: Json) -> None:
    row = answer(certificate, "value", 1)
    row[1:] = ["sum", row[3], [], [], []]


FORGED: dict[str, tuple[Forge, str]] = {
    "of another text": (lambda c: _set(c, "texts", [digest("another")]), "another one"),
    "no claim": (lambda c: _set(c, "claims", []), "it claims nothing"),
    "another loss": (lambda c: _set(c, "loss", 13), "not about a sum"),
    "a loss that is no number": (lambda c: _set(c, "loss", 0), "the loss is no number"),
    "a loss that is not there": (lambda c: _set(c, "loss", 99), "no number 99"),
    "the loss is another result": (lambda c: _edit(c, "loss", "result", 3), "not what is diff"),
    "a gradient of another argument": (
        lambda c: _edit(c, "gradient", "argument", 4),
        "other indices",
    ),
    "two gradients exchanged": (_swap_gradients, "not shown to be what is claimed"),
    "a gradient that is the argument": (
        lambda c: _edit(c, "gradient", "value", 0),
        "is about what to write out",
    ),
    "a gradient beyond the text": (
        lambda c: _edit(c, "gradient", "value", 10**6),
        "no number 1000000",
    ),
    "a gradient of no argument": (
        lambda c: _edit(c, "gradient", "argument", 500),
        "no number 500",
    ),
    "equality of one text": (
        lambda c: _set(c, "claims", [*claims(c, "gradient"), {"kind": "equal", "result": 0}]),
        "a claim of equality",
    ),
    "another rule": (
        lambda c: _edit(c, "update", "rule", "u' = 0.9 * u + g; theta' = theta - 2 * lr * u'"),
        "not shown to be theta'",
    ),
    "a rule that is no rule": (lambda c: _edit(c, "update", "rule", "hold"), "where = should be"),
    "a rule that divides by 0": (
        lambda c: _edit(c, "update", "rule", "theta' = theta / (lr - lr)"),
        "a division by zero",
    ),
    "a rule that never ends": (
        lambda c: _edit(c, "update", "rule", f"theta' = {'(' * 10000}"),
        "too many parentheses",
    ),
    "a rule that reads what is not there": (
        lambda c: _edit(c, "update", "rule", "theta' = theta - lr * wish"),
        "nothing is called wish",
    ),
    "another target": (lambda c: _edit(c, "update", "target", "u'"), "not shown to be u'"),
    "a target of no rule": (lambda c: _edit(c, "update", "target", "w'"), "defines no w'"),
    "an update by no gradient": (
        lambda c: _edit(c, "update", "gradient", 3),
        "not proved to be the gradient",
    ),
    "the rate is the step": (_swap_reads, "not shown to be theta'"),
    "a rule with a g of its own": (
        lambda c: _edit(c, "update", "reads", {"g": 3, "theta": 0}),
        "a g of its own",
    ),
    "an update of another result": (
        lambda c: _edit(c, "update", "result", 3),
        "not shown to be theta'",
    ),
    "one hypothesis dropped": (
        lambda c: _set(c, "assumed", rows(c, "assumed")[1:]),
        "other hypotheses",
    ),
    "one hypothesis more": (
        lambda c: _set(c, "assumed", [["nonzero", 3], *rows(c, "assumed")]),
        "other hypotheses",
    ),
    "a literal bent": (lambda c: _set(c, "literals", {"0.9": "1/2"}), "does not stand for"),
    "a literal that is not there": (
        lambda c: _set(c, "literals", {"0.33333334": "1/3"}),
        "that no claim needs",
    ),
    "another scale": (lambda c: _put(answer(c, "value"), 2, "2"), "is not 2 times"),
    "the scale 0": (lambda c: _put(answer(c, "value"), 2, "0"), "is not 0 times"),
    "another sign": (lambda c: _put(answer(c, "value"), 2, "-1"), "is not -1 times"),
    "another value's name": (lambda c: _put(answer(c, "value"), 3, 0), "names no polynomial"),
    "a name that is made later": (lambda c: _put(answer(c, "value"), 3, 10**6), "there is no atom"),
    "another sum's name": (lambda c: _put(answer(c, "sum"), 2, 0), "is no sum"),
    "an access that leaves": (_beyond, "leaves the atom's extents"),
    "an access by nothing": (_unknown_variable, "other indices"),
    "an answer of another kind": (_another_kind, "not about a sum"),
    "points mapped to one": (_same_everywhere, "has no inverse"),
    "points moved by one": (_shifted, "a sum"),
    "points mapped back by nothing": (_mapped_back_by_nothing, "variables of neither sum"),
    "variables exchanged": (_swapped, "a sum"),
    "a variable too many": (
        lambda c: _put(answer(c, "sum"), 4, [[0], [0], [0], [0], [0], [0], [0], [0], [0]]),
        "other variables",
    ),
    "a sum split along an output": (lambda c: _put(answer(c, "split"), 3, 0), "no summed variable"),
    "a split beyond the sum": (lambda c: _put(answer(c, "split"), 4, [10**6]), "cut at [1000000]"),
    "a split at the start": (lambda c: _put(answer(c, "split"), 4, [0]), "cut at [0]"),
    "a split that goes back": (lambda c: _put(answer(c, "split"), 4, [1, 1]), "cut at [1, 1]"),
    "a split into one part": (lambda c: _put(answer(c, "split"), 4, []), "cut at []"),
    "a split of what is no sum": (lambda c: _put(answer(c, "split"), 2, 0), "no summed variable"),
    "answers left out": (_without_answers, "is not shown to be"),
    "an answer never asked for": (
        lambda c: rows(c, "answers").append([10**6, "split", 1, 1, [1]]),
        "answers about what never comes up",
    ),
    "another meaning of the loss": (
        lambda c: _restate(c, "loss = -mean(n)", "loss = -sum(n)"),
        "",
    ),
    "another meaning in between": (
        lambda c: _restate(c, " = mean(m,p,q)", " = sum(m,p,q)"),
        "",
    ),
    "another pool": (lambda c: _restate(c, "max(u<2,v<2)", "min(u<2,v<2)"), ""),
    "another pool's windows": (lambda c: _restate(c, "2*i + u", "2*i + u - 1"), ""),
    "a meaning with names exchanged": (_swap_names, ""),
    "a name of no argument": (lambda c: _set(c, "names", {"x": 10**6}), "no number 1000000"),
    "a meaning of another result": (
        lambda c: _edit(c, "meaning", "result", 0),
        "has another shape",
    ),
    "a meaning that nothing defines": (
        lambda c: _edit(c, "meaning", "name", "wish"),
        "no statement defines wish",
    ),
    "a meaning that is an argument": (
        lambda c: _edit(c, "meaning", "name", "lr"),
        "no statement defines lr",
    ),
    "a statement twice": (
        lambda c: rows(c, "statements").append(rows(c, "statements")[0]),
        "a second definition",
    ),
    "a definition of an argument": (
        lambda c: rows(c, "statements").append(["x = lr", "plain", None, []]),
        "a second definition of x",
    ),
    "a statement that is another value": (
        lambda c: _put(rows(c, "statements")[0], 2, 0),
        "is not shown to be value 0",
    ),
    "a statement in another order": (
        lambda c: _put(rows(c, "statements")[0], 3, [3, 0, 1, 2]),
        "",
    ),
    "a statement in a wrong order": (
        lambda c: _put(rows(c, "statements")[0], 3, [0, 0, 1, 2]),
        "no such order of dimensions",
    ),
    "a statement made in another way": (
        lambda c: _put(rows(c, "statements")[7], 1, "plain"),
        "",
    ),
    "a statement that is none": (lambda c: _put(rows(c, "statements")[0], 0, "y = "), "the end"),
    "two statements in one": (
        lambda c: _put(rows(c, "statements")[0], 0, "a = lr; b = lr"),
        "several statements",
    ),
    "an index squared": (
        lambda c: _restate(c, "x[n,c,i + u - 1", "x[n,c,i * u"),
        "an index that is not affine",
    ),
    "an index without extent": (lambda c: _restate(c, "c<2,", "c,k,"), "without extent"),
    "a statement that never ends": (
        lambda c: _put(rows(c, "statements")[0], 0, f"a = {'(' * 10000}"),
        "too many parentheses",
    ),
    "a sum over more than there is": (
        lambda c: _restate(c, "c<2,u<3", f"c<2,u<{10**18}"),
        "",
    ),
    "a cut of no value": (
        lambda c: _set(c, "cuts", [*rows(c, "cuts"), 10**6]),
        "cuts about what never comes up",
    ),
    "a cotangent cut of no value": (
        lambda c: _set(c, "cotangents", [*rows(c, "cotangents"), 10**6]),
        "cotangents about what never",
    ),
}
"""Each is refused with exit code 1."""


def forged(name: str) -> str:
    """Return the text of a forged certificate."""
    certificate = copy()
    FORGED[name][0](certificate)
    return json.dumps(certificate)
