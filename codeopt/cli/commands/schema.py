"""Print the JSON Schema of what a command prints with --json."""

from __future__ import annotations

import argparse
import json

ORDER = 11
COMMANDS = ("check", "compare", "compare-change", "improve", "profile", "profile-run", "review")
EXAMPLES = ("codeopt schema improve > improve.schema.json",)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags."""
    parser.add_argument("name", choices=COMMANDS, metavar="COMMAND", help=", ".join(COMMANDS))


def run(arguments: argparse.Namespace) -> int:
    """The schema, on standard output."""
    from codeopt.report.answers import PRINTED

    print(json.dumps(PRINTED[arguments.name].model_json_schema(), indent=2))
    return 0
