"""Forms: the ways to compute each kind of primitive.

Every form of one primitive means the same function over the reals; they differ in speed, in
rounding and in which backends can lower them.
"""

from collections.abc import Mapping

from gradwright.spec.conventions import Convention


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
    WINOGRAD_4X4 = "winograd-4x4"
    """WINOGRAD with tiles of 4 x 4 results, in 36 products instead of 144.

    Rounded about ten times as much as WINOGRAD.
    """
    ROW_TILES = "row-tiles"
    """Tiles of four results in a row, 18 products instead of 36, in the domain of WINOGRAD with
    channels last; DIRECT elsewhere. Input gradients too.

    A few pictures at a time, so that sums before and after the products stay in the cache; exact
    over the reals, rounded a few times as much as DIRECT.
    """
    CHANNEL_DOTS = "channel-dots"
    """One matrix product over the channels, where the kernel is 1 x 1 and nothing is padded or
    grouped, channels last; DIRECT elsewhere. Input gradients too."""
    BY_SHAPE = "by-shape"
    """COLUMN_PAIRS for layers whose shapes want it, CHANNEL_DOTS for all of its domain, DIRECT for
    the others."""
    FASTEST = "fastest"
    """BY_SHAPE, but what was measured to be the fastest at like sites."""


class InputGradient(Convention):
    """How the gradient of a dense convolution's input is computed."""

    AS_FORWARD = "as-forward"
    """In the form of the convolution, where that is CHANNEL_DOTS or in tiles; DIRECT elsewhere."""
    DIRECT = "direct"
    """One convolution of the cotangent, dilated by the stride, with the reversed kernel."""
    CHANNEL_DOTS = "channel-dots"
    """One matrix product over the channels, spread by the stride; DIRECT outside its domain."""
    COLUMN_PAIRS = "column-pairs"
    """Two neighbouring columns at once, as forward; DIRECT outside its domain."""
    WINOGRAD = "winograd"
    """Tiles, as forward; DIRECT outside their domain."""
    WINOGRAD_4X4 = "winograd-4x4"
    """Tiles of 4 x 4, as forward; DIRECT outside their domain."""
    ROW_TILES = "row-tiles"
    """Tiles along rows, as forward; DIRECT outside their domain."""
    FASTEST = "fastest"
    """AS_FORWARD, but what was measured to be the fastest at like sites."""


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
    BLOCKED_CONVOLUTION = "blocked-convolution"
    """CONVOLUTION of a few pictures at a time, laid out so that the pictures are its channels.

    For few channels, of which the products of SHIFTED_DOTS are thin.
    """
    WINOGRAD = "winograd"
    """The transpose of ConvolutionForm.WINOGRAD; SHIFTED_DOTS outside its domain."""
    WINOGRAD_4X4 = "winograd-4x4"
    """The transpose of ConvolutionForm.WINOGRAD_4X4; SHIFTED_DOTS outside its domain."""
    ROW_TILES = "row-tiles"
    """The transpose of ConvolutionForm.ROW_TILES; SHIFTED_DOTS outside its domain."""
    BY_SHAPE = "by-shape"
    """SHIFTED_DOTS, BLOCKED_DOTS or PATCH_ROWS for each layer, as its shapes want."""
    FASTEST = "fastest"
    """BY_SHAPE, but what was measured to be the fastest at like sites."""


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


Form = ConvolutionForm | InputGradient | WeightGradient | DepthwiseForm | MaxPoolForm
"""A form of any primitive; its type says what it is a form of."""
RULES = (
    ConvolutionForm.BY_SHAPE,
    ConvolutionForm.FASTEST,
    InputGradient.AS_FORWARD,
    InputGradient.FASTEST,
    WeightGradient.BY_SHAPE,
    WeightGradient.FASTEST,
)
"""Members that name no form but how one is found."""
FORMS: Mapping[str, Form] = {
    repr(form): form
    for kind in (ConvolutionForm, InputGradient, WeightGradient, DepthwiseForm, MaxPoolForm)
    for form in kind
    if form not in RULES
}
"""The forms by their names."""
