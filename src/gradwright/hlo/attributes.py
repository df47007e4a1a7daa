"""Attributes of operations: one frozen record per family that has any.

Extents, strides and dimension lists are tuples of integers in the order of StableHLO's
specification; nothing is defaulted but `precision`, which most texts leave unstated, so that
equal records mean equal operations.
"""

import enum
from dataclasses import dataclass, field

import numpy as np

Dims = tuple[int, ...]
Padding2 = tuple[tuple[int, int], ...]


class Direction(enum.StrEnum):
    """Relation tested by `compare`."""

    EQ = "EQ"
    NE = "NE"
    GE = "GE"
    GT = "GT"
    LE = "LE"
    LT = "LT"


class CompareType(enum.StrEnum):
    """How `compare` orders its operands."""

    FLOAT = "FLOAT"
    TOTALORDER = "TOTALORDER"
    SIGNED = "SIGNED"
    UNSIGNED = "UNSIGNED"


@dataclass(frozen=True, slots=True, eq=False)
class Constant:
    """Value of `constant`: a read-only array, whose elements are all the same bits if `splat`.

    Make it with `of` or `repeated`: MLIR takes equal elements for a splat, and so do we.
    """

    array: np.ndarray = field(repr=False)
    splat: bool

    @staticmethod
    def of(array: np.ndarray) -> "Constant":
        """Return the constant that holds a copy of an array."""
        raw = array.tobytes()
        if array.size and raw == raw[: array.itemsize] * array.size:
            return Constant.repeated(array.reshape(-1)[:1], array.shape)
        return Constant(np.ndarray(array.shape, array.dtype, raw), splat=False)

    @staticmethod
    def repeated(element: np.ndarray, shape: Dims) -> "Constant":
        """Return the constant of one element at every index, stored once."""
        if 0 in shape:
            return Constant(np.ndarray(shape, element.dtype, b""), splat=False)
        strides = (0,) * len(shape)
        return Constant(np.ndarray(shape, element.dtype, element.tobytes(), 0, strides), splat=True)

    def key(self) -> tuple[bool, Dims, str, bytes]:
        """Return what decides equality: the bits, so that NaN equals itself and -0.0 is not 0.0."""
        raw = self.array.flat[:1].tobytes() if self.splat else self.array.tobytes()
        return self.splat, self.array.shape, self.array.dtype.name, raw

    def __eq__(self, other: object) -> bool:
        """Compare bit by bit."""
        if not isinstance(other, Constant):
            return NotImplemented
        return self.key() == other.key()

    def __hash__(self) -> int:
        """Hash the bits."""
        return hash(self.key())


@dataclass(frozen=True, slots=True)
class Iota:
    """Dimension along which `iota` counts."""

    dimension: int


@dataclass(frozen=True, slots=True)
class Compare:
    """Relation and ordering of `compare`."""

    direction: Direction
    compare_type: CompareType


@dataclass(frozen=True, slots=True)
class ReducePrecision:
    """Bits kept by `reduce_precision`."""

    exponent_bits: int
    mantissa_bits: int


@dataclass(frozen=True, slots=True)
class Transpose:
    """Result dimension i is operand dimension `permutation[i]`."""

    permutation: Dims


@dataclass(frozen=True, slots=True)
class BroadcastInDim:
    """Operand dimension i becomes result dimension `dimensions[i]`."""

    dimensions: Dims


@dataclass(frozen=True, slots=True)
class Slice:
    """Half-open ranges with strides, one per dimension."""

    start: Dims
    limit: Dims
    strides: Dims


@dataclass(frozen=True, slots=True)
class Pad:
    """Elements added below, above (negative removes) and between, one per dimension."""

    low: Dims
    high: Dims
    interior: Dims


@dataclass(frozen=True, slots=True)
class Dimension:
    """The one dimension that `concatenate` joins along."""

    dimension: int


@dataclass(frozen=True, slots=True)
class Dimensions:
    """Dimensions that `reduce` sums out or `reverse` flips."""

    dimensions: Dims


@dataclass(frozen=True, slots=True)
class DynamicSlice:
    """Extents of the block that `dynamic_slice` reads."""

    sizes: Dims


@dataclass(frozen=True, slots=True)
class DotGeneral:
    """Batching and contracting dimensions of `dot_general`, pairwise.

    `precision` holds DEFAULT, HIGH or HIGHEST for lhs and rhs; () where unstated.
    """

    lhs_batching: Dims
    rhs_batching: Dims
    lhs_contracting: Dims
    rhs_contracting: Dims
    precision: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ConvolutionDims:
    """Which dimension of input, kernel and output plays which part."""

    input_batch: int
    input_feature: int
    input_spatial: Dims
    kernel_input_feature: int
    kernel_output_feature: int
    kernel_spatial: Dims
    output_batch: int
    output_feature: int
    output_spatial: Dims


@dataclass(frozen=True, slots=True)
class Convolution:
    """Window, dimension numbers and groups of `convolution`; `precision` as in `DotGeneral`."""

    dims: ConvolutionDims
    strides: Dims
    padding: Padding2
    lhs_dilation: Dims
    rhs_dilation: Dims
    window_reversal: tuple[bool, ...]
    feature_group_count: int
    batch_group_count: int
    precision: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Window:
    """Window of `reduce_window`, one entry per dimension."""

    dimensions: Dims
    strides: Dims
    base_dilations: Dims
    window_dilations: Dims
    padding: Padding2


@dataclass(frozen=True, slots=True)
class ScatterWindow:
    """Window of `select_and_scatter`, one entry per dimension."""

    dimensions: Dims
    strides: Dims
    padding: Padding2


@dataclass(frozen=True, slots=True)
class Gather:
    """Dimension numbers and slice sizes of `gather`."""

    offset_dims: Dims
    collapsed_slice_dims: Dims
    operand_batching_dims: Dims
    start_indices_batching_dims: Dims
    start_index_map: Dims
    index_vector_dim: int
    slice_sizes: Dims
    indices_are_sorted: bool


@dataclass(frozen=True, slots=True)
class Scatter:
    """Dimension numbers of `scatter`."""

    update_window_dims: Dims
    inserted_window_dims: Dims
    input_batching_dims: Dims
    scatter_indices_batching_dims: Dims
    scatter_dims_to_operand_dims: Dims
    index_vector_dim: int
    indices_are_sorted: bool
    unique_indices: bool


@dataclass(frozen=True, slots=True)
class Call:
    """Name of the function that `call` runs."""

    callee: str


@dataclass(frozen=True, slots=True)
class AllReduce:
    """Groups of replicas that `all_reduce` combines; channel 0 means none."""

    replica_groups: tuple[Dims, ...]
    channel_handle: int
    channel_type: int
    use_global_device_ids: bool


@dataclass(frozen=True, slots=True)
class Opaque:
    """Attributes of an operation outside this vocabulary, as printed by MLIR."""

    text: str


Attributes = (
    None
    | Constant
    | Iota
    | Compare
    | ReducePrecision
    | Transpose
    | BroadcastInDim
    | Slice
    | Pad
    | Dimension
    | Dimensions
    | DynamicSlice
    | DotGeneral
    | Convolution
    | Window
    | ScatterWindow
    | Gather
    | Scatter
    | Call
    | AllReduce
    | Opaque
)
