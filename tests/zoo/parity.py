"""How far a net of the zoo is from its reference: evaluation, gradients, statistics, one step.

Both sides have the same random weights and compute in float64. The step is AdamW's on smoothed
labels, at a rate of 1, so that the update is not lost in the parameter. Its epsilon is large: the
step multiplies differences of small gradients by up to its inverse, and some gradients, as of a
bias before a batch norm, are nothing but differences.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from safetensors.numpy import save

from gradwright import programs, run, zoo
from gradwright.hlo import ElementType
from gradwright.layers import TEXTBOOK
from gradwright.losses import SoftmaxCrossEntropy
from gradwright.optim import AdamW
from gradwright.programs import Program
from gradwright.spec import NetSpec, Slot
from gradwright.zoo.naming import Naming
from gradwright.zoo.weights import transposed
from zoo import reference
from zoo.reference import Arrays, Build, Model, Recipe, timm, vision

CLASSES, BATCH = 7, 2
RULE = AdamW(epsilon=0.1, weight_decay=0.01)
RECIPE = Recipe(1.0, RULE.epsilon, RULE.weight_decay, 0.1)
SMALLEST = 1e-3
"""Differences are shares of the largest element, or of this where all elements are smaller."""
MAGNIFIED = 100
"""What a step is allowed more: it divides by a root plus the epsilon, so that the differences of
gradients that are far below the largest count ten times and more."""
QUICKLY = run.Options(xla_flags=(("xla_backend_optimization_level", "0"),))


@dataclass(frozen=True, slots=True)
class Case:
    """A net of the zoo, a size of pictures, and the reference: a library's model."""

    name: str
    size: int
    build: Build
    model: str

    @property
    def tolerance(self) -> float:
        """Both sides compute in float64; a step of float32 would show as 1e-7.

        Of MobileNetV3: PyTorch's hardsigmoid multiplies by a sixth rounded to float32.
        """
        return 1e-6 if self.name == "mobilenetv3-large" else 1e-9

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
    Case("vgg13", 224, vision, "vgg13"),
    Case("vgg16", 224, vision, "vgg16"),
    Case("vgg16-bn", 224, vision, "vgg16_bn"),
    Case("vgg19", 224, vision, "vgg19"),
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
    Case("convnext-s", 64, vision, "convnext_small"),
    Case("convnext-b", 64, vision, "convnext_base"),
    Case("squeezenet1.0", 64, vision, "squeezenet1_0"),
    Case("squeezenet1.1", 64, vision, "squeezenet1_1"),
    Case("densenet121", 64, vision, "densenet121"),
    Case("densenet169", 64, vision, "densenet169"),
    Case("densenet201", 64, vision, "densenet201"),
    Case("shufflenetv2-0.5", 64, vision, "shufflenet_v2_x0_5"),
    Case("shufflenetv2-1.0", 64, vision, "shufflenet_v2_x1_0"),
    Case("shufflenetv2-1.5", 64, vision, "shufflenet_v2_x1_5"),
    Case("shufflenetv2-2.0", 64, vision, "shufflenet_v2_x2_0"),
    Case("googlenet", 64, vision, "googlenet"),
]


@dataclass(frozen=True, slots=True)
class Parity:
    """Largest differences, each of the largest element of its array."""

    logits: float
    gradients: float
    statistics: float
    step: float

    def is_within(self, tolerance: float) -> bool:
        """Whether no difference is above a tolerance, or that of the step above its own."""
        others = max(self.logits, self.gradients, self.statistics)
        return others < tolerance and self.step < MAGNIFIED * tolerance


def model_of(case: Case) -> Model:
    """Return the reference with random weights."""
    options = GOOGLENET if case.model == "googlenet" else {}
    return reference.randomised(case.build(case.model, num_classes=CLASSES, **options), 0)


def measured(case: Case, folder: Path) -> Parity:
    """Run both; `folder` takes the weights and the compiled programs."""
    size, net = case.size, zoo.get(case.name, classes=CLASSES, size=case.size)
    model = model_of(case)
    (folder / "weights").write_bytes(save(reference.state(model)))
    arrays = zoo.load(net, folder / "weights")
    random = np.random.default_rng(1)
    x = random.standard_normal((BATCH, 3, size, size))
    y = random.integers(0, CLASSES, BATCH)

    evaluation = programs.eval(net, batch=BATCH, element=ElementType.F64, formulation=TEXTBOOK)
    logits = apart(
        _run(evaluation, {**arrays, "x": x}, folder)["output"], reference.evaluated(model, x)
    )
    step = programs.train_step(
        net,
        batch=BATCH,
        loss=SoftmaxCrossEntropy(label_smoothing=RECIPE.smoothing),
        optimizer=RULE,
        element=ElementType.F64,
        formulation=TEXTBOOK,
    )
    state = {**programs.initial_state(step), **arrays}
    fed = {"x": x, "y": y, "lr": np.array(RECIPE.rate), "t": np.array(1)}
    after = _run(step, {**state, **fed}, folder)
    naming = naming_of(net, model)
    spared = {naming.theirs(s.name) for s in net.parameters if s.decay.value == "exempt"}
    gradients, moved = reference.stepped(model, x, y, RECIPE, spared)
    theirs = _Theirs(net, naming)
    before = {slot.name: np.asarray(arrays[slot.name], np.float64) for slot in net.slots}
    return Parity(
        logits,
        max(
            apart(after[f"{s.name}.m"] / (1 - RULE.beta1), theirs(s, gradients))
            for s in net.parameters
        ),
        max((apart(after[s.name], theirs(s, moved)) for s in net.statistics), default=0.0),
        max(
            apart(after[s.name] - before[s.name], theirs(s, moved) - before[s.name])
            for s in net.parameters
        ),
    )


@dataclass(frozen=True, slots=True)
class _Theirs:
    """The reference's arrays under our names and in our form."""

    net: NetSpec
    naming: Naming

    def __call__(self, slot: Slot, arrays: Mapping[str, np.ndarray]) -> np.ndarray:
        found = arrays[self.naming.theirs(slot.name)]
        if slot.name in transposed(self.net):
            found = found.reshape(found.shape[:2]).T
        return found.reshape(slot.shape)


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


def apart(found: np.ndarray, expected: np.ndarray) -> float:
    """Return the largest difference as a share of the largest element."""
    assert found.shape == expected.shape
    return float(np.max(np.abs(found - expected)) / max(SMALLEST, np.max(np.abs(expected))))


def _run(program: Program, arrays: Mapping[str, np.ndarray], folder: Path) -> Arrays:
    cache = run.Cache(folder / "compiled")
    executable = run.compile(program, options=QUICKLY, cache=cache)
    return executable(**{p.name: np.asarray(arrays[p.name], p.dtype) for p in program.inputs})
