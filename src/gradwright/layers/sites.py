"""Sites: what a primitive with several forms computes, at the shapes that it sees."""

from dataclasses import dataclass

from gradwright.kinds import checked
from gradwright.layers.layer import emitting
from gradwright.spec import NetSpec
from gradwright.spec.conventions import Convention
from gradwright.spec.fields import check_fields
from gradwright.spec.padding import Windows


class Primitive(Convention):
    """A kind of primitive that has several forms."""

    CONVOLUTION = "convolution"
    """Sums of products over windows."""
    MAX_POOL = "max-pool"
    """Maxima of windows."""


@dataclass(frozen=True, slots=True)
class Site:
    """A primitive at its shapes: layers that compute the same thing share one.

    Shapes: x: [batch, channels, *windows.extents], y: [batch, out_channels, *windows.counts].
    `groups` are those of a convolution; a max pool has one.
    """

    primitive: Primitive
    windows: Windows
    batch: int
    channels: int
    out_channels: int
    groups: int = 1

    def __post_init__(self) -> None:
        """Check types."""
        check_fields(self)

    @property
    def is_depthwise(self) -> bool:
        """Whether every group has one input and one output channel."""
        return self.groups == self.channels == self.out_channels

    def __str__(self) -> str:
        """Return it in words: `convolution 3x3 stride 1, 64 -> 64, 8 x 56 x 56`."""
        windows = self.windows
        words = [self.primitive.value, _by(windows.kernel), f"stride {_one(windows.strides)}"]
        if windows.dilation != (1, 1):
            words.append(f"dilation {_one(windows.dilation)}")
        if self.groups > 1:
            words.append(f"in {self.groups} groups")
        padding = {amount for pair in windows.padding for amount in pair}
        shown = str(windows.padding) if len(padding) > 1 else str(*padding)
        words.append(f"padding {shown}")
        extents = " x ".join(map(str, (self.batch, *windows.extents)))
        return f"{' '.join(words)}, {self.channels} -> {self.out_channels}, {extents}"


@checked
def sites_of(net: NetSpec, batch: int) -> tuple[Site, ...]:
    """Return the distinct sites of a net, in the order of the forward pass."""
    plans = (plan for top in net.plans for plan in top.walk())
    found = (emitting(plan).site(plan, batch) for plan in plans)
    return tuple(dict.fromkeys(site for site in found if site is not None))


def _by(pair: tuple[int, int]) -> str:
    return f"{pair[0]}x{pair[1]}"


def _one(pair: tuple[int, int]) -> str:
    return str(pair[0]) if pair[0] == pair[1] else _by(pair)
