"""A file of the user's with `CALLS`, a list of (args, kwargs), and optionally `BIG` for timing. It runs in the
sandbox."""

from __future__ import annotations

from codeopt.core.errors import UsageError
from codeopt.core.words import end_of_run
from codeopt.workloads.function.corpus.sources import Ask, Found
from codeopt_sandbox.call_answer import Failure
from codeopt_sandbox.calls import CallBatch


def find(ask: Ask) -> Found:
    """Return the calls of the file.

    Raises:
        UsageError: The file or the module does not run, or the file has no calls.
    """
    harness = ask.harness
    if harness.target.calls_file is None:
        return Found(())
    run = harness.runner.ask(harness.source, CallBatch((), "inspect", "list", seconds=30.0))
    if run.failure in (Failure.NOT_IMPORTED, Failure.IS_PROGRAM):
        fact, hint = harness.no_answer(run)
        raise UsageError(fact, hint=hint)
    lines = run.answer.lines if run.answer else ()
    if not lines:
        raise UsageError(f"{ask.calls_file or 'the calls that the model wrote'}: {end_of_run(run)}")
    middle = lines.index("") if "" in lines else len(lines)
    calls, big = lines[:middle], lines[middle + 1 :]
    if not calls and not big:
        raise UsageError(f"{ask.calls_file or 'what the model wrote'} defines no CALLS, a list of (args, kwargs)")
    return Found((("calls_file" if ask.calls_file else "model", calls),), big)
