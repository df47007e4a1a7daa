"""`gradwright theorems`: what holds at every size, proved while you wait."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from gradwright.cli.exits import Exit
from gradwright.cli.output import write_json, write_line, write_table

if TYPE_CHECKING:
    from gradwright.theory import Result, Rule


def theorems(
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="The theorem to explain, or the rule; default: all."),
    ] = None,
    *,
    whole_grid: Annotated[
        bool, typer.Option("--all", help="Every case of each grid, not only a few.")
    ] = False,
    as_rules: Annotated[
        bool,
        typer.Option("--rules", help="The rules that the prover trusts, with their lemmas in Coq."),
    ] = False,
    as_markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the list as a Markdown table.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Prove the theorems on backward passes at all sizes.

    The one called NAME is explained instead. With --rules nothing is proved: rules are listed.
    The exit code is 0 where every theorem is proved, 1 where one is refuted, 2 where one is
    unknown.
    """
    from gradwright.theory import THEOREMS, find, find_rule, markdown, page, rules, settle

    if as_rules:
        listed = rules() if name is None else (find_rule(name),)
        _write_rules(listed, as_markdown=as_markdown, as_json=as_json)
        return
    chosen = THEOREMS if name is None else (find(name),)
    results = [settle(each, each.grid if whole_grid else each.quick) for each in chosen]
    if as_json:
        write_json({"theorems": [result.to_json() for result in results]})
    elif as_markdown:
        write_line(markdown(results).rstrip())
    elif name is None:
        _write(results)
    else:
        write_line(page(results[0]))
    raise typer.Exit(max(_EXITS[result.verdict.value] for result in results))


def _write_rules(listed: "Sequence[Rule]", *, as_markdown: bool, as_json: bool) -> None:
    from gradwright.theory import rule_table

    if as_json:
        write_json({"rules": [rule.to_json() for rule in listed]})
    elif as_markdown:
        write_line(rule_table(listed).rstrip())
    else:
        rows = [[rule.name, rule.statement, rule.lemma, ", ".join(rule.places)] for rule in listed]
        write_table(["rule", "statement", "lemma", "used in"], rows)


_EXITS = {"proved": Exit.DONE, "refuted": Exit.MISSED, "unknown": Exit.UNSUPPORTED}


def _write(results: "list[Result]") -> None:
    rows = [
        [
            result.theorem.name,
            result.theorem.title,
            "; ".join(result.hypotheses) or "none",
            f"{len(result.settled)}/{len(result.theorem.grid)}",
            result.verdict.value,
            f"{result.seconds:.2f}",
        ]
        for result in results
    ]
    heads = ["theorem", "statement", "hypotheses", ">cases", "verdict", ">seconds"]
    write_table(heads, rows)
    cases = sum(len(result.settled) for result in results)
    seconds = sum(result.seconds for result in results)
    proved = sum(result.verdict.value == "proved" for result in results)
    write_line(f"\n{proved} of {len(results)} proved at {cases} cases in {seconds:.1f} s")
    write_line("- over the real numbers, for all inputs and all sizes within the hypotheses")
    write_line("- kernel, stride and dilation are those of the cases; `theorems NAME` explains one")
