"""Show what a batch has found: tables, JSON, CSV, one HTML page; alone or beside another batch."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from codeopt.errors import UsageError

if TYPE_CHECKING:
    from codeopt.batch.database import BatchStore
    from codeopt.results.metrics import Metrics, Versus
    from codeopt.tasks._text import TextTask

ORDER = 6


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags."""
    parser.add_argument("run", type=Path, metavar="DIR", help="the --run-dir of a batch; it may still be running")
    parser.add_argument(
        "--compare", type=Path, metavar="DIR", help="another batch over the same set, for a paired test"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="one row a problem (- for standard output)")
    parser.add_argument("--html", type=Path, metavar="FILE", help="one self-contained page")


def run(arguments: argparse.Namespace) -> int:
    """Report on a batch. Raises UsageError when there is none, or a file cannot be written."""
    from codeopt.batch.database import BatchStore
    from codeopt.results.metrics import measure_batch, versus
    from codeopt.results.table import as_json, render

    with BatchStore(arguments.run) as store:
        if _texts(store):
            _refuse(arguments)
            show(store, sys.stdout, as_object=arguments.json)
            return 0
        found = measure_batch(store)
        other = None
        if arguments.compare:
            with BatchStore(arguments.compare) as second:
                other = versus(found, measure_batch(second))
        if arguments.html:
            _write_page(arguments.html, store, found, other)
        if arguments.csv:
            _write_csv(arguments.csv, found)
        if arguments.json:
            print(json.dumps(as_json(found, other)))
        elif not (arguments.csv and str(arguments.csv) == "-"):
            render(found, sys.stdout, other)
    return 0


def show(store: BatchStore, file: TextIO, *, as_object: bool) -> None:
    """The report of a batch as tables or as one JSON object."""
    from codeopt.results.metrics import measure_batch
    from codeopt.results.table import as_json, render
    from codeopt.results.texts import measure_texts, render_texts, texts_as_json

    if task := _texts(store):
        texts = measure_texts(store, task)
        if as_object:
            print(json.dumps(texts_as_json(texts)), file=file)
        else:
            render_texts(texts, file)
        return
    found = measure_batch(store)
    if as_object:
        print(json.dumps(as_json(found)), file=file)
    else:
        render(found, file)


def _texts(store: BatchStore) -> TextTask | None:
    """The task of a batch of texts; None of one of programs."""
    from codeopt.tasks import open_task
    from codeopt.tasks._text import TextTask

    name = json.loads(store.meta("settings") or "{}").get("task", "runtime")
    task = open_task(name)
    return task if isinstance(task, TextTask) else None


def _refuse(arguments: argparse.Namespace) -> None:
    """What a batch of texts has not."""
    for flag, given in (("--compare", arguments.compare), ("--csv", arguments.csv), ("--html", arguments.html)):
        if given:
            raise UsageError(f"{flag} is for batches of programs; --json has the figures of texts")


def _write_page(path: Path, store: BatchStore, found: Metrics, other: Versus | None) -> None:
    from codeopt.results.page import page

    try:
        with path.open("w", encoding="utf-8") as file:
            file.writelines(page(store, found, other))
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from error


def _write_csv(path: Path, found: Metrics) -> None:
    from codeopt.results.table import write_csv

    if str(path) == "-":
        write_csv(found, sys.stdout)
        return
    try:
        with path.open("w", encoding="utf-8", newline="") as file:
            write_csv(found, file)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from error
