"""What each training step is fed: batch, labels, masks, learning rate and step number."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gradwright.data import Split, batch_count, batches, epoch_order
from gradwright.errors import DataError
from gradwright.hlo import Port, Role
from gradwright.spec import MaskSlot
from gradwright.train.masks import draw_mask
from gradwright.train.options import TrainOptions
from gradwright.train.schedule import Schedule

Inputs = dict[str, NDArray[np.generic]]


@dataclass(frozen=True, slots=True, eq=False)
class Fed:
    """The inputs of one step besides the state, and how many of its samples are true ones."""

    step: int
    lr: float
    samples: int
    inputs: Inputs


@dataclass(frozen=True, slots=True, eq=False)
class Feed:
    """The training split as a program takes it, epoch by epoch.

    Everything is a function of the options' seed and the step, so an epoch can be entered at any
    position and goes on as if it had been run from its start.

    `ports` are the inputs of the train step; `masks` say how each mask is drawn.
    """

    split: Split
    options: TrainOptions
    ports: Sequence[Port]
    masks: Sequence[MaskSlot] = ()
    ignore_label: int = -1

    @property
    def steps_per_epoch(self) -> int:
        """Count the steps of one epoch; DataError where there is no whole batch."""
        count = batch_count(len(self.split), self.options.batch, self.options.last)
        if count == 0:
            raise DataError(
                where="training split",
                expected=f"at least one batch of {self.options.batch}",
                found=f"{len(self.split)} samples",
                remedy="Take a smaller batch or LastBatch.PAD.",
            )
        return count

    @property
    def schedule(self) -> Schedule:
        """Return the learning rate of every step."""
        return self.options.schedule(self.steps_per_epoch)

    def epoch(self, epoch: int, *, position: int = 0) -> Iterator[Fed]:
        """Yield the steps of one epoch (counted from 0), from a position in it on."""
        options, schedule = self.options, self.schedule
        count = len(self.split)
        order = epoch_order(count, seed=options.seed, epoch=epoch)
        augmentation = options.augmentation.epoch(count, seed=options.seed, epoch=epoch)
        for batch in batches(
            self.split,
            options.batch,
            order,
            options.last,
            ignore_label=self.ignore_label,
            augmentation=augmentation,
            first=position,
        ):
            step = epoch * self.steps_per_epoch + batch.index + 1
            lr = schedule.lr(step)
            inputs = self._inputs(step, lr, batch.images, batch.labels)
            yield Fed(step, lr, batch.count, inputs)

    def _inputs(
        self, step: int, lr: float, images: NDArray[np.float32], labels: NDArray[np.int32]
    ) -> Inputs:
        inputs: Inputs = {}
        for port in self.ports:
            match port.role:
                case Role.LEARNING_RATE:
                    inputs[port.name] = np.asarray(lr, port.dtype)
                case Role.STEP:
                    inputs[port.name] = np.asarray(step, port.dtype)
                case Role.DATA:
                    inputs[port.name] = fit_images(images, port)
                case Role.LABEL:
                    inputs[port.name] = fit_labels(labels, port)
                case _:
                    pass
        for mask, port in self._mask_ports():
            drawn = draw_mask(self.options.seed, step, mask.name, port.shape, mask.keep)
            inputs[port.name] = drawn.astype(port.dtype, copy=False)
        return inputs

    def _mask_ports(self) -> Iterator[tuple[MaskSlot, Port]]:
        ports = {port.name: port for port in self.ports if port.role is Role.MASK}
        for mask in self.masks:
            yield mask, ports[mask.name]


def fit_images(images: NDArray[np.float32], port: Port) -> NDArray[np.generic]:
    """Return images [B, C, H, W] in the port's shape: as they are, or flattened to [B, F].

    Errors: DataError where the port takes other images.
    """
    flat = len(port.shape) == 2
    shape = (len(images), int(np.prod(images.shape[1:]))) if flat else images.shape
    if shape != port.shape or not port.type.element.is_float:
        raise DataError(
            where=f"input {port.name} of the net",
            expected=str(port.type),
            found=f"images of shape {list(images.shape)}",
            remedy="Take another data set or a net for images of this size.",
        )
    return images.reshape(shape).astype(port.dtype, copy=False)


def fit_labels(labels: NDArray[np.int32], port: Port) -> NDArray[np.generic]:
    """Return labels [B] as the port takes them: class numbers, or one-hot rows [B, K].

    A label that is no class (the ignore label) becomes a row of zeros.
    """
    if len(port.shape) == 1:
        return labels.astype(port.dtype, copy=False)
    classes = np.arange(port.shape[-1])
    return (labels[:, None] == classes).astype(port.dtype)
