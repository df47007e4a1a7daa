"""The certifier's kernel at extents that nothing is known of.

It works with numbers for extents. Here every index expression is a plain index, so that it only
ever asks of two extents whether they are the same; each size gets a number that stands for its
name. At the one place where an extent would become a value – a sum of something that does not
depend on the index – the value is the size itself, a positive unknown.
"""

from collections.abc import Iterable

from gradwright.certify.kernel.algebra import Poly, Undenotable, number, product_of
from gradwright.certify.kernel.atoms import Argument, Class, Mask, Sum
from gradwright.certify.kernel.conditions import Domain
from gradwright.certify.kernel.contractions import Contractions
from gradwright.certify.kernel.denotation import Denotation
from gradwright.certify.kernel.pointwise import Pointwise
from gradwright.certify.kernel.sums import Summation
from gradwright.certify.kernel.tensor import Tensor
from gradwright.theory.record import Symbols

_SIZE = "size "
_FIRST = 1_000_003
"""The first stand-in; the next ones follow it, so that none is a product or a sum of others."""


class _Counting(Summation):
    """Sums in which a repetition counts as its sizes."""

    def __init__(self, symbolic: "Generic") -> None:
        super().__init__(symbolic.algebra)
        self.symbolic = symbolic

    def repeated(self, extents: Iterable[int]) -> Poly:
        """Return the product of sizes as a polynomial."""
        return self.symbolic.product_of(extents, 1)


class Generic(Denotation):
    """The kernel over symbolic extents."""

    def __init__(self, symbols: Symbols) -> None:
        super().__init__({})
        self.numbers = {name: _FIRST + 2 * i for i, name in enumerate(symbols.names)}
        self._names = {n: name for name, n in self.numbers.items()}
        self.summation = _Counting(self)
        self.contractions = Contractions(self.summation)
        self.pointwise = Pointwise(self.contractions)

    def size(self, name: str) -> Tensor:
        """Return a size as a value."""
        return Tensor((), self.product_of([self.numbers[name]], 1))

    def assumptions(self) -> tuple[str, ...]:
        """Return what a proof took for granted of the inputs; sizes are positive."""
        contents = [self.atoms.content(number) for number in range(len(self.atoms))]
        sizes = {
            number
            for number, content in enumerate(contents)
            if isinstance(content, Argument) and content.name.startswith(_SIZE)
        }
        found = self.conditions.supposed
        by_domain = {
            domain: {
                atom
                for each in found
                if each.domain is domain
                for (factors, _), _ in each.terms
                for atom, _, _ in factors
            }
            for domain in Domain
        }
        kinks = self.conditions.kinks | {
            n for n, each in enumerate(contents) if isinstance(each, Mask)
        }
        named = (
            (by_domain[Domain.NONZERO], "divisors are not 0"),
            (by_domain[Domain.NONNEGATIVE], "roots are taken of numbers >= 0"),
            (by_domain[Domain.POSITIVE], "logarithms are taken of numbers > 0"),
            (kinks, "off the kinks"),
        )
        return tuple(words for atoms, words in named if atoms - sizes)

    def require_whole_dimensions(self, *values: Tensor) -> None:
        """Refuse what holds on a part of a dimension only: that part was made of numbers."""
        monomials = [monomial for value in values for monomial in value.poly]
        for atom in range(len(self.atoms)):
            match self.atoms.content(atom):
                case Sum(factors=factors, guards=guards):
                    monomials.append((factors, guards))
                case Class(terms=terms):
                    monomials += [monomial for monomial, _ in terms]
                case _:
                    pass
        if any(guards for _, guards in monomials):
            raise Undenotable("a sum over a part of a dimension")

    def product_of(self, extents: Iterable[int], exponent: int) -> Poly:
        """Return the product of sizes, by their stand-ins, to a power."""
        total = number(1)
        for extent in extents:
            if extent == 1:  # a variable that was solved for
                continue
            atom = self.atoms.intern(Argument(f"{_SIZE}{self._names[extent]}"), ())
            factor = product_of((atom, (), exponent))
            total = self.algebra.multiply(total, factor, {})
        return total
