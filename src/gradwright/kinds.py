"""What a public function is called with, held against the types that it annotates."""

import functools
import inspect
import numbers
import types
import typing
from collections.abc import Callable, Sequence
from typing import Any, ParamSpec, TypeVar, cast

import numpy as np

from gradwright.errors import SpecError

Given = ParamSpec("Given")
Returned = TypeVar("Returned")

_UNIONS = (types.UnionType, typing.Union)
_WORDS = {int: "a whole number", float: "a number", type(None): "None", bytes: "bytes"}
# Characters of a value that an error shows.
_SHOWN = 60


def checked(function: Callable[Given, Returned]) -> Callable[Given, Returned]:
    """Let a function refuse, by SpecError, arguments that are not of the kinds it annotates.

    A whole number may be NumPy's, and an array is a sequence. Of a sequence, a mapping or a
    function it is looked at no more than that it is one. What has no class of its own, such as a
    protocol, is left to the function.
    """
    signature = inspect.signature(function)

    @functools.cache
    def hints() -> dict[str, object]:
        return typing.get_type_hints(function)

    @functools.wraps(function)
    def call(*args: Given.args, **kwargs: Given.kwargs) -> Returned:
        try:
            arguments = signature.bind(*args, **kwargs).arguments
        except TypeError:
            return function(*args, **kwargs)  # Python says which argument is missing or superfluous
        for name, value in arguments.items():
            several = signature.parameters[name].kind is inspect.Parameter.VAR_POSITIONAL
            for each in value if several else (value,):
                require_kind(f"{function.__name__}: {name}", each, hints().get(name, object))
        return function(*args, **kwargs)

    return call


def require_kind(where: str, value: object, hint: object) -> None:
    """SpecError where a value is not of a kind, which is given as an annotation."""
    if not _fits(value, hint):
        raise SpecError(where=where, expected=_described(hint), found=shown(value))


def shown(value: object) -> str:
    """Return a value as an error shows it: the beginning, where it is long."""
    spelled = repr(value)
    return f"{spelled[:_SHOWN]}…" if len(spelled) > _SHOWN else spelled


def _fits(value: object, hint: object) -> bool:
    origin = typing.get_origin(hint)
    if origin in _UNIONS:
        return any(_fits(value, option) for option in typing.get_args(hint))
    if hint is int:
        return hasattr(type(value), "__index__")
    if hint is float:
        return isinstance(value, numbers.Real)
    kind = _class_of(hint)
    if not isinstance(kind, type) or getattr(kind, "_is_protocol", False):
        return True
    if kind is Sequence and isinstance(value, np.ndarray):
        return value.ndim > 0
    return isinstance(value, kind)


def _class_of(hint: object) -> object:
    """Return the class that an annotation is made from, through the name of an alias (NDArray)."""
    kind = typing.get_origin(hint) or hint
    named: object = getattr(kind, "__value__", None)
    return kind if named is None else _class_of(named)


def _described(hint: object) -> str:
    options, origin = typing.get_args(hint), typing.get_origin(hint)
    if origin in _UNIONS:
        return " or ".join(_described(option) for option in options)
    if origin is Callable:
        return "a function"
    kind = cast("Any", _class_of(hint))
    name = "array" if kind.__name__ == "ndarray" else kind.__name__
    return _WORDS.get(kind, f"{'an' if name[0] in 'AEIOaeio' else 'a'} {name}")
