"""A large net's train step is written quickly and is no longer than a reader's tools bear."""

import time

import pytest

from gradwright import programs, zoo
from gradwright.losses import SoftmaxCrossEntropy
from gradwright.optim import AdamW, Momentum, Optimizer

SECONDS = 0.5
BYTES = 1_000_000


@pytest.mark.parametrize("optimizer", [Momentum(), AdamW()], ids=lambda rule: rule.kind)
def test_resnet50s_train_step_is_written_in_half_a_second_and_a_megabyte(
    optimizer: Optimizer,
) -> None:
    net, times = zoo.get("resnet50"), list[float]()
    text = ""
    for _ in range(3):
        start = time.process_time()
        program = programs.train_step(net, batch=8, loss=SoftmaxCrossEntropy(), optimizer=optimizer)
        text = program.text
        times.append(time.process_time() - start)
    assert min(times) < SECONDS
    assert len(text) < BYTES
