"""List the built-in rewrite rules, or explain one with its example."""

from __future__ import annotations

import argparse
import difflib
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from codeopt.commands import _flags

if TYPE_CHECKING:
    from codeopt.rules import Rule

ORDER = 8


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags."""
    parser.add_argument("name", nargs="?", metavar="NAME", help="explain this rule")
    parser.add_argument("--select", type=_flags.name_list, metavar="RULES", help="only these, separated by commas")
    parser.add_argument("--ignore", type=_flags.name_list, metavar="RULES", help="not these")
    parser.add_argument("--json", action="store_true", help="a JSON array on standard output")


def run(arguments: argparse.Namespace) -> int:
    """Print one line a rule, or one rule in full."""
    from codeopt.rules import rule, select_rules

    chosen = [rule(arguments.name)] if arguments.name else select_rules(arguments.select or (), arguments.ignore or ())
    if arguments.json:
        print(json.dumps([as_json(each) for each in chosen]))
    else:
        print(explained(chosen[0]) if arguments.name else listed(chosen))
    return 0


def as_json(rule: Rule) -> dict[str, Any]:
    """One rule as --json prints it."""
    kinds = {"scripts_only": rule.scripts_only, "by_tests": rule.by_tests}
    return {
        "name": rule.name,
        "reason": rule.reason,
        "limits": rule.limits,
        "before": rule.before,
        "after": rule.after,
        **kinds,
    }


def listed(rules: Sequence[Rule]) -> str:
    """One line a rule."""
    width = max((len(rule.name) for rule in rules), default=0)
    return "\n".join(f"{rule.name:<{width}}  {rule.reason}" for rule in rules)


def explained(rule: Rule) -> str:
    """Why, when it refuses, and the example as a diff."""
    diff = difflib.unified_diff(rule.before.splitlines(), rule.after.splitlines(), "before", "after", lineterm="", n=99)
    kind = [
        "Only for whole programs that read standard input." if rule.scripts_only else "",
        "Cannot be proved safe from the text alone: the test cases decide." if rule.by_tests else "",
    ]
    parts = [rule.name, rule.reason, rule.limits, *(text for text in kind if text), "\n".join(diff)]
    return "\n\n".join(part for part in parts if part)
