"""Measure the forms of dense convolutions and write the cost rule of `--formulation fast`.

    python benchmarks/cost_rule.py [SITE ...] [--write]

Sites are those of ResNets and VGGs at 224 x 224 with 8 pictures, and of small nets with 128 of
32 x 32 and less; one core. Rows of sites that are not named stay as they are.
"""

import argparse
import os
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import gradwright as gw
from gradwright.layers import PORTABLE, Conv2d, Padding
from gradwright.run import Backend, configure
from gradwright.run.pjrt import jaxlib_version
from gradwright.tune.trying import try_site
from gradwright.tune.verdict import LARGEST_ERROR, Tuning

TABLE = Path(gw.layers.__file__).with_name("fastest.tsv")
COLUMNS = (
    *("kernel", "strides", "channels", "out", "rows", "columns", "pictures"),
    *("usual ms", "chosen ms", "error", "forms"),
)
KEY = 7
"""Columns that name a site."""

Declared = tuple[int, int, int, int, int, int]
"""Pictures, channels, extent, output channels, kernel, stride."""
SITES: Mapping[str, Declared] = {
    "64@56": (8, 64, 56, 64, 3, 1),
    "128@28": (8, 128, 28, 128, 3, 1),
    "256@14": (8, 256, 14, 256, 3, 1),
    "512@7": (8, 512, 7, 512, 3, 1),
    "64@56/2": (8, 64, 56, 128, 3, 2),
    "128@28/2": (8, 128, 28, 256, 3, 2),
    "256@14/2": (8, 256, 14, 512, 3, 2),
    "3@32": (128, 3, 32, 16, 3, 1),
    "16@32": (128, 16, 32, 16, 3, 1),
    "32@28": (128, 32, 28, 32, 3, 1),
    "32@14": (128, 32, 14, 64, 3, 1),
    "64@14": (128, 64, 14, 64, 3, 1),
    "16@16": (128, 16, 16, 16, 3, 1),
    "16@8": (128, 16, 8, 32, 3, 1),
    "32@8": (128, 32, 8, 32, 3, 1),
    "32@4": (128, 32, 4, 32, 3, 1),
}


def main() -> None:
    """Measure, print, and write the rows."""
    parser = argparse.ArgumentParser(description="the cost rule of `--formulation fast`")
    parser.add_argument("sites", nargs="*", help=f"of {', '.join(SITES)}; default: all")
    parser.add_argument("--write", action="store_true", help=f"write {TABLE.name}")
    options = parser.parse_args()
    configure(threads=1)
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    for name in options.sites or SITES:
        tuning = _measured(SITES[name])
        if tuning is None:
            continue
        for trial in tuning.trials:
            print(f"{name}: {trial.form!r} {trial.ms:.2f}, {trial.error:.0e}", file=sys.stderr)
        print("\t".join(_cells(tuning)))
        if options.write:
            _write(tuning)


def _measured(site: Declared) -> Tuning | None:
    pictures, channels, extent, out, kernel, stride = site
    layer = Conv2d(out, kernel, stride, Padding.SYMMETRIC, bias=False)
    net = gw.NetSpec("one", gw.Image(channels, extent, extent), [layer])
    [found] = gw.layers.sites_of(net, pictures)
    return try_site(found, PORTABLE, Backend.XLA, LARGEST_ERROR)


def _cells(tuning: Tuning) -> list[str]:
    site, windows = tuning.site, tuning.site.windows
    sizes = (site.channels, site.out_channels, *windows.extents, site.batch)
    return [
        *(f"{a}x{b}" for a, b in (windows.kernel, windows.strides)),
        *map(str, sizes),
        *(f"{ms:.2f}" for ms in (tuning.usual_ms, tuning.chosen_ms)),
        f"{tuning.error:.0e}",
        " ".join(map(repr, tuning.forms)),
    ]


def _write(tuning: Tuning) -> None:
    """Put a row in place of the one of its site."""
    lines = TABLE.read_text().splitlines() if TABLE.exists() else []
    rows = {tuple(cells[:KEY]): cells for cells in _rows(lines)}
    cells = _cells(tuning)
    rows[tuple(cells[:KEY])] = cells
    head = (
        "# Forms of one convolution, forward and both gradients: CPU ms of one core.",
        f"# python benchmarks/cost_rule.py --write, {datetime.now(UTC):%Y-%m-%d},"
        f" jaxlib {jaxlib_version()}, XLA",
        "# " + "\t".join(COLUMNS),
    )
    order = sorted(rows.values(), key=lambda cells: (*cells[:2], *map(int, cells[2:KEY])))
    TABLE.write_text("\n".join([*head, *("\t".join(cells) for cells in order)]) + "\n")


def _rows(lines: list[str]) -> list[list[str]]:
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


if __name__ == "__main__":
    main()
