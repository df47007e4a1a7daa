"""Take the picture of docs/certify.md: the page about a convolution that mirrors its kernel.

    python tools/proof_picture.py OUT

`make proof` calls it. It needs a headless Chromium, as the tests of the page do.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from gradwright.train import write_atomically
from report import browser, pages

WIDTH, HEIGHT = 1280, 1840
# The proved claims are scrolled past: the picture is of what a refuted one shows.
SETTLED = (
    "document.querySelectorAll('.group').forEach((g) => g.open = !!g.querySelector('.refuted'))"
)


def main(arguments: Sequence[str]) -> None:
    """Write the page, open it, take the picture."""
    [out] = map(Path, arguments)
    with TemporaryDirectory() as folder, browser.launched() as chromium:
        file = Path(folder, "page.html")
        file.write_text(pages.page_of(pages.mirrored), "utf-8")
        with browser.visit(chromium, file, width=WIDTH) as found:
            found.page.set_viewport_size({"width": WIDTH, "height": HEIGHT})
            found.page.evaluate(SETTLED)
            found.page.wait_for_selector(".panel")
            write_atomically(out, found.page.screenshot())


if __name__ == "__main__":
    main(sys.argv[1:])
