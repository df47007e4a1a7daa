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


def full_column_rank(rows: Sequence[Sequence[int]], columns: int) -> bool:
    """Return whether only the zero vector is mapped to zero."""
    return len(row_echelon(rows)) == columns


def _clear(row: Row, unit: Row, column: int) -> Row:
    factor = row[column]
    return [x - factor * y for x, y in zip(row, unit, strict=True)] if factor else row
