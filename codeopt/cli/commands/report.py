"""Show the results of a batch."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TextIO, cast

from codeopt.cli import flags
from codeopt.cli.command import command
from codeopt.cli.output import write_page
from codeopt.core.errors import UsageError

if TYPE_CHECKING:
    from codeopt.batch.batch_folder import BatchFolder
    from codeopt.batch.results.metrics import Metrics


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", type=Path, metavar="DIR", help="the --run-dir of a batch")
    told = "another batch over the same set, for a paired test"
    parser.add_argument("--compare", type=Path, metavar="DIR", help=told)
    flags.add_flags(parser, "report")


@command(
    examples=("codeopt report out --html page.html",),
    first=("--html", "--csv", "--json", "--compare"),
)
def run(arguments: argparse.Namespace) -> int:
    """Report on a batch. Raises UsageError if there is no batch, or a file cannot be written."""
    from codeopt.batch.batch_folder import BatchFolder, require_own_batch
    from codeopt.batch.results.metrics import measure_batch, versus
    from codeopt.batch.results.page import page
    from codeopt.batch.results.table import as_json, render
    from codeopt.core.run_store import STATE

    if (arguments.run / STATE).is_file():
        raise UsageError(f"{arguments.run} is one run", hint=f"codeopt show {shlex.quote(str(arguments.run))}")
    for folder in filter(None, (arguments.run, arguments.compare)):
        require_own_batch(folder)
    batch = BatchFolder(arguments.run)
    if _own_results(batch):
        _refuse(arguments)
        show(batch, sys.stdout, as_object=arguments.json)
        return 0
    found = measure_batch(batch)
    other = versus(found, measure_batch(BatchFolder(arguments.compare))) if arguments.compare else None
    if arguments.html:
        write_page(arguments.html, page(batch, found, other))
    if arguments.csv:
        _write_csv(arguments.csv, found)
    if arguments.json:
        print(json.dumps(as_json(found, other)))
    elif not (arguments.csv and str(arguments.csv) == "-"):
        render(found, sys.stdout, other, verbose=arguments.verbose)
        following = shlex.join(["codeopt", "report", str(arguments.run), "--html", "report.html"])
        print(f"Next: {following}   (all figures: -v)")
    return 0


def show(batch: BatchFolder, file: TextIO, *, as_object: bool) -> None:
    """The report of a batch as tables or as one JSON object."""
    from codeopt.batch.results.metrics import measure_batch
    from codeopt.batch.results.table import as_json, render

    if own := _own_results(batch):
        if as_object:
            print(json.dumps(own.as_json(batch)), file=file)
        else:
            own.render(batch, file)
        return
    found = measure_batch(batch)
    if as_object:
        print(json.dumps(as_json(found)), file=file)
    else:
        render(found, file)


class OwnResults(Protocol):
    """A module of a task's own that shows its batches."""

    def as_json(self, batch: BatchFolder) -> dict[str, Any]:
        """The object that --json prints."""
        ...

    def render(self, batch: BatchFolder, file: TextIO) -> None:
        """The tables."""
        ...


def _own_results(batch: BatchFolder) -> OwnResults | None:
    """The module that shows a batch of texts; None for a batch of programs."""
    from codeopt.tasks import open_task

    module = open_task(batch.facts.settings.get("task", "runtime")).batch_results
    return cast(OwnResults, import_module(module)) if module else None


def _refuse(arguments: argparse.Namespace) -> None:
    """Raise UsageError for flags that a batch of texts has no use for."""
    for flag, given in (("--compare", arguments.compare), ("--csv", arguments.csv), ("--html", arguments.html)):
        if given:
            raise UsageError(f"{flag} is for batches of programs", hint="--json has the figures of texts")


def _write_csv(path: Path, metrics: Metrics) -> None:
    from codeopt.batch.results.table import write_csv

    if str(path) == "-":
        write_csv(metrics, sys.stdout)
        return
    try:
        with path.open("w", encoding="utf-8", newline="") as file:
            write_csv(metrics, file)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from error
