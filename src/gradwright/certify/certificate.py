"""Writing certificates: every claim that the checker can replay, the others listed as uncovered."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property

from gradwright.certify.advice.literals import fraction, irrational
from gradwright.certify.certificate_scout import Scout
from gradwright.certify.certificate_search import Search
from gradwright.certify.prove import choose_cuts, chosen_cotangents, read_by_layers
from gradwright.check.certificate import (
    Certificate,
    ClaimRecord,
    GradientClaim,
    MeaningClaim,
    Statement,
)
from gradwright.check.comparing import same
from gradwright.check.literals import DENOMINATORS
from gradwright.check.replay import Text, digest, require_signatures, straight_texts
from gradwright.check.session import Session, numbered
from gradwright.check.straight import ancestors
from gradwright.check.tensor import Tensor
from gradwright.hlo import ElementType, Function, Operation
from gradwright.hlo import attributes as attr
from gradwright.hlo.literals import decimals

NAME = re.compile(r"[A-Za-z_][\w.']*")
CANDIDATES = 3
"""Values of a text that are compared with a gradient part by part."""


@dataclass(frozen=True)
class Subject:
    """Texts, and what is to be claimed of them.

    `statements` are index notation over `names`, which stand for arguments of the first text.
    """

    kind: str
    texts: Sequence[Text]
    loss: int | None = None
    names: Mapping[str, int] = field(default_factory=dict[str, int])
    statements: Sequence[Statement] = ()

    @cached_property
    def functions(self) -> Sequence[Function]:
        """The texts without calls and loops."""
        return straight_texts(self.kind, self.loss, self.texts)


def written(
    subject: Subject,
    claims: Sequence[tuple[str, ClaimRecord]],
    uncovered: Sequence[str] = (),
    why: Callable[[str], object] = str,
) -> Certificate:
    """Return the certificate of the claims, each with the name it has in a report.

    What the checker's replay does not reach is listed as uncovered, by name; `why` is told what
    stopped it.
    """
    require_signatures(subject.kind, subject.functions)
    open_: list[str] = list(uncovered)
    kept = list(claims)
    draft = _draft(subject)
    while True:
        records = tuple(claim for _, claim in kept)
        draft = replace(draft, claims=records, statements=needed(subject.statements, records))
        session, search = _session(draft, subject.functions)
        outcome = session.run()
        if not outcome.failed and not session.problems:
            break
        lost = {i for i, claim in enumerate(records) if session.problems and is_stated(claim)}
        lost = {*outcome.failed} or lost
        for reason in (*outcome.failed.values(), *session.problems):
            why(reason)
        open_ += [name for i, (name, _) in enumerate(kept) if i in lost]
        kept = [pair for i, pair in enumerate(kept) if i not in lost]
    return replace(
        draft,
        answers=search.answers,
        assumed=outcome.assumed,
        cotangents=frozenset(search.cotangents_made),
        cuts=frozenset(search.cuts_made),
        literals={word: q for word, q in draft.literals.items() if word in outcome.literals},
        uncovered=tuple(open_),
    )


def is_stated(claim: ClaimRecord) -> bool:
    """Whether a claim is about statements."""
    return isinstance(claim, MeaningClaim)


def needed(statements: Sequence[Statement], claims: Sequence[ClaimRecord]) -> tuple[Statement, ...]:
    """Return the statements that claims rest on."""
    wanted = {claim.name for claim in claims if isinstance(claim, MeaningClaim)}
    kept: list[Statement] = []
    for statement in reversed(statements):
        names = NAME.findall(statement.text)
        if names[0] in wanted:
            wanted.update(names)
            kept.append(statement)
    return tuple(reversed(kept))


def scouted(subject: Subject, updated: Mapping[int, int]) -> tuple[Subject, dict[int, int]]:
    """Return what to write about, each statement in a way that the text is written in.

    Beside it for arguments, each with the result that holds its new state, the first value behind
    that result that the replay finds to be the gradient.
    """
    claims = tuple(GradientClaim(argument, argument) for argument in updated)
    stating = subject if updated else replace(subject, kind="meaning", texts=subject.texts[:1])
    functions = subject.functions[: len(stating.texts)]
    session, search = _session(_draft(stating, claims), functions)
    session.prepare()
    session.bind()
    found = _gradients(session, search, subject, updated)
    statements = Scout(session, search).ways(subject.statements)
    return replace(subject, statements=statements), found


def _gradients(
    session: Session, search: Search, subject: Subject, updated: Mapping[int, int]
) -> dict[int, int]:
    if subject.loss is None:
        return {}
    body = session.functions[0].body
    forward = {id(v) for v in body.arguments}
    for operation in ancestors([body.results[subject.loss]], body.operations, frozenset()):
        forward.update(id(result) for result in operation.results)
    values = [(n, v) for n, v in enumerate(session.values) if id(v) not in forward]
    found: dict[int, int] = {}
    for argument, result in updated.items():
        value = body.arguments[argument]
        g = session.cotangents.found.get(id(value))
        if g is None or id(value) in session.cotangents.lost:
            continue
        behind = ancestors([body.results[result]], body.operations, frozenset())
        used = {id(v) for operation in behind for v in operation.results}
        near = [(n, _opened(session, session.known[id(v)])) for n, v in values if id(v) in used]
        fitting = [(n, t) for n, t in near if t.shape == g.shape]
        at_once = (n for n, t in fitting if _is_same_form(session, g, t))
        alike = [(n, t) for n, t in fitting if search.reads_alike(g, t)]
        leaves = search.leaves(g.poly)
        deeper = [(n, t) for n, t in fitting if search.leaves(t.poly) == leaves]
        tried = dict([*alike[:CANDIDATES], *deeper[:CANDIDATES]])
        in_parts = (n for n, t in tried.items() if same(session.meanings.f, g, t, off_kinks=True))
        number = next(at_once, None) or next(in_parts, None)
        if number is not None:
            found[argument] = number
    return found


def _opened(session: Session, tensor: Tensor) -> Tensor:
    algebra = session.meanings.f.algebra
    return Tensor(tensor.digits, algebra.opened(tensor.poly, tensor.box))


def _is_same_form(session: Session, a: Tensor, b: Tensor) -> bool:
    ours, theirs = session.meanings.f.align(a, b)
    return ours.poly == theirs.poly


def _draft(subject: Subject, claims: tuple[ClaimRecord, ...] = ()) -> Certificate:
    """Return a certificate without answers, with all literals that may stand for others."""
    return Certificate(
        answers={},
        assumed=(),
        claims=claims,
        cotangents=frozenset(),
        cuts=frozenset(),
        literals=_literals(subject.functions),
        loss=subject.loss,
        names=subject.names,
        statements=(),
        subject=subject.kind,
        texts=tuple(map(digest, subject.texts)),
        uncovered=(),
    )


def _session(draft: Certificate, functions: Sequence[Function]) -> tuple[Session, Search]:
    search = Search(*_cuts(draft, functions), len(numbered(functions)))
    session = Session(draft, functions, search)
    search.names = session.meanings.contractions.names
    return session, search


def _cuts(
    draft: Certificate, functions: Sequence[Function]
) -> tuple[frozenset[int], frozenset[int], dict[int, int], frozenset[int]]:
    """Return values to name in the forward part, those layers read, those whose cotangents are.

    Beside them those behind the loss that are multiplied by themselves.
    """
    body = functions[0].body
    operations: Sequence[Operation] = body.operations
    if draft.loss is not None:
        operations = ancestors([body.results[draft.loss]], operations, frozenset())
    chosen = choose_cuts(operations)
    numbers = [(n, id(value)) for n, value in enumerate(numbered(functions))]

    def found(values: set[int]) -> frozenset[int]:
        return frozenset(n for n, value in numbers if value in values)

    held = chosen_cotangents(operations, chosen)
    every = [each for function in functions for each in function.body.operations]
    blocks = {id(each.operands[0]) for each in every if each.opcode == "stablehlo.dynamic_slice"}
    loops = [each for each in every if each.opcode == "stablehlo.while"]
    blocks.update(id(v) for loop in loops for v in loop.operands if v.type.element.is_float)
    forward = {id(result) for each in operations for result in each.results}
    products = [each.operands for each in every if each.opcode == "stablehlo.multiply"]
    squared = {id(a) for a, b in products if a is b and id(a) not in forward}
    read = read_by_layers(operations) | blocks
    cotangents = {n: held[value] for n, value in numbers if value in held}
    return found(chosen), found(read), cotangents, found(squared)


def _literals(functions: Sequence[Function]) -> dict[str, str]:
    """Return what literals may stand for: 1 / n, or an irrational number that they round."""
    found: dict[str, str] = {}
    for function in functions:
        for operation in function.body.walk():
            value, element = operation.attributes, operation.results[0].type.element
            if isinstance(value, attr.Constant) and element.is_float and value.splat:
                [word] = decimals(value)
                meant = None if word in ("inf", "-inf", "nan") else _meant(Fraction(word), element)
                if meant is not None:
                    found[word.removeprefix("-")] = meant
    return found


def _meant(value: Fraction, element: ElementType) -> str | None:
    part = fraction(abs(value), element)
    if part is not None and part.numerator == 1 and part.denominator <= DENOMINATORS:
        return str(part)
    number = irrational(abs(value), element) if value else None
    if number is None:
        return None
    powers = [(str(number.rational), number.power), ("pi", number.pi_power)]
    powers.append(("ln2", Fraction(number.ln2_power)))
    return "*".join(base if q == 1 else f"{base}^{q}" for base, q in powers if q and base != "1")
