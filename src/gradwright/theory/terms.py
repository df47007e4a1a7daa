"""Index notation as sums of products with symbolic extents.

A term is coefficient * sizes ** exponents * product of reads, summed over bound variables where
equations hold and every read lies in its box. Extents are affine in the sizes.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from gradwright.certify.kernel.algebra import Undenotable
from gradwright.certify.kernel.index import Affine, read_at, variable
from gradwright.certify.notation import Apply, Bind, Expression, Number, Read, Statement, Table
from gradwright.theory.evaluation import extent_of, index_name
from gradwright.theory.record import Symbols

Access = tuple[Affine, ...]
Places = Mapping[str, Affine]


@dataclass(frozen=True, slots=True)
class Interval:
    """0 <= expression < extent, both affine in variables and sizes."""

    expression: Affine
    extent: Affine


@dataclass(frozen=True, slots=True)
class Term:
    """One product under a sum; see the module."""

    coefficient: Fraction = Fraction(1)
    scales: tuple[tuple[int, int], ...] = ()
    """Sizes with their exponents."""
    reads: tuple[tuple[str, Access], ...] = ()
    bound: tuple[int, ...] = ()
    intervals: tuple[Interval, ...] = ()
    zeros: tuple[Affine, ...] = ()

    def times(self, other: "Term") -> "Term":
        """Return the product; bound variables of both are distinct."""
        exponents = dict(self.scales)
        for size, q in other.scales:
            exponents[size] = exponents.get(size, 0) + q
        return Term(
            self.coefficient * other.coefficient,
            tuple(sorted((size, q) for size, q in exponents.items() if q)),
            tuple(sorted((*self.reads, *other.reads))),
            (*self.bound, *other.bound),
            (*self.intervals, *other.intervals),
            (*self.zeros, *other.zeros),
        )

    def replaced(self, mapping: Mapping[int, Affine]) -> "Term":
        """Return the term with variables replaced."""
        return replace(
            self,
            reads=tuple((n, read_at(a, mapping)) for n, a in self.reads),
            intervals=tuple(Interval(i.expression.at(mapping), i.extent) for i in self.intervals),
            zeros=read_at(self.zeros, mapping),
        )


@dataclass(frozen=True, slots=True)
class Form:
    """A value: its index variables and the terms that add up to it."""

    indices: tuple[int, ...]
    extents: tuple[Affine, ...]
    terms: tuple[Term, ...]


@dataclass(slots=True)
class Reader:
    """Reads statements; `forms` holds what they defined."""

    symbols: Symbols
    forms: dict[str, Form] = field(default_factory=dict[str, Form])
    names: list[str] = field(default_factory=list[str])
    """Name of each variable; the first ones are the sizes."""
    _sizes: dict[str, Affine] = field(default_factory=dict[str, Affine])
    _maxima: dict[Expression, tuple[str, Expression, tuple[str, ...]]] = field(
        default_factory=dict[Expression, "tuple[str, Expression, tuple[str, ...]]"]
    )

    def __post_init__(self) -> None:
        """Number the sizes."""
        for symbol in self.symbols.names:
            self._sizes[symbol] = variable(self.fresh(symbol))

    @property
    def has_maxima(self) -> bool:
        """Whether a maximum was read as the sum over what wins."""
        return bool(self._maxima)

    def fresh(self, name: str) -> int:
        """Return a new variable."""
        self.names.append(name)
        return len(self.names) - 1

    def extents(self, name: str) -> tuple[Affine, ...]:
        """Return the extents of a declared value."""
        if name not in self.symbols.boxes:
            raise Undenotable(f"no value is called {name}")
        return tuple(self._index(e, {}) for e in self.symbols.boxes[name])

    def define(self, statement: Statement) -> Form:
        """Read one statement and remember its value."""
        names = [index_name(e) for e in statement.indices or ()]
        variables = [self.fresh(name) for name in names]
        at = {name: variable(v) for name, v in zip(names, variables, strict=True)}
        value = statement.value
        if isinstance(value, Bind) and value.kind == "max":
            value = self._selected(statement, value)
        form = Form(tuple(variables), self.extents(statement.target), tuple(self._terms(value, at)))
        self.forms[statement.target] = form
        return form

    def _selected(self, statement: Statement, maximum: Bind) -> Expression:
        """Return a maximum as the sum of what it is over, each times whether it wins.

        Off ties exactly one entry wins, and which one does not change nearby: the masks are
        constants. A later `[entry = maximum]` is such a mask.
        """
        bound = tuple(name for name, _ in maximum.indices)
        target = Read(statement.target, statement.indices)
        self._maxima[target] = (f"wins({statement.target})", maximum.body, bound)
        wins = Apply("=", (maximum.body, target))
        return Bind("sum", maximum.indices, Apply("*", (wins, maximum.body)))

    def _index(self, e: Expression, at: Places) -> Affine:
        match e:
            case Number(value) if value.denominator == 1:
                return Affine(int(value))
            case Read(name, None) if name in at:
                return at[name]
            case Read(name, None) if name in self._sizes:
                return self._sizes[name]
            case Apply("+" | "-" as sign, (a, b)):
                left, right = self._index(a, at), self._index(b, at)
                return left + right if sign == "+" else left - right
            case Apply("*", (a, b)):
                return self._multiple(self._index(a, at), self._index(b, at))
            case _:
                raise Undenotable(f"an index that is not affine: {e}")

    def _multiple(self, a: Affine, b: Affine) -> Affine:
        if a.terms and b.terms:
            raise Undenotable("a product of indices")
        return b.offset * a if a.terms else a.offset * b

    def _terms(self, e: Expression, at: Places) -> list[Term]:
        match e:
            case Number(value):
                return [Term(value)]
            case Read(name, None) if name in self._sizes:
                ((size, _),) = self._sizes[name].terms
                return [Term(scales=((size, 1),))]
            case Read(name, indices):
                return self._read(name, tuple(self._index(i, at) for i in indices or ()))
            case Apply("+" | "-" as sign, (a, b)):
                s = 1 if sign == "+" else -1
                right = self._terms(b, at)
                return [
                    *self._terms(a, at),
                    *(replace(t, coefficient=s * t.coefficient) for t in right),
                ]
            case Apply("*", (a, b)):
                right = self._terms(b, at)
                return [t.times(u) for t in self._terms(a, at) for u in right]
            case Apply("/", (a, b)):
                divisor = _inverse(self._terms(b, at))
                return [t.times(divisor) for t in self._terms(a, at)]
            case Apply("=", (a, b)):
                return [self._equation(a, b, at)]
            case Apply(function, _):
                raise Undenotable(f"{function} is not linear")
            case Bind():
                return self._bound(e, at)
            case Table():
                raise Undenotable("a vector of numbers")

    def _read(self, name: str, access: Access) -> list[Term]:
        extents = self.extents(name)
        box = tuple(Interval(e, n) for e, n in zip(access, extents, strict=True))
        form = self.forms.get(name)
        if form is None:
            return [Term(reads=((name, access),), intervals=box)]
        places = dict(zip(form.indices, access, strict=True))
        copies: list[Term] = []
        for term in form.terms:
            names = {v: self.fresh(self.names[v]) for v in term.bound}
            renamed = {v: variable(w) for v, w in names.items()}
            copy = term.replaced({**places, **renamed})
            copies.append(
                replace(copy, bound=tuple(names.values()), intervals=(*copy.intervals, *box))
            )
        return copies

    def _equation(self, a: Expression, b: Expression, at: Places) -> Term:
        if b in self._maxima:
            mask, body, bound = self._maxima[b]
            if a != body or not isinstance(b, Read):
                raise Undenotable("a comparison with a maximum of something else")
            # A mask that lies in the padding cannot win: the reads it multiplies are not there.
            outputs = tuple(self._index(i, at) for i in b.indices or ())
            return Term(reads=((mask, (*outputs, *(at[name] for name in bound))),))
        return Term(zeros=(self._index(a, at) - self._index(b, at),))

    def _bound(self, e: Bind, at: Places) -> list[Term]:
        inner = dict(at)
        intervals: list[Interval] = []
        bound: list[int] = []
        for name, given in e.indices:
            v = self.fresh(name)
            extent = (
                Affine(given)
                if given is not None
                else self._index(extent_of(name, e.body, self.symbols.boxes), {})
            )
            bound.append(v)
            inner[name] = variable(v)
            intervals.append(Interval(variable(v), extent))
        weight = Term(bound=tuple(bound), intervals=tuple(intervals))
        if e.kind == "mean":
            for interval in intervals:
                weight = weight.times(_inverse([_size_term(interval.extent)]))
        elif e.kind != "sum":
            raise Undenotable(f"{e.kind} inside an expression")
        return [weight.times(t) for t in self._terms(e.body, inner)]


def transpose(reader: Reader, form: Form, cotangent: str, wrt: str, names: Sequence[str]) -> Form:
    """Return the cotangent of `wrt`, its indices by name: the one rule for everything linear.

    Where y[o] = sum over r of x[a(o, r)] * rest(o, r), it is
    dx[h] = sum over o and r with a(o, r) = h of dy[o] * rest(o, r).
    """
    extents = reader.extents(wrt)
    indices = tuple(reader.fresh(name) for name in names)
    box = tuple(Interval(variable(v), n) for v, n in zip(form.indices, form.extents, strict=True))
    terms: list[Term] = []
    for term in form.terms:
        found = [access for name, access in term.reads if name == wrt]
        if not found:
            continue
        if len(found) > 1:
            raise Undenotable(f"{wrt} is read twice in one product")
        others = tuple(read for read in term.reads if read[0] != wrt)
        outputs = tuple(variable(v) for v in form.indices)
        equations = (e - variable(h) for e, h in zip(found[0], indices, strict=True))
        terms.append(
            replace(
                term,
                reads=tuple(sorted((*others, (cotangent, outputs)))),
                bound=(*term.bound, *form.indices),
                intervals=(*term.intervals, *box),
                zeros=(*term.zeros, *equations),
            )
        )
    return Form(indices, extents, tuple(terms))


def _size_term(extent: Affine) -> Term:
    """Return an extent that is a number or one size as a factor."""
    if not extent.terms:
        return Term(Fraction(extent.offset))
    if extent.lone is not None:
        return Term(scales=((extent.lone, 1),))
    raise Undenotable("a mean over an extent that is a sum")


def _inverse(terms: Iterable[Term]) -> Term:
    """Return 1 / divisor for a number times sizes."""
    found = list(terms)
    if len(found) != 1 or found[0].reads or found[0].bound or found[0].zeros:
        raise Undenotable("a division by something other than numbers and sizes")
    (divisor,) = found
    return Term(1 / divisor.coefficient, tuple((size, -q) for size, q in divisor.scales))
