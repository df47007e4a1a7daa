"""Proving the gradients of a text: result 0 is the loss, the others are its derivatives."""

from gradwright.certify.kernel.unroll import unrolled
from gradwright.certify.refute_points import restricted
from gradwright.certify.texts_calls import inlined
from gradwright.certify.texts_gradient import Derived, Subject, cotangent, derive, first_failure
from gradwright.hlo import Function, read_module

UNCUT_LIMIT = 250
"""Operations up to which a proof that failed is tried once more without cuts."""
NO_DERIVATIVE = {
    "norm-logcdf": "the forward function is made of pieces, the gradient is that of their limit",
    "power-iteration-stopped": "what the gradient leaves out is not marked in the text",
}
"""Functions whose gradient, as JAX writes it, is not that of the text; none may be proved."""


def prepared(text: str) -> Function:
    """Return the function of a text as straight operations."""
    return unrolled(inlined(read_module(text)))


def verdicts(main: Function, count: int) -> list[str]:
    """Return "" for each of the first `count` gradients that is proved, else why it is not."""
    forward = restricted(main, [main.body.results[0]])
    pairs = tuple((k, k + 1) for k in range(count))
    subject = Subject(forward, main, (None,), pairs)
    cut = derive(subject)
    found = [_verdict(cut, main, k) for k in range(count)]
    if any(found) and len(main.body.operations) <= UNCUT_LIMIT:
        uncut = derive(subject, cut=set())
        found = [why and _verdict(uncut, main, k) for k, why in enumerate(found)]
    return found


def _verdict(derived: Derived, main: Function, k: int) -> str:
    argument, result = main.body.arguments[k], main.body.results[k + 1]
    wanted = cotangent(derived, argument)
    if wanted is None:
        return derived.lost[id(argument)]
    if derived.proof.same(wanted, derived.proof.known[id(result)]):
        return ""
    for value in (result, main.body.results[0]):
        failure = first_failure(derived.proof, value, main.body.operations)
        if failure is not None:
            return failure
    return "the forms differ"
