"""A page open in headless Chromium, with what it says on its console and asks of the network."""

import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from repository.tree import ROOT

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

Scheme = Literal["light", "dark"]
ATTEMPTS, PAUSE = 200, 50  # the latter in milliseconds
NONE = "no headless Chromium on PATH: `make browser` looks for one"


@dataclass(slots=True)
class Visit:
    """An open page; `complaints` are messages of its console and errors, `requests` addresses."""

    page: "Page"
    complaints: list[str] = field(default_factory=list[str])
    requests: list[str] = field(default_factory=list[str])

    @property
    def overflow(self) -> int:
        """By how many pixels the page is wider than the window."""
        return int(self.page.evaluate("document.documentElement.scrollWidth - innerWidth"))

    def shows(self, selector: str, count: int) -> bool:
        """Return whether so many elements are seen, once the page has followed the last event.

        A browser tells a page of a new address or of an opened part after the click returns.
        """
        seen = self.page.locator(f"{selector}:visible")
        for _ in range(ATTEMPTS):
            if seen.count() == count:
                return True
            self.page.wait_for_timeout(PAUSE)
        return False


def found() -> str | None:
    """Return the browser on PATH."""
    tool = str(ROOT / "tools/browser.sh")
    done = subprocess.run([tool, "find"], capture_output=True, text=True, check=False)
    return done.stdout.strip() or None


@contextmanager
def launched() -> "Generator[Browser]":
    """Run a browser."""
    path = found()
    assert path is not None, NONE
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        # The sandbox refuses to run for root; only pages of these tests are opened.
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def visit(
    browser: "Browser", file: Path, *, width: int = 1280, scheme: Scheme = "light"
) -> Generator[Visit]:
    """Open a file and wait until its script has run."""
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    found = Visit(context.new_page())
    found.page.on("console", lambda message: found.complaints.append(message.text))
    found.page.on("pageerror", lambda error: found.complaints.append(str(error)))
    found.page.on("request", lambda request: found.requests.append(request.url))
    try:
        found.page.goto(file.as_uri())
        found.page.wait_for_selector("html[data-ready]", state="attached")
        yield found
    finally:
        context.close()
