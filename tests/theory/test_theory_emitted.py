"""The convolutions that layers emit have the windows that the theorems state."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle

import pytest

from gradwright import programs
from gradwright.certify.notation import Apply, Bind, Expression, Number, Read, parse
from gradwright.errors import SpecError
from gradwright.hlo import Operation
from gradwright.hlo.attributes import Convolution, Dimensions
from gradwright.hlo.reader import read_module
from gradwright.layers import TEXTBOOK, Conv2d, DepthwiseConv2d, Explicit, Padding
from gradwright.spec import Image, NetSpec
from gradwright.theory import Adjoint, Case, Instance, find
from gradwright.theory.evaluation import Evaluator
from gradwright.theory.measure import completed

Dims = tuple[int, int]
EXTENTS: Sequence[Dims] = ((9, 12), (8, 7), (6, 6), (7, 11))
PADDINGS = (Padding.SYMMETRIC, Padding.SAME_UPPER, Padding.VALID, Explicit((0, 2), (3, 1)))


@dataclass(frozen=True, slots=True)
class Window:
    """What a convolution reads, axis by axis: operand position step * i + gap * tap - low."""

    step: Dims
    gap: Dims
    low: Dims
    spread: Dims
    """Steps between the entries of dy, zeros between them."""


def stated(instance: Instance, sizes: Mapping[str, int], operand: str, output: str) -> Window:
    """Read a window off the text of a backward.

    `operand` is what is read, `output` the two indices of the result that move the window.
    """
    assert isinstance(instance.claim, Adjoint)
    up, result = parse(instance.claim.backward)
    evaluator = Evaluator(sizes, instance.symbols.boxes)
    [read] = [r for r in reads(result.value) if r.name == operand and r.indices]
    assert read.indices is not None

    def position(e: Expression, moved: str) -> int:
        zero = dict.fromkeys("ncohkgabuvij", 0)
        return evaluator.index(e, zero | {moved: 1})

    rows = read.indices[-2:]
    other = {"hk": "uv", "uv": "ab"}[output]
    low = tuple(-position(e, "-") for e in rows)
    step = tuple(position(e, i) + z for e, i, z in zip(rows, output, low, strict=True))
    gap = tuple(position(e, i) + z for e, i, z in zip(rows, other, low, strict=True))
    return Window(pair(step), pair(gap), pair(low), spread_of(up.value))


def reads(e: Expression) -> list[Read]:
    match e:
        case Read():
            return [e]
        case Apply(_, arguments):
            return [read for a in arguments for read in reads(a)]
        case Bind(_, _, body):
            return reads(body)
        case _:
            return []


def spread_of(e: Expression) -> Dims:
    """Read s off the equations [a = s*i] that say where the entries of dy go."""
    match e:
        case Bind(_, _, Apply("*", (Apply("*", (Apply("=", (_, a)), Apply("=", (_, b)))), _))):
            return factor(a), factor(b)
        case _:
            raise AssertionError(e)


def factor(e: Expression) -> int:
    match e:
        case Read():
            return 1
        case Apply("*", (Number(value), Read())):
            return int(value)
        case _:
            raise AssertionError(e)


def pair(values: Sequence[int]) -> Dims:
    first, second = values
    return first, second


def convolutions(text: str) -> dict[str, Operation]:
    """Return the convolutions of a text by the name of what they slide over."""
    [function] = read_module(text).functions
    found = [o for o in function.body.operations if o.opcode == "stablehlo.convolution"]
    return {o.operands[0].name: o for o in found}


def attributes(operation: Operation) -> Convolution:
    assert isinstance(operation.attributes, Convolution)
    return operation.attributes


def kernel_source(operation: Operation, text: str) -> tuple[str, object]:
    """Return the operation that makes the kernel of a convolution, and its attributes."""
    [function] = read_module(text).functions
    [source] = [
        o for o in function.body.operations if o.results[0].name == operation.operands[1].name
    ]
    return source.opcode, source.attributes


def high(extent: int, low: int, operand: int, step: int, span: int) -> int:
    """Return the high padding with which a convolution has a result of this extent."""
    return (extent - 1) * step + span - low - operand


def cases() -> list[tuple[Case, Dims, Padding | Explicit]]:
    grid, extents = find("conv-input").grid, cycle(EXTENTS)
    return [(case, next(extents), padding) for case in grid for padding in PADDINGS]


def layer(case: Case, padding: Padding | Explicit, grouping: str) -> Conv2d | DepthwiseConv2d:
    kernel = pair([w.kernel for w in case.axes])
    strides = pair([w.stride for w in case.axes])
    dilation = pair([w.dilation for w in case.axes])
    if grouping == "depthwise":
        return DepthwiseConv2d(kernel, strides, padding, dilation)
    groups = 2 if grouping == "grouped" else 1
    return Conv2d(6, kernel, strides, padding, dilation, groups=groups)


PREFIX = {"dense": "conv", "grouped": "grouped", "depthwise": "depthwise"}


def compare(case: Case, extents: Dims, padding: Padding | Explicit, grouping: str) -> bool:
    """Compare one layer with the theorems; False where no window fits."""
    try:
        net = NetSpec("one", Image(4, *extents), [("c", layer(case, padding, grouping))])
    except SpecError:
        return False
    forward = programs.forward(net, batch=3, formulation=TEXTBOOK).text
    backward = programs.vjp(net, batch=3, formulation=TEXTBOOK).text
    (first,) = convolutions(forward).values()
    (top, bottom), (left, right) = attributes(first).padding
    free = {"top": top, "bottom": bottom, "left": left, "right": right}
    same = padding is Padding.SAME_UPPER and grouping == "dense"
    prefix = "same-upper" if same else PREFIX[grouping]
    sizes = {"N": 3, "C": 4, "O": 6, "G": 2, "H": extents[0], "W": extents[1]}
    for name in ("input", "weight"):
        theorem = find(f"{prefix}-{name}")
        instance = theorem.instance(case)
        symbols = {s.symbol for s in instance.symbols.sizes}
        whole = completed(instance, {k: n for k, n in (sizes | free).items() if k in symbols})
        assert (whole["P"], whole["Q"]) == first.results[0].shape[2:]
        assert (whole["top"], whole["left"]) == (top, left)
        if name == "input":
            check_input(case, instance, whole, backward)
        else:
            check_weight(case, instance, whole, backward)
    return True


def check_input(case: Case, instance: Instance, sizes: Mapping[str, int], text: str) -> None:
    operation = convolutions(text)["dy"]
    emitted, window = attributes(operation), stated(instance, sizes, "up", "hk")
    spans = [w.span for w in case.axes]
    assert emitted.strides == window.step == (1, 1)
    assert emitted.rhs_dilation == window.gap
    assert emitted.lhs_dilation == window.spread
    assert tuple(low for low, _ in emitted.padding) == window.low
    for axis, (extent, count) in enumerate((("H", "P"), ("W", "Q"))):
        spread = window.spread[axis] * (sizes[count] - 1) + 1
        needed = high(sizes[extent], window.low[axis], spread, 1, spans[axis])
        assert emitted.padding[axis][1] == needed
    assert kernel_source(operation, text) == ("stablehlo.reverse", Dimensions((2, 3)))
    assert flips(instance, sizes, case)


def flips(instance: Instance, sizes: Mapping[str, int], case: Case) -> bool:
    """Return whether the statement reads the kernel backwards in both axes."""
    assert isinstance(instance.claim, Adjoint)
    result = parse(instance.claim.backward)[-1]
    [kernel] = [r for r in reads(result.value) if r.name == "w"]
    assert kernel.indices is not None
    evaluator = Evaluator(sizes, instance.symbols.boxes)
    rows = kernel.indices[-2:]
    return all(
        evaluator.index(e, {"u": tap, "v": tap}) == w.kernel - 1 - tap
        for e, w in zip(rows, case.axes, strict=True)
        for tap in range(w.kernel)
    )


def check_weight(case: Case, instance: Instance, sizes: Mapping[str, int], text: str) -> None:
    emitted = attributes(convolutions(text)["x"])
    window = stated(instance, sizes, "x", "uv")
    assert emitted.strides == window.step
    assert window.gap == (1, 1)  # one entry of the upsampled dy further, one entry of x further
    assert emitted.rhs_dilation == window.spread
    assert emitted.lhs_dilation == (1, 1)
    assert tuple(low for low, _ in emitted.padding) == window.low
    for axis, (extent, count) in enumerate((("H", "P"), ("W", "Q"))):
        spread = window.spread[axis] * (sizes[count] - 1) + 1
        kernel = case.axes[axis].kernel
        needed = high(kernel, window.low[axis], sizes[extent], window.step[axis], spread)
        assert emitted.padding[axis][1] == needed


@pytest.mark.parametrize(
    ("name", "control"),
    [
        ("conv-input", "padding off by one at the left border only"),
        ("conv-input", "missing flip"),
        ("conv-weight", "low padding of rows off by one"),
    ],
)
def test_a_wrong_statement_is_not_what_is_emitted(name: str, control: str) -> None:
    [wrong] = [c for c in find(name).controls if c.name == control]
    instance = wrong.instance(wrong.at)
    net = NetSpec("one", Image(4, 9, 9), [("c", layer(wrong.at, Padding.VALID, "dense"))])
    text = programs.vjp(net, batch=3, formulation=TEXTBOOK).text
    sizes = {"N": 3, "C": 4, "O": 6, "H": 9, "W": 9, "top": 0, "bottom": 0, "left": 0, "right": 0}
    check = check_input if name == "conv-input" else check_weight
    with pytest.raises(AssertionError):
        check(wrong.at, instance, completed(instance, sizes), text)


@pytest.mark.parametrize("grouping", PREFIX)
def test_emitted_windows_are_those_of_the_theorems(grouping: str) -> None:
    every = 5 if grouping == "dense" else 13
    compared = sum(compare(*case, grouping) for case in cases()[::every])
    assert compared >= 12


@pytest.mark.slow
@pytest.mark.parametrize("grouping", PREFIX)
def test_all_emitted_windows_are_those_of_the_theorems(grouping: str) -> None:
    assert sum(compare(*case, grouping) for case in cases()) >= 150
