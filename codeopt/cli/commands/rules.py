"""List and explain the built-in rules."""

from __future__ import annotations

import argparse
import ast
import difflib
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

from codeopt.cli import flags
from codeopt.cli.command import command
from codeopt.core.errors import UsageError
from codeopt.core.screen import COLUMNS

if TYPE_CHECKING:
    from codeopt.analysis import RefusalReason
    from codeopt.rules import Explanation, Rule

MOST_LINES = 8
"""Most lines that are listed for one reason."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", metavar="NAME", help="explain this rule")
    parser.add_argument(
        "--explain", metavar="FILE", help="show where each rule applies to this program, and why not elsewhere"
    )
    flags.add_flags(parser, "rules")


@command(examples=("codeopt rules", "codeopt rules list_membership_to_set"))
def run(arguments: argparse.Namespace) -> int:
    """Print one line a rule, or one rule in full."""
    from codeopt.rules import load_rule, select_rules

    chosen = (
        [load_rule(arguments.name)] if arguments.name else select_rules(arguments.select or (), arguments.ignore or ())
    )
    if arguments.explain:
        found = explanations(arguments.explain, chosen)
        print(json.dumps(refusals_as_json(arguments.explain, found)) if arguments.json else why(found))
    elif arguments.json:
        print(json.dumps([as_json(each) for each in chosen]))
    else:
        print(explained(chosen[0]) if arguments.name else listed(chosen))
    return 0


def as_json(rule: Rule) -> dict[str, Any]:
    kinds = {"scripts_only": rule.scripts_only, "by_tests": rule.safety == "unsafe"}
    return {
        "name": rule.name,
        "reason": rule.reason,
        "limits": rule.preconditions,
        "before": rule.example.before,
        "after": rule.example.after,
        "aim": rule.aim,
        **kinds,
    }


def listed(rules: Sequence[Rule]) -> str:
    return _rows([(rule.name, rule.reason) for rule in rules])


def explained(rule: Rule) -> str:
    """Format the reason of a rule, its preconditions, and its example as a diff."""
    old, new = (text.splitlines() for text in (rule.example.before, rule.example.after))
    diff = difflib.unified_diff(old, new, "before", "after", lineterm="", n=99)
    kind = [
        "Only for whole programs that read standard input." if rule.scripts_only else "",
        "Brings less memory: tried by --task memory, or where it is named." if rule.aim == "memory" else "",
        "Cannot be proved safe from the text alone: the test cases decide." if rule.safety == "unsafe" else "",
    ]
    texts = [fill(text, COLUMNS) for text in (rule.reason, rule.preconditions, *kind)]
    return "\n\n".join(part for part in (rule.name, *texts, "\n".join(diff)) if part)


def explanations(path: str, rules: Sequence[Rule]) -> list[Explanation]:
    """The explanation of each rule for a file."""
    from codeopt.core.program import read_program
    from codeopt.rules import Hot, explain, parse

    source = read_program(Path(path)).source
    program = parse(source, exported=_only_defines(source))
    if program is None:
        raise UsageError(f"no rule may touch {path}: it looks at its own names or code, or is nested too deeply")
    return [explain(rule, program, Hot()) for rule in rules]


def _only_defines(source: str) -> bool:
    """A module, whose functions others call; a script calls its own."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign)
    body = [
        node
        for node in ast.parse(source).body
        if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
    ]
    return all(isinstance(node, kinds) for node in body)


def refusals_as_json(path: str, found: Sequence[Explanation]) -> dict[str, Any]:
    rules = [
        {
            "name": each.rule,
            "lines": sorted(each.lines),
            "refused": {reason.name.lower(): sorted(lines) for reason, lines in each.refused.items()},
        }
        for each in found
    ]
    return {"file": path, "rules": rules, "refused": {reason.name.lower(): count for reason, count in _totals(found)}}


def why(found: Sequence[Explanation]) -> str:
    """The rules that match or are skipped, then the reasons of all, counted."""
    rules = _rows([(each.rule, _said(each)) for each in found if each.lines or each.refused])
    reasons = _rows([(f"{count:>5}", reason.value) for reason, count in _totals(found)])
    return (rules or "No rule applies to any line.") + (f"\n\nWhy not:\n{reasons}" if reasons else "")


def _rows(rows: Sequence[tuple[str, str]]) -> str:
    width = max((len(name) for name, _ in rows), default=0)
    others = " " * (width + 2)
    return "\n".join(
        fill(text, COLUMNS, initial_indent=f"{name:<{width}}  ", subsequent_indent=others, break_on_hyphens=False)
        for name, text in rows
    )


def _said(each: Explanation) -> str:
    parts = [f"matches: {_lines(each.lines)}"] if each.lines else []
    parts += [f"not {_lines(lines)}: {reason.value}" for reason, lines in each.refused.items()]
    return "; ".join(parts)


def _lines(lines: set[int]) -> str:
    shown = ", ".join(map(str, sorted(lines)[:MOST_LINES])) + (", ..." if len(lines) > MOST_LINES else "")
    return f"line {shown}" if len(lines) == 1 else f"lines {shown}"


def _totals(found: Sequence[Explanation]) -> list[tuple[RefusalReason, int]]:
    """Number of lines refused for each reason, most first; a line counts once for each rule."""
    count: Counter[RefusalReason] = Counter()
    for each in found:
        count.update({reason: len(lines) for reason, lines in each.refused.items()})
    return count.most_common()
