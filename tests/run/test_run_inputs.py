"""What does not fit a signature is refused in plain words before anything runs."""

from collections.abc import Mapping
from typing import cast

import numpy as np
import pytest

from gradwright import run
from gradwright.errors import GradwrightError, ParseError, ShapeError, SpecError, UnsupportedError
from gradwright.hlo import ElementType, Port, Role, Signature, TensorType
from gradwright.run import Executable
from run.texts import ACCUMULATE, identity

pytestmark = pytest.mark.interpreter

X = np.ones(3, np.float32)


@pytest.fixture
def accumulate() -> Executable:
    return run.compile(ACCUMULATE, backend="interpreter")


@pytest.mark.parametrize(
    ("inputs", "error", "message"),
    [
        (
            {"arg0": X},
            SpecError,
            "program accumulate: expected inputs arg0, arg1, found no arg1",
        ),
        (
            {"arg0": X, "arg1": X, "arg": X},
            SpecError,
            "program accumulate: expected inputs arg0, arg1, found unknown arg. Did you mean arg1?",
        ),
        (
            {"arg0": X, "arg1": X[:2]},
            ShapeError,
            "input arg1 of program accumulate: expected float32 [3], found float32 [2]",
        ),
        (
            {"arg0": X, "arg1": X.astype(np.float64)},
            ShapeError,
            "input arg1 of program accumulate: expected float32 [3], found float64 [3]. "
            "Convert it with .astype('float32')",
        ),
        (
            {"arg0": X, "arg1": X.astype(">f4")},
            ShapeError,
            "input arg1 of program accumulate: expected float32 [3], found byte-swapped float32 "
            "[3]. Convert it with .astype('float32')",
        ),
        (
            {"arg0": X, "arg1": [1.0, 2.0, 3.0]},
            ShapeError,
            "input arg1 of program accumulate: expected float32 [3], found float64 [3]. "
            "Convert it with .astype('float32')",
        ),
        (
            {"arg0": X, "arg1": None},
            ShapeError,
            "input arg1 of program accumulate: expected float32 [3], found object []",
        ),
    ],
)
def test_wrong_inputs(
    accumulate: Executable, inputs: Mapping[str, object], error: type[GradwrightError], message: str
) -> None:
    with pytest.raises(error) as caught:
        accumulate(**inputs)
    assert str(caught.value) == message


def test_a_long_list_of_names_is_cut(accumulate: Executable) -> None:
    with pytest.raises(SpecError) as caught:
        accumulate(**{f"x{i}": X for i in range(12)})
    assert str(caught.value).endswith("found unknown x0, x1, x2, x3, x4, x5, x6, x7, … (12 in all)")


def test_python_numbers_are_taken_for_scalars() -> None:
    exe = run.compile(identity((), ElementType.F32), backend="interpreter")
    assert exe(arg0=0.1)["out0"] == np.float32(0.1)
    counter = run.compile(identity((), ElementType.I32), backend="interpreter")
    assert counter(arg0=7)["out0"] == 7


@pytest.mark.parametrize("value", [0.5, 2**31, -(2**40)])
def test_numbers_that_an_integer_port_cannot_hold(value: float) -> None:
    exe = run.compile(identity((), ElementType.I32), backend="interpreter")
    with pytest.raises(ShapeError) as caught:
        exe(arg0=value)
    assert str(caught.value) == (
        f"input arg0 of program identity: expected a number that int32 holds, found {value!r}"
    )


@pytest.mark.parametrize("program", [None, 3, b"module {}"], ids=repr)
def test_what_is_neither_program_nor_text(program: object) -> None:
    with pytest.raises(SpecError) as caught:
        run.compile(cast("str", program))
    expected = "a program or a StableHLO text"
    assert str(caught.value) == f"compile: expected {expected}, found {program!r}"


def test_an_unknown_backend() -> None:
    with pytest.raises(SpecError) as caught:
        run.compile(ACCUMULATE, backend="tpu")
    assert str(caught.value) == "compile: expected backend xla, iree, interpreter, found 'tpu'"


def test_a_text_that_does_not_parse_is_quoted() -> None:
    text = ACCUMULATE.replace("stablehlo.add %state", "stablehlo.addd %state")
    with pytest.raises(ParseError) as caught:
        run.compile(text, backend="interpreter")
    assert caught.value.where == "4:13"
    assert "%next = stablehlo.addd %state, %x : tensor<3xf32>" in caught.value.found


def test_a_text_of_several_functions_without_main() -> None:
    text = "".join(f"func.func @{name}() {{ return }}\n" for name in ("one", "two"))
    with pytest.raises(ParseError) as caught:
        run.compile(text, backend="interpreter")
    assert str(caught.value) == "module: expected a function @main, found @one, @two"


def test_the_only_function_is_the_entry_point_whatever_its_name() -> None:
    renamed = run.compile(ACCUMULATE.replace("@main", "@other"), backend="interpreter")
    named = run.compile(ACCUMULATE, backend="interpreter")
    assert renamed.signature == named.signature
    assert renamed.manifest.text_sha256 != named.manifest.text_sha256


@pytest.mark.parametrize("kind", ["tensor<?xf32>", "tensor<2xcomplex<f32>>", "!stablehlo.token"])
def test_arguments_that_are_no_static_tensors(kind: str) -> None:
    text = f"func.func @main(%x: {kind}) -> {kind} {{ return %x : {kind} }}"
    with pytest.raises(UnsupportedError) as caught:
        run.compile(text, backend="interpreter")
    assert caught.value.found == kind


class Claim:
    """A program whose signature may differ from its text."""

    name = "claim"
    text = ACCUMULATE

    def __init__(self, *shapes: tuple[int, ...]) -> None:
        ports = tuple(Port(f"x{i}", Role.DATA, TensorType(shape)) for i, shape in enumerate(shapes))
        outputs = (
            Port("y", Role.OUTPUT, TensorType((3,))),
            Port("sum", Role.OUTPUT, TensorType(())),
        )
        self.signature = Signature(ports, outputs)


def test_a_program_must_have_the_signature_it_claims() -> None:
    exe = run.compile(Claim((3,), (3,)), backend="interpreter")
    assert exe(x0=X, x1=X)["sum"] == 6
    for claim, message in (
        (Claim((3,), (4,)), "number 1: expected tensor<4xf32>, found tensor<3xf32>"),
        (Claim((3,)), "number 1: expected no more, found tensor<3xf32>"),
        (Claim((3,), (3,), ()), "number 2: expected tensor<f32>, found no more"),
    ):
        with pytest.raises(ParseError) as caught:
            run.compile(claim, backend="interpreter")
        assert str(caught.value) == f"arguments of @main in program claim, {message}"
