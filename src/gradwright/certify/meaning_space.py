"""The space that an expression of index notation is evaluated over: its free indices."""

from collections.abc import Mapping
from dataclasses import dataclass

from gradwright.certify.kernel.algebra import Undenotable
from gradwright.certify.kernel.index import Affine, variable
from gradwright.certify.notation import Apply, Expression, Number, Read


@dataclass(frozen=True, slots=True)
class Space:
    """Indices in order with their extents; `fixed` gives some of them one value."""

    names: tuple[str, ...]
    extents: tuple[int, ...]
    fixed: Mapping[str, int]

    def index(self, e: Expression) -> Affine:
        """Return an index expression over the dimensions of the space."""
        match e:
            case Number(value) if value.denominator == 1:
                return Affine(int(value))
            case Read(name, None) if name in self.fixed:
                return Affine(self.fixed[name])
            case Read(name, None) if name in self.names:
                return variable(self.names.index(name))
            case Apply("+" | "-" as sign, (a, b)):
                left, right = self.index(a), self.index(b)
                return left + right if sign == "+" else left - right
            case Apply("*", (a, b)):
                return self._scaled(self.index(a), self.index(b))
            case _:
                raise Undenotable(f"an index that is not affine: {e}")

    def _scaled(self, a: Affine, b: Affine) -> Affine:
        if a.terms and b.terms:
            raise Undenotable("a product of indices")
        return b.offset * a if a.terms else a.offset * b
