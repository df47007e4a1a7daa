"""Rational linear algebra for small systems."""

from collections.abc import Sequence
from fractions import Fraction

Row = list[Fraction]


def row_echelon(rows: Sequence[Sequence[int | Fraction]]) -> list[Row]:
    """Return the reduced row echelon form without zero rows."""
    left = [[Fraction(x) for x in row] for row in rows]
    done: list[Row] = []
    for column in range(len(left[0]) if left else 0):
        pivot = next((row for row in left if row[column]), None)
        if pivot is None:
            continue
        left = [row for row in left if row is not pivot]
        unit = [x / pivot[column] for x in pivot]
        done = [_clear(row, unit, column) for row in done]
        left = [_clear(row, unit, column) for row in left]
        done.append(unit)
    return done


def undetermined(rows: Sequence[Sequence[int]], columns: int) -> set[int]:
    """Return the unknowns, one per column, that the values of the rows leave open."""
    alone = [[i for i, x in enumerate(row) if x] for row in row_echelon(rows)]
    return set(range(columns)) - {places[0] for places in alone if len(places) == 1}


def _clear(row: Row, unit: Row, column: int) -> Row:
    factor = row[column]
    return [x - factor * y for x, y in zip(row, unit, strict=True)] if factor else row
