"""Probes by several processes, for a process of their own: a fork wants no threads of JAX."""

import json
import os
import signal
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from io import StringIO
from typing import Any
from unittest.mock import patch

from gradwright import probes
from gradwright.certify import Search
from gradwright.certify.processes import Answer, Part
from gradwright.cli import main

NAMES = ("mse", "focal", "bce")


def said(jobs: int) -> list[dict[str, Any]]:
    """Return what is said of some probes, but for the seconds that they took."""
    out = StringIO()
    with redirect_stdout(out):
        assert main(["probes", *NAMES, "--jobs", str(jobs), "--seconds", "0", "--json"]) == 0
    found: list[dict[str, Any]] = json.loads(out.getvalue())["probes"]
    for claim in (claim for each in found for claim in each["claims"]):
        claim.pop("seconds")
    return found


def the_answer_is_that_of_one_process() -> None:
    started: list[Part] = []

    def counted(work: Callable[[], Answer]) -> Part:
        started.append(start(work))
        return started[-1]

    start = Part.start
    with patch.object(Part, "start", counted):
        apart = said(2)
    assert len(started) == 2
    assert [each["name"] for each in apart] == list(NAMES)
    assert apart == said(1)


def what_a_killed_process_does_not_answer_is_done_here() -> None:
    check, parent = probes.check_probe, os.getpid()

    def killed(name: str, text: str | None, *, search: Search) -> probes.Checked:
        if os.getpid() != parent:
            os.kill(os.getpid(), signal.SIGKILL)
        return check(name, text, search=search)

    with patch.object(probes, "check_probe", killed):
        found = said(3)
    assert [each["name"] for each in found] == list(NAMES)


CASES = {
    case.__name__: case
    for case in (
        the_answer_is_that_of_one_process,
        what_a_killed_process_does_not_answer_is_done_here,
    )
}

if __name__ == "__main__":
    CASES[sys.argv[1]]()
