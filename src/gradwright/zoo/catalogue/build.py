"""Nets of the catalogue from their lines; which lines wait, and for what."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache

from gradwright.errors import SpecError
from gradwright.hlo import Shape
from gradwright.layers import Layer
from gradwright.layers.blocks import UNetLevel
from gradwright.spec import NetSpec
from gradwright.spec.net import place
from gradwright.spec.padding import Pair
from gradwright.zoo.catalogue.call import Call
from gradwright.zoo.catalogue.kinds import KINDS
from gradwright.zoo.catalogue.rows import ROWS, Row, Word

TAP, UP, DOWN = "tap", "up", "down"
"""What is there at a tap is joined at the next `up` that no other tap has taken."""


def build(name: str, *, classes: int | None = None, size: Pair | None = None) -> NetSpec:
    """Return a net of the catalogue; SpecError where it waits for a layer.

    `classes` is the width of the dense layer that it ends in, `size` (height, width) of pictures;
    without them it has the published number of parameters.
    """
    row = resized(ROWS[name], classes, size)
    lacking = waiting_for(row)
    if lacking:
        expected = f"layers that there are, not {', '.join(lacking)}"
        raise SpecError(where=f"zoo: {name}", expected=expected, found="a net that waits for them")
    layers, rest = _chain(_expanded(row.words), row.input.shape)
    assert not rest  # waiting_for has seen that every `up` has its tap
    return NetSpec(name, row.input, layers)


def resized(row: Row, classes: int | None, size: Pair | None) -> Row:
    """Return the line with another last width or other pictures; SpecError where it has none."""
    if size is not None:
        if len(row.extents) != 3:
            expected = "no size, since the net reads no pictures"
            raise SpecError(where=f"zoo: {row.name}", expected=expected, found=str(size))
        row = replace(row, extents=(row.extents[0], *size))
    if classes is not None:
        *before, last = row.words
        if last.kind != "dense":
            expected = f"no classes, since the net ends in {last.kind}"
            raise SpecError(where=f"zoo: {row.name}", expected=expected, found=str(classes))
        row = replace(row, words=[*before, replace(last, numbers=(classes,))])
    return row


@cache
def waiting() -> Mapping[str, Sequence[str]]:
    """Return the nets that cannot be built yet, each with the kinds of layer that it waits for."""
    lacking = {name: waiting_for(row) for name, row in ROWS.items()}
    return {name: kinds for name, kinds in lacking.items() if kinds}


def waiting_for(row: Row) -> Sequence[str]:
    """Return the kinds of a line that no layer has, each once, in order."""
    open_taps, kinds = 0, list[str]()
    for word in _expanded(row.words):
        if word.kind == TAP:
            open_taps += 1
        elif word.kind == UP and open_taps:
            open_taps -= 1
        elif word.kind not in KINDS:
            kinds.append("up without its down" if word.kind == UP else word.kind)
    return list(dict.fromkeys(kinds))


def _expanded(words: Sequence[Word]) -> list[Word]:
    """Return the words with each `down` written out."""
    plain = frozenset[str]()
    result: list[Word] = []
    for word in words:
        if word.kind == DOWN:
            conv = Word("conv-bn", (word.numbers[0], 3), plain)
            pool = Word("max-pool", (2, 2), plain)
            result += [conv, conv, Word(TAP, (), plain), pool]
        else:
            result.append(word)
    return result


def _chain(words: Sequence[Word], input: Shape) -> tuple[list[Layer], Sequence[Word]]:
    """Return the layers up to the `up` that closes this level, and what stands from there on."""
    layers: list[Layer] = []
    rest = words
    while rest and rest[0].kind != UP:
        word, rest = rest[0], rest[1:]
        if word.kind == TAP:
            deeper, rest = _chain(rest, input)
            (out,) = rest[0].numbers
            made: Sequence[Layer] = [UNetLevel(deeper, out)]
            rest = rest[1:]
        else:
            made = KINDS[word.kind](Call(word, input), word.numbers)
        for layer in made:
            input = place(layer, word.kind, input).output
        layers += made
    return layers, rest
