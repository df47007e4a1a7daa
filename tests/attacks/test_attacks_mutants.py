"""Defects in a text: no certificate makes a wrong result right, whoever wrote it."""

import random
from collections.abc import Iterator

import pytest

from attacks.subjects import copy, records_of, step
from gradwright.certify.certificate import written
from gradwright.certify.certificate_json import certificate_json
from gradwright.certify.mutants import mutants
from gradwright.certify.mutants_truth import Truth
from gradwright.certify.refute_points import restricted
from gradwright.certify.witness_process import Evaluator
from gradwright.check import check
from gradwright.check.certificate import UpdateClaim
from gradwright.check.replay import digest
from gradwright.check.straight import ancestors
from gradwright.errors import GradwrightError
from gradwright.hlo import Function, Module, print_module, read_module, verify

SEED = 3
SECONDS = 600.0

pytestmark = pytest.mark.interpreter


def backward_mutants(count: int) -> Iterator[str]:
    """Yield texts with a defect in what the loss does not depend on, in seeded order."""
    main = read_module(step().text).main
    loss = main.body.results[[port.name for port in step().outputs].index("loss")]
    needed = ancestors([loss], main.body.operations, frozenset())
    spared = {id(result) for operation in needed for result in operation.results}
    found = list(mutants(main, spared))
    random.Random(SEED).shuffle(found)
    texts = (printed(mutant.function) for mutant in found)
    accepted = (text for text in texts if text is not None)
    yield from (text for _, text in zip(range(count), accepted, strict=False))


def printed(function: Function) -> str | None:
    """Return a text that the verifier accepts, else None."""
    text = print_module(Module("mutant", (function,)))
    try:
        verify(text)
    except GradwrightError:
        return None
    return text


def only(text: str, results: list[int]) -> Function:
    """Return the function that computes some results of a text."""
    main = read_module(text).main
    return restricted(main, [main.body.results[k] for k in results])


def judged_with_the_old_certificate(count: int) -> tuple[int, int]:
    """Return how many mutants the certificate of the right text rejects, and accepts."""
    claims = records_of(step().text, step())[1]
    claimed = [record.result for _, record in claims if isinstance(record, UpdateClaim)]
    rejected = accepted = 0
    with Evaluator(SECONDS) as evaluate:
        truth = Truth(only(step().text, claimed), evaluate)
        for text in backward_mutants(count):
            checked = check({**copy(), "texts": [digest(text)]}, text)
            rejected += not checked.accepted
            accepted += checked.accepted
            assert not (checked.accepted and truth.differs(only(text, claimed))), text
    return rejected, accepted


def judged_with_a_new_certificate(count: int) -> tuple[int, int]:
    """Return how many updates of mutants a certificate written for them leaves open, and covers."""
    outputs = [port.name for port in step().outputs]
    left = covered = 0
    with Evaluator(SECONDS) as evaluate:
        truths = {k: Truth(only(step().text, [k]), evaluate) for k, _ in enumerate(outputs[:10])}
        for text in backward_mutants(count):
            certificate = written(*records_of(text, step()))
            checked = check(certificate_json(certificate), text)
            assert checked.accepted or not certificate.claims
            updates = [c.result for c in certificate.claims if isinstance(c, UpdateClaim)]
            covered += len(updates)
            left += len(truths) - len(updates)
            for k in updates:
                assert not truths[k].differs(only(text, [k])), (text, k)
    return left, covered


def test_the_certificate_of_the_right_text_passes_no_wrong_one() -> None:
    rejected, accepted = judged_with_the_old_certificate(12)
    assert rejected > accepted


def test_no_certificate_covers_a_wrong_update() -> None:
    left, covered = judged_with_a_new_certificate(2)
    assert left > 0
    assert covered > 0


@pytest.mark.slow
def test_many_mutants_pass_neither_way() -> None:
    assert judged_with_the_old_certificate(300)[0] > 0
    assert judged_with_a_new_certificate(100)[0] > 0
