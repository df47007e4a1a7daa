"""The doctor's report, and the feature test of jaxlib's private names."""

from dataclasses import replace

import pytest

from gradwright import run
from gradwright.errors import UnsupportedError
from gradwright.run import Backend, health, iree, pjrt, xla
from gradwright.run.abilities import ABILITIES, try_ability


@pytest.mark.xla
@pytest.mark.interpreter
def test_a_report_of_this_installation() -> None:
    report = run.doctor()
    works = {item.backend: item.works for item in report.backends}
    assert works == {
        Backend.XLA: True,
        Backend.IREE: iree.is_installed(),
        Backend.INTERPRETER: True,
    }
    versions = {package.name: package.version for package in report.packages}
    assert versions["jaxlib"] == pjrt.jaxlib_version()
    assert versions["numpy"] is not None
    assert report.cores >= 1
    assert report.cache.entries == 0
    assert all(item.works == (item.reason == "") for item in report.backends)
    able = {item.backend: {t.ability: t.works for t in item.trials} for item in report.backends}
    everything = {ability.name for ability in ABILITIES}
    assert able[Backend.XLA] == able[Backend.INTERPRETER] == dict.fromkeys(everything, True)
    assert not able[Backend.IREE].get("select_and_scatter")


@pytest.mark.interpreter
def test_a_wrong_result_is_no_ability() -> None:
    wrong = replace(ABILITIES[0], wanted=(31,))
    trial = try_ability(Backend.INTERPRETER, wrong)
    assert (trial.works, trial.reason) == (False, "wrong: [30.0] for [31]")


@pytest.mark.interpreter
def test_a_module_that_is_refused_is_no_ability() -> None:
    broken = replace(ABILITIES[0], text="module {")
    trial = try_ability(Backend.INTERPRETER, broken)
    assert not trial.works
    assert trial.reason


@pytest.mark.xla
@pytest.mark.interpreter
def test_advice_names_each_extra_once(monkeypatch: pytest.MonkeyPatch) -> None:
    missing = {"iree-base-compiler", "iree-base-runtime", "torch", "safetensors"}

    def version(name: str) -> str | None:
        return None if name in missing else "1"

    monkeypatch.setattr(health, "_version", version)
    assert run.doctor().advice == (
        "pip install safetensors",
        'pip install ".[iree]"',
        'pip install ".[torch]"',
    )


def test_the_installed_jaxlib_has_every_name_that_is_used() -> None:
    assert pjrt.missing_names() == ()


def test_another_jaxlib_is_refused_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pjrt, "_MODULE_NAMES", ("make_cpu_client", "renamed"))
    monkeypatch.setattr(pjrt, "_CLIENT_NAMES", ("compile_once",))
    monkeypatch.setattr(pjrt, "jaxlib_version", lambda: "0.99.0")
    with pytest.raises(UnsupportedError) as caught:
        xla.check_bindings()
    assert str(caught.value) == (
        "jaxlib 0.99.0: expected the PJRT client as in jaxlib 0.10.2 to 0.12, found no "
        'xla_client.renamed, Client.compile_once. Install "jaxlib>=0.10.2,<0.13"'
    )
