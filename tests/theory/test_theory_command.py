"""`gradwright theorems`: the list, the page of one, the record."""

import json

import pytest

from gradwright.cli import main
from gradwright.theory import THEOREMS, find, page, settle


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["theorems", *arguments])
    said = capsys.readouterr()
    return code, said.out, said.err


def test_a_page_states_explains_and_shows_what_goes_wrong(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, out, err = run(capsys, "symmetric-dx-for-same-upper")
    assert (code, err) == (0, "")
    for part in (
        "y[n,o,i,j] = sum(c,u<3,v<3) w[o,c,u,v]*x[n,c,2*i + u - top, 2*j + v - left]",
        "H mod 2 = 1 and W mod 2 = 1; where it fails, so does the theorem",
        "with n' = n, c' = c, 2*i+u = top+h, 2*j+v = left+k",
        "without: H mod 2 = 1 and W mod 2 = 1 (K3 s2): refuted",
        "dx[0, 0, 0, 0] is 1, stated 0",
    ):
        assert part in out


@pytest.mark.parametrize("name", ["relu", "layer-norm-input", "cross-entropy", "max-pool-input"])
def test_conditions_on_inputs_are_listed(name: str) -> None:
    theorem = find(name)
    text = page(settle(theorem, theorem.quick))
    expected = {
        "relu": "off the kinks",
        "layer-norm-input": "roots are taken of numbers >= 0",
        "cross-entropy": "the targets of a row sum to 1",
        "max-pool-input": "the largest entry of a window is its only one",
    }
    conditions = text.split("Conditions\n")[1].split("\n\n")[0]
    assert expected[name] in conditions


def test_every_page_fits_and_is_made_of_its_sections() -> None:
    for theorem in THEOREMS[::6]:
        text = page(settle(theorem, theorem.quick[:1]))
        assert text.startswith(f"{theorem.name}\n")
        for heading in ("\nStatement", "\nSymbols", "\nWhy", "\nVerdict", "wrong\n"):
            assert heading in text, (theorem.name, heading)


def test_a_theorem_has_a_record(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "relu6", "--json")
    assert code == 0
    [relu6] = json.loads(out)["theorems"]
    assert relu6["name"] == "relu6"
    assert relu6["hypotheses"] == ["off the kinks"]
    assert relu6["verdict"] == "proved"
    assert [case["case"] for case in relu6["cases"]] == ["all"]


def test_the_whole_grid_of_one(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "same-upper-is-odd-phase", "--all", "--json")
    assert code == 0
    [record] = json.loads(out)["theorems"]
    assert [case["case"] for case in record["cases"]] == ["K3 s2", "K5 s2", "K7 s2", "K9 s2"]


def test_rules_are_listed_with_their_lemmas(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "--rules", "--json")
    assert code == 0
    lemmas = {rule["name"]: rule["lemma"] for rule in json.loads(out)["rules"]}
    assert (lemmas["kink-analytic"], lemmas["stablehlo.tanh"]) == (
        "rule_kink_analytic",
        "pull_tanh",
    )
    code, out, _ = run(capsys, "--rules", "select", "--markdown")
    assert (code, out.splitlines()[2]) == (
        0,
        "| `select` | b + m (a - b) | `rule_select` | `arithmetic.Arithmetic.select` |",
    )


def test_an_unknown_rule_is_bad_input(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "--rules", "kinks")
    assert (code, out) == (3, "")
    assert err.startswith("gradwright: kinks: expected the name of a rule, found none.")


def test_an_unknown_name_is_bad_input(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "conv")
    assert (code, out) == (3, "")
    assert err.startswith("gradwright: conv: expected the name of a theorem, found none. Perhaps")
