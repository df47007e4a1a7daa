"""Data sets and batches: loaders that check what they read, shuffling and augmentation by seed."""

from gradwright.data.augment import Augmentation, EpochAugmentation, Flip
from gradwright.data.batches import Batch, LastBatch, batch_count, batches, evaluation_batches
from gradwright.data.cifar import load_cifar, read_cifar
from gradwright.data.digits import load_digits
from gradwright.data.folders import Channels, PictureOptions, load_folder, read_picture
from gradwright.data.idx import load_idx, read_idx_images, read_idx_labels
from gradwright.data.normalisation import IMAGENET, Normalisation, measure
from gradwright.data.npz import load_npz
from gradwright.data.prefetch import prefetched
from gradwright.data.records import Dataset, Split
from gradwright.data.registry import load
from gradwright.data.streams import epoch_order, stratified

__all__ = [
    "IMAGENET",
    "Augmentation",
    "Batch",
    "Channels",
    "Dataset",
    "EpochAugmentation",
    "Flip",
    "LastBatch",
    "Normalisation",
    "PictureOptions",
    "Split",
    "batch_count",
    "batches",
    "epoch_order",
    "evaluation_batches",
    "load",
    "load_cifar",
    "load_digits",
    "load_folder",
    "load_idx",
    "load_npz",
    "measure",
    "prefetched",
    "read_cifar",
    "read_idx_images",
    "read_idx_labels",
    "read_picture",
    "stratified",
]
