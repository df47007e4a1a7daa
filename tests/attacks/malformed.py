"""What is no certificate at all, with a word of the reason that it is refused for."""

import json
from collections.abc import Callable

from attacks.subjects import Json, copy


def _text(**changes: object) -> str:
    return json.dumps({**copy(), **changes})


def _without(name: str) -> str:
    return json.dumps({key: value for key, value in copy().items() if key != name})


def _spliced(old: str, new: str) -> str:
    text = json.dumps(copy(), sort_keys=True)
    assert old in text
    return text.replace(old, new, 1)


def _claims(row: Json) -> str:
    return _text(claims=[row])


MALFORMED: dict[str, tuple[Callable[[], str | bytes], str]] = {
    "cut in the middle": (lambda: json.dumps(copy())[:-40], "JSON"),
    "empty": (lambda: "", "JSON"),
    "not text": (lambda: b"\xff\xfe\x00certificate", "JSON"),
    "a list": (lambda: "[]", "an object"),
    "a key twice": (lambda: _spliced('"loss": ', '"loss": 3, "loss": '), "each key once"),
    "not a number": (lambda: _text(loss=float("nan")), "integers"),
    "infinity": (lambda: _text(loss=float("inf")), "integers"),
    "a float": (lambda: _text(loss=0.0), "integers"),
    "a truth value for a number": (lambda: _text(loss=True), "an integer"),
    "a number of 5000 digits": (
        lambda: _spliced('"cuts": [', f'"cuts": [{"9" * 5000}, '),
        "digits",
    ),
    "a number beyond a word": (lambda: _text(cuts=[1 << 70]), "machine word"),
    "a rational of 5000 digits": (
        lambda: _text(answers=[[1, "value", f"1/{'9' * 5000}", 2, [[0]]]]),
        "rational",
    ),
    "lists inside each other": (lambda: _text(cuts=None).replace("null", "[" * 10**5), "JSON"),
    "another format": (lambda: _text(format="gradwright-certificate 1"), "gradwright"),
    "a field more": (lambda: _text(trust="me"), "no other fields"),
    "a field less": (lambda: _without("assumed"), "a field assumed"),
    "claims by name": (lambda: _text(claims={"all": "hold"}), "a list"),
    "a kind of claim": (lambda: _claims({"kind": "everything"}), "gradient"),
    "a claim with a name": (
        lambda: _claims({"kind": "loss", "result": 12, "name": "accuracy"}),
        "no other fields",
    ),
    "a negative argument": (
        lambda: _claims({"kind": "gradient", "argument": -1, "value": 3}),
        "from 0 on",
    ),
    "a scale over zero": (lambda: _text(answers=[[1, "value", "1/0", 2, [[0]]]]), "a rational"),
    "a scale with an exponent": (
        lambda: _text(answers=[[1, "value", "1e9", 2, [[0]]]]),
        "rational",
    ),
    "two answers to a question": (
        lambda: _text(answers=[[1, "split", 2, 3, [1]], [1, "split", 2, 4, [1]]]),
        "one answer",
    ),
    "variables out of order": (
        lambda: _text(answers=[[1, "value", "1", 2, [[0, 3, 1, 2, 1]]]]),
        "in order",
    ),
    "a coefficient 0": (lambda: _text(answers=[[1, "value", "1", 2, [[0, 3, 0]]]]), "coefficients"),
    "half a term": (lambda: _text(answers=[[1, "value", "1", 2, [[0, 3]]]]), "coefficients"),
    "a way of no kind": (lambda: _text(statements=[["a = b", "magic", None, [0]]]), "a way"),
    "a statement without a way": (lambda: _text(statements=[["a = b", None, [0]]]), "a way"),
    "a name of a negative argument": (lambda: _text(names={"x": -1}), "from 0 on"),
    "an answer of no kind": (lambda: _text(answers=[[1, "trust", "me"]]), "a value, a sum"),
    "two texts": (lambda: _text(texts=["", ""]), "1 given"),
    "no subject": (lambda: _text(subject="truth"), "no for"),
}
"""Each is refused with exit code 3."""
