"""Checking the fields of a declaration against the types that it annotates."""

import dataclasses
import enum
import types
import typing
from typing import Any, cast

from gradwright.errors import SpecError

_UNIONS = (types.UnionType, typing.Union)
_NUMBERS: dict[object, tuple[str, tuple[type, ...]]] = {
    float: ("a plain number", (int, float)),
    int: ("a plain integer", (int,)),
    bool: ("True or False", (bool,)),
    types.NoneType: ("None", (types.NoneType,)),
}


def check_fields(declaration: object) -> None:
    """Raise SpecError unless every field of a dataclass holds what its annotation says.

    Numbers are plain `int` and `float` (an integer may stand for a real one): NumPy's are printed
    in their own way, so that equal declarations would have different fingerprints. Choices are
    members of their enum, not the strings that spell them. Ranges are checked by whoever declares.
    """
    owner = type(declaration)
    hints = typing.get_type_hints(owner)
    for field in dataclasses.fields(cast("Any", declaration)):
        value: object = getattr(declaration, field.name)
        hint = hints[field.name]
        if not _fits(value, hint):
            where = f"{owner.__name__}.{field.name}"
            raise SpecError(where=where, expected=_describe(hint), found=repr(value))


def _fits(value: object, hint: object) -> bool:
    options, origin = typing.get_args(hint), typing.get_origin(hint)
    if origin in _UNIONS:
        return any(_fits(value, option) for option in options)
    if origin is tuple:
        parts = cast("tuple[object, ...]", value)
        return isinstance(value, tuple) and all(_fits(part, options[0]) for part in parts)
    if hint in _NUMBERS:
        return type(value) in _NUMBERS[hint][1]
    return isinstance(value, cast("type", hint))


def _describe(hint: object) -> str:
    options, origin = typing.get_args(hint), typing.get_origin(hint)
    if origin in _UNIONS:
        return " or ".join(_describe(option) for option in options)
    if origin is tuple:
        return f"a tuple, each {_describe(options[0])}"
    if hint in _NUMBERS:
        return _NUMBERS[hint][0]
    name = cast("type", hint).__name__
    if isinstance(hint, enum.EnumType):
        members = cast("type[enum.Enum]", hint)
        return f"one of {', '.join(f'{name}.{member.name}' for member in members)}"
    return f"a {name}"
