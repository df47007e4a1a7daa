"""Whether some input meets the hypotheses of proofs: else they may speak of no input at all.

Each hypothesis is judged for itself, and random inputs are tried for all of them together.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Protocol

from gradwright.certify.effort import time_left
from gradwright.certify.hypotheses.fitting import Clashes
from gradwright.certify.hypotheses.judging import Judge, Judgement
from gradwright.certify.hypotheses.observing import Observed, in_regions, indexing
from gradwright.certify.hypotheses.trying import NOT_TRIED, Met, tried
from gradwright.certify.kernel.conditions import Between, Domain, Hypothesis
from gradwright.certify.kernel.denotation import Denotation
from gradwright.certify.kernel.unroll import unrolled
from gradwright.certify.scope import partial, place
from gradwright.certify.texts_settle import Search
from gradwright.certify.witness_process import Evaluator
from gradwright.hlo import Function, Operation

WORK = 1 << 18
"""Products and elements that are computed for it; more would take longer than most proofs."""
SECONDS = 5.0
"""CPU time of the interpreter for it."""
ALMOST_ALL = "all inputs but a null set meet the hypotheses"
UNJUDGED = "hypotheses about values of too many indices were not judged one by one"
_WORDS = {
    Domain.NONZERO: "not 0",
    Domain.NONNEGATIVE: "not negative",
    Domain.POSITIVE: "positive",
    Domain.UNIT: "between -1 and 1",
    Domain.ABOVE_ONE: "above 1",
    Domain.OFF_POLES: "no odd multiple of pi/2",
}


class Judgements(Protocol):
    """How the hypotheses of a proof were judged."""

    @property
    def is_open(self) -> bool:
        """Whether some hypotheses were not judged, for they have too many indices."""
        ...

    @property
    def is_indexed(self) -> bool:
        """Whether some indices are supposed to be in range."""
        ...

    @property
    def hold_nearly_everywhere(self) -> bool:
        """Whether all inputs but a null set meet them."""
        ...


@dataclass(slots=True)
class Judged:
    """How the hypotheses of one proof were judged so far."""

    den: Denotation
    judge: Judge
    clashes: Clashes
    found: dict[Hypothesis, Judgement] = field(default_factory=dict[Hypothesis, Judgement])
    nowhere: Hypothesis | None = None
    """The first one that no input is seen to meet."""
    nearly: int = 0
    """The number of those, from the first on, that all inputs but a null set meet."""
    before: int = 0
    """The number of hypotheses that are judged elsewhere, and here for clashes only."""

    @staticmethod
    def of(den: Denotation, before: int = 0) -> "Judged":
        """Begin with no hypothesis, or after the first ones of a proof."""
        judged = Judged(den, Judge(den.algebra), Clashes(den.atoms), before=before)
        for each in islice(den.conditions.supposed, before):
            judged.clashes.add(each)
        return judged

    def objection(self) -> str | None:
        """Return why no input is seen to meet all of them; a claim judges what is new alone."""
        supposed = self.den.conditions.supposed
        for each in islice(supposed, self.before + len(self.found), None):
            self.found[each] = judgement = self.judge.judged(each)
            self.clashes.add(each)
            if judgement is Judgement.NOWHERE and self.nowhere is None:
                self.nowhere = each
        if self.nowhere is not None:
            return _reason(self.nowhere, supposed[self.nowhere])
        clash = self.clashes.first
        return None if clash is None else f"{_reason(clash, supposed[clash])}, beside the others"

    @property
    def is_open(self) -> bool:
        """Whether some hypotheses were not judged, for they have too many indices."""
        return Judgement.OPEN in self.found.values()

    @property
    def is_indexed(self) -> bool:
        """Whether some indices are supposed to be in range."""
        return bool(self.den.conditions.in_range)

    @property
    def hold_nearly_everywhere(self) -> bool:
        """Whether all inputs but a null set meet them; each is asked once."""
        for hypothesis, judgement in islice(self.found.items(), self.nearly, None):
            if judgement is not Judgement.EVERYWHERE and not (
                hypothesis.domain is Domain.NONZERO and _is_rarely_0(self.den, hypothesis)
            ):
                return False
            self.nearly += 1
        return True


@dataclass(slots=True)
class Meeting:
    """Looks for inputs that meet the hypotheses of proofs about functions.

    The last of `functions` takes the arguments of the first, and perhaps more.
    """

    functions: Sequence[Function]
    proofs: Callable[[], Sequence[Denotation]]
    search: Search
    lines: tuple[str, ...] = ()
    """What to print about it with the verdicts, once an objection was asked for."""
    _judged: dict[int, Judged] = field(default_factory=dict[int, Judged])
    _tried: Met | None = None
    _indexed: bool = False
    """Whether indices were among what was tried."""
    _partial: Sequence[Operation] | None = None
    """What hypotheses on domains are about; a claim after the first one asks for the same."""

    def objection(self, evaluate: Evaluator) -> str | None:
        """Return why what would be proved is not: a hypothesis that no input is seen to meet."""
        proofs = [self._judged.setdefault(id(den), Judged.of(den)) for den in self.proofs()]
        found = next(filter(None, (each.objection() for each in proofs)), None)
        if found is not None:
            return found
        return self.doubt(proofs, evaluate)

    def on_domains(self) -> Sequence[Operation]:
        """Return what hypotheses on domains are about, found once."""
        if self._partial is None:
            self._partial = partial(self.functions)
        return self._partial

    def doubt(self, proofs: Sequence[Judgements], evaluate: Evaluator) -> str | None:
        """Write the lines about hypotheses that were judged; return why they are not met at all."""
        self.lines = tuple(self._said(proofs, evaluate))
        return None if self._tried is None else self._tried.objection

    def _said(self, proofs: Sequence[Judgements], evaluate: Evaluator) -> Iterator[str]:
        """Yield the line that says whether inputs meet all hypotheses, if there are any."""
        if any(each.is_open for each in proofs):
            yield UNJUDGED
        if self._tried is None or not self._stands(self._tried, proofs):
            self._indexed = _is_indexed(proofs)
            on_domains = self.on_domains()
            if on_domains or self._indexed:
                self._tried = self._searched(proofs, on_domains, evaluate)
        if self._tried is not None:
            yield self._tried.line

    def _stands(self, met: Met, proofs: Sequence[Judgements]) -> bool:
        """Return whether what was found for claims before holds of what this one supposes too."""
        if _is_indexed(proofs) != self._indexed:
            return False
        return met.line != ALMOST_ALL or all(each.hold_nearly_everywhere for each in proofs)

    def _searched(
        self, proofs: Sequence[Judgements], on_domains: Sequence[Operation], evaluate: Evaluator
    ) -> Met:
        """Return what is known of inputs that meet all hypotheses; loops are written out for it."""
        functions, is_indexed = self.functions, _is_indexed(proofs)
        doubtful = [*on_domains, *(indexing(functions) if is_indexed else ())]
        if in_regions(functions, doubtful):
            functions = [unrolled(each, each.body.results) for each in functions]
            doubtful = [*partial(functions), *(indexing(functions) if is_indexed else ())]
        observed = [Observed.of(each, doubtful) for each in functions]
        work = sum(each.work for each in observed)
        if work <= WORK and all(each.hold_nearly_everywhere for each in proofs):
            return Met(ALMOST_ALL)
        left = time_left()
        if self.search.seconds <= 0:
            return Met(f"{NOT_TRIED} (no search was asked for)")
        if left is not None and left <= 0:
            return Met(f"{NOT_TRIED} (the time was over)")
        if work > WORK:
            return Met(f"{NOT_TRIED} (that computes some {work:,} numbers, more than {WORK:,})")
        if in_regions(functions, doubtful):
            return Met(f"{NOT_TRIED} (some are about values in a region)")
        self.search.progress("an input that meets the hypotheses")
        with evaluate.at_most(SECONDS):
            return tried(observed[0], observed[-1], evaluate, self.search.laws or {})


def _is_indexed(proofs: Sequence[Judgements]) -> bool:
    return any(each.is_indexed for each in proofs)


def _is_rarely_0(den: Denotation, hypothesis: Hypothesis) -> bool:
    """Return whether a value is 0 on a null set only."""
    if len(hypothesis.terms) != 1:
        return False
    [((factors, guards), _)] = hypothesis.terms
    return not guards and all(den.pointwise.generic.vanishes_rarely(atom) for atom, _, _ in factors)


def _reason(hypothesis: Hypothesis, operation: Operation | None) -> str:
    domain = hypothesis.domain
    where = "a statement" if operation is None else place(operation)
    if isinstance(domain, Between):
        words = f"between {domain.low} and {domain.high}"
    else:
        words = _WORDS[domain]
    return f"{where}: what is supposed to be {words} is not seen to be so for any input, somewhere"
