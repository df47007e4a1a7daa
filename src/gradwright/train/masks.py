"""Random masks of dropout and drop path, drawn on the host."""

import hashlib

import numpy as np
from numpy.typing import NDArray

from gradwright.hlo.types import Shape
from gradwright.kinds import checked


@checked
def draw_mask(seed: int, step: int, name: str, shape: Shape, keep: float) -> NDArray[np.float32]:
    """Draw the mask of one layer for one step: 1/keep with probability `keep`, otherwise 0.

    The mask is a function of the arguments alone, so a resumed run draws what an uninterrupted one
    would have, and two layers or steps never share a stream. Only raw 32-bit words of the Philox
    counter generator are used; NumPy keeps those stable between releases, unlike its distributions.

    Shapes: the result has `shape`, float32.
    Math: mask = [u < round(keep * 2**32)] / keep, u uniform over 0..2**32 - 1; E[mask] = 1.
    Domain: 0 < keep <= 1.
    Source: Philox-4x64-10, Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
    """
    words = -(-int(np.prod(shape)) // 2)
    digest = hashlib.sha256(f"{seed}/{step}/{name}".encode()).digest()
    generator = np.random.Philox(key=np.frombuffer(digest[:16], "<u8"))
    uniform = generator.random_raw(words).astype("<u8").view("<u4")[: int(np.prod(shape))]
    kept = uniform < round(keep * 2**32)
    return np.where(kept, np.float32(1 / keep), np.float32(0)).reshape(shape)
