"""What is timed, how it is chosen, and the verb."""

import json
import time
from pathlib import Path

import pytest

import gradwright as gw
from gradwright.cli import main
from gradwright.layers import (
    PORTABLE,
    Conv2d,
    ConvolutionForm,
    DepthwiseConv2d,
    DepthwiseForm,
    InputGradient,
    MaxPool,
    Padding,
    WeightGradient,
    sites_of,
)
from gradwright.spec import Image, NetSpec
from gradwright.tune.clock import race
from gradwright.tune.subject import layer_of, variants_of
from gradwright.tune.verdict import Trial, best

USUAL = (ConvolutionForm.DIRECT, InputGradient.DIRECT)
OWN = """
from gradwright import Image, NetSpec
from gradwright.layers import Dense, DepthwiseConv2d, GlobalAvgPool

NET = NetSpec("own", Image(4, 6, 6), [DepthwiseConv2d(3), GlobalAvgPool(), Dense(2)])
"""


def busy(ms: float) -> None:
    end = time.process_time() + ms / 1e3
    while time.process_time() < end:
        pass


def test_a_race_tells_the_slower_one() -> None:
    found = race([lambda: busy(1), lambda: busy(4)])
    assert found.ms[1] > 2 * found.ms[0]


@pytest.mark.parametrize(
    ("trials", "chosen"),
    [
        ((), USUAL),
        ((Trial(ConvolutionForm.WINOGRAD, 9.8, 0),), USUAL),
        ((Trial(ConvolutionForm.WINOGRAD, 8, 1e-3),), USUAL),
        (
            (Trial(ConvolutionForm.WINOGRAD, 8, 1e-5), Trial(ConvolutionForm.COLUMN_PAIRS, 7, 0)),
            (ConvolutionForm.COLUMN_PAIRS, InputGradient.DIRECT),
        ),
        (
            (Trial(InputGradient.WINOGRAD, 8, 1e-5), Trial(ConvolutionForm.COLUMN_PAIRS, 11, 0)),
            (ConvolutionForm.DIRECT, InputGradient.WINOGRAD),
        ),
    ],
)
def test_each_part_takes_its_fastest_form(
    trials: tuple[Trial, ...], chosen: tuple[ConvolutionForm | InputGradient, ...]
) -> None:
    assert best(USUAL, 10, trials, 1e-4) == chosen


@pytest.mark.parametrize(
    "layer",
    [
        Conv2d(4, 3, 2, Padding.SAME_UPPER, groups=2),
        Conv2d(3, (1, 3), dilation=2),
        DepthwiseConv2d(3),
        MaxPool(3, 2, Padding.CEILING),
    ],
    ids=str,
)
def test_a_site_has_a_layer_that_is_there(layer: gw.layers.Layer) -> None:
    [site] = sites_of(NetSpec("one", Image(2, 7, 6), [layer]), 3)
    image = Image(site.channels, *site.windows.extents)
    assert sites_of(NetSpec("again", image, [layer_of(site)]), 3) == (site,)


def test_the_usual_forms_are_those_that_are_emitted() -> None:
    [site] = sites_of(NetSpec("one", Image(2, 4, 4), [Conv2d(3, 3)]), 2)
    found = variants_of(site, PORTABLE)
    assert found is not None
    pairs, patches = ConvolutionForm.COLUMN_PAIRS, WeightGradient.PATCH_ROWS
    assert found.usual == (pairs, InputGradient.DIRECT, patches)
    assert ConvolutionForm.DIRECT in found.others
    assert len({found.text, *found.others.values()}) == 1 + len(found.others)
    [pool] = sites_of(NetSpec("one", Image(2, 4, 4), [MaxPool(2)]), 2)
    assert variants_of(pool, PORTABLE) is None


@pytest.mark.xla
def test_the_verb_finds_what_tuned_programs_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GRADWRIGHT_CACHE", str(tmp_path / "cache"))
    (tmp_path / "own.py").write_text(OWN)
    net = f"{tmp_path / 'own.py'}:NET"
    as_tuned = ["emit", net, "--entry", "vjp", "--batch", "2", "--formulation", "tuned", "--json"]
    assert main(as_tuned) == 3
    assert "Run gradwright tune own --batch 2" in capsys.readouterr().err
    assert main(["tune", net, "--batch", "2", "--json"]) == 0
    [site] = json.loads(capsys.readouterr().out)["sites"]
    assert site["usual"] == ["DepthwiseForm.SHIFTED_PRODUCTS"]
    assert [trial["form"] for trial in site["trials"]] == ["DepthwiseForm.CONVOLUTION"]
    assert all(trial["ms"] > 0 and trial["error"] < 1e-5 for trial in site["trials"])
    assert main(as_tuned) == 0
    emitted = json.loads(capsys.readouterr().out)
    [chosen] = site["chosen"]
    assert emitted["formulation"][-1].endswith(f": {chosen}")
    assert chosen in map(repr, DepthwiseForm)
    assert main(["bench", net, "--batch", "2", "--steps", "1", "--formulation", "tuned"]) == 0
