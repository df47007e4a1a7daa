"""Denotations of reductions over windows, and of the scatter that is the transpose of a maximum.

A window's extreme is a sum over the operand in which a selector, 1 at the winner, picks one entry:
y[o] = sum over i of selector[o, i] x[i]. Its transpose sends g[o] to the winner.
"""

from dataclasses import replace

from gradwright.certify.kernel.algebra import Undenotable
from gradwright.certify.kernel.atoms import Relation, Selector
from gradwright.certify.kernel.denotation import Denotation, Rule, Step
from gradwright.certify.kernel.forms import window_sum
from gradwright.certify.kernel.index import variable
from gradwright.certify.kernel.infinite import parts
from gradwright.certify.kernel.multilinear import Application, Multilinear
from gradwright.certify.kernel.shaped import require_neutral
from gradwright.certify.kernel.tensor import Shape, Tensor, plain_digits
from gradwright.hlo import Block
from gradwright.hlo import attributes as attr


def window_application(at: Step) -> Application:
    """Return the sum that a windowed sum, maximum or minimum is."""
    den, window = at.den, at.operation.attributes
    assert isinstance(window, attr.Window)
    if len(at.x) != 2:
        raise Undenotable("a windowed reduction of several operands")
    x, start = at.x
    if den.combines_by(at.operation.regions[0], at.p.add):
        den.require_finite(x)
        if start.poly:
            raise Undenotable("a windowed sum that starts from a number other than 0")
        return Application(window_sum(x.shape, at.shape, window), (x,), {0: 0})
    for maximum, extreme in ((True, at.p.maximum), (False, at.p.minimum)):
        if den.combines_by(at.operation.regions[0], extreme):
            require_neutral(den, start, below=maximum)
            chosen = selector(den, x, at.shape, window, maximum=maximum, first=True)
            return Application(_choice(at.shape, x.shape), (chosen, parts(at.p, x).finite), {0: 1})
    raise Undenotable("a windowed reduction by a region that is no sum, maximum or minimum")


def selector(
    den: Denotation, x: Tensor, shape: Shape, window: attr.Window, *, maximum: bool, first: bool
) -> Tensor:
    """Return the mask, over the window's and the operand's indices, of the winners.

    Every window must hold an entry of the operand: padding never wins.
    """
    split, losing = parts(den.pointwise, x), -1 if maximum else 1
    if split.side(-losing).poly:
        raise Undenotable("an infinite entry that wins each window it is in")
    if split.side(losing).poly:
        return _bordered_selector(den, x, shape, window, maximum=maximum, first=first)
    den.require_finite(x)
    if not all(_touches(window, x.shape[d], shape[d], d) for d in range(len(shape))):
        raise Undenotable("a window that lies in the padding altogether")
    (terms,), counters = den.closed([x])
    content = Selector(terms, x.digits, shape, window, maximum, first)
    return den.indexed(content, counters, (*plain_digits(shape), *x.digits))


def _bordered_selector(
    den: Denotation, x: Tensor, shape: Shape, window: attr.Window, *, maximum: bool, first: bool
) -> Tensor:
    """Return the selector of a picture in an infinite border that loses every comparison.

    It is the selector of the picture alone, whose window reaches as far into the padding as the
    border was wide, and 0 on the border.
    """
    split = parts(den.pointwise, x)
    box = _box(split.where_finite)
    if any(base != 1 for base in window.base_dilations):
        raise Undenotable("a dilated operand in an infinite border")
    rank = len(x.shape)
    inner_shape = tuple(high - low for low, high in box)
    shifted = tuple(variable(d) + box[d][0] for d in range(rank))
    inner = den.linear(Multilinear(inner_shape, (), (shifted,)), split.finite)
    padding = tuple(
        (before + low, after + extent - high)
        for (before, after), (low, high), extent in zip(window.padding, box, x.shape, strict=True)
    )
    chosen = selector(
        den, inner, shape, replace(window, padding=padding), maximum=maximum, first=first
    )
    outputs = tuple(variable(d) for d in range(rank))
    places = tuple(variable(rank + d) - box[d][0] for d in range(rank))
    return den.linear(Multilinear((*shape, *x.shape), (), ((*outputs, *places),)), chosen)


def _box(inside: Tensor) -> list[tuple[int, int]]:
    """Return the range of each dimension in which a mask is 1, where it is 1 on a box."""
    [*terms] = inside.poly.items()
    guards = [guard for (_, guards), _ in terms for guard in guards]
    alone = len(terms) == 1 and terms[0] == (((), tuple(guards)), 1)
    on_indices = all(len(e.terms) == 1 and e.terms[0][0] >= 0 for e, _, _ in guards)
    if not alone or not on_indices or inside.digits != plain_digits(inside.shape):
        raise Undenotable("an infinite border that is no box")
    sides = {e.terms[0][0]: (low, high) for e, low, high in guards}
    ranges = (sides.get(v, (0, n)) for v, n in enumerate(n for n in inside.shape if n > 1))
    return [next(ranges) if n > 1 else (0, 1) for n in inside.shape]


def _touches(window: attr.Window, extent: int, count: int, d: int) -> bool:
    """Return whether each window along a dimension meets the operand."""

    def meets(o: int) -> bool:
        start = o * window.strides[d] - window.padding[d][0]
        reads = (start + k * window.window_dilations[d] for k in range(window.dimensions[d]))
        base = window.base_dilations[d]
        return any(at % base == 0 and 0 <= at // base < extent for at in reads)

    return all(map(meets, range(count)))


def _choice(shape: Shape, operand: Shape) -> Multilinear:
    """result[o] = sum over i of selector[o, i] x[i]."""
    outputs = tuple(variable(d) for d in range(len(shape)))
    inputs = tuple(variable(len(shape) + d) for d in range(len(operand)))
    return Multilinear(shape, operand, ((*outputs, *inputs), inputs))


def scatter_application(at: Step) -> Application:
    """Return the sum over windows that sends each entry of the source to its window's winner."""
    den, window = at.den, at.operation.attributes
    assert isinstance(window, attr.ScatterWindow)
    x, source, start = at.x
    den.require_finite(source)
    if start.poly:
        raise Undenotable("a scatter that starts from a number other than 0, counted once or more")
    selects, scatters = at.operation.regions
    if not den.combines_by(scatters, at.p.add):
        raise Undenotable("a scatter by a region that is no sum")
    maximum, first = _order(den, selects)
    ones = (1,) * len(x.shape)
    plain = attr.Window(window.dimensions, window.strides, ones, ones, window.padding)
    chosen = selector(den, x, source.shape, plain, maximum=maximum, first=first)
    form = _choice(source.shape, x.shape).transpose(1, x.shape)
    return Application(form, (chosen, source), {1: 1})


def _order(den: Denotation, region: Block) -> tuple[bool, bool]:
    """Return (maximum, first) of a region (held, next) -> whether to keep what is held."""
    held, following = den.region_symbols(region)
    kept = den.region(region, [held, following])[0].poly
    p = den.pointwise
    for maximum, relation in ((True, Relation.POSITIVE), (False, Relation.NEGATIVE)):
        strictly = p.compare(relation, held, following)
        if kept == strictly.poly:
            return maximum, False
        if kept == p.add(strictly, p.compare(Relation.ZERO, held, following)).poly:
            return maximum, True
    raise Undenotable("a selection by a region that is no comparison of its operands")


WINDOWS: dict[str, Rule] = {
    "stablehlo.reduce_window": lambda at: at.den.applied(window_application(at)),
    "stablehlo.select_and_scatter": lambda at: at.den.applied(scatter_application(at)),
}
