"""What is timed: a site alone, forward and backward, in each of its forms."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from gradwright.hlo import Builder, ElementType, Module, Shape, TensorType
from gradwright.hlo.printer import print_module
from gradwright.layers import (
    Choice,
    Conv2d,
    Explicit,
    Formulation,
    Layer,
    MaxPool,
    Primitive,
    Site,
    WeightGradient,
)
from gradwright.layers.domains import defined_forms
from gradwright.layers.forms import Form
from gradwright.layers.walk import Mode, Walk, backward, forward
from gradwright.spec import Image, NetSpec

PATCH_BYTES = 2**29
"""Forms that lay out all patches of a picture are not tried where these take more memory."""


@dataclass(frozen=True, slots=True)
class Variants:
    """The texts of one site alone.

    `text` has the usual form of every part, each of `others` another one in one part.
    """

    site: Site
    base: Formulation
    usual: tuple[Form, ...]
    text: str
    others: Mapping[Form, str]

    def written(self, forms: tuple[Form, ...]) -> str:
        """Return the text with these forms, one per part."""
        return _written(self.site, self.base, forms)

    def with_part(self, form: Form) -> tuple[Form, ...]:
        """Return the usual forms with another one in its part."""
        return tuple(form if type(form) is type(each) else each for each in self.usual)


def layer_of(site: Site) -> Layer:
    """Return a layer that is at this site, given its input."""
    windows = site.windows
    padding = Explicit(*windows.padding)
    if site.primitive is Primitive.MAX_POOL:
        return MaxPool(windows.kernel, windows.strides, padding)
    shape = (site.out_channels, windows.kernel, windows.strides, padding, windows.dilation)
    return Conv2d(*shape, groups=site.groups, bias=False)


def variants_of(site: Site, base: Formulation) -> Variants | None:
    """Return the programs to time; None where no part has two forms that are written differently.

    What `base` says by a rule is found as the form that writes the same text.
    """
    forms = tuple(defined_forms(site, base.layout))
    plain = replace(base, choices=())
    text = _written(site, plain, ())
    usual: list[Form] = []
    for kind in dict.fromkeys(type(form) for form in forms):
        own = [form for form in forms if type(form) is kind]
        same = [form for form in own if _written(site, plain, (*usual, form)) == text]
        usual.append(same[0] if same else own[0])
    found = Variants(site, plain, tuple(usual), _written(site, plain, tuple(usual)), {})
    tried = [form for form in forms if form not in usual and _is_affordable(form, site)]
    texts = {form: found.written(found.with_part(form)) for form in tried}
    others = {form: each for form, each in texts.items() if each != found.text}
    return replace(found, others=others) if others else None


def _written(site: Site, base: Formulation, forms: tuple[Form, ...]) -> str:
    """Return the text of a site alone, its arguments and results in its formulation's layout.

    Arguments: parameters, x, dy; results: y, dx, the gradients of the parameters.
    """
    choices = tuple(Choice(site, form) for form in forms)
    b, image = Builder(), Image(site.channels, *site.windows.extents)
    [plan] = NetSpec("site", image, [layer_of(site)]).plans
    slots = {plan.full(slot.name): b.argument(slot.name, _type(slot.shape)) for slot in plan.slots}
    formulation = replace(base, choices=choices)
    walk = Walk(b, ElementType.F32, site.batch, Mode.TRAINING, formulation, slots, {})
    x, dy = (
        b.argument(name, _type(walk.shape(shape)))
        for name, shape in (("x", plan.input), ("dy", plan.output))
    )
    y = forward(walk, plan, x)
    cotangents = backward(walk, y, dy)
    gradients = (cotangents.get(value) for value in (x, *slots.values()))
    results = [y, *(gradient for gradient in gradients if gradient is not None)]
    return print_module(Module("site", (b.finish("main", results),)), (str(site),))


def _type(shape: Shape) -> TensorType:
    return TensorType(shape, ElementType.F32)


def _is_affordable(form: Form, site: Site) -> bool:
    if form is not WeightGradient.PATCH_ROWS:
        return True
    values = math.prod((site.batch, site.channels, *site.windows.counts, *site.windows.kernel))
    return 4 * values <= PATCH_BYTES
