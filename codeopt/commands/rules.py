"""List the built-in rewrite rules, or explain one with its example."""

from __future__ import annotations

import argparse
import difflib
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from codeopt.rules import Rule

ORDER = 8


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags."""
    parser.add_argument("name", nargs="?", metavar="NAME", help="explain this rule")
    parser.add_argument("--select", metavar="RULES", help="only these, separated by commas")
    parser.add_argument("--ignore", metavar="RULES", help="not these")
    parser.add_argument("--json", action="store_true", help="a JSON array on standard output")


def run(arguments: argparse.Namespace) -> int:
    """Print one line a rule, or one rule in full."""
    from codeopt.rules import load_rule, select_rules

    chosen = (
        [load_rule(arguments.name)]
        if arguments.name
        else select_rules(*map(_names, (arguments.select, arguments.ignore)))
    )
    if arguments.json:
        print(json.dumps([as_json(each) for each in chosen]))
    else:
        print(explained(chosen[0]) if arguments.name else listed(chosen))
    return 0


def as_json(rule: Rule) -> dict[str, Any]:
    """One rule as --json prints it."""
    kinds = {"scripts_only": rule.scripts_only, "by_tests": rule.safety == "unsafe"}
    return {
        "name": rule.name,
        "reason": rule.reason,
        "limits": rule.preconditions,
        "before": rule.example.before,
        "after": rule.example.after,
        **kinds,
    }


def listed(rules: Sequence[Rule]) -> str:
    """One line a rule."""
    width = max((len(rule.name) for rule in rules), default=0)
    return "\n".join(f"{rule.name:<{width}}  {rule.reason}" for rule in rules)


def explained(rule: Rule) -> str:
    """Why, when it refuses, and the example as a diff."""
    old, new = (text.splitlines() for text in (rule.example.before, rule.example.after))
    diff = difflib.unified_diff(old, new, "before", "after", lineterm="", n=99)
    kind = [
        "Only for whole programs that read standard input." if rule.scripts_only else "",
        "Cannot be proved safe from the text alone: the test cases decide." if rule.safety == "unsafe" else "",
    ]
    parts = [rule.name, rule.reason, rule.preconditions, *(text for text in kind if text), "\n".join(diff)]
    return "\n\n".join(part for part in parts if part)


def _names(text: str | None) -> list[str]:
    return [name.strip() for name in (text or "").split(",") if name.strip()]
