"""What is not equal is not proved equal: traps that provers have fallen into."""

from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from certify.kernel.random_texts import STEPS, programs
from gradwright.certify.effort import TooLarge
from gradwright.certify.kernel.adjoint import Sweep
from gradwright.certify.kernel.algebra import Undenotable
from gradwright.certify.kernel.conditions import Domain
from gradwright.certify.kernel.denotation import Denotation
from gradwright.certify.kernel.denote import new_denotation
from gradwright.certify.kernel.equality import equal
from gradwright.certify.kernel.tensor import Tensor
from gradwright.hlo import (
    Builder,
    ElementType,
    Function,
    Module,
    TensorType,
    Value,
    evaluate,
    read_module,
)
from gradwright.hlo.attributes import Direction

F32, I32 = ElementType.F32, ElementType.I32
VECTOR = TensorType((4,), F32)
Write = Callable[[Builder, Value, Value], Value]


def denoted(function: Function, den: Denotation | None = None) -> tuple[Denotation, list[Tensor]]:
    """Return the results of a function of arguments known by their names."""
    den = den or new_denotation()
    body = function.body
    known = {id(v): den.argument(v.name, v.shape, v.type.element) for v in body.arguments}
    for operation in body.operations:
        results = den.operation(operation, [known[id(v)] for v in operation.operands])
        known |= {id(v): t for v, t in zip(operation.results, results, strict=True)}
    return den, [known[id(v)] for v in body.results]


def both(left: Write, right: Write, type: TensorType = VECTOR) -> tuple[Denotation, bool]:
    """Return whether two functions of x and y are proved equal, and what that assumed."""
    b = Builder()
    x, y = b.argument("x", type), b.argument("y", type)
    den, (ours, theirs) = denoted(b.finish("main", [left(b, x, y), right(b, x, y)]))
    ours, theirs = den.pointwise.align(ours, theirs)
    return den, equal(den.algebra, ours, theirs)


def rectified(b: Builder, x: Value) -> Value:
    return b.maximum(x, b.splat(0, x.type))


def signal(b: Builder, direction: Direction, x: Value) -> Value:
    mask = b.compare(direction, x, b.splat(0, x.type))
    return b.select(mask, b.splat(1, x.type), b.splat(0, x.type))


UNEQUAL: dict[str, tuple[Write, Write]] = {
    "a term too many": (lambda b, x, y: (x * x + x * y + y) / (x + y), lambda b, x, y: x),
    "pieces of which one entry differs": (
        lambda b, x, y: b.concatenate(
            [b.slice(x, (0,), (1,), (1,)), b.slice(y, (1,), (4,), (1,))], 0
        ),
        lambda b, x, y: y,
    ),
    "the root of a square": (lambda b, x, y: b.sqrt(x * x), lambda b, x, y: x),
    "a half power of a square": (
        lambda b, x, y: b.power(b.power(x, b.splat(2, x.type)), b.splat(0.5, x.type)),
        lambda b, x, y: x,
    ),
    "an inverse root of a square": (lambda b, x, y: b.rsqrt(x * x), lambda b, x, y: 1 / x),
    "the root of a product": (
        lambda b, x, y: b.sqrt(x * y),
        lambda b, x, y: b.sqrt(x) * b.sqrt(y),
    ),
    "the log of a square": (lambda b, x, y: b.log(x * x), lambda b, x, y: 2 * b.log(x)),
    "an absolute value": (lambda b, x, y: b.abs(x), lambda b, x, y: x),
    "a truncated number": (
        lambda b, x, y: b.convert(b.convert(x, I32), F32),
        lambda b, x, y: x,
    ),
    "an integer read as a truth": (
        lambda b, x, y: b.convert(b.compare(Direction.NE, x, b.splat(0, x.type)), F32),
        lambda b, x, y: x,
    ),
    "a kink on an open set": (
        lambda b, x, y: signal(b, Direction.GE, rectified(b, x) + rectified(b, y)),
        lambda b, x, y: signal(b, Direction.GT, rectified(b, x) + rectified(b, y)),
    ),
    "a number close to another": (lambda b, x, y: x * 1.0000001, lambda b, x, y: x),
    "a fraction close to a decimal": (lambda b, x, y: x * 0.333, lambda b, x, y: x / 3),
    "max and its first operand": (lambda b, x, y: b.maximum(x, y), lambda b, x, y: x),
    "a quotient rounded": (
        lambda b, x, y: b.unary("stablehlo.floor", x / y) * y,
        lambda b, x, y: x,
    ),
    "a reverse": (lambda b, x, y: b.reverse(x, (0,)), lambda b, x, y: x),
    "a pad at one border": (
        lambda b, x, y: b.pad(x, 0, (1,), (0,), (0,)),
        lambda b, x, y: b.pad(x, 0, (0,), (1,), (0,)),
    ),
    "a value counted twice": (
        lambda b, x, y: b.sum(b.concatenate([x, b.slice(x, (0,), (2,), (1,))], 0), (0,)),
        lambda b, x, y: b.sum(x, (0,)),
    ),
    "a reduction's start": (
        lambda b, x, y: b.reduce((x,), (1,), (0,), b.adds)[0],
        lambda b, x, y: b.sum(x, (0,)),
    ),
}


@pytest.mark.parametrize("name", UNEQUAL)
def test_a_trap_is_not_proved(name: str) -> None:
    assert not both(*UNEQUAL[name])[1]


def test_a_kink_of_integers_is_not_a_null_set() -> None:
    assert not both(
        lambda b, x, y: signal(b, Direction.GE, x),
        lambda b, x, y: signal(b, Direction.GT, x),
        VECTOR.with_element(I32),
    )[1]


def test_a_kink_off_which_conventions_agree_is_listed() -> None:
    den, same = both(
        lambda b, x, y: signal(b, Direction.GE, x), lambda b, x, y: signal(b, Direction.GT, x)
    )
    assert same
    assert den.conditions.kinks


def test_a_division_lists_its_divisor() -> None:
    den, same = both(lambda b, x, y: x / x, lambda b, x, y: b.splat(1, x.type))
    assert same
    assert {each.domain for each in den.conditions.supposed} == {Domain.NONZERO}


def test_a_logarithm_lists_its_argument() -> None:
    den, same = both(lambda b, x, y: b.exponential(b.log(x)), lambda b, x, y: x)
    assert same
    assert {each.domain for each in den.conditions.supposed} == {Domain.POSITIVE}


REFUSED: dict[str, Write] = {
    "a division by a mask": lambda b, x, y: x / signal(b, Direction.GT, x),
    "a division by a padded value": lambda b, x, y: 1 / b.pad(x, 0, (1,), (0,), (0,)),
    "a division by a constant with a zero": lambda b, x, y: (
        x / b.constant(np.array([1, 0, 2, 3], dtype=np.float32))
    ),
    "a division by a coordinate": lambda b, x, y: x / b.iota(x.type, 0),
    "a division by zero": lambda b, x, y: y / (x - x),
    "the logarithm of zero": lambda b, x, y: b.log(x - x),
    "infinity times a number": lambda b, x, y: x * float("inf"),
    "infinity less infinity": lambda b, x, y: (
        b.splat(float("inf"), x.type) - b.splat(float("inf"), x.type)
    ),
    "the exponential of infinity": lambda b, x, y: b.exponential(b.splat(float("inf"), x.type)),
    "not a number": lambda b, x, y: x + float("nan"),
    "a slice that is clamped": lambda b, x, y: b.dynamic_slice(
        x, [b.splat(3, TensorType((), I32))], (2,)
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_value_is_refused(name: str) -> None:
    with pytest.raises(Undenotable):
        both(REFUSED[name], REFUSED[name])


def reduced(body: str) -> str:
    """Return a text whose reduction has a region that ends in %r."""
    return f"""
    func.func @main(%x: tensor<4xf32>) -> tensor<f32> {{
      %z = stablehlo.constant dense<0.0> : tensor<f32>
      %s = "stablehlo.reduce"(%x, %z) <{{dimensions = array<i64: 0>}}> ({{
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        {body}
        stablehlo.return %r : tensor<f32>
      }}) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
      return %s : tensor<f32>
    }}"""


@pytest.mark.parametrize(
    "body",
    [
        "%r = stablehlo.add %a, %a : tensor<f32>",
        "%r = stablehlo.maximum %b, %b : tensor<f32>",
        "%r = stablehlo.subtract %a, %b : tensor<f32>",
        "%c = stablehlo.constant dense<1.0> : tensor<f32>\n%d = stablehlo.add %a, %b : tensor<f32>"
        "\n%r = stablehlo.add %c, %d : tensor<f32>",
    ],
)
def test_a_region_is_read_with_its_operands(body: str) -> None:
    with pytest.raises(Undenotable):
        denoted(read_module(reduced(body)).main)


def scattered(select: str, scatter: str, start: str = "0.0") -> str:
    """Return a text whose select_and_scatter has these regions and this start."""
    return f"""
    func.func @main(%x: tensor<4xf32>, %g: tensor<2xf32>) -> tensor<4xf32> {{
      %z = stablehlo.constant dense<{start}> : tensor<f32>
      %s = "stablehlo.select_and_scatter"(%x, %g, %z) <{{window_dimensions = array<i64: 2>,
          window_strides = array<i64: 2>}}> ({{
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %r = stablehlo.compare {select}, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %r : tensor<i1>
      }}, {{
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %r = stablehlo.add {scatter} : tensor<f32>
        stablehlo.return %r : tensor<f32>
      }}) : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
      return %s : tensor<4xf32>
    }}"""


def test_both_regions_and_the_start_of_a_scatter_count() -> None:
    den = new_denotation()
    texts = [
        scattered("GE, %a, %b", "%a, %b"),
        scattered("GT, %a, %b", "%a, %b"),
        scattered("LE, %a, %b", "%a, %b"),
    ]
    polys = [denoted(read_module(text).main, den)[1][0].poly for text in texts]
    assert all(a != b for a, b in combinations(polys, 2))
    same = denoted(read_module(scattered("LE, %b, %a", "%b, %a")).main, den)[1][0].poly
    assert same == polys[0]
    for scatter, start in (("%a, %a", "0.0"), ("%b, %b", "0.0"), ("%a, %b", "1.0")):
        with pytest.raises(Undenotable):
            denoted(read_module(scattered("GE, %a, %b", scatter, start)).main)


def looped(body: str, step: str = "1.0", limit: str = "3.0") -> str:
    """Return a text that counts in floats and carries a sum; the body ends in %n."""
    return f"""
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {{
      %i = stablehlo.constant dense<0.0> : tensor<f32>
      %z = stablehlo.constant dense<0.0> : tensor<4xf32>
      %r:2 = stablehlo.while(%k = %i, %c = %z) : tensor<f32>, tensor<4xf32>
      cond {{
        %l = stablehlo.constant dense<{limit}> : tensor<f32>
        %t = stablehlo.compare LT, %k, %l, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %t : tensor<i1>
      }} do {{
        %s = stablehlo.constant dense<{step}> : tensor<f32>
        %m = stablehlo.add %k, %s : tensor<f32>
        {body}
        stablehlo.return %m, %n : tensor<f32>, tensor<4xf32>
      }}
      return %r#1 : tensor<4xf32>
    }}"""


BY_ONE = (
    "%o = stablehlo.constant dense<1.0> : tensor<4xf32>\n%n = stablehlo.add %c, %o : tensor<4xf32>"
)


def test_a_loop_counts_its_trips() -> None:
    den = new_denotation()
    counted = [
        denoted(read_module(looped(BY_ONE, limit=limit)).main, den)[1][0].poly
        for limit in ("0.0", "2.0", "3.0")
    ]
    assert counted == [{}, den.splat(2, (4,)).poly, den.splat(3, (4,)).poly]


@pytest.mark.parametrize(
    "text",
    [
        looped(BY_ONE, step="1.5"),
        looped("%n = stablehlo.add %c, %c : tensor<4xf32>"),
        looped("%n = stablehlo.exponential %c : tensor<4xf32>"),
        looped("%n = stablehlo.subtract %c, %c : tensor<4xf32>"),
    ],
)
def test_a_loop_that_is_no_sum_is_refused(text: str) -> None:
    with pytest.raises(Undenotable):
        denoted(read_module(text).main)


def test_an_opaque_value_of_a_loop_knows_its_trip() -> None:
    """A maximum of row k is another number at every trip: sums of it do not factor."""
    text = """
    func.func @main(%x: tensor<2x3xf32>) -> (tensor<f32>, tensor<f32>) {
      %i = stablehlo.constant dense<0> : tensor<i32>
      %z = stablehlo.constant dense<0.0> : tensor<f32>
      %w = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %r:4 = stablehlo.while(%k = %i, %y = %x, %a = %z, %b = %z)
          : tensor<i32>, tensor<2x3xf32>, tensor<f32>, tensor<f32>
      cond {
        %l = stablehlo.constant dense<2> : tensor<i32>
        %t = stablehlo.compare LT, %k, %l, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %t : tensor<i1>
      } do {
        %o = stablehlo.constant dense<1> : tensor<i32>
        %c0 = stablehlo.constant dense<0> : tensor<i32>
        %m = stablehlo.add %k, %o : tensor<i32>
        %e = stablehlo.constant dense<0.0> : tensor<f32>
        %v = stablehlo.constant dense<0xFF800000> : tensor<f32>
        %q = stablehlo.dynamic_slice %y, %k, %c0, sizes = [1, 3]
            : (tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x3xf32>
        %u = stablehlo.reduce(%q init: %v) applies stablehlo.maximum across dimensions = [0, 1]
            : (tensor<1x3xf32>, tensor<f32>) -> tensor<f32>
        %s = stablehlo.reduce(%q init: %e) applies stablehlo.add across dimensions = [0, 1]
            : (tensor<1x3xf32>, tensor<f32>) -> tensor<f32>
        %p = stablehlo.multiply %u, %s : tensor<f32>
        %n = stablehlo.add %a, %u : tensor<f32>
        %d = stablehlo.add %b, %p : tensor<f32>
        stablehlo.return %m, %y, %n, %d : tensor<i32>, tensor<2x3xf32>, tensor<f32>, tensor<f32>
      }
      %h = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0, 1]
          : (tensor<2x3xf32>, tensor<f32>) -> tensor<f32>
      %g = stablehlo.multiply %r#2, %h : tensor<f32>
      %f = stablehlo.constant dense<2.0> : tensor<f32>
      %j = stablehlo.divide %g, %f : tensor<f32>
      return %r#3, %j : tensor<f32>, tensor<f32>
    }"""
    den, (products, factored) = denoted(read_module(text).main)
    assert not equal(den.algebra, products, factored)


def test_an_unread_attribute_is_refused() -> None:
    text = """
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %y = "stablehlo.custom_call"(%x) <{call_target_name = "relu"}>
          : (tensor<4xf32>) -> tensor<4xf32>
      return %y : tensor<4xf32>
    }"""
    with pytest.raises(Undenotable, match="custom_call"):
        denoted(read_module(text).main)


def test_a_cotangent_of_a_second_result_is_not_lost() -> None:
    b = Builder()
    x = b.argument("x", VECTOR)
    second = b.reduce((x, x), (0, 0), (0,), b.adds)[1]
    function = b.finish("main", [second])
    den = new_denotation()
    known = {id(x): den.argument("x", x.shape)}
    for operation in function.body.operations:
        results = den.operation(operation, [known[id(v)] for v in operation.operands])
        known |= {id(v): t for v, t in zip(operation.results, results, strict=True)}
    sweep = Sweep(den, known, {}, lambda _, g: g)
    with pytest.raises(Undenotable, match="several results"):
        sweep.cotangents(function.body.operations, {id(second): den.splat(1, ())}, {id(x)})


def test_two_values_cannot_share_a_name() -> None:
    den = new_denotation()
    den.argument("x", (3,))
    with pytest.raises(ValueError, match="extents"):
        den.argument("x", (4,))


@pytest.mark.interpreter
@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(programs(STEPS, longest=10))
def test_values_proved_equal_are_equal(function: Function) -> None:
    den = new_denotation()
    body = function.body
    known = {id(v): den.argument(v.name, v.shape) for v in body.arguments}
    for operation in body.operations:
        if all(id(v) in known for v in operation.operands):
            try:
                results = den.operation(operation, [known[id(v)] for v in operation.operands])
            except (Undenotable, TooLarge):
                continue
            known |= {id(v): t for v, t in zip(operation.results, results, strict=True)}
    generator = np.random.default_rng(2)
    arguments = [generator.normal(size=v.shape) for v in body.arguments]
    arrays = evaluate(Module("m", (function,)), arguments)
    pairs = [(v, x) for v, x in zip(body.results, arrays, strict=True) if id(v) in known]
    for (v, x), (w, y) in combinations(pairs, 2):
        if x.shape == y.shape and _proved(den, known[id(v)], known[id(w)]):
            both_finite = np.isfinite(x) & np.isfinite(y)
            np.testing.assert_allclose(x[both_finite], y[both_finite], 1e-6, 1e-6)


def _proved(den: Denotation, a: Tensor, b: Tensor) -> bool:
    try:
        a, b = den.pointwise.align(a, b)
    except Undenotable:
        return False
    return equal(den.algebra, a, b)
