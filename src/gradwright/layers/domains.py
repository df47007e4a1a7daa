"""Domains: where each form is defined."""

from collections.abc import Iterator, Mapping

from gradwright.layers.forms import (
    RULES,
    ConvolutionForm,
    DepthwiseForm,
    Form,
    InputGradient,
    Layout,
    MaxPoolForm,
    WeightGradient,
)
from gradwright.layers.sites import Primitive, Site
from gradwright.spec.padding import Windows

TILES: Mapping[Form, int] = {
    ConvolutionForm.WINOGRAD: 2,
    ConvolutionForm.WINOGRAD_4X4: 4,
    InputGradient.WINOGRAD: 2,
    InputGradient.WINOGRAD_4X4: 4,
    WeightGradient.WINOGRAD: 2,
    WeightGradient.WINOGRAD_4X4: 4,
}
"""Forms in square tiles, each with the results per axis of a tile."""
ROW_TILED = (
    ConvolutionForm.ROW_TILES,
    InputGradient.ROW_TILES,
    WeightGradient.ROW_TILES,
)
"""Forms in tiles of four results in a row."""
TILED_KERNEL = (3, 3)
"""The kernel that tiles are made for."""


def is_plain(windows: Windows, groups: int) -> bool:
    """Whether a convolution is neither strided, dilated nor grouped."""
    return windows.strides == windows.dilation == (1, 1) and groups == 1


def has_pairs(windows: Windows, groups: int, layout: Layout) -> bool:
    """Whether two neighbouring columns of the result are one with twice the channels."""
    return is_plain(windows, groups) and windows.counts[1] % 2 == 0 and layout is Layout.NHWC


def has_gradient_pairs(windows: Windows, groups: int, layout: Layout) -> bool:
    """Whether two neighbouring columns of the input's gradient are one with twice the channels."""
    return is_plain(windows, groups) and windows.extents[1] % 2 == 0 and layout is Layout.NHWC


def has_channel_dots(windows: Windows, groups: int, layout: Layout) -> bool:
    """Whether a convolution is a matrix product over the channels: 1 x 1, no padding, one group."""
    alone = windows.kernel == (1, 1) and groups == 1 and not any(map(any, windows.padding))
    return alone and layout is Layout.NHWC


def has_tiles(windows: Windows, groups: int) -> bool:
    """Whether a convolution can be computed in tiles."""
    return is_plain(windows, groups) and windows.kernel == TILED_KERNEL


def has_row_tiles(windows: Windows, groups: int, layout: Layout) -> bool:
    """Whether a convolution can be computed in tiles along rows."""
    return has_tiles(windows, groups) and layout is Layout.NHWC


def is_defined(form: Form, site: Site, layout: Layout) -> bool:
    """Whether a form, not a rule, is defined at a site."""
    return form in tuple(defined_forms(site, layout))


def defined_forms(site: Site, layout: Layout) -> Iterator[Form]:
    """Yield the forms of each part of a site, in the order of their declaration."""
    if site.primitive is Primitive.MAX_POOL:
        yield from (form for form in MaxPoolForm if _is_pool_form(form, layout))
    elif site.is_depthwise:
        yield from DepthwiseForm
    else:
        for kind in (ConvolutionForm, InputGradient, WeightGradient):
            yield from (form for form in kind if _is_dense_form(form, site, layout))


def _is_pool_form(form: MaxPoolForm, layout: Layout) -> bool:
    """Whether a max pool has a form; the prover knows a scatter's maxima by channels first only."""
    return form is not MaxPoolForm.SCATTER or layout is Layout.NCHW


def _is_dense_form(form: Form, site: Site, layout: Layout) -> bool:
    windows, groups = site.windows, site.groups
    if form in RULES:
        return False
    match form:
        case ConvolutionForm.DIRECT | InputGradient.DIRECT | WeightGradient.CONVOLUTION:
            return True
        case ConvolutionForm.COLUMN_PAIRS:
            return has_pairs(windows, groups, layout)
        case InputGradient.COLUMN_PAIRS:
            return has_gradient_pairs(windows, groups, layout)
        case ConvolutionForm.CHANNEL_DOTS | InputGradient.CHANNEL_DOTS:
            return has_channel_dots(windows, groups, layout)
        case _ if form in ROW_TILED:
            return has_row_tiles(windows, groups, layout)
        case _ if form in TILES:
            return has_tiles(windows, groups)
        case _:
            return groups == 1
