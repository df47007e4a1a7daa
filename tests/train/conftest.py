"""A compile cache of its own, shared by the tests of training and the processes they start."""

import os
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="package", autouse=True)
def compile_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(os.environ, "GRADWRIGHT_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield
