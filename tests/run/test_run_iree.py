"""What only concerns IREE."""

import importlib.util
import re
import subprocess
import sys

import numpy as np
import pytest

from gradwright import programs, run
from gradwright.errors import LowererError, UnsupportedError
from gradwright.layers import Conv2d, MaxPool, Padding, convolution_forms
from gradwright.layers.precision import BF16
from gradwright.run import Backend, IreeDriver, iree
from gradwright.run.module_text import without_aliases
from gradwright.spec import Image, NetSpec
from gradwright.spec.padding import Windows
from run.texts import ACCUMULATE, BACKENDS, OVERWRITTEN, SELECT_AND_SCATTER

W = np.arange(10, dtype=np.float32).reshape(5, 2) - 4
H = np.arange(15, dtype=np.float32).reshape(3, 5) % 4
DH_BEFORE = (H @ W) @ W.T
DH_AFTER = (H @ W) @ (W - H.T @ (H @ W)).T


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_gradient_reads_the_weight_from_before_the_update(backend: Backend) -> None:
    """The cause of the second loss that differed on IREE (8.3449 against 8.3238 for an MLP)."""
    result = run.compile(OVERWRITTEN, backend=backend)(arg0=W, arg1=H)
    assert result["out1"].tolist() == DH_BEFORE.tolist()
    assert result["arg0"].tolist() == (W - H.T @ (H @ W)).tolist()


@pytest.mark.iree
def test_iree_still_overwrites_aliased_arguments_too_early(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """When this fails, IREE is mended and `without_aliases` can go."""

    def as_it_is(text: str) -> str:
        return text

    monkeypatch.setattr(iree, "without_aliases", as_it_is)
    exe = run.compile(OVERWRITTEN, backend="iree", cache=run.NO_CACHE)
    assert exe(arg0=W, arg1=H)["out1"].tolist() == DH_AFTER.tolist()


def test_aliases_are_taken_out_and_nothing_else() -> None:
    text = ACCUMULATE.replace(
        "tf.aliasing_output = 0 : i32", 'tf.aliasing_output = 0 : i32, note.kept = "yes"'
    )
    bare = without_aliases(text)
    assert "aliasing" not in bare
    assert 'note.kept = "yes"' in bare
    assert without_aliases(bare) == bare
    assert len(re.findall("stablehlo", bare)) == len(re.findall("stablehlo", ACCUMULATE))


@pytest.mark.iree
def test_select_and_scatter_is_refused() -> None:
    with pytest.raises(UnsupportedError) as caught:
        run.compile(SELECT_AND_SCATTER, backend="iree")
    assert str(caught.value) == (
        "program pool_backward on IREE, line 5: expected the mask form of max-pool's backward, "
        "found stablehlo.select_and_scatter, which IREE gets wrong or cannot lower. Emit the "
        "program with the mask form, or use backend xla"
    )


@pytest.mark.iree
@pytest.mark.parametrize("driver", IreeDriver)
def test_both_drivers(driver: IreeDriver) -> None:
    options = run.Options(iree_driver=driver)
    session = run.compile(ACCUMULATE, backend="iree", options=options).session(
        {"arg0": np.zeros(3, np.float32)}
    )
    sums = [float(session.step(arg1=np.ones(3, np.float32))["out1"]) for _ in range(4)]
    assert sums == [3, 6, 9, 12]


@pytest.mark.iree
def test_f64_is_computed_in_f64() -> None:
    """The default of iree-compile demotes it."""
    text = """func.func @main(%x: tensor<f64>) -> tensor<f64> {
      %y = stablehlo.add %x, %x : tensor<f64>
      return %y : tensor<f64>
    }"""
    x = 1 + 2.0**-50
    assert run.compile(text, backend="iree")(arg0=x)["out0"] == 2 * x


def test_without_iree_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    def find_nothing(name: str) -> None:
        return None

    monkeypatch.setattr(importlib.util, "find_spec", find_nothing)
    with pytest.raises(UnsupportedError) as caught:
        run.compile(ACCUMULATE, backend="iree")
    assert str(caught.value) == (
        "backend iree: expected IREE's compiler and runtime, found no module iree.compiler or "
        'iree.runtime. Install the extra; in the checkout: pip install ".[iree]"'
    )


ONE_WINDOW = NetSpec("one-window", Image(4, 2, 2), [Conv2d(8, 3, 2, padding=Padding.SYMMETRIC)])
"""Padded to 4 x 4, of which the window reads 3 x 3: the last stage of a ResNet at 32 pixels."""


@pytest.mark.xla
@pytest.mark.iree
def test_a_strided_convolution_with_one_window_runs() -> None:
    step = programs.vjp(ONE_WINDOW, batch=2)
    random = np.random.default_rng(0)
    given = {port.name: random.standard_normal(port.shape).astype("f4") for port in step.inputs}
    iree, xla = (run.compile(step, backend=backend)(**given) for backend in ("iree", "xla"))
    assert all(np.allclose(iree[name], xla[name], rtol=1e-5, atol=1e-5) for name in xla)


@pytest.mark.iree
def test_iree_still_refuses_a_window_that_leaves_padding_unread(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """When this fails, IREE is mended and the padding can stay as it is declared."""

    def as_it_is(windows: Windows) -> object:
        return windows.padding

    monkeypatch.setattr(convolution_forms, "_read_padding", as_it_is)
    with pytest.raises(LowererError, match=r"linalg\.generic"):
        run.compile(programs.forward(ONE_WINDOW, batch=2), backend="iree", cache=run.NO_CACHE)


ROUNDED_AND_POOLED = NetSpec(
    "rounded-and-pooled", Image(16, 32, 32), [Conv2d(16, 3, padding=Padding.SYMMETRIC), MaxPool(2)]
)
"""IREE fuses winners with the convolution, in a kernel with 262,144 bytes on the stack."""


@pytest.mark.xla
@pytest.mark.iree
def test_kernels_have_the_stack_that_rounded_convolutions_need() -> None:
    """With the workers' default stack this ends the process."""
    step = programs.vjp(ROUNDED_AND_POOLED, batch=2, precision=BF16)
    random = np.random.default_rng(0)
    given = {port.name: random.standard_normal(port.shape).astype("f4") for port in step.inputs}
    iree, xla = (run.compile(step, backend=backend)(**given) for backend in ("iree", "xla"))
    assert np.allclose(iree["d.conv1.bias"], xla["d.conv1.bias"], atol=1e-3)
    ours, theirs = (found["d.conv1.weight"].ravel().astype(float) for found in (iree, xla))
    cosine = np.vdot(ours, theirs) / np.linalg.norm(ours) / np.linalg.norm(theirs)
    assert cosine > 0.99


@pytest.mark.slow
@pytest.mark.iree
def test_iree_still_refuses_them_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    """When this fails, the flag can go."""
    flags = tuple(flag for flag in iree.PINNED_FLAGS if "stack-allocation" not in flag)
    monkeypatch.setattr(iree, "PINNED_FLAGS", flags)
    step = programs.vjp(ROUNDED_AND_POOLED, batch=2, precision=BF16)
    with pytest.raises(LowererError, match="exceeded stack allocation limit"):
        run.compile(step, backend="iree", cache=run.NO_CACHE)


ENDING = """
import gradwright as gw
from gradwright.run import iree
net = gw.zoo.get("digits-mlp")
program = gw.programs.forward(net, batch=2)
session = gw.run.compile(program, backend="iree").session(gw.programs.initial_state(program))
iree.settle()
"""


@pytest.mark.iree
def test_a_process_that_holds_a_session_ends_in_peace() -> None:
    """Without `settle` every fifth process of a larger net aborted."""
    ended = subprocess.run([sys.executable, "-c", ENDING], capture_output=True, check=False)
    assert ended.returncode == 0, ended.stderr.decode()
