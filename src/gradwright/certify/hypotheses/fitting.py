"""Whole numbers for integer arguments that meet all that is supposed of them together."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product

from gradwright.certify.hypotheses.hulls import Hulls
from gradwright.certify.hypotheses.judging import admits
from gradwright.certify.kernel.atoms import (
    Argument,
    Atoms,
    Base,
    Class,
    Coordinate,
    Dense,
    Mask,
    Numbers,
    Terms,
)
from gradwright.certify.kernel.conditions import Between, Hypothesis
from gradwright.certify.kernel.index import Affine, read_at, variable

NEAR = 1024
"""Numbers of this size at most are tried one by one."""
PAIRED = 32
"""The same where two arguments are tried together."""
_BITS = 64
Entries = Mapping[int, tuple[Affine, ...] | None]
"""The places at which arguments are read, None for all of them."""


@dataclass(slots=True)
class _Group:
    """Hypotheses on what is read at the same places, and bounds at numbers that meet them all."""

    entries: Entries
    members: list[Hypothesis]
    met: Hulls

    def admits(self, hypothesis: Hypothesis) -> bool:
        """Return whether the numbers meet one hypothesis."""
        return admits(hypothesis.domain, self.met.terms(hypothesis.terms))


@dataclass(slots=True)
class Clashes:
    """Which hypothesis on integers no numbers that are tried meet together with those before it.

    Looked at are values of one or two integer arguments, each read at one place or everywhere.
    """

    atoms: Atoms
    first: Hypothesis | None = None
    """The first one that does."""
    read: dict[Hypothesis, Entries] = field(default_factory=dict[Hypothesis, Entries])
    """Those that are looked at, with the arguments that they are about."""
    _groups: list[_Group] = field(default_factory=list[_Group])

    def add(self, hypothesis: Hypothesis) -> None:
        """Take one more hypothesis together with the others."""
        if self.first is not None or not isinstance(hypothesis.domain, Between):
            return
        entries = _entries(self.atoms, hypothesis)
        if not entries or len(entries) > 2:
            return
        if all(group.entries != entries for group in self._groups):
            members = [each for each, read in self.read.items() if _is_among(read, entries)]
            met = _pinned(self.atoms, dict.fromkeys(entries, 0))
            self._groups.append(_Group(entries, members, met))
            self._adapt(self._groups[-1])
        self.read[hypothesis] = entries
        for group in self._groups:
            if _is_among(entries, group.entries):
                group.members.append(hypothesis)
                if not group.admits(hypothesis) and not self._adapt(group):
                    self.first = hypothesis

    def _adapt(self, group: _Group) -> bool:
        """Look for numbers that meet all of a group; return whether there are any."""
        for numbers in _tried(self.atoms, sorted(group.entries), group.members):
            group.met = _pinned(self.atoms, numbers)
            if all(map(group.admits, group.members)):
                return True
        return False


def _is_among(read: Entries, entries: Entries) -> bool:
    """Return whether a value reads at places of these only, or everywhere."""
    return all(a in entries and at in (None, entries[a]) for a, at in read.items())


def _entries(atoms: Atoms, hypothesis: Hypothesis) -> Entries | None:
    """Return the integer arguments that a value is a polynomial of; None where it is no such."""
    if hypothesis.where:
        return None
    box, found = dict(hypothesis.box), dict[int, tuple[Affine, ...] | None]()
    for atom, access in _read(atoms, hypothesis.terms, {v: variable(v) for v in box}):
        match atoms.content(atom):
            case Argument(numbers=Numbers.INTEGER):
                reads = [e[1][0][0] for e in access if e[1]]
                whole = len(set(reads)) == len(access) and all(
                    e == variable(v) and box[v] == n
                    for e, v, n in zip(access, reads, atoms.extents(atom), strict=True)
                )
                place = None if whole else access
                if found.setdefault(atom, place) != place:
                    return None
            case Dense() | Coordinate() | Base():
                pass
            case _:
                return None
    return found


def _read(
    atoms: Atoms, terms: Terms, places: Mapping[int, Affine]
) -> Iterator[tuple[int, tuple[Affine, ...]]]:
    """Yield the atoms of a sum and where they are read, through names and masks."""
    for (factors, _), _ in terms:
        for atom, access, _ in factors:
            at, content = read_at(access, places), atoms.content(atom)
            if isinstance(content, Mask):
                content = atoms.content(atom := content.inner)
            if isinstance(content, Class):
                yield from _read(atoms, content.terms, dict(enumerate(at)))
            else:
                yield atom, at


def _tried(
    atoms: Atoms, arguments: Sequence[int], beside: Sequence[Hypothesis]
) -> Iterator[Mapping[int, int]]:
    """Yield numbers for arguments: near 0, and of one argument where values cross their bounds."""
    near = sorted(
        range(-NEAR, NEAR + 1) if len(arguments) == 1 else range(-PAIRED, PAIRED), key=abs
    )
    for numbers in product(near, repeat=len(arguments)):
        yield dict(zip(arguments, numbers, strict=True))
    if len(arguments) > 1:
        return
    [argument] = arguments
    for each, sign in product(beside, (1, -1)):
        assert isinstance(each.domain, Between)  # as all that are looked at

        def least(n: int, sign: int = sign, each: Hypothesis = each) -> Fraction | None:
            return _pinned(atoms, {argument: sign * n}).terms(each.terms).low

        for n in (*_crossings(least, each.domain.low), *_crossings(least, each.domain.high)):
            yield from ({argument: sign * (n + k)} for k in (-1, 0, 1))


def _crossings(value: Callable[[int], Fraction | None], bound: Fraction) -> Iterator[int]:
    """Yield numbers at which a value crosses a bound, one between any two powers of two."""

    def is_above(n: int) -> bool:
        x = value(n)
        return x is not None and x > bound

    for bit in range(_BITS):
        low, high = 1 << bit, 2 << bit
        before = is_above(low)
        if is_above(high) != before:
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (middle, high) if is_above(middle) == before else (low, middle)
            yield high


def _pinned(atoms: Atoms, at: Mapping[int, int]) -> Hulls:
    """Return the bounds of values at which arguments are known numbers."""
    known = {atom: (Fraction(n), Fraction(n)) for atom, n in at.items()}
    return Hulls(atoms, known.get)
