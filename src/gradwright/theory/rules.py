"""The rules that the prover trusts, each with its lemma in `proofs/`."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gradwright.certify.identities import IDENTITIES
from gradwright.certify.kernel.derive import RULED
from gradwright.errors import SpecError, perhaps

HEADS = ("rule", "statement", "lemma", "used in")


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of the prover's kernel."""

    name: str
    """Name of an identity, or the operation whose cotangents it gives."""
    statement: str
    lemma: str
    """Name of the lemma of `proofs/theories`."""
    places: tuple[str, ...]
    """Functions of the kernel that use it, `module.function` or `module.Class.method`."""

    def to_json(self) -> dict[str, object]:
        """Return a record."""
        return {
            "name": self.name,
            "statement": self.statement,
            "lemma": self.lemma,
            "places": list(self.places),
        }


def lemma_of_identity(name: str) -> str:
    """Return the lemma of an identity: `rule_a_b` of a-b."""
    return "rule_" + name.replace("-", "_")


def lemma_of_operation(opcode: str) -> str:
    """Return the lemma of a derivative rule: `pull_OP` of stablehlo.OP."""
    return "pull_" + opcode.partition(".")[2]


def rules() -> tuple[Rule, ...]:
    """Return all rules: identities of the normal forms, then derivative rules by operation."""
    return (
        *(
            Rule(name, each.statement, lemma_of_identity(name), each.places)
            for name, each in IDENTITIES.items()
        ),
        *(
            Rule(opcode, "cotangents of the operands", lemma_of_operation(opcode), ("derive.pull",))
            for opcode in sorted(RULED)
        ),
    )


def find_rule(name: str) -> Rule:
    """Return a rule by its name; SpecError where there is none."""
    known = {rule.name: rule for rule in rules()}
    if name in known:
        return known[name]
    remedy = perhaps(name, known) or "`gradwright theorems --rules` lists them"
    raise SpecError(where=name, expected="the name of a rule", found="none", remedy=remedy)


def rule_table(chosen: Sequence[Rule]) -> str:
    """Return a Markdown table of rules."""
    return "\n".join(_lines(chosen)) + "\n"


def _lines(chosen: Sequence[Rule]) -> Iterator[str]:
    yield f"| {' | '.join(HEADS)} |"
    yield "|---" * len(HEADS) + "|"
    for rule in chosen:
        statement = rule.statement.replace("|", "\\|").replace("*", "\\*")
        places = ", ".join(f"`{place}`" for place in rule.places)
        yield f"| `{rule.name}` | {statement} | `{rule.lemma}` | {places} |"
