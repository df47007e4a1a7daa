"""Theorems on backward passes that hold at every size, with proofs and counterexamples."""

from gradwright.theory.catalogue import THEOREMS, find
from gradwright.theory.outcome import (
    Counterexample,
    Method,
    Outcome,
    Proved,
    Refuted,
    Unknown,
    Verdict,
)
from gradwright.theory.page import page
from gradwright.theory.prove import prove
from gradwright.theory.record import (
    Adjoint,
    Case,
    Control,
    Hypothesis,
    Instance,
    Law,
    Same,
    Size,
    Symbols,
    Theorem,
    Window,
)
from gradwright.theory.rules import Rule, find_rule, rule_table, rules
from gradwright.theory.survey import Result, failures, settle
from gradwright.theory.table import markdown

__all__ = [
    "THEOREMS",
    "Adjoint",
    "Case",
    "Control",
    "Counterexample",
    "Hypothesis",
    "Instance",
    "Law",
    "Method",
    "Outcome",
    "Proved",
    "Refuted",
    "Result",
    "Rule",
    "Same",
    "Size",
    "Symbols",
    "Theorem",
    "Unknown",
    "Verdict",
    "Window",
    "failures",
    "find",
    "find_rule",
    "markdown",
    "page",
    "prove",
    "rule_table",
    "rules",
    "settle",
]
