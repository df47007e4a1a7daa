"""Published nets have the parameter counts of their references, for 1000 and for 10 classes."""

import pytest

from gradwright import zoo
from gradwright.errors import SpecError

COUNTS = {
    "resnet18": (11_689_512, 11_181_642),
    "resnet34": (21_797_672, 21_289_802),
    "resnet50": (25_557_032, 23_528_522),
    "resnet101": (44_549_160, 42_520_650),
    "resnet152": (60_192_808, 58_164_298),
}
"""For 1000 classes, as torchvision or timm count them, and for 10."""


def test_every_published_net_has_its_count_stated() -> None:
    assert COUNTS.keys() == zoo.PUBLISHED.keys()


@pytest.mark.parametrize("name", COUNTS)
def test_the_counts_are_the_references(name: str) -> None:
    thousand, ten = COUNTS[name]
    net = zoo.get(name)
    assert (net.name, net.output, net.parameter_count) == (name, (1000,), thousand)
    assert zoo.get(name, classes=10).parameter_count == ten


@pytest.mark.parametrize("name", COUNTS)
def test_the_size_of_pictures_changes_no_parameter_of_a_pooled_net(name: str) -> None:
    net = zoo.get(name, size=64)
    assert net.input.shape == (3, 64, 64)
    assert net.slots == zoo.get(name).slots


def test_a_net_of_one_size_refuses_another() -> None:
    assert zoo.get("mnist-cnn", size=28) == zoo.get("mnist-cnn")
    with pytest.raises(SpecError, match=r"^zoo: mnist-cnn: expected no size, or that of its"):
        zoo.get("mnist-cnn", size=32)
