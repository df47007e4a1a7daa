"""Findings on disk: they come back, survive whoever is killed, and are refused where they are not
of this machine."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

import gradwright as gw
from gradwright.errors import SpecError
from gradwright.layers import (
    PORTABLE,
    Choice,
    Conv2d,
    ConvolutionForm,
    InputGradient,
    Layout,
    Site,
    WeightGradient,
    sites_of,
)
from gradwright.run import Allocator, Backend, Settings
from gradwright.spec import Image, NetSpec
from gradwright.tune import Store, Tuning, tuned
from gradwright.tune.clock import Clock

NET = NetSpec("one", Image(2, 4, 4), [Conv2d(3, 3)])
SITE: Site = sites_of(NET, 2)[0]
USUAL = (ConvolutionForm.DIRECT, InputGradient.DIRECT, WeightGradient.PATCH_ROWS)
OTHER = (ConvolutionForm.DIRECT, InputGradient.DIRECT, WeightGradient.SHIFTED_DOTS)


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setenv("GRADWRIGHT_CACHE", str(tmp_path))
    return Store(Backend.XLA, Layout.NHWC)


def finding(*forms: ConvolutionForm | InputGradient | WeightGradient) -> Tuning:
    return Tuning(SITE, Clock.CPU, USUAL, 2.0, (), forms, 1.0, 0.0)


def only_file(store: Store) -> Path:
    [path] = store.folder.iterdir()
    return path


def test_what_was_found_comes_back_and_is_emitted(store: Store) -> None:
    store.write(finding(*USUAL))
    store.write(finding(*OTHER))
    assert store.read(SITE) == tuple(Choice(SITE, form) for form in OTHER)
    formulation = tuned(NET, batch=2)
    assert formulation == replace(PORTABLE, choices=tuple(Choice(SITE, f) for f in OTHER))
    texts = {gw.programs.vjp(NET, batch=2, formulation=formulation).text for _ in range(2)}
    assert len(texts) == 1
    assert gw.programs.vjp(NET, batch=2).text not in texts


def test_a_net_that_was_not_tuned_is_refused(store: Store) -> None:
    store.write(finding(*USUAL))
    with pytest.raises(SpecError, match="Run gradwright tune one --batch 3"):
        tuned(NET, batch=3)


def test_a_finding_survives_whoever_is_stopped_while_writing_another(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.write(finding(*USUAL))

    def killed(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("os.fsync", killed)
    with pytest.raises(KeyboardInterrupt):
        store.write(finding(*OTHER))
    only_file(store).with_name(f".{only_file(store).name}.1.part").write_text("{")
    assert store.read(SITE) == tuple(Choice(SITE, form) for form in USUAL)


@pytest.mark.parametrize(
    ("name", "value", "found"),
    [
        ("format", "gradwright-tuning-0", "another format"),
        ("machine", {}, "another machine"),
        ("site", {}, "another site"),
        ("forms", ["ConvolutionForm.CHANNEL_DOTS"], "forms"),
        ("forms", ["ConvolutionForm.BY_SHAPE"], "forms"),
        ("forms", ["ConvolutionForm.DIRECT", "ConvolutionForm.WINOGRAD"], "forms"),
        ("forms", [], "forms"),
        ("forms", 3, "forms"),
    ],
)
def test_another_finding_in_its_place_is_refused(
    store: Store, name: str, value: object, found: str
) -> None:
    store.write(finding(*USUAL))
    path = only_file(store)
    path.write_text(json.dumps(json.loads(path.read_text()) | {name: value}))
    with pytest.raises(SpecError, match=f"found {found}.*Delete the file"):
        store.read(SITE)


@pytest.mark.parametrize("content", [b"", b"[1]", b"{", b"\xff"])
def test_what_is_no_finding_is_refused(store: Store, content: bytes) -> None:
    store.write(finding(*USUAL))
    only_file(store).write_bytes(content)
    with pytest.raises(SpecError, match="what `gradwright tune` found at this site"):
        store.read(SITE)


def test_a_process_with_another_allocator_reads_the_same(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`emit` leaves the allocator alone, `tune` does not."""
    folders: set[Path] = set()
    for allocator in Allocator:
        monkeypatch.setattr("gradwright.run.settings._current", Settings(2, allocator))
        folders.add(Store(store.backend, store.layout).folder)
    assert len(folders) == 1


def test_other_settings_have_another_folder(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store.write(finding(*USUAL))
    monkeypatch.setattr("gradwright.tune.store.cpu_name", lambda: "another")
    assert Store(Backend.XLA, Layout.NHWC).read(SITE) is None
