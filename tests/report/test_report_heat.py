"""The picture of an explanation."""

import io

import numpy as np
import pytest
from PIL import Image

from gradwright.report.heat_map import COLOURS, SMALLEST, STRONGEST, heat_png, upsampled

RAMP = np.arange(6, dtype=np.float64).reshape(2, 3)


def drawn(pixels: np.ndarray, heat: np.ndarray) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(heat_png(pixels.astype(np.uint8), heat))))


def test_a_picture_without_heat_is_the_picture() -> None:
    pixels = np.random.default_rng(0).integers(0, 256, (3, 300, 260))
    assert (drawn(pixels, np.zeros((7, 7))) == np.moveaxis(pixels, 0, 2)).all()


def test_a_small_gray_picture_is_enlarged_by_a_whole_factor() -> None:
    found = drawn(np.full((1, 8, 10), 51), np.zeros((2, 2)))
    assert found.shape == (SMALLEST, 10 * SMALLEST // 8, 3)
    assert (found == 51).all()


def test_heat_is_drawn_where_it_is() -> None:
    from matplotlib import colormaps

    heat = np.zeros((4, 4))
    heat[0, 3] = 0.001  # whatever its scale
    found = drawn(np.zeros((1, 8, 8)), heat)
    hottest = STRONGEST * np.array(colormaps[COLOURS](1.0)[:3]) * 255
    assert np.abs(found[0, -1] - hottest).max() < 1
    assert (found[-1, 0] == 0).all()


def test_interpolation_by_its_definition() -> None:
    # Centres of 4 in 2 lie at -0.25, 0.25, 0.75, 1.25; the outer ones are held at the edge.
    assert upsampled(np.array([[0.0, 1.0]]), (1, 4)).tolist() == [[0, 0.25, 0.75, 1]]
    assert (upsampled(RAMP, (2, 3)) == RAMP).all()
    assert upsampled(RAMP, (1, 1)).tolist() == [[2.5]]


@pytest.mark.torch
@pytest.mark.parametrize("size", [(4, 6), (7, 5), (2, 3), (5, 1)])
def test_interpolation_is_torchs(size: tuple[int, int]) -> None:
    torch = pytest.importorskip("torch")
    options = {"size": size, "mode": "bilinear", "align_corners": False}
    expected = torch.nn.functional.interpolate(torch.tensor(RAMP)[None, None], **options)
    assert np.abs(upsampled(RAMP, size) - expected.numpy()[0, 0]).max() < 1e-12
