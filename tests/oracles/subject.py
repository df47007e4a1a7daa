"""A net under test: its forward and its pullback as emitted texts, run on the interpreter."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import get_type_hints

import numpy as np
from numpy.typing import NDArray

from gradwright import programs
from gradwright.hlo import ElementType, evaluate
from gradwright.layers import (
    PORTABLE,
    TEXTBOOK,
    Formulation,
)
from gradwright.programs import STANDARD, Abi, Program
from gradwright.spec import Entry, Image, Input, NetSpec
from gradwright.spec.conventions import Convention

Array = NDArray[np.float64]
Arrays = dict[str, Array]
PICTURE = Image(3, 7, 5)
Runner = Callable[[Program, Mapping[str, np.ndarray]], dict[str, np.ndarray]]

CHOICES: Mapping[str, type[Convention]] = {
    field: kind
    for field, kind in get_type_hints(Formulation).items()
    if isinstance(kind, type) and issubclass(kind, Convention)
}
"""The enumeration of each field of a formulation that has one."""


def forms(*fields: str) -> tuple[Formulation, ...]:
    """Return every combination of the named fields, the others as in TEXTBOOK."""
    combinations = product(*(CHOICES[field] for field in fields))
    return tuple(
        replace(TEXTBOOK, **dict(zip(fields, choices, strict=True))) for choices in combinations
    )


FORMULATIONS = forms(*CHOICES)
"""Every layout with every form of each layer: TEXTBOOK, PORTABLE and all that mix them."""

MIXED = tuple(
    replace(base, **{field: getattr(other, field) for field in list(CHOICES)[::2]})
    for base, other in ((TEXTBOOK, PORTABLE), (PORTABLE, TEXTBOOK))
)
"""Two that share no choice with each other."""

RARE = tuple(
    replace(PORTABLE, **{field: choice})
    for field, choices in CHOICES.items()
    for choice in choices
    if choice not in (getattr(TEXTBOOK, field), getattr(PORTABLE, field))
)
"""One for each choice that neither TEXTBOOK nor PORTABLE makes."""


def interpret(program: Program, arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Run a program on the reference interpreter, in this process."""
    given = [np.asarray(arrays[port.name], dtype=port.dtype) for port in program.inputs]
    results = evaluate(program.text, given)
    return {port.name: result for port, result in zip(program.outputs, results, strict=True)}


@dataclass(frozen=True, slots=True)
class Subject:
    """Layers on an input, in float64 unless said otherwise."""

    layers: Sequence[Entry]
    input: Input = PICTURE
    batch: int = 2
    formulation: Formulation = TEXTBOOK
    element: ElementType = ElementType.F64
    runner: Runner = interpret
    abi: Abi = STANDARD

    @property
    def net(self) -> NetSpec:
        """The declared net."""
        return NetSpec("subject", self.input, self.layers)

    def under(self, formulation: Formulation) -> "Subject":
        """The same net in another formulation."""
        return replace(self, formulation=formulation)

    def draw(self, seed: int = 0) -> Arrays:
        """Random parameters, x, masks and cotangent dy; nothing is 1, nothing is 0, no ties."""
        random = np.random.default_rng(seed)
        program = self.vjp_program()
        arrays = {port.name: random.standard_normal(port.shape) for port in program.inputs}
        for mask in program.masks:
            shape = arrays[mask.name].shape
            arrays[mask.name] = (random.random(shape) < mask.keep) / mask.keep
        if self.net.input.integer is not None:
            arrays["x"] = random.integers(0, 3, arrays["x"].shape).astype(np.float64)
        return arrays

    def forward(self, arrays: Mapping[str, np.ndarray]) -> Array:
        """Return what the emitted training forward computes."""
        return self.runner(self.forward_program(), arrays)["output"].astype(np.float64)

    def gradients(self, arrays: Mapping[str, np.ndarray]) -> Arrays:
        """Return the emitted pullback of `dy` by input name."""
        results = self.runner(self.vjp_program(), arrays)
        return {name[2:]: value.astype(np.float64) for name, value in results.items()}

    def evaluation(self, arrays: Mapping[str, np.ndarray]) -> Array:
        """Return what the emitted evaluation computes."""
        program = programs.eval(
            self.net,
            batch=self.batch,
            element=self.element,
            formulation=self.formulation,
            abi=self.abi,
        )
        return self.runner(program, arrays)["output"].astype(np.float64)

    def forward_program(self) -> Program:
        """Return the training forward."""
        return programs.forward(
            self.net,
            batch=self.batch,
            element=self.element,
            formulation=self.formulation,
            abi=self.abi,
        )

    def vjp_program(self) -> Program:
        """Return the pullback."""
        return programs.vjp(
            self.net,
            batch=self.batch,
            element=self.element,
            formulation=self.formulation,
            abi=self.abi,
        )
