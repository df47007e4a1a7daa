"""The texts that attacked certificates are about, and the honest certificates."""

import json
from functools import cache

from gradwright import layers, losses, optim, programs
from gradwright.certify.certificate import Subject, scouted, written
from gradwright.certify.certificate_json import certificate_json
from gradwright.certify.programs_reading import STATED, target_of
from gradwright.check.certificate import (
    Certificate,
    ClaimRecord,
    GradientClaim,
    LossClaim,
    MeaningClaim,
    Statement,
    UpdateClaim,
)
from gradwright.programs import Program
from gradwright.spec import Image, NetSpec

Json = dict[str, object]


@cache
def step() -> Program:
    """Return the train step of a net with a convolution, a pool and momentum."""
    net = NetSpec(
        "attacked",
        Image(2, 6, 6),
        [
            layers.ConvBn(3, 3, padding=layers.Padding.SYMMETRIC),
            layers.MaxPool(2),
            layers.Flatten(),
            layers.Dense(4),
        ],
    )
    return programs.train_step(
        net, batch=3, loss=losses.SoftmaxCrossEntropy(), optimizer=optim.Momentum()
    )


def records_of(text: str, program: Program) -> tuple[Subject, list[tuple[str, ClaimRecord]]]:
    """Return what can be claimed of a text with the roles and statements of a train step."""
    inputs = [port.name for port in program.inputs]
    outputs = [port.name for port in program.outputs]
    loss = outputs.index("loss")
    names = {name: i for i, name in enumerate(inputs)}
    statements = [Statement(each) for each in program.statements]
    subject, values = scouted(
        Subject("gradients", [text], loss, names, statements),
        {names[name]: outputs.index(name) for name in program.updates},
    )
    claims: list[tuple[str, ClaimRecord]] = [("the differentiated loss", LossClaim(loss))]
    for k, port in enumerate(program.outputs):
        if port.role in STATED:
            claims.append((port.name, MeaningClaim(target_of(port), k)))
    arguments = {name: names[name] for name in program.updates if names[name] in values}
    claims += [(name, GradientClaim(n, values[n])) for name, n in arguments.items()]
    for name, n in arguments.items():
        moments = [f"{name}.u"] if f"{name}.u" in names else []
        reads = [("lr", names["lr"]), ("theta", n), *(("u", names[m]) for m in moments)]
        rule = program.updates[name]
        for target, port in (("theta'", name), *(("u'", m) for m in moments)):
            record = UpdateClaim(values[n], tuple(reads), outputs.index(port), rule, target)
            claims.append((f"{port} {target}", record))
    return subject, claims


@cache
def honest() -> Certificate:
    """Return the certificate of every claim about the step."""
    return written(*records_of(step().text, step()))


def copy() -> Json:
    """Return the JSON object of the honest certificate, to be spoilt."""
    return json.loads(json.dumps(certificate_json(honest())))
