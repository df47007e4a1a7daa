"""Options that carry a choice with settings: `adamw:weight_decay=1e-4,beta1=0.95`."""

import dataclasses
import enum
import types
import typing
from collections.abc import Mapping
from typing import Any, TypeVar

from gradwright.errors import SpecError, perhaps

Choice = TypeVar("Choice")


def parse_choice(option: str, text: str, families: Mapping[str, type[Choice]]) -> Choice:
    """Build the dataclass that `text` names, with the fields it sets.

    `text` is `NAME` or `NAME:FIELD=VALUE,FIELD=VALUE`; tuples are written `1+2+3`, an absent
    optional `none`, enums by their value. A SpecError lists the valid names.
    """
    name, _, settings = text.partition(":")
    if name not in families:
        raise SpecError(
            where=option,
            expected=f"one of {', '.join(families)}",
            found=repr(name),
            remedy=perhaps(name, families),
        )
    family = families[name]
    fields = _settable(family)
    values: dict[str, Any] = {}
    for setting in settings.split(",") if settings else ():
        field, separator, value = setting.partition("=")
        if field not in fields or not separator:
            names = (
                f" with FIELD one of {', '.join(fields)}" if fields else ", but it has no fields"
            )
            raise SpecError(
                where=f"{option} {name}",
                expected=f"FIELD=VALUE{names}",
                found=repr(setting),
                remedy="" if field in fields else perhaps(field, fields),
            )
        if field in values:
            raise SpecError(
                where=f"{option} {name}", expected=f"one value of {field}", found=repr(setting)
            )
        values[field] = _convert(f"{option} {name}: {field}", value, fields[field])
    return _built(f"{option} {name}", family, values)


def _built(where: str, family: type[Choice], values: Mapping[str, Any]) -> Choice:
    """Build a choice; an error about one of its fields names the option that sets it."""
    try:
        return family(**values)
    except SpecError as error:
        owner, _, field = error.where.rpartition(".")
        raise error.at(f"{where}: {field if owner else error.where}") from error


def describe_choices(families: Mapping[str, type[Any]]) -> list[str]:
    """List each choice with its fields and defaults, as the option spells them."""
    return [_describe(name, family) for name, family in families.items()]


def _describe(name: str, family: type[Any]) -> str:
    defaults = ",".join(
        f"{field.name}={_spell(field.default)}"
        for field in dataclasses.fields(family)
        if field.init and field.default is not dataclasses.MISSING
    )
    return f"{name}:{defaults}" if defaults else name


def _spell(value: object) -> str:
    if isinstance(value, tuple):
        return "+".join(map(_spell, typing.cast(tuple[object, ...], value)))
    if isinstance(value, enum.Enum):
        return str(value.value)
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)


def _settable(family: type[Any]) -> dict[str, object]:
    hints = typing.get_type_hints(family)
    return {field.name: hints[field.name] for field in dataclasses.fields(family) if field.init}


def _convert(where: str, text: str, hint: object) -> object:
    """Read `text` as a value of the annotated type `hint`."""
    arguments = typing.get_args(hint)
    origin = typing.get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        if text == "none" and types.NoneType in arguments:
            return None
        [only] = [argument for argument in arguments if argument is not types.NoneType]
        return _convert(where, text, only)
    if origin is tuple:
        return tuple(_convert(where, part, arguments[0]) for part in text.split("+"))
    if hint is bool:
        return _member(where, text, {"true": True, "false": False})
    if isinstance(hint, enum.EnumType):
        members = typing.cast(type[enum.Enum], hint)
        return _member(where, text, {str(member.value): member for member in members})
    return _scalar(where, text, hint)


def _scalar(where: str, text: str, hint: object) -> object:
    kinds: dict[object, type[int] | type[float] | type[str]] = {int: int, float: float, str: str}
    if hint not in kinds:
        raise SpecError(
            where=where,
            expected="a field that a command line can spell",
            found=f"type {hint}",
            remedy="Set it from Python",
        )
    try:
        return kinds[hint](text)
    except ValueError:
        pass
    raise SpecError(where=where, expected=f"{kinds[hint].__name__}", found=repr(text))


def _member(where: str, text: str, members: Mapping[str, object]) -> object:
    if text in members:
        return members[text]
    raise SpecError(
        where=where,
        expected=f"one of {', '.join(members)}",
        found=repr(text),
        remedy=perhaps(text, members),
    )
