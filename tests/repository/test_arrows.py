"""The arrows between packages: kept by the tree, and broken by each forbidden import."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from repository.tree import ROOT


def lint_imports(root: Path) -> subprocess.CompletedProcess[str]:
    """Run import-linter with the contracts of pyproject.toml on the package under `root`/src."""
    return subprocess.run(
        [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root / "src")},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def test_the_tree_keeps_every_contract(copy: Path) -> None:
    outcome = lint_imports(copy)
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr
    assert "Contracts: 6 kept, 0 broken." in outcome.stdout


@pytest.mark.parametrize(
    ("importer", "imported", "contract"),
    [
        ("hlo", "spec", "Each package imports only from storeys below it"),
        ("spec", "layers", "Each package imports only from storeys below it"),
        ("losses", "layers", "Each package imports only from storeys below it"),
        ("programs", "zoo", "Each package imports only from storeys below it"),
        ("zoo", "run", "Each package imports only from storeys below it"),
        ("run", "layers", "Backends see the text and its signature, nothing of layers"),
        ("data", "programs", "Data sets know nothing of programs"),
        ("check", "certify", "The checker of certificates shares nothing with the prover"),
        ("certify", "check", "Only what writes certificates knows the checker of them"),
        ("certify/kernel", "check", "Only what writes certificates knows the checker of them"),
    ],
)
def test_a_forbidden_import_breaks_its_contract(
    copy: Path, importer: str, imported: str, contract: str
) -> None:
    bad = copy / "src/gradwright" / importer / "bad.py"
    bad.write_text(f'"""Bad."""\n\nimport gradwright.{imported}\n', encoding="utf-8")
    outcome = lint_imports(copy)
    assert outcome.returncode == 1, outcome.stdout + outcome.stderr
    assert f"{contract} BROKEN" in outcome.stdout


def test_a_package_without_a_storey_breaks_the_contract(copy: Path) -> None:
    package = copy / "src/gradwright/loft"
    package.mkdir()
    (package / "__init__.py").write_text('"""Loft."""\n', encoding="utf-8")
    outcome = lint_imports(copy)
    assert outcome.returncode == 1
    assert "loft" in outcome.stdout


def test_a_certifier_that_imports_the_emitter_breaks_the_contract(copy: Path) -> None:
    package = copy / "src/gradwright/certify"
    package.mkdir(exist_ok=True)
    (package / "__init__.py").write_text('"""Judge."""\n', encoding="utf-8")
    (package / "judge.py").write_text(
        '"""Judge."""\n\nimport gradwright.layers\n', encoding="utf-8"
    )
    outcome = lint_imports(copy)
    assert "What judges the text shares no code with what wrote it BROKEN" in outcome.stdout
