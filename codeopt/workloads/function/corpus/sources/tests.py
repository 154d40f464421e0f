"""Calls that existing tests make (pytest), and the ids of the tests that pass: a draft must pass the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from codeopt.core.diagnostic import Diagnostic
from codeopt.core.traced import TracedCalls
from codeopt.workloads.function.corpus.exclusions import unwritten
from codeopt.workloads.function.corpus.existing_tests import (
    find_all_tests,
    find_reaching_tests,
    find_tests,
    run_tests,
)
from codeopt.workloads.function.corpus.sources import Ask, Found
from codeopt.workloads.function.harness import FunctionHarness
from codeopt.workloads.function.test_files import MOST_FILES
from codeopt.workloads.sandbox_view.view import Module


def find(ask: Ask) -> Found:
    """The calls of the tests that the user named, or that name the function and import its module; where those make
    none, of all that import it, as a fixture or another function may make some; then of those that may reach it by a
    process or a framework. None is run where an earlier run of the tests has shown them."""
    traced = ask.bench.traced
    if ask.use_tests and traced is not None and traced.tests and (traced.calls or traced.lost):
        calls = (("tests", tuple(traced.calls)),) if traced.calls else ()
        return Found(calls, (), traced.tests, traced.shortfalls, unwritten(traced.lost), dict(traced.calls))
    bench, modules = ask.bench, [ask.bench.view.module]
    tried: list[str] = []
    found = Found(())
    for paths in _stages(bench, modules) if ask.use_tests else ():
        more = _find(ask, [path for path in paths if path not in tried][:MOST_FILES])
        if more.tests or bench.places:
            return more
        tried += paths
        found = replace(found, shortfalls=found.shortfalls or more.shortfalls)
    return found


def _stages(bench: FunctionHarness, modules: Sequence[Module]) -> Iterator[list[str]]:
    yield find_tests(bench)
    yield find_all_tests(bench, modules)
    yield find_reaching_tests(bench, modules)


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
    ask.seen(TracedCalls(found.places, found.lost, found.passed, shortfalls))
    return Found(calls, (), found.passed, shortfalls, unwritten(found.lost), found.places)
