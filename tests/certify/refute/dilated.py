"""The gradient of a dilated 1-D convolution by its input, right and with the dilation forgotten."""

from dataclasses import dataclass

from certify.refute.cases import conv_1d, main

INPUT = 8


@dataclass(frozen=True, slots=True)
class Dilated:
    """A convolution of 8 positions: kernel, stride, dilation and padding on both sides."""

    kernel: int
    stride: int
    dilation: int
    low: int
    high: int

    @property
    def reach(self) -> int:
        """The distance from the first to the last position under the kernel."""
        return self.dilation * (self.kernel - 1)

    @property
    def output(self) -> int:
        """The number of outputs."""
        return (INPUT + self.low + self.high - self.reach - 1) // self.stride + 1

    @property
    def forward(self) -> str:
        """The convolution itself."""
        window = (
            f"stride = [{self.stride}], pad = [[{self.low}, {self.high}]], "
            f"rhs_dilate = [{self.dilation}]"
        )
        x, w, y = self._types()
        body = "(%x, %w) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0]"
        conv = conv_1d(body, window, f"({x}, {w}) -> {y}")
        return main(f"%x: {x}, %w: {w}", y, f"%y = {conv}\nreturn %y : {y}")

    def backward(self, *, reach: int) -> str:
        """Return the gradient by x, its padding computed from this reach of the kernel."""
        before = reach - self.low
        spread = self.stride * (self.output - 1) + 1
        after = INPUT - 1 - spread - before + self.reach + 1
        window = (
            f"pad = [[{before}, {after}]], lhs_dilate = [{self.stride}], "
            f"rhs_dilate = [{self.dilation}]"
        )
        x, w, y = self._types()
        body = "(%g, %flipped) dim_numbers = [b, f, 0]x[i, o, 0]->[b, f, 0]"
        conv = conv_1d(body, window, f"({y}, {w}) -> {x}")
        return main(
            f"%x: {x}, %w: {w}, %g: {y}",
            x,
            f"%flipped = stablehlo.reverse %w, dims = [2] : {w}\n%dx = {conv}\nreturn %dx : {x}",
        )

    def _types(self) -> tuple[str, str, str]:
        return (
            f"tensor<1x1x{INPUT}xf32>",
            f"tensor<1x1x{self.kernel}xf32>",
            f"tensor<1x1x{self.output}xf32>",
        )


GRID = (
    Dilated(2, 1, 2, 0, 0),
    Dilated(2, 2, 3, 1, 0),
    Dilated(3, 1, 2, 2, 1),
    Dilated(3, 2, 2, 0, 3),
    Dilated(3, 3, 3, 4, 1),
    Dilated(2, 3, 2, 1, 2),
)
IN_CI = (GRID[3],)
