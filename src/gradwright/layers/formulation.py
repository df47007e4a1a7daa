"""Formulations: how a program computes what its layers mean.

Every form of one layer means the same function over the reals; they differ in speed and in which
backends can lower them. The choice is a value on the program.
"""

from dataclasses import dataclass, replace

from gradwright.spec.conventions import Convention
from gradwright.spec.fields import check_fields


class Layout(Convention):
    """Order of the dimensions of pictures inside a program (arguments are always NCHW)."""

    NCHW = "nchw"
    NHWC = "nhwc"

    @property
    def channel(self) -> int:
        """Dimension of the channels in a batch of pictures."""
        return 1 if self is Layout.NCHW else 3

    @property
    def spatial(self) -> tuple[int, int]:
        """Dimensions of height and width in a batch of pictures."""
        return (2, 3) if self is Layout.NCHW else (1, 2)


class ConvolutionForm(Convention):
    """How a dense convolution is computed."""

    DIRECT = "direct"
    """One convolution."""
    COLUMN_PAIRS = "column-pairs"
    """Two neighbouring columns of the result as one with twice the channels, where that is a view.

    The kernel is one column wider and moves by two. For few channels: the products get thicker.
    """
    WINOGRAD = "winograd"
    """Tiles of 2 x 2 results in 16 products instead of 36, where kernels are 3 x 3 and nothing is
    strided, dilated or grouped; DIRECT elsewhere. Input gradients too.

    Exact over the reals; in f32 a few times the rounding of DIRECT, and a longer text.
    """
    CHANNEL_DOTS = "channel-dots"
    """One matrix product over the channels, where the kernel is 1 x 1 and nothing is padded or
    grouped, channels last; DIRECT elsewhere. Input gradients too."""
    BY_SHAPE = "by-shape"
    """COLUMN_PAIRS for layers whose shapes want it, CHANNEL_DOTS for all of its domain, DIRECT for
    the others."""
    FASTEST = "fastest"
    """BY_SHAPE, but WINOGRAD for wide layers."""


class WeightGradient(Convention):
    """How the gradient of a dense convolution's kernel is computed."""

    CONVOLUTION = "convolution"
    """One convolution whose kernel is the output cotangent."""
    SHIFTED_DOTS = "shifted-dots"
    """One matrix product per kernel position, over shifted slices of the padded input.

    For 1 x 1 kernels, which take the narrower operand first, and small maps: the slices together
    are as large as kernel x input.
    """
    BLOCKED_DOTS = "blocked-dots"
    """SHIFTED_DOTS of a few pictures at a time in a loop of static length, sums carried along.

    For large maps: slices and cotangent of one block stay in the cache.
    """
    PATCH_ROWS = "patch-rows"
    """One matrix product with all patches of the input, laid out as rows.

    For few input channels: the patches are kernel x input, and the products of SHIFTED_DOTS thin.
    """
    WINOGRAD = "winograd"
    """The transpose of ConvolutionForm.WINOGRAD; SHIFTED_DOTS outside its domain."""
    BY_SHAPE = "by-shape"
    """SHIFTED_DOTS, BLOCKED_DOTS or PATCH_ROWS for each layer, as its shapes want."""
    FASTEST = "fastest"
    """BY_SHAPE, but WINOGRAD for wide layers."""


class DepthwiseForm(Convention):
    """How a convolution with one input channel per group is computed."""

    CONVOLUTION = "convolution"
    """Grouped convolutions, forward and backward."""
    SHIFTED_PRODUCTS = "shifted-products"
    """Sums of products of shifted slices with per-channel weights."""


class MaxPoolForm(Convention):
    """How a max pool finds its maxima and routes its cotangent; ties go to the first maximum."""

    SCATTER = "scatter"
    """reduce_window forward, select_and_scatter backward (IREE cannot lower the latter)."""
    WINNER = "winner"
    """Comparisons. Windows that tile the picture keep the index of the first maximum as a byte;
    others are pooled along rows, then across them, and keep a bit per comparison."""


@dataclass(frozen=True, slots=True)
class Formulation:
    """One choice for each layer that has several forms."""

    layout: Layout
    weight_gradient: WeightGradient
    depthwise: DepthwiseForm
    max_pool: MaxPoolForm
    convolution: ConvolutionForm

    def __post_init__(self) -> None:
        """Check that every choice is a member of its enum."""
        check_fields(self)


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
    PORTABLE, weight_gradient=WeightGradient.FASTEST, convolution=ConvolutionForm.FASTEST
)
"""PORTABLE with fewer products in wide 3 x 3 convolutions: shorter steps, longer texts."""
