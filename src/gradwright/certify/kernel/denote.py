"""The table of denotations: what each understood StableHLO operation means.

Every attribute, region and initial operand is either used or refused. A region is denoted by its
text, with its operands in their places, and the result is compared with the functions that are
understood; the names of its operations decide nothing.
"""

from gradwright.certify.kernel.denotation import Denotation, Rule
from gradwright.certify.kernel.indexing import INDEXING
from gradwright.certify.kernel.loops import LOOPS
from gradwright.certify.kernel.numeric import LOGICAL, NUMERIC
from gradwright.certify.kernel.shaped import SHAPED
from gradwright.certify.kernel.windows import WINDOWS

RULES: dict[str, Rule] = {**NUMERIC, **LOGICAL, **SHAPED, **WINDOWS, **INDEXING, **LOOPS}
"""The denotation of every understood operation."""


def new_denotation() -> Denotation:
    """Return the empty state of a proof."""
    return Denotation(RULES)
