"""`codeopt improve FILE`, where FILE reads no standard input: its functions, ranked, instead of a run."""

from __future__ import annotations

import argparse

from codeopt.commands._sandbox import open_from
from codeopt.console import Console
from codeopt.errors import UsageError
from codeopt.functions.bench import open_bench
from codeopt.functions.flags import chosen
from codeopt.functions.rank import any_function, offer, reads_stdin
from codeopt.program import read_program
from sandbox import Sandbox


def offer_functions(arguments: argparse.Namespace, console: Console) -> None:
    """Raise UsageError with the functions of a file that reads no standard input, ranked; return where it is a
    program."""
    program = read_program(arguments.target)
    given = arguments.cases or arguments.stdin
    function = None if given or reads_stdin(program.source) else any_function(arguments.target)
    if function is None:
        return

    def open_with(mounts: tuple[tuple[str, str], ...]) -> Sandbox:
        return open_from(arguments, own_code_only=True, notify=console.warn, mounts=mounts)

    console.progress("looking which functions take long")
    with open_bench(function, open_with, chosen(arguments).tests) as bench:
        raise UsageError(offer(bench))
