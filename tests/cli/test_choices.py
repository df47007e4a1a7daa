"""The grammar of options that carry a choice with settings."""

import enum
from dataclasses import dataclass

import pytest

from gradwright.cli.choices import describe_choices, parse_choice
from gradwright.errors import SpecError


class Form(enum.StrEnum):
    ONE = "one"
    OTHER = "the-other"


@dataclass(frozen=True, slots=True)
class Small:
    rate: float = 0.5
    count: int = 2
    bias: bool = True
    form: Form = Form.ONE
    weights: tuple[float, ...] = ()
    index: int | None = None


@dataclass(frozen=True, slots=True)
class Plain:
    pass


@dataclass(frozen=True, slots=True)
class Odd:
    table: dict[str, int] | None = None


FAMILIES: dict[str, type[Small] | type[Plain] | type[Odd]] = {
    "small": Small,
    "plain": Plain,
    "odd": Odd,
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", Plain()),
        ("small", Small()),
        ("small:", Small()),
        ("small:rate=1e-4", Small(rate=1e-4)),
        ("small:rate=1,count=7,bias=false", Small(rate=1.0, count=7, bias=False)),
        ("small:form=the-other", Small(form=Form.OTHER)),
        ("small:weights=1+2.5", Small(weights=(1.0, 2.5))),
        ("small:index=3", Small(index=3)),
        ("small:index=none", Small(index=None)),
    ],
)
def test_a_choice_is_read(text: str, expected: object) -> None:
    assert parse_choice("--loss", text, FAMILIES) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("smal", "--loss: expected one of small, plain, odd, found 'smal'. Perhaps small"),
        ("", "--loss: expected one of small, plain, odd, found ''"),
        (
            "small:speed=1",
            "--loss small: expected FIELD=VALUE with FIELD one of rate, count, bias, form, "
            "weights, index, found 'speed=1'",
        ),
        (
            "small:rate",
            "--loss small: expected FIELD=VALUE with FIELD one of rate, count, bias, form, "
            "weights, index, found 'rate'",
        ),
        ("small:rate=fast", "--loss small: rate: expected float, found 'fast'"),
        ("small:count=1.5", "--loss small: count: expected int, found '1.5'"),
        ("small:bias=yes", "--loss small: bias: expected one of true, false, found 'yes'"),
        ("small:form=two", "--loss small: form: expected one of one, the-other, found 'two'"),
        (
            "odd:table=1",
            "--loss odd: table: expected a field that a command line can spell, found type "
            "dict[str, int]. Set it from Python",
        ),
    ],
)
def test_a_wrong_choice_says_what_is_right(text: str, message: str) -> None:
    with pytest.raises(SpecError) as caught:
        parse_choice("--loss", text, FAMILIES)
    assert str(caught.value) == message


def test_choices_are_described_as_they_are_spelled() -> None:
    assert describe_choices(FAMILIES) == [
        "small:rate=0.5,count=2,bias=true,form=one,weights=,index=none",
        "plain",
        "odd:table=none",
    ]
