"""Every test of running has a cache folder of its own."""

from pathlib import Path

import pytest

from gradwright.run import Cache
from gradwright.run.cache import FOLDER_VARIABLE


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cache:
    folder = tmp_path / "cache"
    monkeypatch.setenv(FOLDER_VARIABLE, str(folder))
    return Cache()
