"""Answer of a run of calls, as people read it, and as it is compared."""

from __future__ import annotations

from codeopt_sandbox.calls import CallRun


def said(run: CallRun) -> list[str]:
    """A line for each call, then one for the state that is left; the test fails where there is no answer."""
    assert run.answer is not None, run
    return [*run.answer.lines, *([run.answer.state.text] if run.answer.state else [])]


def observed(run: CallRun) -> list[object]:
    """Everything that is observed of each call, then the state that is left; the test fails where there is no
    answer."""
    assert run.answer is not None, run
    return [*[outcome.observed() for outcome in run.answer.outcomes], run.answer.state]
