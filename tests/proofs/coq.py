"""The Coq library of `proofs/`: what it states, and Coq to ask about it."""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from repository.tree import ROOT

THEORIES = ROOT / "proofs/theories"
SECONDS = 240
"""Time that one run of coqc may take."""

STATED = re.compile(r"^(?:Theorem|Lemma|Definition(?= rule_)) (\w+)", re.MULTILINE)

STATEMENT = re.compile(r"^(?:Theorem|Lemma) (\w+)(.*?)\.\s+Proof", re.MULTILINE | re.DOTALL)

ASSUMED = frozenset(
    {
        "ClassicalDedekindReals.sig_not_dec",
        "ClassicalDedekindReals.sig_forall_dec",
        "FunctionalExtensionality.functional_extensionality_dep",
        "Classical_Prop.classic",
    }
)
"""What Coq's real numbers rest on, and nothing else."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What coqc said of a file."""

    accepted: bool
    text: str


def stated(source: str) -> list[str]:
    """Return the names of the theorems of a file."""
    return STATED.findall(source)


def library() -> dict[str, list[str]]:
    """Return the theorems of each file of the library."""
    return {path.stem: stated(path.read_text("utf-8")) for path in sorted(THEORIES.glob("*.v"))}


def statements() -> dict[str, str]:
    """Return what each theorem says, by file and name."""
    return {
        f"{path.stem}.{found[1]}": found[2]
        for path in sorted(THEORIES.glob("*.v"))
        for found in STATEMENT.finditer(path.read_text("utf-8"))
    }


def coqc(source: str, folder: Path, name: str = "Question.v") -> Answer:
    """Let Coq read a file that may use the library."""
    file = folder / name
    file.write_text(source, encoding="utf-8")
    done = subprocess.run(
        ["coqc", "-q", "-R", str(THEORIES), "Gradwright", "-w", "none", str(file)],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    return Answer(done.returncode == 0, done.stdout + done.stderr)


def assumptions(theorems: list[str], folder: Path, preamble: str = "") -> set[str]:
    """Return the axioms that theorems (as Module.name) rest on, whatever is assumed in between.

    AssertionError where one of them is not there.
    """
    modules = sorted({theorem.split(".")[0] for theorem in theorems if "." in theorem})
    together = "".join(f"let _ := @{theorem} in\n" for theorem in theorems)
    answer = coqc(
        f"From Gradwright Require {' '.join(modules)}.\n{preamble}\n"
        f"Definition together := {together}I.\nPrint Assumptions together.\n",
        folder,
    )
    assert answer.accepted, answer.text
    return set(re.findall(r"^(\w[\w.]*)(?= :|$)", answer.text, re.MULTILINE)) - {"Axioms"}
