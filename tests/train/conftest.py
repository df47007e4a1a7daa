"""A compile cache and one whole run, shared by the tests of training."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from gradwright.train import TrainResult
from train.runs import run


@pytest.fixture(scope="package", autouse=True)
def compile_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(os.environ, "GRADWRIGHT_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="package")
def whole(
    tmp_path_factory: pytest.TempPathFactory, compile_cache: None
) -> tuple[Path, TrainResult]:
    out = tmp_path_factory.mktemp("whole") / "run"
    return out, run(out)
