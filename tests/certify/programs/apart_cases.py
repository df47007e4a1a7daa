"""Proofs by several processes, for a process of their own: a fork wants no threads of JAX."""

import os
import signal
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import gradwright as gw
from gradwright.certify import Claim, Declared, Report, Search, Unknown
from gradwright.certify import programs_apart as apart
from gradwright.certify import programs_shares as shares
from gradwright.certify.processes import Answer, Part, processes
from gradwright.certify.programs_reading import Program, Reading
from gradwright.certify.texts_gradient import Derived
from gradwright.hlo import Block, Operation
from gradwright.layers import Activation, Conv2d, Dense, Flatten, Function

QUICK = Search(seconds=0)
TWO = Search(seconds=0, jobs=2)


def small_step() -> Program:
    bend = Activation(Function.RELU)
    body = [Conv2d(2, 3), bend, Flatten(), Dense(4), Activation(Function.RELU), Dense(3)]
    net = gw.NetSpec("small", gw.Image(1, 6, 6), body)
    loss = gw.losses.SoftmaxCrossEntropy()
    return gw.programs.train_step(net, batch=2, loss=loss, optimizer=gw.optim.AdamW())


STEP = small_step()
LONG = "a" * 200_000
"""Longer than what a pipe holds."""
LATEST = 60.0
"""Seconds after which a process was waited for that does not go on."""


def ignore(_: Claim) -> None:
    return


def by_shares() -> Report | None:
    return apart.certified_apart(Reading.of(STEP), TWO, ignore)


def untimed(report: Report) -> object:
    return report.scope, [replace(claim, seconds=0.0) for claim in report.claims]


def with_proof(proof: Callable[..., apart.Record]) -> Report | None:
    """Return what comes of shares that do something else than prove their claims."""
    with patch.object(apart, "prove_share", proof):
        return by_shares()


def the_answer_is_that_of_one_process() -> None:
    report = by_shares()
    assert report is not None
    assert untimed(report) == untimed(gw.certify(STEP, search=replace(QUICK, jobs=1)))


def a_share_takes_what_an_earlier_one_proves() -> None:
    with patch.object(apart, "shares_of", wraps=shares.shares_of) as divided:
        assert by_shares() is not None
    first, second = shares.shares_of(*divided.call_args.args)
    assert not first.assumed
    assert second.assumed
    assert set(second.assumed) <= set(first.proved)


def a_wrong_guess_of_a_cotangent_proves_nothing() -> None:
    guess = shares.cotangents_of

    def wrong(body: Block, known: set[int], makers: Mapping[int, Operation]) -> shares.Cotangents:
        pairs = guess(body, known, makers)
        others = list(pairs.values())[1:] + list(pairs.values())[:1]
        return {v: (pairs[v][0], whole) for v, (_, whole) in zip(pairs, others, strict=True)}

    with patch.object(shares, "cotangents_of", wrong):
        assert by_shares() is None
    assert by_shares() is not None


def a_share_that_is_killed_raises_or_says_less_proves_nothing() -> None:
    prove = apart.prove_share

    def killed(*_: object) -> apart.Record:
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError

    def raising(*_: object) -> apart.Record:
        raise MemoryError

    def less(
        reading: Reading, search: Search, share: shares.Share, derived: Derived, start: apart.Start
    ) -> apart.Record:
        record = prove(reading, search, share, derived, start)
        record["claims"].pop()
        return record

    def at_odds(
        reading: Reading, search: Search, share: shares.Share, derived: Derived, start: apart.Start
    ) -> apart.Record:
        record = prove(reading, search, share, derived, start)
        record["integers"].append(0)
        return record

    for proof in (killed, raising, less, at_odds):
        assert with_proof(proof) is None, proof
    assert with_proof(prove) is not None


def a_share_that_is_stopped_is_awaited_for_the_budget_alone() -> None:
    started = time.monotonic()

    def stopped(*_: object) -> apart.Record:
        os.kill(os.getpid(), signal.SIGSTOP)
        raise AssertionError

    with patch.object(apart, "prove_share", stopped):
        report = gw.certify(STEP, search=replace(TWO, budget=2.0))
    assert 2 < time.monotonic() - started < LATEST
    assert {claim.verdict.value for claim in report.claims} == {"unknown"}
    outcomes = [claim.outcome for claim in report.claims]
    reasons = [outcome.reason for outcome in outcomes if isinstance(outcome, Unknown)]
    assert all(reason.startswith("the 2 s for all of it are over; ") for reason in reasons)
    assert not children()


def children() -> str:
    """Return the processes that this one has started and not ended."""
    return Path(f"/proc/self/task/{os.getpid()}/children").read_text("ascii")


def what_is_wrong_is_refuted_all_the_same() -> None:
    wrong = Declared.of(STEP, STEP.text.replace("dense<2.0>", "dense<3.0>"))
    one = gw.certify(wrong, search=Search(seconds=20, jobs=1))
    assert one.verdict == "refuted"
    assert untimed(gw.certify(wrong, search=Search(seconds=20, jobs=2))) == untimed(one)


def a_result_of_which_nothing_is_stated_is_left_to_one_process() -> None:
    ports = STEP.signature
    outputs = [
        replace(port, name="other") if port.name == "dense2.bias.v" else port
        for port in ports.outputs
    ]
    signature = replace(ports, outputs=tuple(outputs))
    step = Declared(STEP.text, signature, STEP.statements, STEP.updates, None)
    assert apart.certified_apart(Reading.of(step), TWO, ignore) is None
    report = gw.certify(step, search=TWO)
    assert [claim.name for claim in report.claims if claim.verdict != "proved"] == ["other"]


def an_answer_cut_short() -> Answer:
    """Write the beginning of an answer to the pipe that is written last, and end as if all were."""
    written = max(int(name) for name in os.listdir("/proc/self/fd") if is_pipe(name))
    os.write(written, b'{"a": [1, ')
    os._exit(0)


def is_pipe(descriptor: str) -> bool:
    link = Path("/proc/self/fd", descriptor)
    return link.is_symlink() and str(link.readlink()).startswith("pipe:")


def a_part_answers_or_has_no_answer() -> None:
    assert Part.start(lambda: {"a": 1}).answer() == {"a": 1}
    assert Part.start(lambda: {"a": object()}).answer() is None
    assert Part.start(lambda: {"a": LONG}).answer() == {"a": LONG}
    assert Part.start(an_answer_cut_short).answer() is None
    Part.start(lambda: {"a": 1}).end()
    assert processes(3, 10**6) == 3
    assert processes(None, 10) == 1
    assert processes(None, 10**6) == len(os.sched_getaffinity(0))


CASES = (
    the_answer_is_that_of_one_process,
    a_share_takes_what_an_earlier_one_proves,
    a_wrong_guess_of_a_cotangent_proves_nothing,
    a_share_that_is_killed_raises_or_says_less_proves_nothing,
    a_share_that_is_stopped_is_awaited_for_the_budget_alone,
    what_is_wrong_is_refuted_all_the_same,
    a_result_of_which_nothing_is_stated_is_left_to_one_process,
    a_part_answers_or_has_no_answer,
)

if __name__ == "__main__":
    for case in CASES:
        case()
        sys.stdout.write(f"{case.__name__}\n")
