"""Extents in index notation: what an index without a bound ranges over."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

from gradwright.certify.notation import Apply, Bind, Expression, Number, Read, Statement
from gradwright.errors import ParseError

Shapes = Mapping[str, tuple[int, ...]]
Extents = Mapping[str, int]


def extents_of(e: Expression, shapes: Shapes, known: Extents) -> dict[str, int]:
    """Return the extents of indices: those known, and those that some read uses alone.

    Errors: ParseError for a value that is read at a wrong number of indices.
    """
    found = dict(known)
    match e:
        case Read(name, indices) if indices is not None and name in shapes:
            shape = shapes[name]
            if len(shape) != len(indices):
                raise ParseError(
                    where="index notation",
                    expected=f"{len(shape)} indices of {name}",
                    found=str(len(indices)),
                )
            for index, extent in zip(indices, shape, strict=True):
                if isinstance(index, Read) and index.indices is None:
                    found.setdefault(index.name, extent)
        case Apply(_, arguments):
            for argument in arguments:
                found |= extents_of(argument, shapes, found)
        case Bind(_, indices, body):
            bounds = {name: bound for name, bound in indices if bound is not None}
            deeper = extents_of(body, shapes, found | bounds)
            found |= {name: n for name, n in deeper.items() if name not in dict(indices)}
        case _:
            pass
    return found


def bound_extents(e: Bind, shapes: Shapes, outer: Extents) -> list[int]:
    """Return the extents of the indices that a sum, mean, max or min binds.

    Errors: ParseError where one has none, or has the name of an index outside.
    """
    bounds = {name: bound for name, bound in e.indices if bound is not None}
    extents = extents_of(e.body, shapes, {**outer, **bounds})
    for name, _ in e.indices:
        if name in outer or not extents.get(name):
            raise ParseError(
                where="index notation",
                expected=f"a bound or a read of {name}, which is no index outside",
                found=str(e.body),
            )
    return [extents[name] for name, _ in e.indices]


@dataclass(frozen=True, slots=True)
class LeftSide:
    """The free indices of a statement with their extents, and the shape of what it defines."""

    names: tuple[str, ...]
    extents: tuple[int, ...]
    shape: tuple[int, ...]


def left_side(statement: Statement, shapes: Shapes) -> LeftSide:
    """Return what a statement ranges over; without indices, nothing.

    Errors: ParseError for an index that occurs twice or has no extent, for what is no index, and
    for digits whose weights are not the products of the extents below them.
    """
    if statement.indices is None:
        return LeftSide((), (), ())
    extents = extents_of(statement.value, shapes, dict(statement.bounds))
    groups = [_digits(e, extents) for e in statement.indices]
    names = tuple(name for group in groups for name in group)
    if len(set(names)) < len(names):
        raise ParseError(
            where=f"definition of {statement.target}",
            expected="each index once on the left",
            found=", ".join(names),
        )
    shape = tuple(prod(extents[name] for name in group) for group in groups)
    return LeftSide(names, tuple(extents[name] for name in names), shape)


def _digits(e: Expression, extents: Extents) -> list[str]:
    """Return the indices that a left index is composed of, most significant first."""
    digits = sorted(_weighted(e), key=lambda digit: -digit[1])
    weight = 1
    for name, stated in reversed(digits):
        if name not in extents or stated != weight:
            raise ParseError(
                where="index notation",
                expected=f"digits with bounds, {name} of weight {weight}",
                found=f"weight {stated}" if name in extents else "no bound, and no read",
            )
        weight *= extents[name]
    return [name for name, _ in digits]


def _weighted(e: Expression) -> list[tuple[str, int]]:
    match e:
        case Read(name, None):
            return [(name, 1)]
        case Apply("+", (a, b)):
            return [*_weighted(a), *_weighted(b)]
        case Apply("*", (Number(weight), Read(name, None))):
            return [(name, int(weight))]
        case _:
            raise ParseError(
                where="index notation", expected="an index composed of digits", found=str(e)
            )
