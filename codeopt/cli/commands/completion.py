"""Print what makes a shell complete commands and flags."""

from __future__ import annotations

import argparse

from codeopt.cli.command import command
from codeopt.core.errors import UsageError

SHELLS = ("bash", "zsh", "tcsh")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags."""
    parser.add_argument("shell", choices=SHELLS, metavar="SHELL", help=", ".join(SHELLS))


@command(
    10,
    examples=(
        "codeopt completion bash > ~/.local/share/bash-completion/completions/codeopt",
        "codeopt completion zsh > ~/.zfunc/_codeopt",
    ),
    needs_all=True,
)
def run(arguments: argparse.Namespace) -> int:
    """The script. Raises UsageError where the extra is not installed."""
    try:
        import shtab
    except ImportError as error:
        raise UsageError("codeopt completion needs the extra: pip install 'codeopt[completion]'") from error
    print(shtab.complete(arguments.root, shell=arguments.shell))
    return 0
