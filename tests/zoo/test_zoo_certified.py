"""Published nets: every gradient is proved."""

import pytest

from gradwright import layers, programs, zoo
from gradwright.certify import Search, certify_vjp
from gradwright.layers import Formulation

QUICK = ["resnet18", "vgg16-bn-pooled"]
THOROUGH = ["resnet50", "squeezenet1.1", "googlenet"]
PORTABLE = ["resnet18", "resnet50", "vgg16-bn-pooled"]
"""Nets proved as they run; of those with clamps and depthwise convolutions gradients are open."""


def open_gradients(name: str, formulation: Formulation, size: int | None) -> list[str]:
    net = zoo.get(name, classes=5, size=size)
    forward, backward = (
        entry(net, batch=2, formulation=formulation).text
        for entry in (programs.forward, programs.vjp)
    )
    report = certify_vjp(forward, backward, search=Search(seconds=0))
    return [claim.name for claim in report.claims if claim.verdict != "proved"]


@pytest.mark.parametrize(
    "name", [*QUICK, *(pytest.param(name, marks=pytest.mark.slow) for name in THOROUGH)]
)
def test_every_gradient_of_a_published_net_is_proved(name: str) -> None:
    assert open_gradients(name, layers.TEXTBOOK, 64) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", PORTABLE)
def test_every_gradient_is_proved_in_the_form_that_runs(name: str) -> None:
    assert open_gradients(name, layers.PORTABLE, 64) == []


@pytest.mark.slow
def test_resnet34_is_proved_at_full_size_in_the_form_that_runs() -> None:
    assert open_gradients("resnet34", layers.PORTABLE, None) == []
