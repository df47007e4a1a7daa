"""Certificates of whole train steps: size, CPU time to prove, to write and to check, as a row."""

import argparse
import json
import time
from itertools import pairwise

import gradwright as gw
from gradwright.layers import PORTABLE, TEXTBOOK

FORMS = {"textbook": TEXTBOOK, "portable": PORTABLE}


def main() -> None:
    """Print one row about one net."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("net")
    parser.add_argument("--size", type=int)
    parser.add_argument("--classes", type=int, default=10)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--form", choices=FORMS, default="textbook")
    chosen = parser.parse_args()
    net = gw.zoo.get(chosen.net, classes=chosen.classes, size=chosen.size)
    step = gw.programs.train_step(
        net,
        batch=chosen.batch,
        loss=gw.losses.SoftmaxCrossEntropy(),
        optimizer=gw.optim.Sgd(),
        formulation=FORMS[chosen.form],
    )
    times = [time.process_time()]
    report = gw.certify(step)
    times.append(time.process_time())
    certificate = report.certificate
    times.append(time.process_time())
    checked = gw.check(certificate, step.text)
    times.append(time.process_time())
    proved, written, replayed = (b - a for a, b in pairwise(times))
    size = len(json.dumps(certificate))
    print(
        f"| {chosen.net}, {chosen.classes} classes, size {chosen.size}, batch {chosen.batch}, "
        f"{chosen.form} | {step.text.count(chr(10)):,} lines | {proved:.0f} s | {size:,} bytes "
        f"| {written:.0f} s | {replayed:.0f} s |"
    )
    print(f"{report.verdict.value}; {checked.reason or f'{len(checked.claims)} claims hold'}")
    print(f"not covered: {', '.join(checked.uncovered) or 'nothing'}")


if __name__ == "__main__":
    main()
