"""Whether a theorem says something: every name has one meaning, and shapes fit."""

from collections.abc import Iterable, Sequence

from gradwright.certify.notation import Apply, Bind, Expression, Read, Statement, parse
from gradwright.errors import SpecError
from gradwright.theory.evaluation import index_name, read_names
from gradwright.theory.record import Adjoint, Instance, Same


def check(instance: Instance) -> None:
    """Raise SpecError where a name has two meanings, none, or comes before its definition.

    Names of sizes, values and indices are apart; an index is bound once where it stands; each side
    defines a value once, with a declared shape; a cotangent has the shape of its value.
    """
    boxes, sizes = instance.symbols.boxes, instance.symbols.names
    _require_apart("a size and a value", sizes, boxes)
    match instance.claim:
        case Adjoint(forward, wrt, backward) as claim:
            _check_side(instance, parse(forward) + parse(backward))
            y = parse(forward)[-1].target
            _require_shape(instance, claim.result, wrt)
            if boxes[y]:
                _require_shape(instance, f"d{y}", y)
            if wrt in {s.target for s in parse(forward)}:
                raise SpecError(where=wrt, expected="an input", found="a value that is defined")
        case Same(left, right):
            for text in (left, right):
                _check_side(instance, parse(text))
            if parse(left)[-1].target != parse(right)[-1].target:
                raise SpecError(where=right, expected="the same last value", found="another")


def _check_side(instance: Instance, statements: Sequence[Statement]) -> None:
    boxes, sizes = instance.symbols.boxes, instance.symbols.names
    targets = [statement.target for statement in statements]
    for place, statement in enumerate(statements):
        if statement.target in targets[:place]:
            raise SpecError(where=statement.target, expected="one definition", found="two")
        if statement.target not in boxes:
            raise SpecError(where=statement.target, expected="a declared shape", found="none")
        late = read_names(statement.value) & set(targets[place:])
        if late:
            where = ", ".join(sorted(late))
            raise SpecError(where=where, expected="a value defined above", found="one below")
        names = [index_name(e) for e in statement.indices or ()]
        if len(names) != len(boxes[statement.target]):
            found = f"{len(names)} indices of {len(boxes[statement.target])}"
            raise SpecError(where=statement.target, expected="an index per dimension", found=found)
        _require_apart("two indices", names[:-1], names[-1:])
        _require_apart("an index and a size or value", names, (*sizes, *boxes))
        _check_bound(statement.value, names, (*sizes, *boxes))


def _check_bound(e: Expression, outer: Sequence[str], taken: Iterable[str]) -> None:
    match e:
        case Bind(_, indices, body):
            names = [name for name, _ in indices]
            _require_apart("an index bound twice", names, (*outer, *taken))
            _check_bound(body, [*outer, *names], taken)
        case Apply(_, arguments):
            for argument in arguments:
                _check_bound(argument, outer, taken)
        case Read(_, indices):
            for index in indices or ():
                _check_bound(index, outer, taken)
        case _:
            return


def _require_apart(what: str, some: Iterable[str], others: Iterable[str]) -> None:
    shared = set(some) & set(others)
    if shared:
        found = f"{', '.join(sorted(shared))} for {what}"
        raise SpecError(where="theorem", expected="names with one meaning", found=found)


def _require_shape(instance: Instance, name: str, like: str) -> None:
    boxes = instance.symbols.boxes
    if boxes.get(name) != boxes[like]:
        raise SpecError(where=name, expected=f"the shape of {like}", found="another or none")
