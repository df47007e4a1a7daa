"""Formulations: how a program computes what its layers mean.

The choice of forms is a value on the program: one form, or rule, for each kind of primitive, and
for single sites a form of their own.
"""

from dataclasses import dataclass, replace

from gradwright.errors import SpecError
from gradwright.kinds import checked
from gradwright.layers.cost_rule import fastest_forms
from gradwright.layers.domains import is_defined
from gradwright.layers.forms import (
    ConvolutionForm,
    DepthwiseForm,
    Form,
    InputGradient,
    Layout,
    MaxPoolForm,
    WeightGradient,
)
from gradwright.layers.sites import Site
from gradwright.spec import NetSpec
from gradwright.spec.fields import check_fields


@dataclass(frozen=True, slots=True)
class Choice:
    """The form of one part of one site; the type of the form says which part."""

    site: Site
    form: Form

    def __post_init__(self) -> None:
        """Check types."""
        check_fields(self)

    def __str__(self) -> str:
        """Return it in words: `convolution 3x3 …: WeightGradient.WINOGRAD`."""
        return f"{self.site}: {self.form!r}"


@dataclass(frozen=True, slots=True)
class Formulation:
    """One form, or rule, for each kind of primitive that has several; `choices` go before them.

    `recomputed` are the paths of layers, mostly blocks, of which the forward keeps nothing but the
    input: the backward computes what it reads of them again. Less memory, more operations.

    Errors: SpecError for a choice outside the domain of its form, for two of one part, and, where
    a program is written, for the path of no layer.
    """

    layout: Layout
    weight_gradient: WeightGradient
    depthwise: DepthwiseForm
    max_pool: MaxPoolForm
    convolution: ConvolutionForm
    input_gradient: InputGradient = InputGradient.AS_FORWARD
    choices: tuple[Choice, ...] = ()
    recomputed: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Check that every choice is a member of its enum and within its domain."""
        check_fields(self)
        for choice in self.choices:
            if not is_defined(choice.form, choice.site, self.layout):
                expected = f"a form that is defined at {choice.site}"
                found = f"{choice.form!r} in {self.layout!r}"
                raise SpecError(where="Formulation.choices", expected=expected, found=found)
        parts = [(choice.site, type(choice.form)) for choice in self.choices]
        for site, part in parts:
            if parts.count((site, part)) > 1:
                expected = f"one {part.__name__} at {site}"
                raise SpecError(where="Formulation.choices", expected=expected, found="several")

    def at(self, site: Site | None) -> "Formulation":
        """Return the forms of one site: those chosen for it, then these.

        Where these say FASTEST, what the cost rule has for like sites.
        """
        if site is None:
            return self
        measured = [form for form in fastest_forms(site, self.layout) if self._asks_for(form)]
        chosen = [choice.form for choice in self.choices if choice.site == site]
        return replace(self, **{_FIELDS[type(form)]: form for form in (*measured, *chosen)})

    @property
    def described(self) -> tuple[str, ...]:
        """What it says, a line for each field and each choice."""
        fields = ("layout", *_FIELDS.values())
        return (
            *(f"{name}: {getattr(self, name)!r}" for name in fields),
            *map(str, self.choices),
            *(f"recomputed: {path}" for path in self.recomputed),
        )

    def _asks_for(self, form: Form) -> bool:
        asked = (ConvolutionForm.FASTEST, InputGradient.FASTEST, WeightGradient.FASTEST)
        return getattr(self, _FIELDS[type(form)]) in asked


@checked
def blocks_of(net: NetSpec) -> tuple[str, ...]:
    """Return the paths of a net's layers that are composed of others, outermost ones only."""
    return tuple(plan.path for plan in net.plans if plan.children)


_FIELDS: dict[type[Form], str] = {
    ConvolutionForm: "convolution",
    InputGradient: "input_gradient",
    WeightGradient: "weight_gradient",
    DepthwiseForm: "depthwise",
    MaxPoolForm: "max_pool",
}
"""Which field of a formulation holds a form of each type."""


TEXTBOOK = Formulation(
    Layout.NCHW,
    WeightGradient.CONVOLUTION,
    DepthwiseForm.CONVOLUTION,
    MaxPoolForm.SCATTER,
    ConvolutionForm.DIRECT,
)
"""The shortest text: one operation per rule, as a textbook writes it."""

PORTABLE = Formulation(
    Layout.NHWC,
    WeightGradient.BY_SHAPE,
    DepthwiseForm.SHIFTED_PRODUCTS,
    MaxPoolForm.WINNER,
    ConvolutionForm.BY_SHAPE,
)
"""The default: lowered by every backend and fast on CPUs."""

FAST = replace(
    PORTABLE,
    convolution=ConvolutionForm.FASTEST,
    weight_gradient=WeightGradient.FASTEST,
    input_gradient=InputGradient.FASTEST,
)
"""PORTABLE with the forms that were measured to be the fastest at like sites: longer texts, shorter
steps, proved whole."""
