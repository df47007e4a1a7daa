"""Linear algebra over the rationals for small systems with integer coefficients."""

from collections.abc import Sequence
from math import gcd

Row = list[int]


def row_echelon(rows: Sequence[Sequence[int]]) -> list[Row]:
    """Return the reduced row echelon form without zero rows, each row up to a factor."""
    left = [list(row) for row in rows]
    done: list[Row] = []
    for column in range(len(left[0]) if left else 0):
        pivot = next((row for row in left if row[column]), None)
        if pivot is None:
            continue
        left = [row for row in left if row is not pivot]
        done = [_clear(row, pivot, column) for row in done]
        left = [_clear(row, pivot, column) for row in left]
        done.append(pivot)
    return done


def undetermined(rows: Sequence[Sequence[int]], columns: int) -> set[int]:
    """Return the unknowns, one per column, that the values of the rows leave open."""
    alone = [[i for i, x in enumerate(row) if x] for row in row_echelon(rows)]
    return set(range(columns)) - {places[0] for places in alone if len(places) == 1}


def _clear(row: Row, pivot: Row, column: int) -> Row:
    """Return the combination of a row, not 0 times, and of a pivot row that is 0 at a column."""
    p, q = pivot[column], row[column]
    if not q:
        return row
    cleared = [p * x - q * y for x, y in zip(row, pivot, strict=True)]
    divisor = gcd(*cleared)
    return [x // divisor for x in cleared] if divisor > 1 else cleared
