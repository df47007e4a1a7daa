"""What is proved shares nothing with what emits, and what refutes nothing with what proves."""

import ast
from pathlib import Path

import gradwright.theory

FOLDER = Path(gradwright.theory.__file__).parent
ALLOWED = (
    "gradwright.theory",
    "gradwright.certify.kernel",
    "gradwright.certify.notation",
    "gradwright.certify.identities",
)
MEASURES = ("enclosure", "slopes", "evaluation", "measure")
PROVES = ("terms", "points", "generic", "normal_forms", "functions", "regions", "prove")


def imports(path: Path) -> set[str]:
    """Return the modules of the package that a file imports."""
    tree = ast.parse(path.read_text("utf-8"))
    froms = {n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and n.module}
    plain = {a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names}
    return {name for name in froms | plain if name.startswith("gradwright")}


def test_theorems_know_the_kernel_and_the_notation_only() -> None:
    modules = list(FOLDER.rglob("*.py"))
    assert len(modules) > 20
    for module in modules:
        for name in imports(module) - {"gradwright.errors"}:
            assert name.startswith(ALLOWED), f"{module.name} imports {name}"


def test_what_refutes_does_not_use_what_proves() -> None:
    proving = {f"gradwright.theory.{name}" for name in PROVES}
    used = {name: imports(FOLDER / f"{name}.py") for name in MEASURES}
    assert "gradwright.theory.slopes" in used["evaluation"]
    for name, others in used.items():
        assert not others & proving, name
        assert not any(other.startswith("gradwright.certify.kernel") for other in others), name
