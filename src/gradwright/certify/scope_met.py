"""Whether some input meets the hypotheses of a proof: else it may speak of no input at all."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from gradwright.certify.claims import Claim
from gradwright.certify.effort import time_left
from gradwright.certify.refute_points import Point, texts_of
from gradwright.certify.scope import partial
from gradwright.certify.texts_settle import Search
from gradwright.certify.verdicts import Distribution, Verdict
from gradwright.certify.witness_process import Evaluator, Unevaluated
from gradwright.errors import GradwrightError
from gradwright.hlo import Function, Operation, Value
from gradwright.hlo.writing import without_dead_code

TRIED = (
    (1, Distribution.POSITIVE),
    (2, Distribution.SMALL),
    (0, Distribution.SIMPLEX),
    (3, Distribution.NEGATIVE),
    (0, Distribution.NORMAL),
)
"""Seeds and laws, in the order in which they mostly meet hypotheses."""
WORK = 1 << 18
"""Products and elements that are computed for it; more would take longer than most proofs."""
SECONDS = 5.0
"""CPU time of the interpreter for it."""

FOUND = "an input that meets the hypotheses was found"
NOT_FOUND = "no input found that meets the hypotheses: there may be none that the proof is about"
NOT_TRIED = "no input that meets the hypotheses was looked for"


def meeting(
    functions: Sequence[Function], claims: Sequence[Claim], search: Search
) -> Iterator[str]:
    """Yield the line that says whether inputs meet the hypotheses of what is proved, if any are.

    The last of `functions` takes the arguments of the first, and perhaps more. Hypotheses on
    domains count: quotients, logarithms, roots and their like are finite in f64.
    """
    doubtful = partial(functions)
    if not doubtful or all(claim.verdict is not Verdict.PROVED for claim in claims):
        return
    value, emitted = (_observed(each, doubtful) for each in (functions[0], functions[-1]))
    work = sum(_work(each) for side in (value, emitted) for each in side.body.operations)
    left = time_left()
    if search.evaluator is None and search.seconds <= 0:
        yield f"{NOT_TRIED} (no search was asked for)"
    elif left is not None and left <= 0:
        yield f"{NOT_TRIED} (the time was over)"
    elif work > WORK:
        yield f"{NOT_TRIED} (the text is large)"
    else:
        bounded = replace(search, seconds=min(search.seconds, SECONDS))
        search.progress("an input that meets the hypotheses")
        with bounded.evaluating() as evaluate:
            yield _searched(emitted, value, evaluate, search)


@np.errstate(all="ignore")
def _searched(emitted: Function, value: Function, evaluate: Evaluator, search: Search) -> str:
    problem, compared = "", False
    try:
        texts = texts_of(emitted, value)
    except GradwrightError as error:
        return f"{NOT_TRIED} (the text has no form over f64: {error.found})"
    for seed, law in TRIED:
        try:
            point = Point(texts, evaluate, seed, law, search.laws or {})
            if all(bool(np.isfinite(each).all()) for each in (*point.returned, *point.wanted())):
                return f"{FOUND} (seed {seed}, {law.value})"
            compared = True
        except Unevaluated as error:
            problem = str(error)
    return NOT_FOUND if compared else f"{NOT_TRIED} ({problem})"


def _observed(function: Function, doubtful: Sequence[Operation]) -> Function:
    """Return the function that computes what hypotheses are about; its results, if in a region."""
    body, known = function.body, {id(each) for each in doubtful}
    here = [each for each in body.operations if id(each) in known]
    nested = any(id(each) in known for each in body.walk()) and not here
    results = _floats(body.results) if nested else _floats(v for op in here for v in op.results)
    return Function(function.name, without_dead_code(replace(body, results=results)))


def _floats(values: Sequence[Value] | Iterator[Value]) -> tuple[Value, ...]:
    return tuple(value for value in values if value.type.element.is_float)


def _work(operation: Operation) -> int:
    """Return about how many numbers are computed: of a contraction no fewer than its products."""
    size = sum(value.type.size for value in operation.results)
    if operation.opcode in ("stablehlo.dot_general", "stablehlo.convolution"):
        return size * operation.operands[1].type.size
    return size
