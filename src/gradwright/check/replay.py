"""`check`: a certificate against the texts it is about."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TypeVar

from gradwright.check.affine import Box
from gradwright.check.certificate import (
    Certificate,
    ClaimRecord,
    EqualClaim,
    GradientClaim,
    LossClaim,
    MeaningClaim,
    UpdateClaim,
    read_certificate,
)
from gradwright.check.guide import (
    Contraction,
    FalseStatement,
    Opened,
    Parted,
    Recognized,
    SameSum,
    Split,
    Writing,
)
from gradwright.check.poly import Poly
from gradwright.check.session import Session
from gradwright.check.straight import straightened
from gradwright.errors import CertificateError
from gradwright.hlo import Function, Value, read_module
from gradwright.kinds import checked

Text = str | bytes
Kind = TypeVar("Kind")

CONVENTIONS = (
    "over the real numbers, at the sizes of the text: rounding, overflow and NaN are not covered",
    "literals are the decimals of the text, but for those listed",
    "gradients hold where no argument of a mask (a comparison, a maximum) is 0",
    "changes between floating-point types are the identity; integers do not overflow",
)


@dataclass(frozen=True, slots=True)
class Checked:
    """What became of a certificate: accepted, or the one reason why not.

    `claims` are statements about the texts, each in one line; without a reason all of them hold
    under the hypotheses and conventions. `statements` are what claims about meaning refer to, in
    index notation, and which arguments their names are. `uncovered` are claims that the certificate
    leaves open.
    """

    claims: tuple[str, ...]
    uncovered: tuple[str, ...]
    statements: tuple[str, ...]
    hypotheses: tuple[str, ...]
    reason: str | None
    seconds: float

    @property
    def accepted(self) -> bool:
        """Whether every claim was replayed."""
        return self.reason is None


@checked
def check(certificate: object, *texts: Text) -> Checked:
    """Replay a certificate against the text (or the two texts) that it was written for.

    `certificate` is what `Report.certificate` holds, or its JSON.

    Errors: CertificateError where it is no certificate, or counts other texts than are given;
    ParseError and UnsupportedError for a text that cannot be read.
    """
    started = time.perf_counter()
    read = read_certificate(certificate)
    if len(read.texts) != len(texts) or len(texts) != _COUNTS.get(read.subject):
        count = _COUNTS.get(read.subject, "no")
        raise CertificateError(
            where="texts",
            expected=f"{count} for a certificate of {read.subject[:20]!r}",
            found=f"{len(read.texts)} that it was written for, {len(texts)} given",
        )
    claims = stated = hypotheses = tuple[str, ...]()
    try:
        if not read.claims:
            raise FalseStatement("it claims nothing")
        _require_hashes(read, texts)
        functions = straight_texts(read.subject, read.loss, texts)
        require_signatures(read.subject, functions)
        replay = _Replay(read)
        session = Session(read, functions, replay)
        outcome = session.run(halts=True)
        for why in outcome.failed.values():
            raise FalseStatement(why)
        replay.require_finished()
        _require_stated(read, outcome.assumed, outcome.literals)
        claims = tuple(_statement(claim, session) for claim in read.claims)
        stated = tuple(_stated(read, functions[0]))
        hypotheses = tuple(_hypotheses(read, session.values))
        reason = None
    except FalseStatement as problem:
        reason = str(problem)
    seconds = time.perf_counter() - started
    return Checked(claims, read.uncovered, stated, hypotheses, reason, seconds)


def straight_texts(subject: str, loss: int | None, texts: Sequence[Text]) -> list[Function]:
    """Return the main functions of texts in a straight line.

    Loops that add up stay where nothing behind them is differentiated.
    """
    differentiated: Sequence[int] | None = () if loss is None else (loss,)
    first = None if subject == "vjp" else differentiated
    modules = [read_module(text) for text in texts]
    count = len(modules[0].main.body.results)
    if first and not 0 <= first[0] < count:
        raise FalseStatement(f"there is no number {loss} among {count} results")
    return [straightened(module, () if i else first) for i, module in enumerate(modules)]


_COUNTS = {"gradients": 1, "vjp": 2, "equal": 2, "meaning": 1}


def digest(text: Text) -> str:
    """Return the SHA-256 of a text's bytes."""
    return sha256(text.encode() if isinstance(text, str) else text).hexdigest()


def _require_hashes(read: Certificate, texts: Sequence[Text]) -> None:
    for i, (stated, text) in enumerate(zip(read.texts, texts, strict=True)):
        if stated != digest(text):
            raise FalseStatement(f"text {i} is another one than the certificate was written for")


def require_signatures(subject: str, functions: Sequence[Function]) -> None:
    """Require that the arguments and results of two texts go together."""
    first, last = functions[0].body, functions[-1].body
    if subject == "equal":
        _require_types(first.arguments, last.arguments)
        _require_types(first.results, last.results)
    if subject == "vjp":
        _require_types([*first.arguments, *first.results], last.arguments)


def _require_types(ours: Sequence[Value], theirs: Sequence[Value]) -> None:
    if [v.type for v in ours] != [v.type for v in theirs]:
        raise FalseStatement("the arguments or results of the two texts do not go together")


def _require_stated(
    read: Certificate, assumed: tuple[tuple[str, int], ...], literals: frozenset[str]
) -> None:
    if read.assumed != assumed:
        left = sorted(set(assumed) ^ set(read.assumed))
        raise FalseStatement(f"the proof rests on other hypotheses than stated: {left[:3]}")
    if unused := read.literals.keys() ^ literals:
        raise FalseStatement(f"a literal with a meaning that no claim needs: {min(unused)}")


@dataclass(slots=True)
class _Replay:
    """Answers from the certificate, by the number of the question."""

    certificate: Certificate
    asked: int = 0
    used: set[int] = field(default_factory=set[int])
    cut: set[int] = field(default_factory=set[int])
    cut_cotangents: set[int] = field(default_factory=set[int])

    def cuts(self, value: int, p: Poly, box: Box) -> bool:
        """Cut what the certificate lists."""
        del p, box
        self.cut |= {value} & self.certificate.cuts
        return value in self.certificate.cuts

    def cuts_cotangent(self, value: int, p: Poly, box: Box) -> bool:
        """Cut what the certificate lists."""
        del p, box
        self.cut_cotangents |= {value} & self.certificate.cotangents
        return value in self.certificate.cotangents

    def _answer(self, kind: type[Kind] | tuple[type[Kind], ...], about: str) -> Kind | None:
        """Return the answer to the next question; it must be of the kind that is asked for."""
        self.asked += 1
        answer = self.certificate.answers.get(self.asked)
        if answer is None:
            return None
        if not isinstance(answer, kind):
            raise FalseStatement(f"question {self.asked} is about {about}")
        self.used.add(self.asked)
        return answer

    def recognize(self, p: Poly, box: Box) -> Recognized | None:
        """See `_answer`."""
        del p, box
        return self._answer(Recognized, "a value, not about a sum")

    def recognize_sum(self, contraction: Contraction) -> SameSum | None:
        """See `_answer`."""
        del contraction
        return self._answer(SameSum, "a sum, not about a value")

    def split(self, p: Poly) -> Writing | None:
        """See `_answer`."""
        del p
        return self._answer((Split, Parted, Opened), "what to write out")

    def made(self, atom: int, variables: Sequence[int]) -> None:
        """Nothing is remembered: the certificate knows what comes."""

    def require_finished(self) -> None:
        """Require that nothing was stated about what never came up."""
        read = self.certificate
        for name, stated, met in (
            ("answers", set(read.answers), self.used),
            ("cuts", set(read.cuts), self.cut),
            ("cotangents", set(read.cotangents), self.cut_cotangents),
        ):
            if stated != met:
                raise FalseStatement(f"{name} about what never comes up: {min(stated - met)}")


def _statement(claim: ClaimRecord, session: Session) -> str:
    """Return what a claim says, in the names of the texts."""
    first, last = session.functions[0].body, session.functions[-1].body
    source = f"result {session.certificate.loss}"
    match claim:
        case GradientClaim(argument, value):
            found = session.values[value]
            places = [k for k, result in enumerate(last.results) if result is found]
            where = f"result {places[0]}" if places else f"value {value} (%{found.name})"
            name = first.arguments[argument].name
            if session.certificate.subject == "vjp":
                return f"{where} is the cotangent of argument {argument} (%{name})"
            return f"{where} is d({source})/d(argument {argument}, %{name})"
        case LossClaim(result):
            return f"result {result} (%{first.results[result].name}) is what is differentiated"
        case MeaningClaim(name, result):
            return f"result {result} (%{first.results[result].name}) is {name} of the statements"
        case EqualClaim(result):
            return f"results {result} of both texts (%{last.results[result].name}) are equal"
        case UpdateClaim(gradient, reads, result, rule, target):
            names = [f"{name} = %{first.arguments[n].name}" for name, n in reads]
            g = f"d({source})/d(theta) = value {gradient}"
            if session.certificate.subject == "meaning":
                g = f"%{first.arguments[gradient].name}"
            names.append(f"g = {g}")
            return f"result {result} is {target} of `{rule}` where {', '.join(names)}"


def _stated(read: Certificate, function: Function) -> list[str]:
    """Return the statements, and which arguments their names are."""
    arguments = function.body.arguments
    places = {name: (n, arguments[n].name) for name, n in read.names.items()}
    lines = [f"{s} is argument {n} (%{name})" for s, (n, name) in places.items() if s != name]
    return [*(s.text for s in read.statements), *lines]


_NEEDS: Mapping[str, str] = {
    "nonzero": "divides by what is assumed not to be 0",
    "nonnegative": "takes a root of what is assumed not to be negative",
    "inside": "reads at indices that are assumed to be in range",
    "positive": "takes a logarithm of what is assumed to be positive",
}


def _hypotheses(read: Certificate, values: Sequence[Value]) -> list[str]:
    stated = [f"statement {i}" for i, _ in enumerate(read.statements)]
    names = [*(f"%{v.name}, or its derivative," for v in values), *stated]
    lines = [f"{names[n]} {_NEEDS[what]}" for what, n in read.assumed]
    return lines + [f"the literal {word} stands for {q}" for word, q in read.literals.items()]
