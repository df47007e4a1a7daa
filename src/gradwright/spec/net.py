"""A declared net and the plan that its declaration fixes: shapes, slots, masks, paths."""

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Protocol, cast

from gradwright.errors import SpecError
from gradwright.hlo.types import Shape
from gradwright.spec.inputs import Flat, Image, Input, Tokens
from gradwright.spec.slots import MaskSlot, Slot

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_NET_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]*")


class Layer(Protocol):
    """What a declaration needs of a layer; `gradwright.layers` says the rest."""

    kind: ClassVar[str]

    def plan(self, path: str, input: Shape) -> "Plan":
        """Return shapes and slots at this place; SpecError where the input does not fit."""
        ...


Entry = Layer | tuple[str, Layer]


@dataclass(frozen=True, slots=True)
class Plan:
    """One layer at its place in a net.

    `slots` and `masks` are the layer's own, under local names (`weight`); `children` are the layers
    that it is composed of. Shapes are those of one example, without the batch.
    """

    path: str
    layer: Layer
    input: Shape
    output: Shape
    slots: tuple[Slot, ...] = ()
    masks: tuple[MaskSlot, ...] = ()
    children: tuple["Plan", ...] = ()

    def walk(self) -> Iterator["Plan"]:
        """Yield this plan and those below it, in the order of the forward pass."""
        yield self
        for child in self.children:
            yield from child.walk()

    def full(self, name: str) -> str:
        """Return the name of a local slot or mask in the whole net, e.g. `conv1.weight`."""
        return f"{self.path}.{name}"


@dataclass(frozen=True, slots=True)
class NetSpec:
    """A net: a name, what it reads, and layers applied one after the other.

    A layer is given as it is (it is called `conv1`, `conv2` … after its kind) or as a pair
    (name, layer). Everything is checked here; each error names the layer by its path.
    """

    name: str
    input: Input
    layers: Sequence[Entry]
    plans: tuple[Plan, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Check the declaration and fix its plan."""
        if not _is_name(_NET_NAME, self.name):
            raise SpecError(
                where="NetSpec.name",
                expected="a letter, then letters, digits, '_', '-' or '.'",
                found=repr(self.name),
            )
        _require("NetSpec.input", self.input, "an Image, Flat or Tokens", Image, Flat, Tokens)
        require_entries("NetSpec.layers", self.layers)
        object.__setattr__(self, "layers", tuple(self.layers))
        object.__setattr__(self, "plans", plan_chain("", self.layers, self.input.shape))
        self._check_first_layer()

    def _check_first_layer(self) -> None:
        """SpecError where the first layer takes token ids for numbers, or numbers for ids."""
        first = next(plan for plan in self.walk() if not plan.children)
        if getattr(first.layer, "reads_tokens", False) == isinstance(self.input, Tokens):
            return
        read = "token ids" if isinstance(self.input, Tokens) else "floating-point numbers"
        raise SpecError(
            where=first.path,
            expected=f"a layer that reads {read}, as {self.input} delivers",
            found=str(first.layer),
        )

    @property
    def output(self) -> Shape:
        """Shape of one example's output."""
        return self.plans[-1].output

    @property
    def slots(self) -> tuple[Slot, ...]:
        """Every slot under its full name, in the order of the forward pass."""
        return tuple(
            Slot(plan.full(s.name), s.shape, s.initializer, s.decay, s.trainable)
            for plan in self.walk()
            for s in plan.slots
        )

    @property
    def parameters(self) -> tuple[Slot, ...]:
        """Trainable slots."""
        return tuple(slot for slot in self.slots if slot.trainable)

    @property
    def statistics(self) -> tuple[Slot, ...]:
        """Running statistics."""
        return tuple(slot for slot in self.slots if not slot.trainable)

    @property
    def masks(self) -> tuple[MaskSlot, ...]:
        """Every mask under its full name."""
        return tuple(
            MaskSlot(plan.full(m.name), m.shape, m.keep) for plan in self.walk() for m in plan.masks
        )

    @property
    def parameter_count(self) -> int:
        """Number of trainable numbers."""
        return sum(slot.size for slot in self.parameters)

    @property
    def identifier(self) -> str:
        """The name as an identifier: lower case, other characters become `_`."""
        return re.sub(r"[^a-z0-9]", "_", self.name.lower())

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the declaration: equal for equal specs, on every machine."""
        declaration = f"{self.name}|{self.input!r}|{list(self.layers)!r}"
        return hashlib.sha256(declaration.encode()).hexdigest()

    def walk(self) -> Iterator[Plan]:
        """Yield every plan, a composition before its parts."""
        for plan in self.plans:
            yield from plan.walk()


def plan_chain(path: str, entries: Sequence[Entry], input: Shape) -> tuple[Plan, ...]:
    """Return the plans of layers applied one after the other below `path`."""
    if not entries:
        raise SpecError(where=path or "NetSpec.layers", expected="at least one layer", found="none")
    plans: list[Plan] = []
    shape = input
    for name, layer in named(path, entries):
        plan = place(layer, f"{path}.{name}" if path else name, shape)
        plans.append(plan)
        shape = plan.output
    return tuple(plans)


def place(layer: Layer, path: str, input: Shape) -> Plan:
    """Return the plan of a layer at its place; SpecError where it is no layer."""
    if isinstance(layer, type) or not callable(getattr(layer, "plan", None)):
        remedy = "Write it with its arguments, e.g. Flatten()" if isinstance(layer, type) else ""
        raise SpecError(where=path, expected="a layer", found=repr(layer), remedy=remedy)
    return layer.plan(path, input)


def named(path: str, entries: Sequence[Entry]) -> list[tuple[str, Layer]]:
    """Return (name, layer) pairs, naming the unnamed by kind and running number."""
    counts: dict[str, int] = {}
    pairs: list[tuple[str, Layer]] = []
    for entry in entries:
        if isinstance(entry, tuple):
            pairs.append(_as_pair(path, entry))
            continue
        kind = getattr(entry, "kind", "layer")
        counts[kind] = counts.get(kind, 0) + 1
        pairs.append((f"{kind}{counts[kind]}", entry))
    for index, (name, _) in enumerate(pairs):
        if not _is_name(_NAME, name):
            expected = "a letter, then letters, digits or '_'"
            raise SpecError(where=path or "NetSpec.layers", expected=expected, found=repr(name))
        if name in {other for other, _ in pairs[:index]}:
            where = f"{path}.{name}" if path else name
            raise SpecError(
                where=where, expected="each layer name once", found="two layers so named"
            )
    return pairs


def require_entries(where: str, entries: object) -> None:
    """SpecError where layers are not given as a list."""
    _require(where, entries, "a list of layers", list, tuple)


def _as_pair(path: str, entry: tuple[object, ...]) -> tuple[str, Layer]:
    if len(entry) != 2:
        expected = "a layer or a pair (name, layer)"
        raise SpecError(where=path or "NetSpec.layers", expected=expected, found=repr(entry))
    return cast("tuple[str, Layer]", entry)


def _is_name(pattern: re.Pattern[str], name: object) -> bool:
    return isinstance(name, str) and pattern.fullmatch(name) is not None


def _require(where: str, value: object, expected: str, *kinds: type) -> None:
    if not isinstance(value, kinds):
        raise SpecError(where=where, expected=expected, found=repr(value))
