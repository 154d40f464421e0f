"""Calls that existing tests make (pytest), and the ids of the tests that pass: a draft must pass the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from codeopt.core.errors import Diagnostic
from codeopt.core.target import TracedCalls
from codeopt.core.words import counted
from codeopt.workloads.function.corpus.existing_tests import (
    ENOUGH_S,
    MOST_FILES,
    Tests,
    find_tests,
    run_tests,
)
from codeopt.workloads.function.corpus.observe import unwritten
from codeopt.workloads.function.corpus.sources import Ask, Found
from codeopt.workloads.sandbox_view.reached import missing_part
from codeopt.workloads.tests import NearestTests

_ROOM = f"at most {MOST_FILES} are run, the nearest first"
_NAME_THEM = "--tests PATH names those to run"


def find(ask: Ask) -> Found:
    """Return the calls of the tests, from an earlier run if it has them.

    Tests run in stages until some make a call:
    - tests that the user named, or that may call the function
    - others that import the module
    - others that may reach it through a process or a framework: they are not known to be its tests, and no gap if not
    """
    traced = ask.harness.traced
    if ask.use_tests and traced is not None and traced.tests and (traced.calls or traced.lost):
        calls = (("tests", tuple(traced.calls)),) if traced.calls else ()
        return Found(calls, (), traced.tests, traced.diagnostics, unwritten(traced.lost), dict(traced.calls))
    near = find_tests(ask.harness) if ask.use_tests else NearestTests()
    found = Found(())
    for paths in (near.calling, near.importing, near.perhaps):
        more = _find(ask, paths, paths is near.calling) if paths else Found(())
        if more.tests or ask.harness.places:
            return more
        if paths is not near.perhaps:
            found = replace(found, diagnostics=found.diagnostics or more.diagnostics)
    return found


def _find(ask: Ask, every: Sequence[str], are_calling: bool) -> Found:
    paths = every if ask.harness.places else every[:MOST_FILES]
    ask.notify(f"running tests in {len(paths)} file{'s' * (len(paths) != 1)}")
    found = run_tests(ask.harness, ask.harness.source, paths, record=True)
    if not found.passed and len(paths) > 1:  # one that hangs or breaks takes the others with it
        found = run_tests(ask.harness, ask.harness.source, paths[:1], record=True)
    short = found.shortfall(len(paths))
    if short and (hint := missing_part(short.cause, ask.harness.function.path, ask.harness.view.module)):
        short = replace(short, hint=hint)
    if not found.passed:
        return Found((), diagnostics=(short,) if short else ())
    missing = [*([short] if short else []), *_not_run(every[len(paths) :] if are_calling else (), found)]
    if not (found.calls or found.lost):  # tests that never call the function are no evidence about it
        count = len(found.passed)
        what = f"{count} test{'s' * (count != 1)} ran, none calls {ask.harness.function.qualname}"
        return Found((), diagnostics=(Diagnostic(what, hint="--tests PATH names others"), *missing))
    calls = (("tests", tuple(found.calls)),) if found.calls else ()
    diagnostics = tuple(missing)
    ask.seen(TracedCalls(found.calls, found.lost, found.passed, diagnostics))
    return Found(calls, (), found.passed, diagnostics, unwritten(found.lost), found.calls)


def _not_run(left: Sequence[str], found: Tests) -> Iterator[Diagnostic]:
    """Tests that may call the function, and for which there was no room or no time."""
    if left:
        first = Path(left[0]).name
        yield Diagnostic(f"{counted(len(left), 'test file')} not run, of which {first} is one", _ROOM, _NAME_THEM)
    if found.cut:
        yield Diagnostic("some tests not run", f"after {ENOUGH_S:g} s no further one is begun", _NAME_THEM)
