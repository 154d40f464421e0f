"""Calls that existing tests make (pytest), and the ids of the tests that pass: a draft must pass the same."""

from __future__ import annotations

from codeopt.functions.sources import Ask, Found
from codeopt.functions.tests import find_tests, run_tests

LOST = "of tests, with arguments that cannot be written down (a lambda, an iterator, an open file)"


def find(ask: Ask) -> Found:
    """The calls of the tests that the user named, or that name the function and import its module."""
    paths = find_tests(ask.bench) if ask.use_tests else []
    if not paths:
        return Found(())
    ask.notify(f"running tests in {len(paths)} files")
    found = run_tests(ask.bench, ask.bench.source, paths, record=True)
    if not found.passed and len(paths) > 1:  # one that hangs or breaks takes the others with it
        found = run_tests(ask.bench, ask.bench.source, paths[:1], record=True)
    if not found.passed:
        reason = found.error or next(iter(found.failed.values()), "none was found")
        return Found((), notes=(f"tests: none passes on the original ({reason})",))
    notes = (f"tests: {len(found.failed)} fail on the original and count for nothing",) if found.failed else ()
    ids = found.passed if found.calls or found.lost else ()  # tests that never call the function say nothing of it
    dropped = {LOST: found.lost} if found.lost else {}
    calls = (("tests", found.calls),) if found.calls else ()
    return Found(calls, tests=ids, notes=notes, dropped=dropped, places=found.places)
