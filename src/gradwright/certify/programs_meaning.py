"""What a program's statements say, as values of the proof, and which of them the text holds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import prod

from gradwright.certify.effort import TooLarge
from gradwright.certify.kernel.algebra import Undenotable
from gradwright.certify.kernel.tensor import Tensor
from gradwright.certify.meaning import Meaning
from gradwright.certify.notation import Statement
from gradwright.certify.prove import Proof, ancestors
from gradwright.certify.prove_joins import Joins
from gradwright.certify.texts_forms import both_forms
from gradwright.certify.texts_gradient import form_of
from gradwright.errors import ParseError
from gradwright.hlo import Operation, Value

Key = tuple[Fraction, int]


@dataclass(slots=True)
class Held:
    """Tells whether a text holds a value, in whatever order of dimensions."""

    proof: Proof
    operations: Sequence[Operation]
    _values: dict[int, list[Value]] = field(default_factory=dict[int, list[Value]])
    _keys: dict[int, set[Key | None]] = field(default_factory=dict[int, set[Key | None]])
    _forms: set[object] = field(default_factory=set[object])

    def __post_init__(self) -> None:
        """Sort the values of the text by their number of elements."""
        for operation in self.operations:
            for value in operation.results:
                self._values.setdefault(prod(value.shape), []).append(value)
                self._forms.add(form_of(self.proof.known[id(value)]))

    def __call__(self, tensor: Tensor) -> bool:
        """Return whether the text holds a value of this form."""
        if form_of(tensor) in self._forms:
            return True
        size = prod(tensor.shape)
        if size not in self._keys:
            values = self._values.get(size, ())
            self._keys[size] = {self.key(self.proof.known[id(value)]) for value in values}
        key = self.key(tensor)
        return key is not None and key in self._keys[size]

    def key(self, tensor: Tensor) -> Key | None:
        """Return what tensors that differ in the order of dimensions only have in common."""
        if not tensor.poly:
            return None
        try:
            scale, atom, _ = self.proof.den.pointwise.class_of(tensor)
        except (Undenotable, TooLarge):
            return None
        return scale, atom

    def among(self, tensors: Sequence[Tensor]) -> set[int]:
        """Return the values of the text, by identity, that are among some."""
        keys = {self.key(tensor) for tensor in tensors} - {None}
        everything = [value for values in self._values.values() for value in values]
        return {id(v) for v in everything if self.key(self.proof.known[id(v)]) in keys}


class StatedValues:
    """The values that statements define in one proof."""

    def __init__(
        self,
        proof: Proof,
        operations: Sequence[Operation],
        arguments: Mapping[str, Value],
        statements: Sequence[Statement],
    ) -> None:
        self.proof = proof
        self.operations = operations
        self.held = Held(proof, operations)
        self.problems: dict[str, str] = {}
        self.unmet: list[str] = []
        known = {name: proof.known[id(value)] for name, value in arguments.items()}
        joins = Joins(proof)
        joins.expect(proof.known[id(value)] for each in operations for value in each.results)
        meaning = Meaning(
            proof.den, known, lambda tensor: joins.joined(proof.as_cut(tensor)), self.held
        )
        for statement in statements:
            self._define(meaning, statement)
        self.values = {
            s.target: meaning.values[s.target] for s in statements if s.target in meaning.values
        }

    def _define(self, meaning: Meaning, statement: Statement) -> None:
        try:
            tensor = meaning.define(statement)
        except (Undenotable, TooLarge, ParseError) as problem:
            self.problems[statement.target] = str(problem)
            return
        if not self.held(tensor):
            self.unmet.append(statement.target)

    def hold(self, target: str, value: Value) -> bool:
        """Return whether a value of the text is proved to be what is stated under a name."""
        stated = self.values.get(target)
        try:
            return stated is not None and self.proof.same(stated, self.proof.known[id(value)])
        except (Undenotable, TooLarge):
            return False

    def reason(self, target: str, value: Value) -> str:
        """Return where the proof that a value is the stated one stops."""
        problems = [f"{name}: {problem}" for name, problem in self.problems.items()]
        if target not in self.values:
            return problems[0] if problems else f"no statement defines {target}"
        first = f"the text holds no value for {self.unmet[0]}; " if self.unmet else ""
        forms = both_forms(self.proof.den, self.values[target], self.proof.known[id(value)])
        return f"{first}{target}: {forms}"

    def sound(self) -> set[int]:
        """Return the values of the text, by identity, that are stated, and what they come from."""
        found = self.held.among(list(self.values.values()))
        right = [v for op in self.operations for v in op.results if id(v) in found]
        return ancestors(right, self.operations, set())
