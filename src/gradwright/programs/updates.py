"""The update of every parameter: its rule in place, or a call of the one for its shape."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gradwright.hlo import Builder, Function, Shape, TensorType, Value
from gradwright.optim import Clock, Optimizer
from gradwright.programs.draft import Arguments, Draft
from gradwright.spec import Decay, Slot

SHARED_FROM = 3
"""Parameters of one shape and one rule from which on they call a function.

That shortens the text of a deep net by a quarter; backends write the calls out again.
"""

_Kind = tuple[Shape, Decay]
"""All that a rule depends on of a parameter."""


@dataclass(frozen=True, slots=True)
class Moved:
    """New parameters by full name, new moments by full name and kind."""

    parameters: Mapping[str, Value]
    moments: Mapping[str, Mapping[str, Value]]
    kinds: Sequence[str]
    corrections: tuple[Value, Value] | None


def moved_by(
    draft: Draft,
    optimizer: Optimizer,
    clock: Clock,
    given: Arguments,
    gradients: Mapping[str, Value],
) -> Moved:
    """Write the update of every parameter; moments without a rule stay as they are."""
    abi, parameters = draft.abi, dict[str, Value]()
    moments: dict[str, dict[str, Value]] = {}
    rules = _Rules(draft, optimizer, clock)
    for slot in draft.net.parameters:
        old, g, kept = (
            given.parameters[slot.name],
            gradients[slot.name],
            given.moments.get(slot.name, {}),
        )
        read = [kept[abi.place(moment)] for moment in optimizer.moments]
        with draft.b.scope(slot.name, f"update: {optimizer}"):
            new, state = rules.write(slot, old, read, g)
        parameters[slot.name] = new
        written = zip(map(abi.place, optimizer.moments), state, strict=True)
        moments[slot.name] = {**kept, **dict(written)}
    return Moved(parameters, moments, abi.moments(optimizer), given.corrections)


class _Rules:
    """The rule of each parameter of a draft; `functions` are those that several share."""

    def __init__(self, draft: Draft, optimizer: Optimizer, clock: Clock) -> None:
        self._b = draft.b
        self._optimizer = optimizer
        self._clock = clock
        self._functions: dict[_Kind, Function] = {}
        alike: dict[_Kind, list[Slot]] = {}
        for slot in draft.net.parameters if draft.abi.shares_updates else ():
            alike.setdefault((slot.shape, slot.decay), []).append(slot)
        for kind, slots in alike.items():
            if len(slots) >= SHARED_FROM:
                type = TensorType(slots[0].shape, draft.element)
                self._functions[kind] = self._function(slots[0], type)
        draft.functions.extend(self._functions.values())

    def write(
        self, slot: Slot, theta: Value, moments: Sequence[Value], g: Value
    ) -> tuple[Value, Sequence[Value]]:
        """Write the rule for a parameter; return the parameter and its moments anew."""
        function = self._functions.get((slot.shape, slot.decay))
        if function is None:
            return self._optimizer.update(self._b, self._clock, slot, theta, moments, g)
        new, *state = self._b.call(function, [theta, *moments, g, *self._scalars.values()])
        return new, state

    @property
    def _scalars(self) -> Mapping[str, Value]:
        t = self._clock.t
        return {"lr": self._clock.lr} | ({"t": t} if t and self._optimizer.reads_step else {})

    def _function(self, slot: Slot, type: TensorType) -> Function:
        b = Builder()
        theta, *moments, g = (
            b.argument(name, type) for name in ("theta", *self._optimizer.moments, "g")
        )
        given = {name: b.argument(name, value.type) for name, value in self._scalars.items()}
        clock = Clock(given["lr"], given.get("t"))
        new, state = self._optimizer.update(b, clock, slot, theta, moments, g)
        extents = "x".join(map(str, slot.shape))
        return b.finish(f"update_{slot.decay.value}_{extents}", (new, *state))
