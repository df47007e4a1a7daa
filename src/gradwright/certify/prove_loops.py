"""Loops that are contractions: those that need not be written out to be differentiated.

A convolution may go over its batch in blocks. Where a loop is proved to be the contraction that a
statement speaks of, whatever it reads, its cotangent goes to what it reads at once; written out,
it would be as many bodies as it has trips. Nothing is trusted of this: what is said here decides
how a text is read, and the proof of the text shows the same once more.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gradwright.certify.notation import Statement
from gradwright.certify.prove import Proof
from gradwright.certify.prove_lemmas import Candidate, candidates
from gradwright.hlo import Function, Operation, Value


@dataclass(frozen=True, slots=True)
class Contractions:
    """The loops of a function that are contractions; each is looked at when it is asked for."""

    candidates: Mapping[int, Candidate]

    @staticmethod
    def of(
        function: Function, statements: Sequence[Statement], arguments: Mapping[str, Value]
    ) -> "Contractions":
        """Return those that statements speak of; `arguments` are values of the text by name."""
        operations = function.body.operations
        if all(operation.opcode != "stablehlo.while" for operation in operations):
            return Contractions({})
        return Contractions(candidates(operations, statements, arguments))

    def has(self, loop: Operation) -> bool:
        """Return whether a loop is a contraction of values before it, whatever these are."""
        candidate = self.candidates.get(id(loop))
        if candidate is None:
            return False
        proof = Proof()
        proof.introduce(candidate.operands)
        return candidate.is_proved(proof, set())
