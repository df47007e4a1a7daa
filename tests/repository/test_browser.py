"""The search for a browser by `make browser`, on machines with and without one."""

import subprocess
from pathlib import Path

import pytest

from repository.tree import ROOT

NONE = "no headless Chromium on PATH, and none could be installed: pages are not tested\n"


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """Return a folder that is all of PATH: bash, and someone who is not root."""
    for tool in ("bash", "env"):
        [found] = [p for p in ("/usr/bin", "/bin") if Path(p, tool).exists()][:1]
        (tmp_path / tool).symlink_to(Path(found, tool))
    program(tmp_path / "id", "echo 1000")
    return tmp_path


def program(path: Path, body: str) -> Path:
    path.write_text(f"#!{path.parent}/bash\n{body}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def browser(machine: Path, *arguments: str, ci: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(ROOT / "tools/browser.sh"), *arguments],
        env={"PATH": str(machine), "CI": ci},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_smallest_that_is_there_is_taken(machine: Path) -> None:
    program(machine / "google-chrome", "exit 0")
    small = program(machine / "chromium-headless-shell", "exit 0")
    assert browser(machine, "find").stdout == f"{small}\n"
    assert (browser(machine).returncode, browser(machine).stderr) == (0, "")


def test_where_none_can_be_had_it_is_said_in_a_line(machine: Path) -> None:
    done = browser(machine)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", NONE)
    assert browser(machine, "find").returncode == 1


def test_in_ci_that_is_an_error(machine: Path) -> None:
    done = browser(machine, ci="true")
    assert (done.returncode, done.stderr) == (3, NONE)


@pytest.mark.parametrize("code", [0, 100])
def test_root_installs_it_from_debians_packages(machine: Path, code: int) -> None:
    program(machine / "id", "echo 0")
    made = machine / "chromium-headless-shell"
    program(
        machine / "apt-get",
        f'echo "$@" >> {machine}/asked\n'
        f"[ {code} = 0 ] || exit {code}\n"
        f'case "$*" in *install*) echo > {made}; {Path("/bin/chmod")} +x {made};; esac',
    )
    done = browser(machine, ci="true")
    asked = (machine / "asked").read_text("utf-8").splitlines()
    assert asked[0] == "-qq update"
    if code:
        assert (done.returncode, done.stderr) == (3, NONE)
    else:
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        assert asked[1] == "-qq install --no-install-recommends chromium-headless-shell"
