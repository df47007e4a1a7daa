"""Programs with another text than the one that was written."""

from gradwright.certify import Declared
from gradwright.programs import Program


def edited(program: Program, old: str, new: str, nth: int = 0) -> Declared:
    """Replace the nth occurrence of a piece of a program's text, nothing that it declares."""
    parts = program.text.split(old)
    assert len(parts) > nth + 1, f"{old} is not {nth + 1} times in the text"
    text = old.join(parts[: nth + 1]) + new + old.join(parts[nth + 1 :])
    return Declared.of(program, text)


def plain(program: Program) -> Declared:
    """Return a program as it is."""
    return Declared.of(program, program.text)
