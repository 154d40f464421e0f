"""Serve editors (Language Server Protocol).

Standard input and output are the connection. Nothing of the workspace is run before the user asks for it, by a command
of the editor or with --check-on-save; then it runs in a sandbox that isolates. No file changes: edits are the editor's;
evidence of originals is kept in your cache folder (--no-cache: it is not).
"""

from __future__ import annotations

import argparse

from codeopt.cli.command import command
from codeopt.serving.request import add_policy_arguments, policy_of, require_extra


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `codeopt lsp`."""
    parser.add_argument("--stdio", action="store_true", help="accepted and ignored: some editors pass it")
    group = add_policy_arguments(parser, "lsp")
    group.add_argument("--check-on-save", action="store_true", help="run the tests of a file whenever it is saved")


@command(
    examples=("codeopt lsp",),
    first=("--model", "--max-cost", "--check-on-save"),
    often=("--max-seconds", "--python", "--sandbox", "--memory"),
    others_files=True,
    flags_only=True,
)
def run(arguments: argparse.Namespace) -> int:
    """Serve until the editor ends it. Raises UsageError."""
    require_extra("lsp", "pygls")
    from codeopt.serving.lsp_server import make_lsp_server

    policy = policy_of(arguments)
    make_lsp_server(policy, max_seconds=arguments.max_seconds, check_on_save=arguments.check_on_save).start_io()
    return 0
