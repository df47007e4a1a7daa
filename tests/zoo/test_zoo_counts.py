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
    "vgg11": (132_863_336, 128_807_306),
    "vgg13": (133_047_848, 128_991_818),
    "vgg16": (138_357_544, 134_301_514),
    "vgg19": (143_667_240, 139_611_210),
    "vgg16-bn": (138_365_992, 134_309_962),
    "vgg16-bn-pooled": (15_231_912, 14_724_042),
    "mobilenetv2": (3_504_872, 2_236_682),
    "mobilenetv3-large": (5_483_032, 4_214_842),
    "mobilenetv4-conv-m": (9_715_512, 8_447_322),
    "efficientnet-b0": (5_288_548, 4_020_358),
    "tf-efficientnet-b0": (5_288_548, 4_020_358),
    "efficientnetv2-s": (21_458_488, 20_190_298),
    "convnext-t": (28_589_128, 27_827_818),
    "convnext-s": (50_223_688, 49_462_378),
    "convnext-b": (88_591_464, 87_576_714),
    "squeezenet1.0": (1_248_424, 740_554),
    "squeezenet1.1": (1_235_496, 727_626),
    "googlenet": (6_624_904, 5_610_154),
    "densenet121": (7_978_856, 6_964_106),
    "densenet169": (14_149_480, 12_501_130),
    "densenet201": (20_013_928, 18_112_138),
    "shufflenet-0.5": (718_888, 242_698),
    "shufflenet-1.0": (1_865_728, 914_338),
    "shufflenet-2.0": (5_448_208, 3_546_418),
    "shufflenetv2-0.5": (1_366_792, 352_042),
    "shufflenetv2-1.0": (2_278_604, 1_263_854),
    "shufflenetv2-1.5": (3_503_624, 2_488_874),
    "shufflenetv2-2.0": (7_393_996, 5_365_486),
}
"""For 1000 classes, as torchvision or timm count them, and for 10.

No library has ShuffleNet V1: its counts are those of the declaration by the paper's table 1.
"""


def test_every_published_net_has_its_count_stated() -> None:
    assert COUNTS.keys() == zoo.PUBLISHED.keys()


@pytest.mark.parametrize("name", COUNTS)
def test_the_counts_are_the_references(name: str) -> None:
    thousand, ten = COUNTS[name]
    net = zoo.get(name)
    assert (net.name, net.output, net.parameter_count) == (name, (1000,), thousand)
    assert zoo.get(name, classes=10).parameter_count == ten


@pytest.mark.parametrize("name", [n for n in COUNTS if not n.startswith("vgg")])
def test_the_size_of_pictures_changes_no_parameter_of_a_pooled_net(name: str) -> None:
    net = zoo.get(name, size=64)
    assert net.input.shape == (3, 64, 64)
    assert net.slots == zoo.get(name).slots


def test_a_net_of_one_size_refuses_another() -> None:
    assert zoo.get("mnist-cnn", size=28) == zoo.get("mnist-cnn")
    with pytest.raises(SpecError, match=r"^zoo: mnist-cnn: expected no size, or that of its"):
        zoo.get("mnist-cnn", size=32)
