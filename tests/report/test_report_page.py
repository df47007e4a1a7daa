"""The page as HTML: self-contained, complete without its script, small for large texts."""

import base64
import json
import re
import zlib
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from gradwright.certify import Claim, Kind, Proved, Report
from gradwright.certify.anchors import Anchors, Spot
from gradwright.errors import CheckpointError, ParseError
from gradwright.report.proof_page import NamedText, proof_page, write_proof_page
from gradwright.report.proof_page.groups import layer_of, scope_groups
from report import pages

MOST_BYTES = 5_000_000
VOID = {"meta", "input"}


class Outline(HTMLParser):
    """Text, tags and the nesting of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.text = ""
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1:] not in (["script"], ["style"]):
            self.text += data

    def rows(self) -> list[str]:
        """Return the verdicts of the rows, in order."""
        return [a["data-verdict"] or "" for _, a in self.tags if "data-claim" in a]


def record_of(page: str) -> dict[str, Any]:
    packed = re.search(r'id="record">([^<]*)<', page)
    assert packed is not None
    return json.loads(zlib.decompress(base64.b64decode(packed[1])))


@pytest.mark.interpreter
@pytest.mark.parametrize("subject", [pages.proved, pages.unsettled, pages.mirrored])
def test_the_page_says_all_without_its_script(subject: Callable[[], pages.Subject]) -> None:
    found = subject()
    outline = Outline(pages.page_of(subject))
    assert outline.open == []
    assert outline.rows() == [claim.verdict.value for claim in found.report.claims]
    said = " ".join(outline.text.split())
    for words in (
        *found.report.scope,
        *(claim.name for claim in found.report.claims),
        *(site for site, _ in found.report.findings),
        found.judged.name,
    ):
        assert words in said


@pytest.mark.interpreter
def test_the_page_names_no_other_file() -> None:
    page = pages.page_of(pages.mirrored)
    attributes = {key for _, each in Outline(page).tags for key in each}
    assert not attributes & {"src", "srcset", "action", "onclick"}
    assert {each["href"] for _, each in Outline(page).tags if "href" in each} == {"#claim-4"}
    assert "@import" not in page
    assert "url(" not in page
    # The namespace of SVG is a name and no address.
    assert set(re.findall(r"https?://[^\"' ]*", page)) == {"http://www.w3.org/2000/svg"}
    assert "default-src 'none'" in page


@pytest.mark.interpreter
def test_a_counterexample_is_told_and_its_values_are_in_the_record() -> None:
    claim = pages.mirrored().report.claims[4]
    found = claim.counterexample
    assert found is not None
    page = pages.page_of(pages.mirrored)
    assert f"{found.emitted:.9g}" in page
    assert f"{found.wanted:.9g}" in page
    record = record_of(page)
    assert [each["name"] for each in record["texts"]] == ["vjp.mlir", "forward.mlir"]
    drawn = record["claims"][4]
    assert drawn["index"] == list(found.index)
    assert len(drawn["grid"]["emitted"]) == len(drawn["grid"]["wanted"]) == 50
    statements = record["texts"][0]["statements"]
    lines = record["texts"][0]["text"].splitlines()
    assert lines[statements[drawn["result"]][0] - 1].strip().startswith("%dx = ")


def test_two_forms_stand_apart_with_their_terms_marked() -> None:
    page = pages.page_of(pages.unsettled)
    [derived, emitted] = re.findall(r"<h5>\w+</h5><pre>(.*?)</pre>", page, re.DOTALL)
    assert "<mark>«" in derived
    assert "<mark>«" in emitted
    assert "the interpreter had no more of its 0 s" in page


def test_names_are_escaped() -> None:
    assert "&lt;vjp&gt; &amp; co.mlir" in pages.page_of(pages.proved)
    assert "<vjp>" not in pages.page_of(pages.proved)


def test_500_claims_on_28000_lines_stay_small() -> None:
    page = pages.page_of(pages.large)
    assert len(Outline(page).rows()) == pages.MANY_CLAIMS
    assert len(page.encode()) < MOST_BYTES


def test_a_rule_is_shown() -> None:
    rule = "h = g; theta' = theta - lr * h"
    anchors = Anchors(Spot("y", 2), rule=rule)
    claim = Claim("update of y", Kind.UPDATE, Proved(), 0.0, anchors=anchors)
    subject = pages.proved()
    page = proof_page(Report((claim,), ()), subject.judged)
    assert "h = g\ntheta' = theta - lr * h\n" in Outline(page).text + "\n"


def test_the_page_is_written_whole_or_refused(tmp_path: Path) -> None:
    subject = pages.proved()
    assert subject.reference is not None
    path = tmp_path / "page.html"
    write_proof_page(path, subject.report, subject.judged, subject.reference)
    assert path.read_text("utf-8") == pages.page_of(pages.proved)
    with pytest.raises(CheckpointError):
        write_proof_page(tmp_path / "no" / "page.html", subject.report, subject.judged)
    with pytest.raises(ParseError):
        proof_page(subject.report, NamedText("bad", "no text"))


@pytest.mark.parametrize(
    ("name", "anchors", "layer"),
    [
        ("d/d%stem.weight (result 0)", None, "stem"),
        ("update of stem.weight.m", None, "stem"),
        ("loss is the differentiated loss", None, "inputs and results"),
        ("d/d%x (result 4)", Anchors(Spot("dx"), wrt=Spot("x")), "inputs and results"),
        ("claim", Anchors(Spot("stage1.block2.conv1.dw"), wrt=Spot("stem.weight")), "stem"),
        ("claim", Anchors(Spot("stage1.block2.conv1.y")), "stage1.block2.conv1"),
    ],
)
def test_the_layer_of_a_claim(name: str, anchors: Anchors | None, layer: str) -> None:
    claim = Claim(name, Kind.GRADIENT, Proved(), 0.0, anchors=anchors)
    assert layer_of(claim, {"stem.weight", "x"}) == layer


@pytest.mark.interpreter
def test_scope_lies_under_its_headings() -> None:
    scope = (*pages.mirrored().report.scope, "assumed: divisors are not 0 (line 3: %y)")
    groups = dict(scope_groups(scope))
    assert list(groups) == [
        "What the verdict is about",
        "Hypotheses",
        "Conventions at kinks and ties",
        "Literals and idealised constants",
    ]
    assert groups["Hypotheses"] == ["assumed: divisors are not 0 (line 3: %y)"]
    assert sum(map(len, groups.values())) == len(scope)
