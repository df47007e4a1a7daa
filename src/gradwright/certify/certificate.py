"""Writing certificates: every claim that the checker can replay, the others listed as uncovered."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from gradwright.certify.certificate_search import Search
from gradwright.certify.kernel.literals import fraction
from gradwright.certify.prove import choose_cuts
from gradwright.check.calls import without_calls
from gradwright.check.certificate import Certificate, ClaimRecord
from gradwright.check.replay import Text, digest, require_signatures
from gradwright.check.session import Outcome, Session, ancestors, numbered
from gradwright.hlo import Function, Operation, read_module
from gradwright.hlo import attributes as attr
from gradwright.hlo.literals import decimals


def written(
    subject: str,
    texts: Sequence[Text],
    claims: Sequence[tuple[str, ClaimRecord]],
    loss: int | None = None,
    uncovered: Sequence[str] = (),
) -> Certificate:
    """Return the certificate of the claims, each with the name it has in a report.

    What the checker's replay does not reach is listed as uncovered, by name.
    """
    functions = [without_calls(read_module(text)) for text in texts]
    require_signatures(subject, functions)
    open_: list[str] = list(uncovered)
    kept = list(claims)
    draft = Certificate(
        answers={},
        assumed=(),
        claims=(),
        cotangents=frozenset(),
        cuts=frozenset(),
        literals=_literals(functions),
        loss=loss,
        subject=subject,
        texts=tuple(map(digest, texts)),
        uncovered=(),
    )
    while True:
        draft = replace(draft, claims=tuple(claim for _, claim in kept))
        outcome, search = _searched(draft, functions)
        if not outcome.failed:
            break
        open_ += [name for i, (name, _) in enumerate(kept) if i in outcome.failed]
        kept = [pair for i, pair in enumerate(kept) if i not in outcome.failed]
    return replace(
        draft,
        answers=search.answers,
        assumed=outcome.assumed,
        cotangents=frozenset(search.cotangents_made),
        cuts=frozenset(search.cuts_made),
        literals={word: q for word, q in draft.literals.items() if word in outcome.literals},
        uncovered=tuple(open_),
    )


def _searched(draft: Certificate, functions: Sequence[Function]) -> tuple[Outcome, Search]:
    forward, sums = _cuts(draft, functions)
    search = Search(forward, sums)
    session = Session(draft, functions, search)
    search.names = session.meanings.contractions.names
    return session.run(), search


def _cuts(
    draft: Certificate, functions: Sequence[Function]
) -> tuple[frozenset[int], frozenset[int]]:
    """Return the values to name in the forward part, and those of them that are sums."""
    body = functions[0].body
    operations: Sequence[Operation] = body.operations
    if draft.loss is not None:
        operations = ancestors([body.results[draft.loss]], operations, frozenset())
    chosen = choose_cuts(operations)
    number_of = {id(value): n for n, value in enumerate(numbered(functions))}
    results = [(op, op.results[0]) for op in operations if id(op.results[0]) in chosen]
    forward = frozenset(number_of[id(result)] for _, result in results)
    sums = frozenset(
        number_of[id(result)] for op, result in results if op.opcode == "stablehlo.add"
    )
    return forward, sums


def _literals(functions: Sequence[Function]) -> dict[str, Fraction]:
    """Return the literals that round a 1 / n."""
    found: dict[str, Fraction] = {}
    for function in functions:
        for operation in function.body.operations:
            value = operation.attributes
            if not isinstance(value, attr.Constant):
                continue
            element = operation.results[0].type.element
            for word in decimals(value) if element.is_float and value.splat else ():
                exact = None if word in ("inf", "-inf", "nan") else Fraction(word)
                part = None if exact is None else fraction(abs(exact), element)
                if exact is not None and part is not None:
                    found[word] = part if exact > 0 else -part
    return found
