"""The page in a real browser: quiet, self-contained, foldable, filterable, narrow, printable."""

import os
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from report import browser, pages

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [pytest.mark.browser, pytest.mark.interpreter]

# In CI a browser is required, and the tests fail without one; elsewhere one line says it.
if not os.environ.get("CI") and browser.found() is None:
    pytest.skip(browser.NONE, allow_module_level=True)

PHONE = 360
OPEN = """
for (const each of document.querySelectorAll(".group, .inputs")) each.open = true;
for (const each of [...document.querySelectorAll(".claim")].slice(0, 5)) each.open = true;
"""


@pytest.fixture(scope="module")
def chromium() -> "Generator[Browser]":
    with browser.launched() as found:
        yield found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pages")
    for make in (pages.mirrored, pages.unsettled, pages.proved, pages.large):
        (folder / f"{make.__name__}.html").write_text(pages.page_of(make), "utf-8")
    return folder


@pytest.mark.parametrize("name", ["mirrored", "unsettled", "proved", "large"])
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (PHONE, "dark")])
def test_it_is_quiet_and_fits_the_window(
    chromium: "Browser", folder: Path, name: str, width: int, scheme: browser.Scheme
) -> None:
    file = folder / f"{name}.html"
    with browser.visit(chromium, file, width=width, scheme=scheme) as found:
        found.page.evaluate(OPEN)
        found.page.wait_for_selector(".panel")
        found.page.screenshot(path=folder / f"{name}-{scheme}.png", full_page=name != "large")
        assert found.complaints == []
        assert found.requests == [file.as_uri()]
        assert found.overflow <= 0


def test_there_is_a_row_for_each_claim_and_filters_hide_them(
    chromium: "Browser", folder: Path
) -> None:
    claims = pages.mirrored().report.claims
    with browser.visit(chromium, folder / "mirrored.html") as found:
        names = found.page.locator(".claim .name").all_inner_texts()
        assert names == [claim.name for claim in claims]
        assert found.shows(".claim", 5)
        found.page.locator("[data-filter=proved]").click()
        assert found.shows(".claim", 1)
        assert found.page.locator("[data-filter=proved]").get_attribute("aria-pressed") == "false"
        found.page.locator("[data-filter=refuted]").click()
        assert found.shows(".claim", 0)
        assert found.shows(".group", 0)
        assert found.shows("#none", 1)
        found.page.locator("[data-filter=proved]").click()
        assert found.shows(".claim", 4)
        found.page.locator("#search").fill("STEM")
        assert found.shows(".claim", 2)


def test_groups_fold_and_change(chromium: "Browser", folder: Path) -> None:
    with browser.visit(chromium, folder / "mirrored.html") as found:
        heads = found.page.locator(".group-name")
        assert heads.all_inner_texts() == ["stem", "head", "inputs and results"]
        found.page.locator("#fold").click()
        assert found.shows(".claim", 0)
        heads.first.click()
        assert found.shows(".claim", 2)
        found.page.locator("#grouping").select_option("kind")
        assert heads.all_inner_texts() == ["gradient"]
        assert found.shows(".claim", 5)
        found.page.locator("#grouping").select_option("time")
        assert found.shows(".group", 0)
        seconds = [
            float(row.get_attribute("data-seconds") or "nan")
            for row in found.page.locator(".claim").all()
        ]
        assert seconds == sorted(seconds, reverse=True)


def test_the_heat_map_has_the_largest_difference_where_it_is(
    chromium: "Browser", folder: Path
) -> None:
    counterexample = pages.mirrored().report.claims[4].counterexample
    assert counterexample is not None
    grid = counterexample.grid
    assert grid is not None
    gaps = [abs(a - b) for a, b in zip(grid.emitted, grid.wanted, strict=True)]
    at = gaps.index(max(gaps))
    row, column = grid.rows[at // len(grid.columns)], grid.columns[at % len(grid.columns)]
    with browser.visit(chromium, folder / "mirrored.html") as found:
        for key in ("emitted", "wanted", "difference"):
            assert found.shows(f".map.{key} rect", len(gaps))
        largest = found.page.locator(".map.difference rect[data-largest]")
        # The result is [1, 2, 5, 5], unfolded to 10 rows and 5 columns.
        assert largest.get_attribute("data-index") == f"[0, {row // 5}, {row % 5}, {column}]"
        gap = float(largest.get_attribute("data-value") or "nan")
        assert abs(gap) == pytest.approx(max(gaps), rel=1e-5)
        place = found.page.locator(".map.difference rect.place").get_attribute("data-index")
        assert place == str(list(counterexample.index))
        assert found.page.locator(".far tbody tr").count() == 5


def test_forward_and_gradient_stand_side_by_side_with_the_site_marked(
    chromium: "Browser", folder: Path
) -> None:
    with browser.visit(chromium, folder / "mirrored.html") as found:
        left, right = found.page.locator("#claim-4 .panel").all()
        a, b = left.bounding_box(), right.bounding_box()
        assert a is not None
        assert b is not None
        assert a["y"] == b["y"]
        assert a["x"] + a["width"] <= b["x"]
        assert "tensor<1x2x5x5xf32>" in left.locator(".wrt").inner_text()
        assert "%head.y = " in left.locator(".wanted").last.inner_text()
        assert "%dx = " in right.locator(".result").inner_text()
        site = " ".join(right.locator(".site").all_inner_texts())
        assert "%stem.flipped = stablehlo.reverse" in site
        assert "%stem.dweight" not in site
        before = right.locator(".line").count()
        right.locator(".more").click()
        assert right.locator(".line").count() > before


def test_a_finding_leads_to_its_claim(chromium: "Browser", folder: Path) -> None:
    with browser.visit(chromium, folder / "mirrored.html") as found:
        found.page.locator("#claim-4 > summary").click()
        found.page.locator("#fold").click()
        found.page.locator(".findings a").click()
        assert found.shows("#claim-4 .map", 3)


def test_differing_terms_are_marked(chromium: "Browser", folder: Path) -> None:
    with browser.visit(chromium, folder / "unsettled.html") as found:
        found.page.locator(".forms mark:visible").nth(1).wait_for()


def test_a_claim_of_a_large_text_opens(chromium: "Browser", folder: Path) -> None:
    with browser.visit(chromium, folder / "large.html") as found:
        assert found.page.locator(".claim").count() == pages.MANY_CLAIMS
        assert found.page.locator(".group[open]").count() == 0
        found.page.locator("#search").fill("block1500.")
        found.page.locator(".group-name:visible").click()
        found.page.locator(".claim:visible > summary").click()
        shown = found.page.locator(".claim[open] .panel").last
        assert "%block1500.conv.term_9 = " in shown.locator(".result").inner_text()
        assert "// block1500.conv: Conv2d" in shown.inner_text()


def test_print_opens_what_failed_and_hides_the_controls(chromium: "Browser", folder: Path) -> None:
    with browser.visit(chromium, folder / "mirrored.html") as found:
        found.page.locator("#fold").click()
        found.page.evaluate("dispatchEvent(new Event('beforeprint'))")
        found.page.emulate_media(media="print")
        assert found.shows(".map", 3)
        assert found.shows(".controls", 0)
        assert found.page.pdf()[:5] == b"%PDF-"


def test_it_works_by_keyboard(chromium: "Browser", folder: Path) -> None:
    with browser.visit(chromium, folder / "mirrored.html") as found:
        found.page.locator("#claim-0 > summary").focus()
        found.page.keyboard.press("Enter")
        found.page.wait_for_selector("#claim-0 .panel")
        assert found.shows("#claim-0 .panel", 2)
        unnamed = found.page.evaluate(
            "[...document.querySelectorAll('button, input, select, svg')].filter((e) => "
            "!(e.ariaLabel || e.textContent.trim() || e.labels?.[0]?.textContent.trim())).length"
        )
        assert unnamed == 0
