"""Published nets beside their reference implementations, on shared random weights, in float64."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save

from gradwright import programs, run, zoo
from gradwright.hlo import ElementType
from gradwright.programs import Program
from gradwright.spec import NetSpec
from gradwright.zoo.naming import Naming
from gradwright.zoo.weights import transposed
from zoo import reference
from zoo.reference import Build, Model, timm, vision

pytestmark = [pytest.mark.torch, pytest.mark.xla]

CLASSES, BATCH = 7, 2
TOLERANCE = 1e-9
"""Of the largest element. Both sides compute in float64; a step of float32 would show as 1e-7."""


@dataclass(frozen=True, slots=True)
class Case:
    """A net of the zoo, a size of pictures, and the reference: a library's model."""

    name: str
    size: int
    build: Build
    model: str

    @property
    def tolerance(self) -> float:
        """Of gradients: PyTorch's hardsigmoid multiplies by a sixth rounded to float32."""
        return 1e-6 if self.name == "mobilenetv3-large" else TOLERANCE

    def __str__(self) -> str:
        return f"{self.name}-{self.build.__name__}-{self.model}"


GOOGLENET = {"aux_logits": False, "init_weights": False, "transform_input": False}
"""Without the auxiliary heads, which the zoo leaves out."""
QUICK = [Case("resnet18", 40, vision, "resnet18")]
THOROUGH = [
    Case("resnet18", 40, timm, "resnet18"),
    Case("resnet34", 64, vision, "resnet34"),
    Case("resnet50", 64, vision, "resnet50"),
    Case("resnet50", 64, timm, "resnet50"),
    Case("resnet101", 64, vision, "resnet101"),
    Case("resnet152", 64, vision, "resnet152"),
    Case("vgg11", 224, vision, "vgg11"),
    Case("vgg16", 224, vision, "vgg16"),
    Case("vgg16-bn", 224, vision, "vgg16_bn"),
    Case("mobilenetv2", 64, vision, "mobilenet_v2"),
    Case("mobilenetv2", 64, timm, "mobilenetv2_100"),
    Case("mobilenetv3-large", 64, vision, "mobilenet_v3_large"),
    Case("mobilenetv4-conv-m", 64, timm, "mobilenetv4_conv_medium"),
    Case("efficientnet-b0", 64, vision, "efficientnet_b0"),
    Case("efficientnet-b0", 64, timm, "efficientnet_b0"),
    Case("tf-efficientnet-b0", 64, timm, "tf_efficientnet_b0"),
    Case("efficientnetv2-s", 64, vision, "efficientnet_v2_s"),
    Case("convnext-t", 64, vision, "convnext_tiny"),
    Case("convnext-t", 64, timm, "convnext_tiny"),
    Case("squeezenet1.0", 64, vision, "squeezenet1_0"),
    Case("squeezenet1.1", 64, vision, "squeezenet1_1"),
    Case("densenet121", 64, vision, "densenet121"),
    Case("shufflenetv2-1.0", 64, vision, "shufflenet_v2_x1_0"),
    Case("googlenet", 64, vision, "googlenet"),
]
CASES = [*QUICK, *(pytest.param(case, marks=pytest.mark.slow) for case in THOROUGH)]


def compiled(program: Program, arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    executable = run.compile(program, cache=run.NO_CACHE)
    return executable(**{p.name: np.asarray(arrays[p.name], p.dtype) for p in program.inputs})


def close(found: np.ndarray, expected: np.ndarray, name: str, tolerance: float = TOLERANCE) -> None:
    assert found.shape == expected.shape, name
    error = np.max(np.abs(found - expected)) / max(1e-3, np.max(np.abs(expected)))
    assert error < tolerance, f"{name}: off by {error:.3g} of the largest element"


def naming_of(net: NetSpec, model: Model) -> Naming:
    """Return the naming whose names are the model's."""
    theirs = {name for name, _ in model.named_parameters()}
    fitting = [
        naming
        for naming in zoo.PUBLISHED[net.name].namings
        if {naming.theirs(slot.name) for slot in net.parameters} == theirs
    ]
    assert fitting, f"no naming of {net.name} fits {type(model).__module__}"
    return fitting[0]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_net_is_its_references(case: Case, tmp_path: Path) -> None:
    size, net = case.size, zoo.get(case.name, classes=CLASSES, size=case.size)
    options = GOOGLENET if case.model == "googlenet" else {}
    model = reference.randomised(case.build(case.model, num_classes=CLASSES, **options), 0)
    (tmp_path / "weights").write_bytes(save(reference.state(model)))
    arrays = zoo.load(net, tmp_path / "weights")

    random = np.random.default_rng(1)
    x, dy = random.standard_normal((BATCH, 3, size, size)), random.standard_normal((BATCH, CLASSES))
    evaluation = programs.eval(net, batch=BATCH, element=ElementType.F64)
    found = compiled(evaluation, {**arrays, "x": x})["output"]
    close(found, reference.evaluated(model, x), "logits in evaluation")

    gradients = reference.differentiated(model, x, dy)
    pullback = programs.vjp(net, batch=BATCH, element=ElementType.F64)
    found_gradients = compiled(pullback, {**arrays, "x": x, "dy": dy})
    naming, turned = naming_of(net, model), transposed(net)
    for slot in net.parameters:
        gradient = found_gradients[f"d.{slot.name}"]
        gradient = gradient.T if slot.name in turned else gradient
        theirs = gradients[naming.theirs(slot.name)]
        close(gradient, theirs.reshape(gradient.shape), slot.name, case.tolerance)
