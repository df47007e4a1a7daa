"""Texts with locations of their own: names and lines are those of the text all the same."""

import pytest

from gradwright.hlo import print_module, read_module
from gradwright.hlo.locations import without_locations

PLAIN = """
module @exported {
  func.func public @main(%w: tensor<2xf32>, %x: tensor<2xf32>) -> (tensor<2xf32> {a.b = "loc(7)"}) {
    // loc(this is a remark)
    %y = stablehlo.multiply %w, %x : tensor<2xf32>
    %z = call @loc(%y) : (tensor<2xf32>) -> tensor<2xf32>
    return %z : tensor<2xf32>
  }
  func.func private @loc(%a: tensor<2xf32>) -> tensor<2xf32> {
    %b = stablehlo.tanh %a : tensor<2xf32>
    return %b : tensor<2xf32>
  }
}
"""
LOCATED = "#loc = loc(unknown)" + (
    PLAIN.replace("%x: tensor<2xf32>)", '%x: tensor<2xf32> loc("ä (x"))')
    .replace("%x : tensor<2xf32>", '%x : tensor<2xf32> loc(callsite("f"("n.py":1:2) at #loc))')
    .replace("%a : tensor<2xf32>", "%a : tensor<2xf32> loc(#loc3)")
    + '#loc3 = loc("tanh"(#loc))\n'
)


def test_names_and_lines_are_those_of_the_text() -> None:
    module = read_module(LOCATED)
    [main, called] = module.functions
    assert [value.name for value in main.body.arguments] == ["w", "x"]
    assert [(each.results[0].name, each.line) for each in main.body.operations] == [
        ("y", 5),
        ("z", 6),
    ]
    assert [(each.results[0].name, each.line) for each in called.body.operations] == [("b", 10)]
    assert print_module(module) == print_module(read_module(PLAIN))


def test_only_locations_are_blanked() -> None:
    bare = without_locations(LOCATED)
    assert without_locations(PLAIN) == PLAIN
    assert [line.rstrip() for line in bare.splitlines()[:13]] == [
        line.rstrip().replace("%x: tensor<2xf32>)", f"%x: tensor<2xf32>{' ' * 13})")
        for line in PLAIN.splitlines()
    ]
    assert len(bare.encode()) == len(LOCATED.encode())


@pytest.mark.parametrize("end", ['loc("unclosed', "loc(", "loc)"])
def test_what_the_parser_refuses_is_refused(end: str) -> None:
    from gradwright.errors import ParseError

    with pytest.raises(ParseError):
        read_module(PLAIN + end)


TWICE = """func.func @main(%x: tensor<f32> loc({0}), %{1}: tensor<f32>{2}) -> tensor<f32>
    attributes {{my.note = loc("a")}} {{
  %z = stablehlo.subtract %x, %{1} : tensor<f32>
  return %z : tensor<f32>
}}
"""
TWICE_NAMED = {
    "both at the first": TWICE.format('"-":1:17', "y", ' loc("-":1:17)'),
    "one without, one like it": TWICE.format("unknown", "unnamed1", ""),
}


@pytest.mark.parametrize("text", TWICE_NAMED.values(), ids=TWICE_NAMED)
def test_arguments_have_two_names_wherever_their_locations_are(text: str) -> None:
    [main] = read_module(text).functions
    assert len({value.name for value in main.body.arguments}) == 2


def test_a_location_as_an_attribute_is_refused_at_its_operation() -> None:
    from gradwright.errors import ParseError

    wrong = PLAIN.replace("tanh %a", 'tanh %a {my.note = loc("a")}')
    with pytest.raises(ParseError, match=r"attribute my\.note is not supported"):
        read_module(wrong)
