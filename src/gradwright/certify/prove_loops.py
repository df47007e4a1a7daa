"""Loops that are contractions: those that need not be written out to be differentiated.

A convolution may go over its batch in blocks. Where a loop is proved to be the contraction that a
statement speaks of, whatever it reads, its cotangent goes to what it reads at once; written out,
it would be as many bodies as it has trips. Nothing is trusted of this: what is said here decides
how a text is read, and the proof of the text shows the same once more.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from gradwright.certify.notation import Statement
from gradwright.certify.prove import Proof
from gradwright.certify.prove_lemmas import Candidate, Candidates
from gradwright.hlo import Function, Operation, Value
from gradwright.hlo.copying import unnamed


@dataclass(slots=True)
class Contractions:
    """The loops of a function that are contractions; each is looked at when it is asked for."""

    function: Function
    statements: Sequence[Statement]
    arguments: Mapping[str, Value]
    _candidates: dict[int, Candidate] | None = None
    _proved: dict[object, bool] = field(default_factory=dict[object, bool])
    """Whether a candidate is one, by its text without names: layers are alike."""

    def has(self, loop: Operation) -> bool:
        """Return whether a loop is a contraction of values before it, whatever these are."""
        if self._candidates is None:
            self._candidates = dict(self._found())
        candidate = self._candidates.get(id(loop))
        if candidate is None:
            return False
        proof = Proof()
        proof.introduce(candidate.operands)
        return candidate.is_proved(proof, set())

    def _found(self):
        candidates, operations = Candidates(self.statements, self.arguments), self.function.body.operations
        for k, operation in enumerate(operations, 1):
            candidate = candidates.of(operations, k)
            if candidate is not None:
                yield id(operation), candidate
