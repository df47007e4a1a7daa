"""Texts that JAX lowers, in each form it can print, come back and print again."""

# JAX annotates its own functions in part only, and traces lambdas.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false
# pyright: reportUnknownParameterType=false

from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import pytest

from gradwright.errors import ParseError
from gradwright.hlo import Module, print_module, read_module, same_module, verify
from gradwright.hlo.attributes import Opaque

pytestmark = pytest.mark.jax

Traced: TypeAlias = Any
"""What JAX passes to a function that it traces, and makes of it."""

Lowered = tuple[Callable[..., Traced], tuple[np.ndarray, ...]]


def ones(*shape: int, dtype: type = np.float32) -> np.ndarray:
    """Return an array to lower a function at."""
    return np.ones(shape, dtype)


def cases() -> dict[str, Lowered]:
    """Return functions and the arguments to lower them at."""
    import jax
    import jax.numpy as jnp
    from jax import lax

    def gradient(function: Callable[..., Traced], *wrt: int) -> Callable[..., Traced]:
        return jax.grad(lambda *a: jnp.sum(function(*a) ** 2), argnums=wrt or 0)

    conv = partial(
        lax.conv_general_dilated,
        window_strides=(2, 1),
        padding="SAME",
        rhs_dilation=(1, 2),
        feature_group_count=2,
        precision="highest",
    )

    def pool(x: Traced) -> Traced:
        return lax.reduce_window(x, -jnp.inf, lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")

    def attention(q: Traced, k: Traced) -> Traced:
        return jax.nn.softmax(jnp.einsum("bhid,bhjd->bhij", q, k)) @ k

    def scan(x: Traced) -> Traced:
        return lax.scan(lambda c, y: (jnp.sin(c) * y, c), x[0], x)[0]

    def loop(x: Traced) -> Traced:
        return lax.while_loop(lambda s: s[0] < 5, lambda s: (s[0] + 1, s[1] * x), (0, x))

    def normalize(x: Traced) -> Traced:
        return (x - x.mean(0)) * lax.rsqrt(x.var(0) + 1e-5)

    def small(x: Traced) -> Traced:
        return x.astype(jnp.bfloat16) * 3, x.astype(jnp.float8_e4m3fn)

    def constants(x: Traced) -> Traced:
        return x + np.arange(100, dtype=np.float32), jnp.array([True, False])

    def branch(x: Traced) -> Traced:
        return lax.cond(x.sum() > 0, lambda x: x * 2, lambda x: x - 1, x)

    return {
        "mlp": (gradient(lambda w, x: jnp.tanh(x @ w)), (ones(3, 4), ones(5, 3))),
        "convolution": (
            gradient(lambda w, x: conv(x, w), 0, 1),
            (ones(6, 2, 3, 3), ones(2, 4, 9, 8)),
        ),
        "pool": (gradient(pool), (ones(1, 2, 4, 4),)),
        "scan": (gradient(scan), (ones(5, 3),)),
        "while": (loop, (ones(3),)),
        "attention": (gradient(attention, 0, 1), (ones(2, 2, 3, 4), ones(2, 2, 5, 4))),
        "gather": (gradient(lambda x, i: x[i]), (ones(5, 3), ones(2, dtype=np.int32))),
        "set": (lambda x: x.at[jnp.array([1, 1])].set(2.0), (ones(5, 3),)),
        "batch norm": (
            gradient(normalize),
            (ones(5, 3),),
        ),
        "erf": (gradient(lambda x: jax.nn.gelu(x, approximate=False)), (ones(5),)),
        "small floats": (
            small,
            (ones(5),),
        ),
        "constants": (
            constants,
            (ones(100),),
        ),
        "sort": (lambda x: (jnp.sort(x), jnp.argmax(x)), (ones(5),)),
        "random": (lambda x: x * jax.random.normal(jax.random.key(0), (3,)), (ones(3),)),
        "random bits": (lambda: jax.random.bits(jax.random.key(0, impl="rbg"), (3,)), ()),
        "branch": (
            branch,
            (ones(3),),
        ),
        "cholesky": (jnp.linalg.cholesky, (ones(3, 3),)),
    }


NAMES = """attention|batch norm|branch|cholesky|constants|convolution|erf|gather|mlp|pool|random|
random bits|scan|set|small floats|sort|while""".replace("\n", "").split("|")
OPAQUE = {
    "branch": {"stablehlo.case"},
    "cholesky": {"stablehlo.custom_call"},
    "random bits": {"stablehlo.rng_bit_generator"},
    "sort": {"stablehlo.sort"},
}


def lower(name: str) -> Traced:
    """Return a lowered case."""
    import jax

    function, arguments = cases()[name]
    return jax.jit(function).lower(*arguments)


def opaque(module: Module) -> set[str]:
    """Return the opcodes outside the vocabulary."""
    operations = [operation for f in module.functions for operation in f.body.walk()]
    return {o.opcode for o in operations if isinstance(o.attributes, Opaque)}


def test_every_case_is_named() -> None:
    assert sorted(cases()) == NAMES


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("form", ["plain", "locations", "generic"])
def test_a_lowered_text_comes_back(name: str, form: str) -> None:
    lowered = lower(name)
    text = {
        "plain": lambda: lowered.as_text(),
        "locations": lambda: lowered.as_text(debug_info=True),
        "generic": lambda: lowered.compiler_ir().operation.get_asm(print_generic_op_form=True),
    }[form]()
    module = read_module(text)
    assert opaque(module) == OPAQUE.get(name, set())
    printed = print_module(module)
    verify(printed)
    assert same_module(read_module(printed), module)
    assert print_module(read_module(printed)) == printed


def test_donated_arguments_are_aliases() -> None:
    import jax

    text = jax.jit(lambda x, y: (y, x + y), donate_argnums=(1,)).lower(ones(2), ones(2)).as_text()
    assert read_module(text).main.aliases == ((1, 0),)


def test_complex_numbers_are_refused() -> None:
    import jax
    import jax.numpy as jnp

    text = jax.jit(lambda x: jnp.abs(jnp.fft.rfft(x))).lower(ones(8)).as_text()
    with pytest.raises(ParseError, match="type tensor<5xcomplex<f32>> is not supported"):
        read_module(text)


def test_sharding_constraints_are_dropped() -> None:
    text = """\
module @m {
  sdy.mesh @mesh = <["a"=2]>
  func.func @main(
    %x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}
  ) -> tensor<4xf32> {
    %y = sdy.sharding_constraint %x <@mesh, [{"a"}]> : tensor<4xf32>
    return %y : tensor<4xf32>
  }
}
"""
    main = read_module(text).main
    assert main.body.operations == ()
    assert main.body.results == main.body.arguments
