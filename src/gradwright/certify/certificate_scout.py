"""Choosing how statements are denoted: a trial run of the replay; only the choices stay."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import permutations
from math import prod

from gradwright.certify.certificate_forms import Forms
from gradwright.certify.certificate_search import Search
from gradwright.check.atoms import Named, Sum, Uncheckable
from gradwright.check.certificate import Statement
from gradwright.check.guide import Way
from gradwright.check.session import Session
from gradwright.check.tensor import Tensor

TRIED = 16
"""Values of the text, in an order of dimensions, that a statement is compared with in parts."""


@dataclass(slots=True)
class Scout:
    """Denotes statements in one way after the other until the text has the value."""

    session: Session
    search: Search
    _sizes: dict[int, list[int]] = field(default_factory=dict[int, list[int]])
    _forms: dict[int, Forms[None]] = field(default_factory=dict[int, Forms[None]])

    def ways(self, statements: Sequence[Statement]) -> list[Statement]:
        """Return statements with the way in which each is to be denoted."""
        for n, value in enumerate(self.session.values):
            if id(value) in self.session.known:
                self._sizes.setdefault(prod(value.shape), []).append(n)
        return [self._way(i, statement) for i, statement in enumerate(statements)]

    def _way(self, i: int, statement: Statement) -> Statement:
        target = statement.text.partition("=")[0].partition("[")[0].strip()
        found: dict[Way, Tensor] = {}
        for way in Way:
            tensor = self._tried(i, target, replace(statement, way=way))
            if tensor is None:
                continue
            if self._is_met(tensor):
                return replace(statement, way=way)
            if tensor.poly not in [t.poly for t in found.values()]:
                found[way] = tensor
        for way, tensor in found.items():
            for n, order in self._alike(tensor):
                met = replace(statement, way=way, value=n, order=order)
                if self._tried(i, target, met) is not None:
                    return met
        if found:
            self.session.stated.values[target] = next(iter(found.values()))
            return replace(statement, way=next(iter(found)))
        return statement

    def _tried(self, i: int, target: str, statement: Statement) -> Tensor | None:
        self.session.stated.values.pop(target, None)
        try:
            return self.session.state(i, statement)
        except Uncheckable:
            return None

    def _is_met(self, tensor: Tensor) -> bool:
        """Return whether the text has a value, in whatever order of dimensions."""
        size = prod(tensor.shape)
        if size not in self._forms:
            self._forms[size] = Forms[None]()
            for n in self._sizes.get(size, []):
                value = self.session.known[id(self.session.values[n])]
                self._forms[size].add(value.poly, value.box, None)
        algebra = self.session.meanings.algebra
        found = self._forms[size].find(algebra, tensor.poly, tensor.box) if tensor.poly else None
        return found is not None

    def _alike(self, tensor: Tensor) -> Iterator[tuple[int, tuple[int, ...]]]:
        """Yield values of the text that are made of the same pieces, with an order."""
        tried = 0
        leaves = self._leaves(tensor)
        for n in self._sizes.get(prod(tensor.shape), []):
            known = self.session.known[id(self.session.values[n])]
            if tried >= TRIED or self._leaves(known) != leaves:
                continue
            for order in permutations(range(len(known.shape))):
                if tuple(known.shape[d] for d in order) == tensor.shape:
                    tried += 1
                    yield n, order

    def _leaves(self, tensor: Tensor) -> frozenset[int]:
        """Return the atoms that a tensor reads once sums and names are written out."""
        contents = self.session.meanings.algebra.atoms.contents
        found: set[int] = set()
        pending = [a for factors, _ in tensor.poly for a, _, _ in factors]
        is_top = len(tensor.poly) == 1
        while pending:
            atom = pending.pop()
            match contents[atom]:
                case Sum(factors=factors):
                    pending += (a for a, _, _ in factors)
                case Named(terms=terms) if is_top:
                    pending += (a for (factors, _), _ in terms for a, _, _ in factors)
                case _:
                    found.add(atom)
            is_top = False
        return frozenset(found)
