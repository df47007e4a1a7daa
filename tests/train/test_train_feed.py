"""What each step is fed, and that an epoch can be entered anywhere."""

from dataclasses import replace

import numpy as np
import pytest

from gradwright.data import Augmentation, Flip, LastBatch
from gradwright.errors import DataError, SpecError
from gradwright.hlo import ElementType, Port, Role, TensorType
from gradwright.train import Feed, TrainOptions
from gradwright.train.feed import fit_images, fit_labels
from gradwright.train.training import make_feed
from train.tiny import BATCH, CLASSES, FEATURES, tiny_data, tiny_parts

OPTIONS = TrainOptions(
    epochs=3,
    batch=BATCH,
    lr=0.1,
    warmup_epochs=1,
    augmentation=Augmentation(flip=Flip.HALF, padding=1),
)


def feed(options: TrainOptions = OPTIONS) -> Feed:
    return make_feed(tiny_parts(), tiny_data(), options)


def test_every_input_but_the_state_is_fed_with_its_shape_and_type() -> None:
    ports = {port.name: port for port in tiny_parts().step.signature.inputs}
    first = next(feed().epoch(0))
    assert set(first.inputs) == {"lr", "t", "x", "y", "top.mask"}
    for name, array in first.inputs.items():
        assert (array.shape, array.dtype) == (ports[name].shape, ports[name].dtype)


def test_steps_count_from_one_over_the_whole_run_and_carry_their_rate() -> None:
    steps = [step for epoch in range(3) for step in feed().epoch(epoch)]
    assert [step.step for step in steps] == list(range(1, 16))
    assert [float(step.inputs["t"]) for step in steps] == list(range(1, 16))
    schedule = feed().schedule
    assert [step.lr for step in steps] == [schedule.lr(step) for step in range(1, 16)]
    assert [float(s.inputs["lr"]) for s in steps] == [float(np.float32(s.lr)) for s in steps]


@pytest.mark.parametrize("last", LastBatch)
def test_an_epoch_entered_at_any_position_goes_on_with_the_same_bits(last: LastBatch) -> None:
    source = feed(replace(OPTIONS, last=last))
    whole = list(source.epoch(1))
    for position in range(len(whole) + 1):
        entered = list(source.epoch(1, position=position))
        assert [step.step for step in entered] == [step.step for step in whole[position:]]
        for one, other in zip(entered, whole[position:], strict=True):
            for name, array in one.inputs.items():
                assert array.tobytes() == other.inputs[name].tobytes()


def test_epochs_differ_in_order_and_masks() -> None:
    first, second = next(feed().epoch(0)), next(feed().epoch(1))
    for name in ("x", "y", "top.mask"):
        assert first.inputs[name].tobytes() != second.inputs[name].tobytes()


def test_padding_feeds_every_sample_once_and_marks_the_rest() -> None:
    steps = list(feed(replace(OPTIONS, last=LastBatch.PAD)).epoch(0))
    assert sum(step.samples for step in steps) == 45
    assert [int((step.inputs["y"] == -1).sum()) for step in steps] == [0, 0, 0, 0, 0, 3]


def test_padding_needs_a_loss_that_leaves_labels_out() -> None:
    parts = replace(tiny_parts(), ignore_label=None)
    with pytest.raises(SpecError) as caught:
        make_feed(parts, tiny_data(), replace(OPTIONS, last=LastBatch.PAD))
    assert str(caught.value) == (
        "TrainOptions.last: expected LastBatch.DROP, since this loss has no ignore_index, "
        "found LastBatch.PAD"
    )


def test_a_split_smaller_than_one_batch_is_refused() -> None:
    with pytest.raises(DataError) as caught:
        make_feed(tiny_parts(), tiny_data(train=7), OPTIONS)
    assert str(caught.value) == (
        "training split: expected at least one batch of 8, found 7 samples. "
        "Take a smaller batch or LastBatch.PAD."
    )


def test_a_net_for_another_number_of_classes_is_refused() -> None:
    data = tiny_data()
    with pytest.raises(SpecError) as caught:
        make_feed(tiny_parts(), replace(data, classes=(*data.classes, "e")), OPTIONS)
    assert str(caught.value) == (
        "net tiny: expected 5 outputs, the classes of bars, found output shape [4]"
    )


def port(*shape: int, element: ElementType = ElementType.F32) -> Port:
    return Port("x", Role.DATA, TensorType(shape, element))


def test_images_are_flattened_in_reading_order_for_a_flat_net() -> None:
    images = np.arange(2 * FEATURES, dtype=np.float32).reshape(2, 1, 3, 3)
    assert (fit_images(images, port(2, FEATURES)) == images.reshape(2, FEATURES)).all()
    assert fit_images(images, port(2, 1, 3, 3)) is not None
    assert fit_images(images, port(2, 1, 3, 3, element=ElementType.F64)).dtype == np.float64


@pytest.mark.parametrize("shape", [(2, 8), (2, 3, 3, 3), (4, 1, 3, 3)])
def test_images_of_another_size_are_refused(shape: tuple[int, ...]) -> None:
    images = np.zeros((2, 1, 3, 3), np.float32)
    with pytest.raises(DataError) as caught:
        fit_images(images, port(*shape))
    assert str(caught.value) == (
        f"input x of the net: expected {port(*shape).type}, found images of shape [2, 1, 3, 3]. "
        "Take another data set or a net for images of this size."
    )


def test_labels_become_one_hot_rows_where_the_program_takes_soft_labels() -> None:
    labels = np.array([2, 0, -1], np.int32)
    assert (fit_labels(labels, port(3, element=ElementType.I32)) == labels).all()
    assert fit_labels(labels, port(3, CLASSES)).tolist() == [
        [0, 0, 1, 0],
        [1, 0, 0, 0],
        [0, 0, 0, 0],
    ]
