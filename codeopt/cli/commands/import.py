"""Turn a foreign data set into one that `codeopt batch` runs, and note what was left out and why.

OUT/pairs.jsonl and OUT/PROBLEM/input.N.txt are what is kept, OUT/import.csv says of every pair what became of it.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from codeopt.cli import flags
from codeopt.cli.command import command
from codeopt.core.console import Console
from codeopt.core.errors import UsageError
from codeopt.core.isolation import open_isolated
from codeopt_sandbox.verdict import open_checker

if TYPE_CHECKING:
    from codeopt.batch.datasets._importers import ImportDecision
    from codeopt_sandbox import Run, Sandbox

NOTHING_KEPT = 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags."""
    parser.add_argument("kind", choices=["codenet", "pie", "ecco"], help="what PATH is")
    parser.add_argument(
        "path", type=Path, metavar="PATH", help="a Project_CodeNet folder, a .jsonl file, a folder of them"
    )
    parser.add_argument("--limit", type=flags.count, metavar="N", help="number of pairs to look at, from the first on")
    flags.add_flags(parser, "import")


@command(
    7,
    examples=("codeopt import codenet Project_CodeNet/ -o set.jsonl",),
    first=("--output", "--cases", "--limit"),
    often=("--check", "--python", "--sandbox", "--timeout", "--quiet"),
)
def run(arguments: argparse.Namespace) -> int:
    """Read, run each original on its cases, write what can be judged. Raises UsageError."""
    from codeopt.batch.datasets._importers import write

    out = _new_folder(arguments.output)
    tally: Counter[str] = Counter()
    with Console(quiet=arguments.quiet) as console:
        with (
            open_isolated(flags.options_of(arguments), own_code_only=False, notify=console.warn) as sandbox,
            (out / "pairs.jsonl").open("w", encoding="utf-8") as pairs,
            (out / "import.csv").open("w", encoding="utf-8", newline="") as table,
        ):
            rows = csv.writer(table, lineterminator="\n")
            rows.writerow(["problem", "kept", "reason"])
            for decision in _decisions(arguments, sandbox, console):
                rows.writerow([decision.pair.id, int(not decision.dropped), decision.dropped or decision.note])
                tally[_kind(decision)] += 1
                if not decision.dropped:
                    write(decision, out, pairs)
        for what, number in tally.most_common():
            console.print(f"{number:>6}  {what}")
    print(out / "pairs.jsonl")
    sys.stdout.flush()
    return 0 if tally["kept"] else NOTHING_KEPT


def _decisions(arguments: argparse.Namespace, sandbox: Sandbox, console: Console) -> Iterator[ImportDecision]:
    from codeopt.batch.datasets._importers import ImportRequest, check_pair
    from codeopt.core import plugins

    def run(source: str, stdin: bytes, hash_seed: int) -> Run:
        return sandbox.run(source, stdin, mode="exec", hash_seed=hash_seed)

    if not arguments.path.exists():
        raise UsageError(f"there is no {arguments.path}")
    request = ImportRequest(arguments.path, arguments.cases)
    pairs = plugins.load("codeopt.batch.datasets._importers", arguments.kind).read(request)
    check = open_checker(arguments.check)
    for number, pair in enumerate(islice(pairs, arguments.limit), 1):
        console.progress(f"pair {number}, {pair.id}")
        yield check_pair(pair, run, check)


def _kind(decision: ImportDecision) -> str:
    """The reason without what differs from pair to pair."""
    if not decision.dropped:
        return "kept"
    words = decision.dropped.partition(":")[0]
    return "dropped: " + ("it fails its own cases" if words.startswith("it fails its own") else words)


def _new_folder(path: Path) -> Path:
    try:
        path.mkdir(parents=True, exist_ok=True)
        used = any(path.iterdir())
    except OSError as error:
        raise UsageError(f"cannot use -o {path}: {error.strerror}") from error
    if used:
        raise UsageError(f"-o {path} is not empty; name a new folder")
    return path
