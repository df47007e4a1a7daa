"""The table of known bugs that the certifier has to meet, by id.

A wrong gradient is refuted at an input that is evaluated again, and the right one proved. Of a
convention the declared answer is proved and the other ones are not. A letter stands for a field:
A convolution, B pooling, C normalisation, D losses, E activations, F attention and indices,
G boxes and resizing, H optimizers, I clipping. The tests name an id as "bugs A1".
"""

import enum
from dataclasses import dataclass


class Kind(enum.Enum):
    """What is to be shown."""

    WRONG = "a wrong gradient is refuted"
    CONVENTION = "exactly the declared convention is proved"
    BOTH = "a wrong gradient or formula is refuted, of several defensible ones one is declared"


@dataclass(frozen=True, slots=True)
class Bug:
    """A kind of bug that was shipped."""

    id: str
    kind: Kind
    title: str


BUGS = (
    Bug("A1", Kind.WRONG, "groups ignored under stride"),
    Bug("A2", Kind.WRONG, "stride and dilation exchanged in a weight gradient"),
    Bug("A4", Kind.WRONG, "input gradient of a dilated convolution padded as if not dilated"),
    Bug("A7", Kind.WRONG, "a weight gradient averaged instead of summed"),
    Bug("A11", Kind.CONVENTION, "SAME padding is not symmetric at stride 2"),
    Bug("B1", Kind.WRONG, "overlapping windows of a max pool overwrite"),
    Bug("B2", Kind.WRONG, "the last write of a max pool wins"),
    Bug("B4", Kind.WRONG, "a max pool that pads with 0"),
    Bug("B6", Kind.CONVENTION, "who wins a tie of a max pool"),
    Bug("B7", Kind.BOTH, "divisor of an average pool at the border"),
    Bug("C1", Kind.CONVENTION, "running variance biased or not"),
    Bug("C2", Kind.CONVENTION, "momentum or its complement in running statistics"),
    Bug("C5", Kind.WRONG, "means of unequal shards without weights"),
    Bug("C11", Kind.WRONG, "a variance taken for constant"),
    Bug("D1", Kind.WRONG, "log-softmax gradient with the wrong sign"),
    Bug("D2", Kind.WRONG, "a missing bracket in the gradient of tanh"),
    Bug("D4", Kind.WRONG, "label smoothing of ignored rows"),
    Bug("D8", Kind.WRONG, "label smoothing by another number of classes"),
    Bug("D9", Kind.WRONG, "reported loss other than the differentiated one"),
    Bug("D10", Kind.CONVENTION, "label smoothing with or without the true class"),
    Bug("E1", Kind.CONVENTION, "hard-swish at its kinks"),
    Bug("E2", Kind.CONVENTION, "max(x, 0) at 0"),
    Bug("E4", Kind.BOTH, "GELU by erf or by tanh, and one with the gradient of the other"),
    Bug("F2", Kind.CONVENTION, "causal mask of fewer queries than keys"),
    Bug("F6", Kind.WRONG, "repeated indices of a gather"),
    Bug("F7", Kind.CONVENTION, "writes over one another"),
    Bug("G4", Kind.BOTH, "a surrogate for the gradient of an aspect ratio"),
    Bug("G7", Kind.CONVENTION, "resizing with or without antialiasing"),
    Bug("H1", Kind.WRONG, "Adam without bias correction"),
    Bug("H2", Kind.CONVENTION, "where epsilon of Adam stands"),
    Bug("H4", Kind.WRONG, "weight decay through the normalisation"),
    Bug("H7", Kind.CONVENTION, "trust ratio of parameters that do not decay"),
    Bug("H9", Kind.CONVENTION, "form of Nesterov's momentum, and a dampened first step"),
    Bug("H10", Kind.CONVENTION, "epsilon and rate of RMSProp inside or outside"),
    Bug("I2", Kind.CONVENTION, "clipping by a norm, infinite ones left out"),
    Bug("I8", Kind.WRONG, "clipping each micro-batch instead of the mean"),
)
