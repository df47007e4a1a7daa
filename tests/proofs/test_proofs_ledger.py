"""No rule of the certifier's kernel is trusted without its lemma."""

import ast
from collections.abc import Iterable, Iterator, Set
from pathlib import Path

import pytest

from gradwright.certify.definitions import DEFINITIONS, INSPECTIONS
from gradwright.certify.identities import IDENTITIES
from gradwright.certify.kernel.derive import RULED
from gradwright.theory import THEOREMS, rule_table, rules
from gradwright.theory.lemmas import LEMMAS
from gradwright.theory.rules import lemma_of_identity, lemma_of_operation
from proofs.coq import ASSUMED, assumptions, coqc, library
from repository.tree import ROOT

KERNEL = ROOT / "src/gradwright/certify/kernel"
RULES = [
    "algebra",
    "analytic",
    "arithmetic",
    "atoms",
    "classes",
    "clearing",
    "contractions",
    "equality",
    "functions",
    "generic",
    "index",
    "infinite",
    "linear",
    "logsums",
    "masks",
    "multilinear",
    "pieces",
    "pointwise",
    "powers",
    "reading",
    "relations",
    "sums",
    "tensor",
    "thresholds",
    "windows",
]
"""Modules that rewrite values or decide questions about them."""
READERS = {
    "__init__": "nothing",
    "adjoint": "the sweep: rule_adjoint",
    "conditions": "what a proof assumed",
    "denotation": "regions, and where one is a known combination",
    "denote": "which reading an operation has",
    "derive": "derivative rules: pull_OP",
    "forms": "index maps of operations",
    "indexing": "operations with computed indices",
    "literals": "constants",
    "loops": "loops: rule_loop_sum, rule_loop_counter",
    "numeric": "elementwise operations",
    "patterns": "constants as bounds, tested at every index",
    "shaped": "operations on shapes",
    "unroll": "loops written out",
}
"""The other modules, and what they read or hold."""
VALUES = frozenset(
    [
        "Tensor",
        "Poly",
        "Monomial",
        "Terms",
        "Guard",
        "Guards",
        "Affine",
        "Parts",
        "Multilinear",
        "Sign",
        "Piece",
        "_Test",
        "Row",
        "bool",
    ]
)
"""What a function rewrites, or decides, that returns one of these."""
ACCOUNTED = frozenset(place for each in IDENTITIES.values() for place in each.places).union(
    DEFINITIONS, INSPECTIONS
)


def needed(identities: Iterable[str], operations: Iterable[str]) -> set[str]:
    return {*map(lemma_of_identity, identities), *map(lemma_of_operation, operations)}


def missing(identities: Iterable[str], operations: Iterable[str]) -> set[str]:
    """Return the lemmas that are needed and not there."""
    return needed(identities, operations).difference(*library().values())


def functions(module: str) -> Iterator[tuple[str, set[str]]]:
    """Yield the functions of a module by name, and the names in their return types."""
    pending: list[tuple[str, ast.stmt]] = [
        (module, node) for node in ast.parse((KERNEL / f"{module}.py").read_text("utf-8")).body
    ]
    for prefix, node in pending:
        if isinstance(node, ast.ClassDef):
            pending += [(f"{prefix}.{node.name}", inner) for inner in node.body]
        if isinstance(node, ast.FunctionDef):
            returned = ast.unparse(node.returns).replace("'", "") if node.returns else ""
            names = {n.id for n in ast.walk(ast.parse(returned)) if isinstance(n, ast.Name)}
            yield f"{prefix}.{node.name}", names


def unaccounted(accounted: Set[str]) -> list[str]:
    """Return the functions that rewrite values, or decide about them, and are not accounted for."""
    return [
        name
        for module in RULES
        for name, returned in functions(module)
        if returned & VALUES and name not in accounted
    ]


def test_every_rule_has_its_lemma() -> None:
    assert missing(IDENTITIES, RULED) == set()


def test_a_rule_without_a_lemma_is_noticed() -> None:
    assert missing(["mask-idempotent", "root-of-square"], []) == {"rule_root_of_square"}
    assert missing([], ["stablehlo.tanh", "stablehlo.fft"]) == {"pull_fft"}


def test_every_lemma_of_a_rule_is_one_that_the_kernel_names() -> None:
    there = {name for names in library().values() for name in names if name.startswith("rule_")}
    assert there == {lemma_of_identity(name) for name in IDENTITIES}


def test_every_function_that_rewrites_or_decides_is_accounted_for() -> None:
    assert unaccounted(ACCOUNTED) == []
    for name in ("masks.Masks.maximum", "analytic.Analytic.vanishes_rarely"):
        assert unaccounted(ACCOUNTED - {name}) == [name]


def test_every_place_is_there() -> None:
    there = {name for path in KERNEL.glob("*.py") for name, _ in functions(path.stem)}
    assert ACCOUNTED - there == set()


def test_every_module_of_the_kernel_is_one_of_rules_or_reads_operations() -> None:
    assert {path.stem for path in KERNEL.glob("*.py")} == {*RULES, *READERS}


@pytest.mark.usefixtures("built")
def test_the_lemmas_of_rules_rest_on_the_reals_alone(tmp_path: Path) -> None:
    wanted = needed(IDENTITIES, RULED)
    lemmas = [f"{file}.{name}" for file, names in library().items() for name in names]
    assert assumptions([x for x in lemmas if x.split(".")[1] in wanted], tmp_path) <= ASSUMED


@pytest.mark.usefixtures("built")
def test_a_false_rule_is_not_proved(tmp_path: Path) -> None:
    statement = "Lemma rule_root_of_square x : sqrt (x * x) = x."
    proof = "Proof. by rewrite sqrt_square. Qed."
    text = f"From Gradwright Require Import PowerRules.\n{statement}\n{proof}\n"
    assert not coqc(text, tmp_path).accepted
    true = text.replace("x : sqrt", "x : 0 <= x -> sqrt").replace(
        "by rewrite", "by move=> H; rewrite"
    )
    assert coqc(true, tmp_path).accepted


def test_every_theorem_at_every_size_names_a_lemma_that_is_there() -> None:
    lemmas = {f"{file}.{name}" for file, names in library().items() for name in names}
    assert set(LEMMAS.values()) - lemmas == set()
    without = {theorem.name for theorem in THEOREMS} - set(LEMMAS)
    assert without == set()
    assert set(LEMMAS) - {theorem.name for theorem in THEOREMS} == set()


def test_the_page_lists_every_rule_with_its_lemma() -> None:
    assert rule_table(rules()) in (ROOT / "docs/rules.md").read_text("utf-8")
    assert {rule.lemma for rule in rules()} == needed(IDENTITIES, RULED)
