"""A diff on a terminal: in colour where it has any; to a file or a pipe it goes as it is, for `git apply`."""

from __future__ import annotations

import sys

from codeopt.cli.deliver import deliver


def write_diff(diff: str) -> None:
    """To standard output."""
    if not sys.stdout.isatty():
        deliver(diff, None, what="the diff", instead="send it to a file: codeopt diff RUN >FILE")
        return
    from rich.console import Console
    from rich.text import Text

    from codeopt.core.sanitize import printable

    console = Console(highlight=False, soft_wrap=True)
    for line in diff.removesuffix("\n").split("\n"):
        console.print(Text(printable(line.removesuffix("\r")), style=_style(line)))


def _style(line: str) -> str:
    if line.startswith(("+++", "---")):
        return "bold"
    return {"+": "green", "-": "red", "@": "cyan"}.get(line[:1], "")
