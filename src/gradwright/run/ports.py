"""Checking arrays against the ports they are for, before anything runs."""

import difflib
from collections.abc import Iterable, Mapping

import numpy as np

from gradwright.errors import ShapeError, SpecError
from gradwright.hlo.signature import Port
from gradwright.run.backend import Array


def check_names(program: str, ports: Iterable[Port], given: Mapping[str, object]) -> None:
    """Raise SpecError where a port got nothing or something has no port."""
    names = [port.name for port in ports]
    unknown = [name for name in given if name not in set(names)]
    if unknown:
        close = difflib.get_close_matches(unknown[0], names, n=1)
        raise SpecError(
            where=f"program {program}",
            expected=f"inputs {_listed(names)}",
            found=f"unknown {_listed(unknown)}",
            remedy=f"Did you mean {close[0]}?" if close else "",
        )
    missing = [name for name in names if name not in given]
    if missing:
        raise SpecError(
            where=f"program {program}",
            expected=f"inputs {_listed(names)}",
            found=f"no {_listed(missing)}",
        )


def as_array(program: str, port: Port, value: object) -> Array:
    """Return a value as the array that a port takes, dense and row-major.

    Python numbers are taken for scalar ports; arrays must have the very shape and type.

    Errors: ShapeError naming port, what it takes, and what it got.
    """
    if isinstance(value, bool | int | float) and port.shape == ():
        return _scalar(program, port, value)
    array: Array = np.asarray(value)
    if array.shape == port.shape and array.dtype == port.dtype:
        return array if array.flags.c_contiguous else np.ascontiguousarray(array)
    found = f"{_type_name(array.dtype)} {list(array.shape)}"
    same_values = array.shape == port.shape and array.dtype.kind in "bifu"
    raise ShapeError(
        where=f"input {port.name} of program {program}",
        expected=f"{port.dtype.name} {list(port.shape)}",
        found=found,
        remedy=f"Convert it with .astype({port.dtype.name!r})" if same_values else "",
    )


def _scalar(program: str, port: Port, value: float) -> Array:
    array = np.asarray(value).astype(port.dtype)
    if port.type.element.is_float or array == value:
        return array
    raise ShapeError(
        where=f"input {port.name} of program {program}",
        expected=f"a number that {port.dtype.name} holds",
        found=repr(value),
    )


def _type_name(dtype: np.dtype[np.generic]) -> str:
    return dtype.name if dtype.isnative else f"byte-swapped {dtype.name}"


def _listed(names: list[str]) -> str:
    shown = ", ".join(names[:8])
    return shown if len(names) <= 8 else f"{shown}, … ({len(names)} in all)"
