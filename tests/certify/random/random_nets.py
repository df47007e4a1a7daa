"""Random nets of every layer and convention, at extents that often coincide."""

from hypothesis import strategies as st

from gradwright import layers as ly
from gradwright.errors import SpecError
from gradwright.layers import Layer
from gradwright.spec import Flat, Image, NetSpec
from gradwright.spec.padding import AnyPadding

Draw = st.DrawFn
Shape = tuple[int, ...]
ATTEMPTS = 3
"""Draws of a layer for one place; a place where none fits stays empty."""
_AMOUNTS = st.tuples(st.integers(0, 2), st.integers(0, 2))
_NAMED_PADDINGS = st.sampled_from(list(ly.Padding))
PADDINGS: st.SearchStrategy[AnyPadding] = st.one_of(
    _NAMED_PADDINGS, _NAMED_PADDINGS, st.builds(ly.Explicit, _AMOUNTS, _AMOUNTS)
)
KERNELS = st.one_of(st.integers(1, 3), st.tuples(st.integers(1, 4), st.integers(1, 4)))
STRIDES = st.one_of(st.just(1), st.integers(1, 3), st.tuples(st.integers(1, 3), st.integers(1, 2)))
DILATIONS = st.one_of(st.just(1), st.integers(1, 2))
FORMULATIONS = st.one_of(
    st.just(ly.PORTABLE),
    st.just(ly.TEXTBOOK),
    st.builds(
        ly.Formulation,
        st.sampled_from(ly.Layout),
        st.sampled_from(ly.WeightGradient),
        st.sampled_from(ly.DepthwiseForm),
        st.sampled_from(ly.MaxPoolForm),
        st.sampled_from(ly.ConvolutionForm),
    ),
)
_ACTIVATIONS = st.builds(ly.Activation, st.sampled_from(ly.Function))
_POINTWISE = st.one_of(
    _ACTIVATIONS,
    st.builds(ly.BatchNorm),
    st.just(ly.Dropout(0.5)),
    st.just(ly.DropPath(0.5)),
    st.just(ly.LayerScale(0.5)),
    st.just(ly.LayerNorm(0.01)),
)


@st.composite
def convolutions(draw: Draw, shape: Shape) -> Layer:
    """Draw a convolution whose groups divide the channels, or a depthwise one."""
    settings = draw(KERNELS), draw(STRIDES), draw(PADDINGS), draw(DILATIONS)
    if draw(st.integers(0, 3)) == 0:
        return ly.DepthwiseConv2d(*settings, bias=draw(st.booleans()))
    groups = draw(st.sampled_from([1, 1, *(g for g in (2, 3) if shape[0] % g == 0)]))
    out = groups * draw(st.integers(1, 6 // groups))
    return ly.Conv2d(out, *settings, groups=groups, bias=draw(st.booleans()))


@st.composite
def same_convolutions(draw: Draw, shape: Shape) -> Layer:
    """Draw a convolution or a depthwise one that keeps the shape."""
    settings = draw(st.sampled_from([1, 3])), 1, ly.Padding.SYMMETRIC, draw(DILATIONS)
    if draw(st.booleans()):
        return ly.DepthwiseConv2d(*settings)
    return ly.Conv2d(shape[0], *settings, bias=draw(st.booleans()))


@st.composite
def pools(draw: Draw) -> Layer:
    """Draw a pool."""
    strides = draw(st.one_of(st.none(), STRIDES))
    if draw(st.booleans()):
        return ly.MaxPool(draw(KERNELS), strides, draw(PADDINGS))
    return ly.AvgPool(draw(KERNELS), strides, draw(PADDINGS), draw(st.sampled_from(ly.Divisor)))


@st.composite
def gates(draw: Draw, shape: Shape) -> Layer:
    """Draw a gate whose body ends in one number per channel."""
    squeeze: list[Layer] = [ly.GlobalAvgPool(), ly.Dense(draw(st.integers(1, 4)))]
    return ly.Gate(
        ly.Sequential([*squeeze, draw(_ACTIVATIONS), ly.Dense(shape[0]), draw(_ACTIVATIONS)])
    )


@st.composite
def sums(draw: Draw, shape: Shape) -> Layer:
    """Draw a residual sum, with a projection where the body changes the shape."""
    if draw(st.booleans()):
        body = draw(same_convolutions(shape))
        return ly.Residual(ly.Sequential([body, *draw(st.lists(_POINTWISE, max_size=2))]))
    out, strides = draw(st.integers(1, 4)), draw(st.integers(1, 2))
    body = ly.ConvBn(out, 3, strides, ly.Padding.SYMMETRIC)
    return ly.Residual(body, ly.Conv2d(out, 1, strides, ly.Padding.VALID))


@st.composite
def channel_layers(draw: Draw, shape: Shape) -> Layer:
    """Draw a layer that moves channels."""
    choice = draw(st.integers(0, 3))
    if choice == 3:
        return ly.Upsample(draw(st.integers(1, 3)))
    if choice == 0:
        return ly.ChannelShuffle(draw(st.sampled_from([1, 2, 3])))
    if choice == 1:
        start = draw(st.integers(0, shape[0] - 1))
        return ly.ChannelSlice(start, draw(st.integers(start + 1, shape[0])))
    paths = st.one_of(same_convolutions(shape), _ACTIVATIONS)
    return ly.Branches(draw(st.lists(paths, min_size=1, max_size=3)))


def picture_layers(shape: Shape) -> st.SearchStrategy[Layer]:
    """Return layers of pictures, most of which fit."""
    return st.one_of(
        convolutions(shape),
        convolutions(shape),
        same_convolutions(shape),
        pools(),
        _POINTWISE,
        _POINTWISE,
        gates(shape),
        sums(shape),
        channel_layers(shape),
        st.just(ly.GlobalAvgPool()),
        st.just(ly.Flatten()),
    )


def feature_layers() -> st.SearchStrategy[Layer]:
    """Return layers of feature vectors."""
    dense = st.builds(ly.Dense, st.integers(1, 6), bias=st.booleans())
    spread = st.builds(ly.Spread, st.integers(1, 4), st.integers(1, 4))
    return st.one_of(dense, dense, _POINTWISE, _POINTWISE, spread)


@st.composite
def nets(draw: Draw, longest: int = 5) -> NetSpec:
    """Draw a net of up to so many layers; its extents are drawn from few numbers."""
    sizes = st.sampled_from([*draw(st.lists(st.integers(1, 7), min_size=2, max_size=3)), 2, 6])
    picture = draw(st.integers(0, 5)) > 0
    input = (
        Image(draw(st.integers(1, 6)), draw(sizes), draw(sizes)) if picture else Flat(draw(sizes))
    )
    found: list[Layer] = []
    net: NetSpec | None = None
    for _ in range(draw(st.integers(1, longest))):
        shape = input.shape if net is None else net.output
        kinds = picture_layers(shape) if len(shape) == 3 else feature_layers()
        for _ in range(ATTEMPTS):
            try:
                net = NetSpec("random", input, [*found, layer := draw(kinds)])
            except SpecError:
                continue
            found.append(layer)
            break
    return net or NetSpec("random", input, [ly.Activation(ly.Function.RELU)])
