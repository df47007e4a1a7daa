"""A learnt factor per channel."""

from dataclasses import dataclass
from typing import ClassVar

from gradwright.errors import SpecError
from gradwright.hlo import Shape, Value
from gradwright.layers.layer import Layer
from gradwright.layers.walk import Walk
from gradwright.spec import Constant, Decay, Plan, Slot
from gradwright.spec.numbers import is_real


@dataclass(frozen=True, slots=True)
class LayerScale(Layer):
    """Every channel times a parameter of its own, which starts at `initial`.

    Shapes: x, y: [B, C, H, W] or [B, C]; weight: [C]. Math: y = weight x; dx = weight dy;
    dweight = sum of dy x over all but C. Source: Touvron et al. 2021, "Going deeper with Image
    Transformers", eq. 4. Same as timm's LayerScale2d and torchvision's layer_scale.
    """

    kind: ClassVar[str] = "scale"
    initial: float

    def plan(self, path: str, input: Shape) -> Plan:
        """Return shapes and slots."""
        if not is_real(self.initial) or len(input) not in (1, 3):
            expected = "a real initial value and [C, H, W] or [C] as input"
            raise SpecError(where=path, expected=expected, found=f"{self}, shape {list(input)}")
        weight = Slot("weight", (input[0],), Constant(self.initial), Decay.EXEMPT)
        return Plan(path, self, input, input, (weight,))

    def forward(self, walk: Walk, plan: Plan, x: Value) -> Value:
        """Write y and record dx, dweight."""
        b, weight = walk.b, walk.slot(plan, "weight")
        factor = walk.per_channel(weight, x)
        y = b.multiply(x, factor, hint="y")

        def pullback(dy: Value) -> tuple[Value, Value]:
            dweight = b.sum(dy * x, walk.other_axes(x), hint="dweight")
            return b.multiply(dy, factor, hint="dx"), dweight

        return walk.record(plan, (x, weight), y, pullback)

    def meaning(self, plan: Plan) -> str:
        """Return the index notation."""
        axes = "n,c,i,j" if len(plan.input) == 3 else "n,c"
        return f"y[{axes}] = weight[c] * x[{axes}]"
