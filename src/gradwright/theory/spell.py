"""Writing sums of products out for people."""

from collections.abc import Mapping, Sequence

from gradwright.certify.kernel.index import Affine
from gradwright.theory.terms import Form, Reader, Term


def spell(reader: Reader, target: str, form: Form) -> list[str]:
    """Return a form as `target[...] =` and one line `sum over ... with ... of ...` per term."""
    return [
        line
        for term in form.terms
        for line in _term(target, form, term, _names(reader, (*form.indices, *term.bound)))
    ]


def _names(reader: Reader, variables: Sequence[int]) -> Mapping[int, str]:
    """Name sizes as they are, and variables so that no two of one form share a name."""
    names = dict(enumerate(reader.symbols.names))
    taken = set(names.values())
    for v in variables:
        name = reader.names[v]
        while name in taken:
            name += "'"
        names[v] = name
        taken.add(name)
    return names


def _term(target: str, form: Form, term: Term, names: Mapping[int, str]) -> list[str]:
    indices = ",".join(names[v] for v in form.indices)
    bound = ", ".join(names[v] for v in term.bound)
    equations = [_equation(e, names) for e in term.zeros]
    reads = " * ".join(
        f"{name}[{','.join(_affine(e, names) for e in access)}]" for name, access in term.reads
    )
    scales = "".join(f" * {names[size]}^{q}" for size, q in term.scales)
    factor = "" if term.coefficient == 1 else f"{term.coefficient} * "
    lines = [f"{target}[{indices}] = sum of {factor}{reads}{scales}"]
    if bound:
        lines.append(f"    over {bound}")
    if equations:
        lines.append(f"    with {', '.join(equations)}")
    return lines


def _equation(e: Affine, names: Mapping[int, str]) -> str:
    """Return e = 0 with what is subtracted on the other side."""
    constant, terms = e
    left = Affine(max(constant, 0), tuple((v, k) for v, k in terms if k > 0))
    right = Affine(max(-constant, 0), tuple((v, -k) for v, k in terms if k < 0))
    return f"{_affine(left, names)} = {_affine(right, names)}"


def _affine(e: Affine, names: Mapping[int, str]) -> str:
    constant, terms = e
    text = ""
    for v, k in terms:
        sign = "-" if k < 0 else "+" if text else ""
        size = "" if abs(k) == 1 else f"{abs(k)}*"
        text += f"{sign}{size}{names[v]}"
    if constant or not text:
        text += f"{'-' if constant < 0 else '+' if text else ''}{abs(constant)}"
    return text
