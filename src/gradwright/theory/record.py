"""What a theorem is: symbols, hypotheses, two sides, and the cases it is swept over."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from gradwright.certify.notation import Expression, Read, Statement, parse
from gradwright.errors import SpecError


@dataclass(frozen=True, slots=True)
class Size:
    """A whole number that the theorem leaves open, at least `least`."""

    symbol: str
    meaning: str
    least: int = 1


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A condition on sizes, as a Presburger formula and in words.

    `is_exact`: where it fails, at any sizes, so does the theorem.
    """

    formula: str
    words: str
    is_exact: bool = False


@dataclass(frozen=True, slots=True)
class Law:
    """A condition on inputs: the entries of a value sum to 1 over its last index."""

    value: str
    words: str


@dataclass(frozen=True)
class Symbols:
    """The sizes of a theorem, sizes that follow from them, and the shape of each value.

    `definitions` are lines `P = floor((H - 1) / 2) + 1`, in the common part of the index notation
    and of the notation of Presburger formulas; `shapes` is `x[N,C]; y[N]`, values without indices
    being scalars.
    """

    sizes: tuple[Size, ...]
    shapes: str
    definitions: tuple[str, ...] = ()

    @cached_property
    def boxes(self) -> Mapping[str, tuple[Expression, ...]]:
        """Extents of each value by its name."""
        # A shape is written like the left side of a statement.
        reads = [parse(f"shape = {each}")[0].value for each in self.shapes.split(";")]
        return {read.name: read.indices or () for read in reads if isinstance(read, Read)}

    @cached_property
    def defined(self) -> Sequence[Statement]:
        """The definitions, parsed."""
        return [statement for line in self.definitions for statement in parse(line)]

    @property
    def names(self) -> tuple[str, ...]:
        """All symbols that stand for whole numbers."""
        return (*(s.symbol for s in self.sizes), *(s.target for s in self.defined))


@dataclass(frozen=True, slots=True)
class Adjoint:
    """`backward` computes the cotangent of `wrt` from that of the last value of `forward`.

    A scalar value has the cotangent 1; of another one, `y`, it is called `dy`.
    """

    forward: str
    wrt: str
    backward: str

    @property
    def result(self) -> str:
        """Name of the value that `backward` defines last."""
        return parse(self.backward)[-1].target


@dataclass(frozen=True, slots=True)
class Same:
    """Both texts define the same last value."""

    left: str
    right: str

    @property
    def result(self) -> str:
        """Name of the value that both define last."""
        return parse(self.left)[-1].target


Claim = Adjoint | Same


@dataclass(frozen=True, slots=True)
class Instance:
    """A theorem at one case of its grid: nothing is open but sizes and inputs."""

    symbols: Symbols
    claim: Claim
    hypotheses: tuple[Hypothesis, ...] = ()
    laws: tuple[Law, ...] = ()
    positive: tuple[str, ...] = ()
    """Inputs that are > 0."""

    def without(self, dropped: Hypothesis | Law) -> "Instance":
        """Return the same claim with one condition less."""
        return replace(
            self,
            hypotheses=tuple(h for h in self.hypotheses if h != dropped),
            laws=tuple(law for law in self.laws if law != dropped),
        )

    def claiming(self, backward: str) -> "Instance":
        """Return the same theorem with another backward or right side."""
        match self.claim:
            case Adjoint(forward, wrt, _):
                return replace(self, claim=Adjoint(forward, wrt, backward))
            case Same(left, _):
                return replace(self, claim=Same(left, backward))


@dataclass(frozen=True, slots=True)
class Window:
    """Kernel extent, stride and dilation of one axis."""

    kernel: int
    stride: int = 1
    dilation: int = 1

    @property
    def span(self) -> int:
        """Extent that the dilated kernel covers."""
        return (self.kernel - 1) * self.dilation + 1

    def __str__(self) -> str:
        gap = f" d{self.dilation}" if self.dilation > 1 else ""
        return f"K{self.kernel} s{self.stride}{gap}"


@dataclass(frozen=True, slots=True)
class Case:
    """Concrete parameters: the windows of height and width; none where there are none."""

    height: Window | None = None
    width: Window | None = None

    @staticmethod
    def square(kernel: int, stride: int = 1, dilation: int = 1) -> "Case":
        """Return one window for both axes."""
        window = Window(kernel, stride, dilation)
        return Case(window, window)

    @property
    def is_whole(self) -> bool:
        """Whether nothing is concrete."""
        return self.height is None or self.width is None

    @property
    def axes(self) -> tuple[Window, Window]:
        """Both windows."""
        if self.height is None or self.width is None:
            raise SpecError(where="case", expected="windows", found="none")
        return self.height, self.width

    def __str__(self) -> str:
        if self.height is None or self.width is None:
            return "all"
        return str(self.height) if self.height == self.width else f"{self.height} x {self.width}"


@dataclass(frozen=True, slots=True)
class Control:
    """A wrong statement near the theorem, which must be refuted."""

    name: str
    at: Case
    instance: Callable[[Case], Instance]


@dataclass(frozen=True, slots=True)
class Theorem:
    """A statement for all sizes at each case of a grid, with why it holds and how it may fail."""

    name: str
    title: str
    family: str
    why: str
    instance: Callable[[Case], Instance]
    grid: tuple[Case, ...]
    controls: tuple[Control, ...]
    quick: tuple[Case, ...]
    """The part of the grid that is proved in seconds."""
