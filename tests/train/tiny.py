"""A softmax regression written by hand: the smallest net with every kind of state and input.

It has a parameter with momentum, a running mean that the evaluation subtracts (as batch norm does)
and a dropout mask on its input; it compiles in a fraction of a second.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from gradwright.data import Dataset, Normalisation, Split
from gradwright.hlo import ElementType, Port, Role, Shape, Signature, TensorType
from gradwright.spec import Constant, Decay, Flat, MaskSlot, NetSpec, Plan, Slot
from gradwright.train import Parts

SIDE, CLASSES, BATCH, EVAL_BATCH, KEEP = 3, 4, 8, 5, 0.75
FEATURES = SIDE * SIDE


@dataclass(frozen=True, slots=True)
class Regression:
    """The layer as a declaration; its texts are below."""

    kind: ClassVar[str] = "regression"
    classes: int = CLASSES

    def plan(self, path: str, input: Shape) -> Plan:
        """Return shapes and slots."""
        weight = Slot("weight", (*input, self.classes), Constant(0), Decay.DECAYS)
        mean = Slot("mean", input, Constant(0), Decay.EXEMPT, trainable=False)
        mask = MaskSlot("mask", input, KEEP)
        return Plan(path, self, input, (self.classes,), (weight, mean), (mask,))


@dataclass(frozen=True, slots=True)
class Text:
    """A program: name, text, signature."""

    name: str
    text: str
    signature: Signature


def tiny_net(name: str = "tiny", classes: int = CLASSES) -> NetSpec:
    """Declare the net."""
    return NetSpec(name, Flat(FEATURES), [("top", Regression(classes))])


def tiny_parts(*, name: str = "tiny", optimizer: str = "momentum", batch: int = BATCH) -> Parts:
    """Return everything that training needs of the net."""
    return Parts(
        net=tiny_net(name),
        loss="cross-entropy",
        optimizer=optimizer,
        step=_step(batch),
        evaluator=_evaluator(),
        initial=initial_state,
        ignore_label=-1,
    )


def initial_state(seed: int) -> dict[str, NDArray[Any]]:
    """Return parameters drawn from the seed, no momentum, and a running mean of 0."""
    weight = np.random.default_rng(seed).normal(0, 0.1, (FEATURES, CLASSES))
    return {
        "top.weight": weight.astype(np.float32),
        "top.weight.m": np.zeros((FEATURES, CLASSES), np.float32),
        "top.mean": np.zeros(FEATURES, np.float32),
    }


def tiny_data(train: int = 45, test: int = 23, seed: int = 0) -> Dataset:
    """Return noisy pictures of four bars and corners; the last batches are not full ones."""
    rng = np.random.default_rng(seed)
    patterns = rng.integers(0, 200, (CLASSES, 1, SIDE, SIDE))

    def split(count: int) -> Split:
        labels = rng.integers(0, CLASSES, count).astype(np.int32)
        images = patterns[labels] + rng.integers(0, 56, (count, 1, SIDE, SIDE))
        return Split(images.astype(np.uint8), labels, Normalisation(1 / 255, (0.4,), (0.3,)))

    names = tuple("abcdefgh"[:CLASSES])
    return Dataset("bars", split(train), split(test), names, "made by the test")


def _port(name: str, role: Role, *shape: int, element: ElementType = ElementType.F32) -> Port:
    return Port(name, role, TensorType(shape, element))


_WEIGHT = _port("top.weight", Role.PARAMETER, FEATURES, CLASSES)
_MOMENT = _port("top.weight.m", Role.MOMENT, FEATURES, CLASSES)
_MEAN = _port("top.mean", Role.STATISTIC, FEATURES)


def _step(batch: int) -> Text:
    inputs = (
        _WEIGHT,
        _MOMENT,
        _MEAN,
        _port("lr", Role.LEARNING_RATE),
        _port("t", Role.STEP),
        _port("x", Role.DATA, batch, FEATURES),
        _port("y", Role.LABEL, batch, element=ElementType.I32),
        _port("top.mask", Role.MASK, batch, FEATURES),
    )
    outputs = (_WEIGHT, _MOMENT, _MEAN, _port("loss", Role.LOSS), _port("correct", Role.METRIC))
    return Text("tiny_step", _STEP % _types(batch), Signature(inputs, outputs))


def _evaluator() -> Text:
    inputs = (_WEIGHT, _MEAN, _port("x", Role.DATA, EVAL_BATCH, FEATURES))
    outputs = (_port("logits", Role.OUTPUT, EVAL_BATCH, CLASSES),)
    return Text("tiny_eval", _EVAL % _types(EVAL_BATCH), Signature(inputs, outputs))


def _types(batch: int) -> dict[str, str | int]:
    return {
        "W": f"tensor<{FEATURES}x{CLASSES}xf32>",
        "F": f"tensor<{FEATURES}xf32>",
        "X": f"tensor<{batch}x{FEATURES}xf32>",
        "Z": f"tensor<{batch}x{CLASSES}xf32>",
        "ZI": f"tensor<{batch}x{CLASSES}xi32>",
        "ZB": f"tensor<{batch}x{CLASSES}xi1>",
        "R": f"tensor<{batch}xf32>",
        "Y": f"tensor<{batch}xi32>",
        "RB": f"tensor<{batch}xi1>",
        "batch": batch,
    }


# A label that is no class has a one-hot row of zeros, so padding adds nothing to loss or gradient.
_STEP = """
module @tiny_step {
  func.func public @main(
      %%w: %(W)s {tf.aliasing_output = 0 : i32}, %%m: %(W)s {tf.aliasing_output = 1 : i32},
      %%mean: %(F)s {tf.aliasing_output = 2 : i32}, %%lr: tensor<f32>, %%t: tensor<f32>,
      %%x: %(X)s, %%y: %(Y)s, %%mask: %(X)s)
      -> (%(W)s, %(W)s, %(F)s, tensor<f32>, tensor<f32>) {
    %%zero = stablehlo.constant dense<0.0> : tensor<f32>
    %%low = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %%size = stablehlo.constant dense<%(batch)d.0> : tensor<f32>
    %%sizef = stablehlo.broadcast_in_dim %%size, dims = [] : (tensor<f32>) -> %(F)s
    %%sizez = stablehlo.broadcast_in_dim %%size, dims = [] : (tensor<f32>) -> %(Z)s
    %%sum = stablehlo.reduce(%%x init: %%zero) applies stablehlo.add across dimensions = [0]
        : (%(X)s, tensor<f32>) -> %(F)s
    %%batchmean = stablehlo.divide %%sum, %%sizef : %(F)s
    %%keep = stablehlo.constant dense<0.9> : %(F)s
    %%new = stablehlo.constant dense<0.1> : %(F)s
    %%old = stablehlo.multiply %%keep, %%mean : %(F)s
    %%fresh = stablehlo.multiply %%new, %%batchmean : %(F)s
    %%mean2 = stablehlo.add %%old, %%fresh : %(F)s
    %%meanx = stablehlo.broadcast_in_dim %%batchmean, dims = [1] : (%(F)s) -> %(X)s
    %%centred = stablehlo.subtract %%x, %%meanx : %(X)s
    %%xm = stablehlo.multiply %%centred, %%mask : %(X)s
    %%z = stablehlo.dot_general %%xm, %%w, contracting_dims = [1] x [0] : (%(X)s, %(W)s) -> %(Z)s
    %%top = stablehlo.reduce(%%z init: %%low) applies stablehlo.maximum across dimensions = [1]
        : (%(Z)s, tensor<f32>) -> %(R)s
    %%topz = stablehlo.broadcast_in_dim %%top, dims = [0] : (%(R)s) -> %(Z)s
    %%s = stablehlo.subtract %%z, %%topz : %(Z)s
    %%e = stablehlo.exponential %%s : %(Z)s
    %%es = stablehlo.reduce(%%e init: %%zero) applies stablehlo.add across dimensions = [1]
        : (%(Z)s, tensor<f32>) -> %(R)s
    %%ln = stablehlo.log %%es : %(R)s
    %%lnz = stablehlo.broadcast_in_dim %%ln, dims = [0] : (%(R)s) -> %(Z)s
    %%logp = stablehlo.subtract %%s, %%lnz : %(Z)s
    %%iota = stablehlo.iota dim = 1 : %(ZI)s
    %%yz = stablehlo.broadcast_in_dim %%y, dims = [0] : (%(Y)s) -> %(ZI)s
    %%hotb = stablehlo.compare EQ, %%iota, %%yz : (%(ZI)s, %(ZI)s) -> %(ZB)s
    %%hot = stablehlo.convert %%hotb : (%(ZB)s) -> %(Z)s
    %%picked = stablehlo.multiply %%hot, %%logp : %(Z)s
    %%total = stablehlo.reduce(%%picked init: %%zero) applies stablehlo.add
        across dimensions = [0, 1]
        : (%(Z)s, tensor<f32>) -> tensor<f32>
    %%mean_total = stablehlo.divide %%total, %%size : tensor<f32>
    %%loss = stablehlo.negate %%mean_total : tensor<f32>
    %%hits = stablehlo.compare EQ, %%z, %%topz : (%(Z)s, %(Z)s) -> %(ZB)s
    %%both = stablehlo.and %%hits, %%hotb : %(ZB)s
    %%bothf = stablehlo.convert %%both : (%(ZB)s) -> %(Z)s
    %%correct = stablehlo.reduce(%%bothf init: %%zero) applies stablehlo.add
        across dimensions = [0, 1]
        : (%(Z)s, tensor<f32>) -> tensor<f32>
    %%p = stablehlo.exponential %%logp : %(Z)s
    %%used = stablehlo.reduce(%%hot init: %%zero) applies stablehlo.add across dimensions = [1]
        : (%(Z)s, tensor<f32>) -> %(R)s
    %%usedz = stablehlo.broadcast_in_dim %%used, dims = [0] : (%(R)s) -> %(Z)s
    %%pu = stablehlo.multiply %%p, %%usedz : %(Z)s
    %%dz0 = stablehlo.subtract %%pu, %%hot : %(Z)s
    %%dz = stablehlo.divide %%dz0, %%sizez : %(Z)s
    %%dw = stablehlo.dot_general %%xm, %%dz, contracting_dims = [0] x [0]
        : (%(X)s, %(Z)s) -> %(W)s
    %%mu = stablehlo.constant dense<0.9> : %(W)s
    %%mm = stablehlo.multiply %%mu, %%m : %(W)s
    %%m2 = stablehlo.add %%mm, %%dw : %(W)s
    %%lrw = stablehlo.broadcast_in_dim %%lr, dims = [] : (tensor<f32>) -> %(W)s
    %%dstep = stablehlo.multiply %%lrw, %%m2 : %(W)s
    %%w2 = stablehlo.subtract %%w, %%dstep : %(W)s
    return %%w2, %%m2, %%mean2, %%loss, %%correct
        : %(W)s, %(W)s, %(F)s, tensor<f32>, tensor<f32>
  }
}
"""

_EVAL = """
module @tiny_eval {
  func.func public @main(%%w: %(W)s, %%mean: %(F)s, %%x: %(X)s) -> %(Z)s {
    %%meanx = stablehlo.broadcast_in_dim %%mean, dims = [1] : (%(F)s) -> %(X)s
    %%centred = stablehlo.subtract %%x, %%meanx : %(X)s
    %%z = stablehlo.dot_general %%centred, %%w, contracting_dims = [1] x [0]
        : (%(X)s, %(W)s) -> %(Z)s
    return %%z : %(Z)s
  }
}
"""
