"""Writing certificates: every claim that the checker can replay, the others listed as uncovered."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from gradwright.certify.certificate_search import Search
from gradwright.certify.kernel.literals import fraction
from gradwright.certify.prove import choose_cuts
from gradwright.check.certificate import Certificate, ClaimRecord, GradientClaim
from gradwright.check.comparing import same
from gradwright.check.replay import Text, digest, require_signatures, straight
from gradwright.check.session import Outcome, Session, ancestors, numbered
from gradwright.check.tensor import Tensor
from gradwright.hlo import Function, Operation
from gradwright.hlo import attributes as attr
from gradwright.hlo.literals import decimals

CANDIDATES = 3
"""Values of a text that are compared with a gradient part by part."""


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
    functions = [straight(text) for text in texts]
    require_signatures(subject, functions)
    open_: list[str] = list(uncovered)
    kept = list(claims)
    draft = _draft(subject, texts, functions, loss)
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


def gradients_in(text: Text, loss: int, arguments: Sequence[int]) -> dict[int, int]:
    """Return for arguments the first value of a text that the replay finds to be the gradient."""
    functions = [straight(text)]
    claims = tuple(GradientClaim(argument, argument) for argument in arguments)
    draft = _draft("gradients", [text], functions, loss, claims)
    session, search = _session(draft, functions)
    session.prepare()
    body = functions[0].body
    forward = {id(v) for v in body.arguments}
    for operation in ancestors([body.results[loss]], body.operations, frozenset()):
        forward.update(id(result) for result in operation.results)
    values = [(n, v) for n, v in enumerate(session.values) if id(v) not in forward]
    found: dict[int, int] = {}
    for argument in arguments:
        g = session.cotangents.get(id(body.arguments[argument]))
        near = [(n, session.known[id(v)]) for n, v in values]
        fitting = [(n, t) for n, t in near if g is not None and t.shape == g.shape]
        at_once = (n for n, t in fitting if g is not None and _is_same_form(session, g, t))
        alike = [(n, t) for n, t in fitting if g is not None and search.reads_alike(g, t)]
        in_parts = (
            n
            for n, t in alike[:CANDIDATES]
            if g is not None and same(session.meanings.f, g, t, off_kinks=True)
        )
        number = next(at_once, None) or next(in_parts, None)
        if number is not None:
            found[argument] = number
    return found


def _is_same_form(session: Session, a: Tensor, b: Tensor) -> bool:
    ours, theirs = session.meanings.f.align(a, b)
    return ours.poly == theirs.poly


def _draft(
    subject: str,
    texts: Sequence[Text],
    functions: Sequence[Function],
    loss: int | None,
    claims: tuple[ClaimRecord, ...] = (),
) -> Certificate:
    """Return a certificate without answers, with every literal that may stand for a 1 / n."""
    return Certificate(
        answers={},
        assumed=(),
        claims=claims,
        cotangents=frozenset(),
        cuts=frozenset(),
        literals=_literals(functions),
        loss=loss,
        subject=subject,
        texts=tuple(map(digest, texts)),
        uncovered=(),
    )


def _session(draft: Certificate, functions: Sequence[Function]) -> tuple[Session, Search]:
    forward, sums = _cuts(draft, functions)
    search = Search(forward, sums)
    session = Session(draft, functions, search)
    search.names = session.meanings.contractions.names
    return session, search


def _searched(draft: Certificate, functions: Sequence[Function]) -> tuple[Outcome, Search]:
    session, search = _session(draft, functions)
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
