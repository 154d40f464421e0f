"""Runs of calls, and the answer of one as people read it, and as it is compared."""

from __future__ import annotations

from typing import Any

from codeopt_sandbox import Sandbox
from codeopt_sandbox.calls import CallAnswer, CallRun, CallRunner, FunctionRef


def runner_of(sandbox: Sandbox, name: str = "f", **reference: Any) -> CallRunner:
    """What runs calls of a function of a module that lies nowhere."""
    return CallRunner(sandbox, FunctionRef("mod", "/nowhere/mod.py", name, **reference))


def answer_of(run: CallRun) -> CallAnswer:
    """The answer; the test fails where there is none."""
    assert run.answer is not None, run
    return run.answer


def said(run: CallRun) -> list[str]:
    """A line for each call, then one for the state that is left; the test fails where there is no answer."""
    answer = answer_of(run)
    return [*answer.lines, *([answer.state.text] if answer.state else [])]


def observed(run: CallRun) -> list[object]:
    """Everything that is observed of each call, then the state that is left; the test fails where there is no
    answer."""
    answer = answer_of(run)
    return [*[outcome.observed() for outcome in answer.outcomes], answer.state]
