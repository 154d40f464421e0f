"""Calls that existing tests make (pytest), and the ids of the tests that pass: a draft must pass the same."""

from __future__ import annotations

from dataclasses import replace

from codeopt.core.diagnostic import Diagnostic
from codeopt.workloads.function.corpus.exclusions import unwritten
from codeopt.workloads.function.corpus.existing_tests import find_all_tests, find_tests, run_tests
from codeopt.workloads.function.corpus.sources import Ask, Found


def find(ask: Ask) -> Found:
    """The calls of the tests that the user named, or that name the function and import its module; where those make
    none, of all that import it: a fixture or another function may make some. None is run where an earlier run of the
    tests has shown them."""
    traced = ask.bench.traced
    if ask.use_tests and traced is not None and traced.tests and (traced.calls or traced.lost):
        calls = (("tests", tuple(traced.calls)),) if traced.calls else ()
        return Found(calls, (), traced.tests, (), unwritten(traced.lost), dict(traced.calls))
    named = find_tests(ask.bench) if ask.use_tests else []
    found = _find(ask, named)
    if found.tests or not ask.use_tests or ask.bench.places:
        return found
    others = [path for path in find_all_tests(ask.bench, [ask.bench.view.module]) if path not in named]
    more = _find(ask, others)
    return more if more.tests else replace(found, shortfalls=found.shortfalls or more.shortfalls)


def _find(ask: Ask, paths: list[str]) -> Found:
    if not paths:
        return Found(())
    ask.notify(f"running tests in {len(paths)} file{'s' * (len(paths) != 1)}")
    found = run_tests(ask.bench, ask.bench.source, paths, record=True)
    if not found.passed and len(paths) > 1:  # one that hangs or breaks takes the others with it
        found = run_tests(ask.bench, ask.bench.source, paths[:1], record=True)
    short = found.shortfall(len(paths))
    if not found.passed:
        return Found((), shortfalls=(short,) if short else ())
    if not (found.calls or found.lost):  # tests that never call the function say nothing of it
        count = len(found.passed)
        what = f"{count} test{'s' * (count != 1)} ran, none calls {ask.bench.function.qualname}"
        return Found((), shortfalls=(Diagnostic(what, remedy="--tests PATH names others"), *([short] if short else [])))
    calls = (("tests", found.calls),) if found.calls else ()
    shortfalls = (short,) if short else ()
    return Found(calls, (), found.passed, shortfalls, unwritten(found.lost), found.places)
