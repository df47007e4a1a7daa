"""The search for Coq by `make proofs`, on machines with and without it."""

import subprocess
from pathlib import Path

import pytest

from repository.tree import ROOT

NONE = "no Coq with ssreflect and Coquelicot, and none could be installed: proofs are not checked\n"
TOOLS = ("bash", "env", "dirname")


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """Return a folder that is all of PATH: a few tools, and someone who is not root."""
    for tool in TOOLS:
        [found] = [p for p in ("/usr/bin", "/bin") if Path(p, tool).exists()][:1]
        (tmp_path / tool).symlink_to(Path(found, tool))
    program(tmp_path / "id", "echo 1000")
    program(tmp_path / "make", 'echo "made ${@: -1}"')
    return tmp_path


def program(path: Path, body: str) -> Path:
    path.write_text(f"#!{path.parent}/bash\n{body}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def with_coq(machine: Path, *libraries: str) -> Path:
    """Put a coqc on PATH with some libraries."""
    for library in libraries:
        (machine / "lib/user-contrib" / library).mkdir(parents=True)
    return program(machine / "coqc", f"echo {machine}/lib")


def coq(machine: Path, *arguments: str, ci: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(ROOT / "tools/coq.sh"), *arguments],
        env={"PATH": str(machine), "CI": ci},
        capture_output=True,
        text=True,
        check=False,
    )


def test_with_both_libraries_it_is_taken_and_the_proofs_are_built(machine: Path) -> None:
    coqc = with_coq(machine, "mathcomp/ssreflect", "Coquelicot")
    assert coq(machine, "find").stdout == f"{coqc}\n"
    done = coq(machine)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("made ")
    assert done.stdout.endswith("/proofs\n")


@pytest.mark.parametrize("libraries", [[], ["Coquelicot"], ["mathcomp/ssreflect"]])
def test_a_missing_library_counts_as_no_coq(machine: Path, libraries: list[str]) -> None:
    with_coq(machine, *libraries)
    assert coq(machine, "find").returncode == 1
    done = coq(machine)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", NONE)


def test_in_ci_that_is_an_error(machine: Path) -> None:
    done = coq(machine, ci="true")
    assert (done.returncode, done.stderr) == (3, NONE)


def test_root_installs_debians_packages(machine: Path) -> None:
    program(machine / "id", "echo 0")
    program(machine / "apt-get", f'echo "$@" >> {machine}/asked')
    assert coq(machine, ci="true").returncode == 3
    asked = (machine / "asked").read_text("utf-8").splitlines()
    packages = "coq libcoq-mathcomp-ssreflect libcoq-coquelicot"
    assert asked == ["-qq update", f"-qq install --no-install-recommends {packages}"]
