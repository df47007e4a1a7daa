"""The operation table: what each StableHLO operation computes, over the real numbers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from gradwright.check.affine import Affine, linear, variable, within
from gradwright.check.atoms import Dense, Infinity, Numbers, Test, Uncheckable, Unknown
from gradwright.check.contractions import Contractions
from gradwright.check.extremes import picked
from gradwright.check.forms import Form, form_of, part_of_concatenation, slice_at, window_of
from gradwright.check.functions import Functions
from gradwright.check.literals import meaning
from gradwright.check.places import gathered
from gradwright.check.poly import Algebra, Poly, constant_of, joined, number, scaled
from gradwright.check.tensor import Shape, Tensor, plain, regrouped
from gradwright.hlo import Block, ElementType, Operation, Value
from gradwright.hlo import attributes as attr
from gradwright.hlo.literals import decimals

Tensors = Sequence[Tensor]


@dataclass(slots=True)
class Meanings:
    """Gives operations their meaning; `literals` are the decimals that stand for something else."""

    f: Functions
    literals: Mapping[str, str]
    read_literals: set[str] = field(default_factory=set[str])

    @property
    def algebra(self) -> Algebra:
        """Polynomials over the atoms of this check."""
        return self.f.algebra

    @property
    def contractions(self) -> Contractions:
        """What applies forms."""
        return self.f.contractions

    def unknown(self, name: str, value: Value, *, is_argument: bool = False) -> Tensor:
        """Return a tensor of which nothing but shape and kind of numbers is known."""
        element = value.type.element
        is_truth = element.value == "i1"
        numbers = Numbers.TRUTH if is_truth else Numbers(int(element.is_integer))
        return self.whole(Unknown(name, numbers, is_argument), value.shape)

    def _once(self, atom: int, shape: Shape, access: Sequence[Affine] = ()) -> Tensor:
        return Tensor(plain(shape), {(((atom, tuple(access), 1),), ()): Fraction(1)})

    def whole(self, content: Unknown | Dense, shape: Shape) -> Tensor:
        """Return an atom read at every index."""
        extents = tuple(n for n in shape if n != 1)
        atom = self.algebra.atoms.number(content, extents)
        return self._once(atom, shape, [variable(d) for d in range(len(extents))])

    def results(self, operation: Operation, x: Tensors) -> Tensors:
        """Return the results of an operation; Uncheckable says why there are none."""
        values = (*operation.operands, *operation.results)
        if isinstance(operation.attributes, attr.Opaque) or any(0 in v.shape for v in values):
            raise Uncheckable(f"{operation.opcode} in a form that this checker does not know")
        opcode = opcode_of(operation)
        _require_elements(opcode, operation)
        if any(value.type.element is ElementType.I1 for value in operation.results):
            opcode = _OF_TRUTHS.get(opcode, opcode)
        if opcode == "optimization_barrier":
            return x
        if opcode not in MOVES:
            for tensor in x:
                self.f.require_finite(tensor)
        rule = SPECIAL.get(opcode)
        if opcode in ELEMENTWISE:
            result = ELEMENTWISE[opcode](self.f, x)
        elif rule is not None and len(operation.results) == 1:
            result = rule(self, operation, x)
        else:
            raise Uncheckable(f"{operation.opcode} is not in the table")
        self._require_held(result, operation.results[0].type.element)
        return [result]

    def _require_held(self, t: Tensor, element: ElementType) -> None:
        """Refuse integers that constants alone make, and may make too large for their type."""
        if element.is_integer:
            low, high = self.f.bounds.fixed(t.poly)
            if low < element.lowest or high > element.highest:
                raise Uncheckable(f"an integer that {element.value} may not hold")

    def spread(self, scalar: Tensor, shape: Shape) -> Tensor:
        """Return a scalar at every index; a tensor of this shape as it is."""
        return scalar if scalar.shape == shape else Tensor(plain(shape), scalar.poly)

    def iota(self, operation: Operation, _: Tensors) -> Tensor:
        """The index along one dimension."""
        assert isinstance(operation.attributes, attr.Iota)
        return self.f.index_along(operation.results[0].shape, operation.attributes.dimension)

    def reshaped(self, x: Tensor, shape: Shape) -> Tensor:
        """Return the elements in row-major order at another shape."""
        found = regrouped(x.digits, shape)
        if found is None:
            raise Uncheckable("a reshape across digits")
        digits, places = found
        return Tensor(digits, self.algebra.substitute(x.poly, places, self.algebra.box(digits)))

    def constant(self, operation: Operation, _: Tensors) -> Tensor:
        """A splat is a number; other constants are atoms known entry by entry."""
        value, result = operation.attributes, operation.results[0]
        assert isinstance(value, attr.Constant)
        words = list(decimals(value))
        if value.splat and words[0] in _SIGNS:
            return self.infinity(_SIGNS[words[0]], result.shape)
        if any(word in _SIGNS for word in words):
            raise Uncheckable("a constant that is not finite")
        element = result.type.element
        if value.splat:
            return Tensor(plain(result.shape), self._literal(words[0], element))
        numbers = [constant_of(self._literal(word, element)) for word in words]
        entries = tuple(n for n in numbers if n is not None)
        if len(entries) < len(numbers):
            raise Uncheckable("a constant with entries that stand for irrational numbers")
        return self.whole(Dense(result.shape, entries), result.shape)

    def _literal(self, word: str, element: ElementType) -> Poly:
        """Return what a decimal stands for: itself, or what is stated that it rounds."""
        digits = {"true": "1", "false": "0"}.get(word, word)
        size = digits.removeprefix("-")
        if size not in self.literals:
            return number(Fraction(digits))
        self.read_literals.add(size)
        meant = meaning(self.algebra, size, self.literals[size], element)
        return scaled(meant, -1) if size != digits else meant

    def infinity(self, sign: int, shape: Shape) -> Tensor:
        """Return an infinite constant."""
        return self._once(self.algebra.atoms.number(Infinity(sign), ()), shape)

    def routed(self, operation: Operation, x: Tensors) -> tuple[Form, Tensors]:
        """Return the sum that a scatter to the winners of windows is."""
        window, [selects, scatters] = operation.attributes, operation.regions
        assert isinstance(window, attr.ScatterWindow)
        compare = selects.operations[0].attributes
        kept = [id(v) for v in selects.operations[0].operands] == [id(v) for v in selects.arguments]
        if len(selects.operations) != 1 or not kept or not isinstance(compare, attr.Compare):
            raise Uncheckable("a scatter by a region that is no comparison of its arguments")
        sign = {"GE": 1, "LE": -1}.get(compare.direction.value)
        if sign is None or combiner_of(scatters) != "add" or x[2].poly:
            raise Uncheckable("a scatter that is no sum from 0 to the first winners")
        self.f.require_finite(x[1])
        ones = (1,) * len(window.strides)
        windows = attr.Window(window.dimensions, window.strides, ones, ones, window.padding)
        form = window_of(x[0].shape, x[1].shape, windows)
        form, [choice, _] = picked(self.f, form, x[0], sign)
        return form.transposed(1, x[0].shape), [choice, x[1]]

    def placed(self, operation: Operation, x: Tensors) -> tuple[Form, Tensors]:
        """Return the sum that a gather is, or what a scatter adds; its operand comes last."""
        a = operation.attributes
        if isinstance(a, attr.Gather):
            return gathered(self.f, a, operation.results[0].shape, x[0], x[1])
        if not isinstance(a, attr.Scatter) or combiner_of(operation.regions[0]) != "add":
            raise Uncheckable("a scatter that does not add up")
        if operation.results[0].type.element is ElementType.I1:
            raise Uncheckable("a sum of truth values")
        form, [*masks, _] = gathered(self.f, a, x[2].shape, x[0], x[1])
        return form.transposed(len(masks), x[0].shape), [*masks, x[2]]

    def pad(self, operation: Operation, x: Tensors) -> Tensor:
        """The operand where it lies, the padding value elsewhere."""
        form = form_of(operation)
        if self.f.is_infinite(x[1]) and constant_of(x[0].poly) is None:
            x = [self.contractions.as_name(x[0]), x[1]]  # so that a window in it is one of the name
        return self.over(form, x[0], self.spread(x[1], form.shape))

    def over(self, form: Form, x: Tensor, rest: Tensor) -> Tensor:
        """Return a tensor where a form puts it, and the rest elsewhere."""
        ones = Tensor(plain(x.shape), number(1))
        outside = self.f.complement(self.contractions.apply(form, [ones]))
        return self.f.add(self.contractions.apply(form, [x]), self.f.multiply(rest, outside))

    def concatenate(self, operation: Operation, x: Tensors) -> Tensor:
        """The sum of the parts that the operands fill."""
        assert isinstance(operation.attributes, attr.Dimension)
        d, shape = operation.attributes.dimension, operation.results[0].shape
        total = Tensor(plain(shape), {})
        start = 0
        for tensor in x:
            form = part_of_concatenation(tensor.shape, shape, d, start)
            total = self.f.add(total, self.contractions.apply(form, [tensor]))
            start += tensor.shape[d]
        return Tensor(total.digits, joined(total.poly, self.algebra.box(total.digits)))

    def reduce(self, operation: Operation, x: Tensors) -> Tensor:
        """A sum, an extreme, all or any over dimensions or windows, and the value at the start."""
        combiner = str(combiner_of(operation.regions[0]))
        if operation.results[0].type.element is ElementType.I1:
            combiner = _OF_TRUTHS.get(combiner, combiner)
            total = self._joined(operation, x, combiner)
        else:
            total = self.contractions.apply(*self.summed(operation, x))
        start = self.spread(x[1], operation.results[0].shape)
        return ELEMENTWISE[combiner](self.f, [total, start])

    def _joined(self, operation: Operation, x: Tensors, combiner: str) -> Tensor:
        """Return whether all truth values hold, [sum of 1 - x = 0], or any, 1 - [sum of x = 0]."""
        if len(x) != 2 or combiner not in ("and", "or"):
            raise Uncheckable("a reduction of truth values that this checker does not know")
        form, is_all = form_of(operation), combiner == "and"
        counted = self.contractions.apply(form, [self.f.complement(x[0]) if is_all else x[0]])
        none = self.f.mask(Test.ZERO, counted)
        return none if is_all else self.f.complement(none)

    def summed(self, operation: Operation, x: Tensors) -> tuple[Form, Tensors]:
        """Return the sum that a reduction is, but for the value it starts from; x comes last."""
        combiner = combiner_of(operation.regions[0])
        if len(x) != 2 or combiner not in ("add", "maximum", "minimum"):
            raise Uncheckable("a reduction that this checker does not know")
        form = form_of(operation)
        if combiner != "add":
            return picked(self.f, form, x[0], 1 if combiner == "maximum" else -1)
        self.f.require_finite(x[0])
        self.f.require_finite(x[1])
        if x[1].poly and operation.opcode == "stablehlo.reduce_window":
            raise Uncheckable("a windowed sum that does not start from 0")
        return form, x[:1]

    def starts(self, x: Tensors, whole: Shape, block: Shape) -> list[Affine]:
        """Return known starts of a block, moved inside as StableHLO does; those of trips are."""
        found = [self.f.affine(start) for start in x]
        ends = [n - m for n, m in zip(whole, block, strict=True)]
        starts: list[Affine] = []
        for e, end in zip(found, ends, strict=True):
            if e is None or (e[1] and not within(e, 0, end + 1, (), self.algebra.box(()))):
                raise Uncheckable("a block at computed indices")
            starts.append(e if e[1] else (min(max(e[0], 0), end), ()))
        return starts

    def dynamic_slice(self, operation: Operation, x: Tensors) -> Tensor:
        """A block of known starts."""
        shape = operation.results[0].shape
        form = slice_at(self.starts(x[1:], x[0].shape, shape), shape)
        return self.contractions.apply(form, x[:1])

    def block(self, x: Tensors) -> Form:
        """Return how a block fills a tensor from known starts on."""
        starts = self.starts(x[2:], x[0].shape, x[1].shape)
        return slice_at([linear(((-1, start),)) for start in starts], x[0].shape)

    def update_slice(self, operation: Operation, x: Tensors) -> Tensor:
        """The second operand where its block lies, the first elsewhere."""
        del operation
        return self.over(self.block(x), x[1], x[0])

    def select(self, operation: Operation, x: Tensors) -> Tensor:
        """The second operand where the first holds, else the third."""
        shape = operation.results[0].shape
        return self.f.select(self.spread(x[0], shape), x[1], x[2])

    def compare(self, operation: Operation, x: Tensors) -> Tensor:
        """[x0 direction x1]."""
        assert isinstance(operation.attributes, attr.Compare)
        if operation.attributes.compare_type is attr.CompareType.TOTALORDER:
            raise Uncheckable("a comparison that tells -0 from 0")
        return self.f.compare(operation.attributes.direction.value, x[0], x[1])

    def clamp(self, operation: Operation, x: Tensors) -> Tensor:
        """min(max(x1, x0), x2)."""
        low, high = (self.spread(bound, x[1].shape) for bound in (x[0], x[2]))
        return self.f.minimum(self.f.maximum(x[1], low), high)

    def convert(self, operation: Operation, x: Tensors) -> Tensor:
        """The same numbers; from numbers to truth values, [x != 0]; never floats to integers."""
        source, target = operation.operands[0].type.element, operation.results[0].type.element
        if source.value != "i1" and target.value == "i1":
            return self.f.complement(self.f.compare("EQ", x[0], self.f.number(x[0], 0)))
        if source.is_float and not target.is_float:
            raise Uncheckable("a conversion from floats to integers")
        return x[0]


_SIGNS = {"-inf": -1, "nan": 0, "inf": 1}
"""What is no number, as the sign of an infinity."""
_LOGIC = frozenset(("and", "or", "not"))
_ON_INTEGERS = frozenset(("add", "subtract", "multiply", "maximum", "minimum", "abs", "negate"))
_OF_TRUTHS = {"add": "or", "multiply": "and", "maximum": "or", "minimum": "and"}
"""What operations on numbers are on truth values."""
_ON_TRUTHS = frozenset((*_LOGIC, *_OF_TRUTHS))
_ADD_UP = frozenset(("dot_general", "convolution", "scatter", "select_and_scatter"))
"""Sums of products, which of truth values are none."""


def _require_elements(opcode: str, operation: Operation) -> None:
    """Refuse what computes something else on integers or truth values than on numbers."""
    element = operation.operands[0].type.element if operation.operands else None
    if opcode in _ADD_UP and operation.results[0].type.element is ElementType.I1:
        raise Uncheckable(f"{operation.opcode} of elements of type i1")
    if element is None or opcode not in (*ELEMENTWISE, "power", "reduce", "reduce_window"):
        return
    if element.value == "i1":
        known = opcode in (*_ON_TRUTHS, "reduce")
    elif not element.is_float:
        signed = not element.value.startswith("u") or opcode in ("add", "multiply")
        known = opcode in (*_ON_INTEGERS, "reduce") and signed
    else:
        known = opcode not in _LOGIC
    if not known:
        raise Uncheckable(f"{operation.opcode} of elements of type {element.value}")


def combiner_of(block: Block) -> str | None:
    """Return the operation of a region that applies one operation to its two arguments."""
    if len(block.operations) != 1 or len(block.arguments) != 2 or len(block.results) != 1:
        return None
    operation = block.operations[0]
    used = {id(v) for v in operation.operands}
    if used != {id(v) for v in block.arguments} or block.results[0] is not operation.results[0]:
        return None
    return opcode_of(operation)


def opcode_of(operation: Operation) -> str:
    """Return the opcode without its dialect; square and erf are those of CHLO."""
    return operation.opcode.removeprefix("stablehlo.").removeprefix("chlo.")


Elementwise = Callable[[Functions, Tensors], Tensor]


def _applied(function: str) -> Elementwise:
    return lambda f, x: f.applied(function, x[0])


ELEMENTWISE: dict[str, Elementwise] = {
    "add": lambda f, x: f.add(x[0], x[1]),
    "subtract": lambda f, x: f.add(x[0], x[1], -1),
    "multiply": lambda f, x: f.multiply(x[0], x[1]),
    "divide": lambda f, x: f.multiply(x[0], f.power(x[1], -1)),
    "negate": lambda f, x: f.scale(x[0], -1),
    "maximum": lambda f, x: f.maximum(x[0], x[1]),
    "minimum": lambda f, x: f.minimum(x[0], x[1]),
    "abs": lambda f, x: f.maximum(x[0], f.scale(x[0], -1)),
    "exponential": lambda f, x: f.exponential(x[0]),
    "exponential_minus_one": lambda f, x: f.add(f.exponential(x[0]), f.number(x[0], -1)),
    "log": lambda f, x: f.log(x[0]),
    "log_plus_one": lambda f, x: f.log(f.add(x[0], f.number(x[0], 1))),
    "square": lambda f, x: f.multiply(x[0], x[0]),
    "sign": lambda f, x: f.sign(x[0]),
    **{name: _applied(name) for name in ("tanh", "logistic", "sine", "cosine", "erf")},
    "erfc": lambda f, x: f.complement(f.applied("erf", x[0])),
    "sqrt": lambda f, x: f.power(x[0], Fraction(1, 2)),
    "rsqrt": lambda f, x: f.power(x[0], Fraction(-1, 2)),
    "and": lambda f, x: f.multiply(x[0], x[1]),
    "or": lambda f, x: f.complement(f.multiply(*map(f.complement, x))),
    "not": lambda f, x: f.complement(x[0]),
    "is_finite": lambda f, x: f.complement(f.add(*f.parts(x[0])[1:])),
}
"""Operations that treat each element alone. `and`, `or` and `not` are those of truth values."""

MOVES = frozenset((
    *("transpose", "broadcast_in_dim", "slice", "reverse", "reshape", "pad", "concatenate"),
    *("dynamic_slice", "dynamic_update_slice", "select", "compare", "maximum", "minimum"),
    *("reduce", "reduce_window", "select_and_scatter", "convert", "is_finite"),
))  # fmt: skip
"""Operations that know what to do with infinite entries, or only move them."""
FORMS = ("transpose", "broadcast_in_dim", "slice", "reverse", "dot_general", "convolution")
"""Operations that are a form as they stand."""
Rule = Callable[[Meanings, Operation, Tensors], Tensor]
SPECIAL: dict[str, Rule] = {
    "constant": Meanings.constant,
    "iota": Meanings.iota,
    "reshape": lambda m, op, x: m.reshaped(x[0], op.results[0].shape),
    **dict.fromkeys(FORMS, lambda m, op, x: m.contractions.apply(form_of(op), x)),
    "pad": Meanings.pad,
    "concatenate": Meanings.concatenate,
    "reduce": Meanings.reduce,
    "reduce_window": Meanings.reduce,
    "gather": lambda m, op, x: m.contractions.apply(*m.placed(op, x)),
    "scatter": lambda m, op, x: m.f.add(x[0], m.contractions.apply(*m.placed(op, x))),
    "select_and_scatter": lambda m, op, x: m.contractions.apply(*m.routed(op, x)),
    "dynamic_slice": Meanings.dynamic_slice,
    "dynamic_update_slice": Meanings.update_slice,
    "select": Meanings.select,
    "compare": Meanings.compare,
    "clamp": Meanings.clamp,
    "power": lambda m, op, x: m.f.raised(*x),
    "convert": Meanings.convert,
}
"""Operations that are not; `optimization_barrier` is in neither table."""
