"""Print the JSON Schema of what --json prints."""

from __future__ import annotations

import argparse
import json

from codeopt.cli.command import command

_OF_TWO_FORMS = ("compare", "compare-change", "improve", "improve-several", "profile", "profile-run")
COMMANDS = sorted(("check", "findings", "report", "review", *_OF_TWO_FORMS))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", choices=COMMANDS, metavar="COMMAND", help=", ".join(COMMANDS))


@command(examples=("codeopt schema improve > improve.schema.json",))
def run(arguments: argparse.Namespace) -> int:
    """The schema, on standard output."""
    from codeopt.report.answers import PRINTED

    print(json.dumps(PRINTED[arguments.name].model_json_schema(), indent=2))
    return 0
