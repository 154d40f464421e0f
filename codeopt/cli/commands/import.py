"""Convert a public data set into a set for batch.

OUT/pairs.jsonl and OUT/PROBLEM/input.N.txt are what is kept. OUT/import.csv says of every pair what became of it.
"""

from __future__ import annotations

import argparse
import csv
import shutil
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from codeopt.cli import flags
from codeopt.cli.command import command
from codeopt.core.console import Console
from codeopt.core.errors import CodeoptError, UsageError, names_near
from codeopt.core.isolation import open_isolated
from codeopt_sandbox.verdict import Checker, open_checker

if TYPE_CHECKING:
    from codeopt.batch.datasets._importers import ImportDecision
    from codeopt_sandbox import Run, Sandbox

KINDS = ("codenet", "pie", "ecco")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("kind", choices=KINDS, help="what PATH is")
    told = "a Project_CodeNet folder, a .jsonl file, or a folder of them"
    parser.add_argument("path", type=Path, metavar="PATH", help=told)
    parser.add_argument("--limit", type=flags.count, metavar="N", help="read only the first N pairs [default: all]")
    flags.add_flags(parser, "import")


@command(
    examples=("codeopt import codenet Project_CodeNet/ -o set.jsonl",),
    first=("--output", "--cases", "--limit"),
    often=("--check", "--python", "--sandbox", "--timeout", "--quiet"),
)
def run(arguments: argparse.Namespace) -> int:
    """Read, run each original on its cases, write what can be judged. Raises UsageError."""
    from codeopt.batch.datasets._importers import PAIRS

    check, out = _checker(arguments.check), arguments.output
    if not arguments.path.exists():
        raise UsageError(f"there is no {arguments.path}", hint=names_near(arguments.path))
    tally: Counter[str] = Counter()
    with Console(quiet=arguments.quiet) as console:
        with (
            _new_folder(out),
            open_isolated(flags.options_of(arguments), notify=console.warn) as sandbox,
            (out / "import.csv").open("w", encoding="utf-8", newline="") as table,
        ):
            (out / PAIRS).touch()
            rows = csv.writer(table, lineterminator="\n")
            rows.writerow(["problem", "kept", "reason"])
            for decision in _decisions(arguments, check, sandbox, console):
                rows.writerow([decision.pair.id, int(not decision.skipped), decision.skipped or decision.note])
                tally[_kind(decision)] += 1
                if not decision.skipped:
                    decision.pair.write(out)
        for what, number in tally.most_common():
            console.print(f"{number:>6}  {what}")
    print(out / PAIRS)
    sys.stdout.flush()
    # exit status of an import that kept nothing
    return 0 if tally["kept"] else 1


def _decisions(
    arguments: argparse.Namespace, check: Checker, sandbox: Sandbox, console: Console
) -> Iterator[ImportDecision]:
    """Each pair with what becomes of it. Raises UsageError."""
    from codeopt.batch.datasets import SetRequest, _importers
    from codeopt_sandbox.guest.request import seeded

    def run(source: str, stdin: bytes, hash_seed: int) -> Run:
        return sandbox.run(source, stdin, mode="exec", environment=seeded(hash_seed))

    found = _importers.PROGRAMS[arguments.kind](SetRequest(arguments.path, arguments.cases))
    for number, pair in enumerate(islice(found, arguments.limit), 1):
        console.progress(f"pair {number}, {pair.id}")
        yield _importers.check_pair(pair, run, check)


def _checker(name: str) -> Checker:
    """Checker of a program's outputs. Raises UsageError for one of a function's answers."""
    if "::" in name:
        hint = "a program takes tokens, exact or float:TOLERANCE"
        raise UsageError(f"--check {name} is for the results of a function", hint=hint)
    return open_checker(name)


def _kind(decision: ImportDecision) -> str:
    """The reason without what differs from pair to pair."""
    if not decision.skipped:
        return "kept"
    words = decision.skipped.partition(":")[0]
    return "dropped: " + ("it fails its own cases" if words.startswith("it fails its own") else words)


@contextmanager
def _new_folder(path: Path) -> Iterator[None]:
    """Create the folder, and remove it after an error. Raises UsageError if it cannot be made or is not empty."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        used = any(path.iterdir())
    except OSError as error:
        raise UsageError(f"cannot use -o {path}: {error.strerror}") from error
    if used:
        raise UsageError(f"-o {path} is not empty", hint="name a new folder")
    try:
        yield
    except CodeoptError:
        shutil.rmtree(path, ignore_errors=True)
        raise
