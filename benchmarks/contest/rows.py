"""Rows of a written table that stay when others are measured anew."""

from collections.abc import Mapping, Sequence


def rows_of(section: str) -> dict[str, list[str]]:
    """Return the cells of each row below a table's head, by the first of them."""
    lines = [line for line in section.splitlines() if line.startswith("| ")]
    rows = ([cell.strip() for cell in line.split("|")[1:-1]] for line in lines[1:])
    return {cells[0]: cells for cells in rows}


def merged(
    new: Mapping[str, Sequence[str]], old: Mapping[str, Sequence[str]], order: Sequence[str]
) -> list[str]:
    """Return the lines of all rows in an order; a new row takes the place of an old one."""
    found = {**old, **new}
    return [f"| {' | '.join(found[name])} |" for name in order if name in found]
