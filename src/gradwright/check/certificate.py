"""The certificate as records, and reading it from JSON: strict, bounded, nothing defaulted."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

from gradwright.check.affine import Affine
from gradwright.check.guide import Opened, Parted, Recognized, SameSum, Split, Way, Writing
from gradwright.errors import CertificateError

FORMAT = "gradwright-certificate 4"
DIGITS = 400
"""Digits of a number; more is refused."""
SHOWN = 30
"""Letters of a text that is no JSON, in the error about it."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class GradientClaim:
    """A result, or another value of the text, is the cotangent of an argument."""

    argument: int
    value: int


@dataclass(frozen=True, slots=True)
class UpdateClaim:
    """A result is what `rule` calls `target`; `reads` says which arguments its names are.

    The rule's g is the value `gradient`, which a gradient claim says is the cotangent of theta; or
    an argument, which is called the gradient.
    """

    gradient: int
    reads: tuple[tuple[str, int], ...]
    result: int
    rule: str
    target: str


@dataclass(frozen=True, slots=True)
class LossClaim:
    """A result is the loss that the gradient claims differentiate."""

    result: int


@dataclass(frozen=True, slots=True)
class EqualClaim:
    """Results of two texts are the same function of the arguments."""

    result: int


@dataclass(frozen=True, slots=True)
class MeaningClaim:
    """A result of the first text is what the statements define under a name."""

    name: str
    result: int


ClaimRecord = GradientClaim | UpdateClaim | LossClaim | EqualClaim | MeaningClaim
Answer = Recognized | SameSum | Writing


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of index notation, how it is denoted, and which value of the text it is.

    `order` says which dimension of that value each dimension of the statement is.
    """

    text: str
    way: Way = Way.PLAIN
    value: int | None = None
    order: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Certificate:
    """Everything that a certificate says; values are numbered as `numbered` does."""

    answers: Mapping[int, Answer]
    assumed: tuple[tuple[str, int], ...]
    claims: tuple[ClaimRecord, ...]
    cotangents: frozenset[int]
    cuts: frozenset[int]
    literals: Mapping[str, str]
    loss: int | None
    names: Mapping[str, int]
    statements: tuple[Statement, ...]
    subject: str
    texts: tuple[str, ...]
    uncovered: tuple[str, ...]


def read_certificate(value: object) -> Certificate:
    """Return the certificate that a JSON text, or the object read from one, holds.

    Errors: CertificateError for anything but a certificate of this format.
    """
    if isinstance(value, str | bytes):
        value = _parsed(value)
    top = _Fields(value, "certificate")
    if top.take("format", _text) != FORMAT:
        raise _wrong("format", FORMAT, "another")
    certificate = Certificate(
        answers=_unique(top.take("answers", _rows(_answer)), "answers"),
        assumed=tuple(top.take("assumed", _rows(_assumption))),
        claims=tuple(top.take("claims", _rows(_claim))),
        cotangents=frozenset(top.take("cotangents", _rows(_count))),
        cuts=frozenset(top.take("cuts", _rows(_count))),
        literals=top.take("literals", _mapping(_text)),
        loss=top.take("loss", _maybe_count),
        names=top.take("names", _mapping(_count)),
        statements=tuple(top.take("statements", _rows(_statement))),
        subject=top.take("subject", _text),
        texts=tuple(top.take("texts", _rows(_text))),
        uncovered=tuple(top.take("uncovered", _rows(_text))),
    )
    top.finish()
    return certificate


def _wrong(where: str, expected: str, found: object) -> CertificateError:
    return CertificateError(where=where, expected=expected, found=str(found)[:80])


def _parsed(text: str | bytes) -> object:
    def pairs(entries: list[tuple[str, object]]) -> dict[str, object]:
        found = dict(entries)
        if len(found) != len(entries):
            raise _wrong("certificate", "each key once", "a key twice")
        return found

    def no_float(word: str) -> object:
        raise _wrong("certificate", "integers and strings", word)

    def integer(word: str) -> int:
        if len(word) > DIGITS:
            raise _wrong("certificate", f"numbers of at most {DIGITS} digits", "more")
        return int(word)

    try:
        return json.loads(
            text,
            object_pairs_hook=pairs,
            parse_float=no_float,
            parse_constant=no_float,
            parse_int=integer,
        )
    except json.JSONDecodeError as problem:
        raise _wrong("certificate", "JSON", _stop(problem)) from None
    except (ValueError, RecursionError):
        raise _wrong(
            "certificate", "JSON", "bytes that are no text, or too deep a nesting"
        ) from None


def _stop(problem: json.JSONDecodeError) -> str:
    """Return what stands where a text stops being JSON."""
    rest = problem.doc[problem.pos :].split("\n", 1)[0][:SHOWN]
    return f"{rest!r} in line {problem.lineno}" if rest else f"its end in line {problem.lineno}"


class _Fields:
    """The fields of an object, each read once; what is left over is an error."""

    def __init__(self, value: object, where: str) -> None:
        if not isinstance(value, dict):
            raise _wrong(where, "an object", type(value).__name__)
        self.where = where
        self.left: dict[object, object] = dict(value)  # pyright: ignore[reportUnknownArgumentType]

    def take(self, name: str, read: Callable[[object], T]) -> T:
        if name not in self.left:
            raise _wrong(self.where, f"a field {name}", "none")
        return read(self.left.pop(name))

    def finish(self) -> None:
        if self.left:
            raise _wrong(self.where, "no other fields", ", ".join(map(str, self.left)))


def _rows(read: Callable[[object], T]) -> Callable[[object], list[T]]:
    return lambda value: [read(item) for item in _list(value)]


def _list(value: object) -> list[object]:
    if not isinstance(value, list):
        raise _wrong("certificate", "a list", type(value).__name__)
    return list(value)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]


def _integer(value: object) -> int:
    if type(value) is not int or abs(value) >= 1 << 62:
        raise _wrong("certificate", "an integer of a machine word", value)
    return value


def _count(value: object) -> int:
    if _integer(value) < 0:
        raise _wrong("certificate", "a number from 0 on", value)
    return _integer(value)


def _counts(value: object) -> tuple[int, ...]:
    return tuple(map(_count, _list(value)))


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise _wrong("certificate", "a string", value)
    return value


def _fraction(value: object) -> Fraction:
    word = _text(value)
    top, slash, bottom = word.partition("/")
    parts = [top.removeprefix("-"), *([bottom] if slash else [])]
    plain = all(p.isascii() and p.isdigit() and len(p) <= DIGITS for p in parts)
    if not plain or (slash and not int(bottom)):
        raise _wrong("certificate", "a rational like 3 or -1/10", word)
    return Fraction(word)


def _maybe_count(value: object) -> int | None:
    return None if value is None else _count(value)


def _mapping(read: Callable[[object], T]) -> Callable[[object], dict[str, T]]:
    return lambda value: {_text(k): read(x) for k, x in _Fields(value, "a mapping").left.items()}


def _statement(value: object) -> Statement:
    row = _list(value)
    if len(row) != 4 or row[1] not in list(Way):
        raise _wrong("statements", "a text, a way, a value and an order", row)
    text, way, place = _text(row[0]), Way(_text(row[1])), _maybe_count(row[2])
    return Statement(text, way, place, _counts(row[3]))


def _assumption(value: object) -> tuple[str, int]:
    row = _list(value)
    if len(row) != 2:
        raise _wrong("assumed", "a word and a value", row)
    return _text(row[0]), _count(row[1])


def _unique(rows: list[tuple[int, Answer]], where: str) -> dict[int, Answer]:
    found = dict(rows)
    if len(found) != len(rows):
        raise _wrong(where, "one answer to a question", "two")
    return found


_ANSWERS: dict[str, tuple[int, Callable[[list[object]], Answer]]] = {
    "value": (3, lambda row: Recognized(_fraction(row[0]), _count(row[1]), _affines(row[2]))),
    "sum": (4, lambda row: SameSum(_count(row[0]), *map(_affines, row[1:]))),
    "split": (3, lambda row: Split(_count(row[0]), _count(row[1]), _counts(row[2]))),
    "part": (3, lambda row: Parted(_count(row[0]), _count(row[1]), _integers(row[2]))),
    "open": (2, lambda row: Opened(*map(_count, row))),
}


def _answer(value: object) -> tuple[int, Answer]:
    row = _list(value)
    size, read = _ANSWERS.get(str(row[1]) if len(row) > 1 else "", (-1, None))
    if read is None or len(row) != size + 2:
        raise _wrong("answers", "a value, a sum, a split, a part or what to open", row)
    return _count(row[0]), read(row[2:])


def _integers(value: object) -> tuple[int, ...]:
    return tuple(map(_integer, _list(value)))


def _affines(value: object) -> tuple[Affine, ...]:
    return tuple(map(_affine, _list(value)))


def _affine(value: object) -> Affine:
    row = _integers(value)
    terms = tuple(zip(row[1::2], row[2::2], strict=False))
    variables = [v for v, _ in terms]
    if len(row) % 2 != 1 or variables != sorted(set(variables)) or not all(k for _, k in terms):
        raise _wrong("answers", "a constant, then variables in order with coefficients", row)
    return row[0], terms


def _reads(value: object) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(_mapping(_count)(value).items()))


_KINDS: dict[str, Callable[["_Fields"], ClaimRecord]] = {
    "gradient": lambda f: GradientClaim(f.take("argument", _count), f.take("value", _count)),
    "loss": lambda f: LossClaim(f.take("result", _count)),
    "equal": lambda f: EqualClaim(f.take("result", _count)),
    "meaning": lambda f: MeaningClaim(f.take("name", _text), f.take("result", _count)),
    "update": lambda f: UpdateClaim(
        f.take("gradient", _count),
        f.take("reads", _reads),
        f.take("result", _count),
        f.take("rule", _text),
        f.take("target", _text),
    ),
}


def _claim(value: object) -> ClaimRecord:
    row = _Fields(value, "claims")
    kind = row.take("kind", _text)
    if kind not in _KINDS:
        raise _wrong("claims", f"one of {', '.join(_KINDS)}", kind)
    claim = _KINDS[kind](row)
    row.finish()
    return claim
