"""Named artifacts have the names, orders, counts, constants and roundings that are published."""

import re
from collections import Counter

import pytest

import gradwright as gw
from gradwright import zoo
from gradwright.certify import Search
from gradwright.errors import SpecError
from gradwright.hlo import Module, Role, read_module
from gradwright.hlo import attributes as attr
from gradwright.programs import Program

PUBLISHED = {
    "linear": (4, 2, 7_850),
    "mlp": (9, 7, 669_706),
    "cnn": (13, 11, 3_489_130),
    "cifar": (16, 14, 2_431_018),
    "cifar_bn": (24, 22, 2_431_402),
    "cifar8": (24, 22, 52_858),
    "cifar8w": (24, 22, 373_626),
    "cifar8_bn": (40, 38, 53_242),
    "cifar8w_bn": (40, 38, 374_010),
    **{f"cifar8_{rule}": (71, 69, 52_858) for rule in ("adam", "mom", "sgd")},
    **{f"cifar8w_{rule}": (71, 69, 373_626) for rule in ("adam", "mom", "sgd")},
    **{f"cifar8_bn_{rule}": (119, 117, 53_242) for rule in ("adam", "mom", "sgd")},
    **{f"cifar8w_bn_{rule}": (119, 117, 374_010) for rule in ("adam", "mom", "sgd")},
    **{
        f"cifar8b_{precision}{rule}": (71, 69, 52_858)
        for precision in ("", "bf16_", "fp8_", "fp8bf16_")
        for rule in ("adam", "mom", "sgd")
    },
    **{
        f"cifar8wb_{precision}{rule}": (71, 69, 373_626)
        for precision in ("", "bf16", "fp8", "fp8bf16")
        for rule in ("adam", "mom", "sgd")
    },
    **{
        f"cifar8b_bn_{precision}{rule}": (119, 117, 53_242)
        for precision in ("", "bf16_")
        for rule in ("adam", "mom", "sgd")
    },
    **{
        f"cifar8wb_bn_{precision}{rule}": (119, 117, 374_010)
        for precision in ("", "bf16")
        for rule in ("adam", "mom", "sgd")
    },
    "linear_fwd": (3, 1, 7_850),
    "mlp_fwd": (7, 1, 669_706),
    "cnn_fwd": (11, 1, 3_489_130),
    "cifar_fwd": (15, 1, 2_431_018),
    "cifar_bn_fwd": (23, 1, 2_431_402),
    **{f"cifar8{slug}_fwd": (23, 1, 52_858) for slug in ("", "b")},
    **{f"cifar8{slug}_fwd": (23, 1, 373_626) for slug in ("w", "wb")},
    **{f"cifar8{slug}_bn_fwd": (39, 1, 53_242) for slug in ("", "b")},
    **{f"cifar8{slug}_bn_fwd": (39, 1, 374_010) for slug in ("w", "wb")},
}
"""Arguments, results and parameters of each, as the lean4-mlir project has them."""

CNN = ["W1", "b1", "W2", "b2", "W3", "b3", "W4", "b4", "W5", "b5"]
DENSE = ["W9", "b9", "Wa", "ba", "Wb", "bb"]
PACKED = [name for i in range(1, 9) for name in (f"W{i}", f"cb{i}")] + DENSE
FUSED_BN = [f"{letter}{i}" for i in range(1, 9) for letter in ("W", "b", "g", "bt")] + DENSE
PACKED_BN = [f"{letter}{i}" for i in range(1, 9) for letter in ("W", "cb", "g", "bt")] + DENSE
SCALAR = re.compile(r"%(\w+) = stablehlo.constant dense<([^>]+)> : tensor<f32>")


def small(name: str) -> Program:
    return zoo.artifact(name, batch=1)


def taken(name: str) -> list[str]:
    return [port.name for port in small(name).inputs]


def returned(name: str) -> list[str]:
    return [port.name for port in small(name).outputs]


def scalars(name: str) -> dict[str, str]:
    return dict(SCALAR.findall(zoo.artifact(name).text))


def test_every_artifact_has_its_counts() -> None:
    assert PUBLISHED.keys() == set(zoo.artifact_names())


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_text_has_the_published_entry_and_counts(name: str) -> None:
    """What the official parser reads, not what the program says of itself."""
    program = small(name)
    module = read_module(program.text)
    [function] = module.functions
    assert function.name == (name if name.endswith("_fwd") else f"{name}_train_step")
    counts = len(function.body.arguments), len(function.body.results)
    assert (*counts, program.net.parameter_count) == PUBLISHED[name]
    assert [value.name for value in function.body.arguments] == [p.name for p in program.inputs]


def test_fused_steps_take_x_parameters_and_labels() -> None:
    assert taken("cnn") == ["x", *CNN, "lslot", "onehot"]
    assert returned("cnn") == [*CNN, "loss"]
    assert taken("cifar8_bn") == ["x", *FUSED_BN, "onehot"]
    assert returned("cifar8_bn") == FUSED_BN
    assert taken("mlp") == ["x", "W0", "b0", "W1", "b1", "W2", "b2", "lslot", "onehot"]


@pytest.mark.parametrize("rule", ["adam", "mom", "sgd"])
@pytest.mark.parametrize(
    ("slug", "parameters"),
    [("cifar8", PACKED), ("cifar8b_bf16", PACKED), ("cifar8_bn", PACKED_BN)],
)
def test_packed_steps_have_one_signature(slug: str, parameters: list[str], rule: str) -> None:
    state = [f"{name}{moment}" for moment in ("", "m", "v") for name in parameters]
    assert taken(f"{slug}_{rule}") == ["x", *state, "lr", "bc1", "bc2", "onehot"]
    assert returned(f"{slug}_{rule}") == [*state, "loss", "bc1", "bc2"]


def test_shapes_are_the_published_ones() -> None:
    cnn = {port.name: port.shape for port in zoo.artifact("cnn").inputs}
    assert (cnn["x"], cnn["onehot"], cnn["lslot"]) == ((128, 784), (128, 10), ())
    assert (cnn["W2"], cnn["W3"], cnn["W5"]) == ((32, 32, 3, 3), (6272, 512), (512, 10))
    wide = {port.name: port.shape for port in zoo.artifact("cifar8w_adam").inputs}
    assert (wide["x"], wide["W1"], wide["W5"]) == ((128, 3072), (16, 3, 3, 3), (32, 16, 3, 3))
    assert (wide["W9"], wide["Wa"], wide["Wbv"]) == ((128, 512), (512, 512), (512, 10))


def test_baked_numbers() -> None:
    """The rate of a fused step is 0.1 / 128; only momentum has mu, only Adam the rest."""
    for name in ("linear", "mlp", "cnn", "cifar", "cifar_bn", "cifar8", "cifar8w", "cifar8_bn"):
        assert scalars(name)["rate"] == "0.00078125"
    adam = {"b1": "0.9", "ob1": "0.1", "b2": "0.999", "ob2": "0.001", "eps": "1.0e-8"}
    found = scalars("cifar8_adam")
    assert [n for n in found if n in (*adam, "wd", "mu")] == [*adam, "wd"]
    assert {n: found[n] for n in adam} == adam
    assert found["wd"] == "0.0001"
    assert scalars("cifar8_mom")["mu"] == "0.9"
    assert not {*adam, "wd", "mu"} & scalars("cifar8_sgd").keys()
    assert not {*adam, "wd"} & scalars("cifar8_mom").keys()


def test_optimizers_differ_in_their_tails_only() -> None:
    """The lines before the updates are one text, but for its header and the baked numbers."""

    def body(name: str) -> list[str]:
        lines = zoo.artifact(name, batch=1).text.split("// update:")[0].splitlines()
        named = [line for line in lines if line.startswith("    ") and "tensor<f32>" not in line]
        return [line for line in named if "%x:" not in line]

    assert body("cifar8_bn_adam") == body("cifar8_bn_mom") == body("cifar8_bn_sgd")


def test_moments_that_a_rule_lacks_come_back_as_they_went_in() -> None:
    for name, kept in (("cifar8_sgd", "mv"), ("cifar8_mom", "m"), ("cifar8_adam", "")):
        [function] = read_module(small(name).text).functions
        passed = {v.name for v in function.body.results} & {v.name for v in function.body.arguments}
        moments = [f"{parameter}{moment}" for parameter in PACKED for moment in kept]
        assert passed == {*moments, "bc1", "bc2"}


def products(module: Module, opcode: str) -> Counter[str]:
    """Return how many products have a result of each element type."""
    found = [op for op in module.main.body.walk() if op.opcode == f"stablehlo.{opcode}"]
    assert all(v.type.element is op.results[0].type.element for op in found for v in op.operands)
    return Counter(op.results[0].type.element.value for op in found)


ROUNDINGS = {
    "cifar8b_adam": {"f32": 23},
    "cifar8b_bf16_adam": {"bf16": 23},
    "cifar8b_fp8_adam": {"f8E4M3FN": 15, "f32": 8},
    "cifar8b_fp8bf16_adam": {"f8E4M3FN": 15, "bf16": 8},
    "cifar8wb_bf16mom": {"bf16": 23},
    "cifar8b_bn_bf16_sgd": {"bf16": 23},
    "cnn": {"f32": 5},
    "cifar": {"f32": 11},
}


@pytest.mark.parametrize("name", ROUNDINGS)
def test_each_mode_rounds_what_it_says_and_nothing_else(name: str) -> None:
    """8 + 7 + 8 convolutions; everything else, dense layers too, is in f32."""
    module = read_module(small(name).text)
    assert products(module, "convolution") == ROUNDINGS[name]
    assert products(module, "dot_general") == {"f32": 9}
    narrow = Counter(
        op.opcode
        for op in module.main.body.walk()
        if op.results[0].type.element.value in ("bf16", "f8E4M3FN")
    )
    moved = {"convert", "convolution", "reshape", "transpose", "reverse"}
    assert set(narrow) <= {f"stablehlo.{name}" for name in moved}


def test_statistics_are_of_each_example() -> None:
    """Only the gradients of convolutions' biases sum over examples and positions at once."""
    module = read_module(small("cifar8_bn_adam").text)
    reductions = Counter(
        op.attributes.dimensions
        for op in module.main.body.walk()
        if op.opcode == "stablehlo.reduce"
        and isinstance(op.attributes, attr.Dimensions)
        and op.operands[0].type.rank == 4
    )
    assert set(reductions) == {(2, 3), (0, 2, 3)}
    assert reductions[(0, 2, 3)] == 8
    roles = {port.role for port in small("cifar8_bn_adam").inputs}
    assert Role.STATISTIC not in roles


SAMPLE = ["mlp", "cnn", "cifar8b_fp8bf16_mom", "cifar8wb_bn_bf16adam", "cifar8_bn_fwd"]


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[] if n in SAMPLE else pytest.mark.slow) for n in PUBLISHED]
)
def test_every_result_is_proved(name: str) -> None:
    program = zoo.artifact(name)
    report = gw.certify(program, search=Search(seconds=0))
    assert [claim.name for claim in report.claims if claim.verdict != "proved"] == []
    assert len({claim.name for claim in report.claims}) == len(report.claims)
    results = {f"update of {port.name}" for port in program.outputs if port.role.is_state}
    results |= {f"{port.name}' as declared" for port in program.outputs if port.name[:2] == "bc"}
    results |= {f"gradient of {name}" for name in program.updates}
    assert results <= {claim.name for claim in report.claims}
    rounds = any("bf16" in line or "f8E4M3FN" in line for line in report.scope)
    assert rounds == ("bf16" in name or "fp8" in name)


def test_other_names_and_none() -> None:
    assert zoo.artifact("cifar8-bn-adam", batch=1).text == small("cifar8_bn_adam").text
    assert zoo.artifact("cnn_train_step", batch=1).text == small("cnn").text
    assert zoo.artifact("mnist-cnn", batch=1).text == small("cnn").text
    with pytest.raises(SpecError, match=r"`gradwright artifacts` .*Perhaps cifar or cifar8"):
        zoo.artifact("cifar9")
