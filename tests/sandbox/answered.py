"""Answers made from values, as the guest makes them."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from typing import Any

import pytest

from codeopt_sandbox.calls import CallAnswer, State
from codeopt_sandbox.guest.answer import Answer
from codeopt_sandbox.guest.calls.answering import Answering, ArgumentsBefore, CallAnswering
from codeopt_sandbox.guest.calls.repr.tree import Encoder
from codeopt_sandbox.guest.request import CallBatch, FunctionRef

MODULE = """\
class G:
    def __init__(self, **state):
        vars(self).update(state)
"""


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> types.ModuleType:
    """The module under test, with a class."""
    found = types.ModuleType("mod")
    monkeypatch.setitem(sys.modules, "mod", found)
    exec(MODULE, vars(found))
    return found


def answer_of(function: Callable[..., Any], *args: Any, **options: Any) -> Answer:
    """What a call does with fresh arguments. options: of the reference to the function."""
    ref = FunctionRef("mod", "/nowhere/mod.py", "f", **options)
    fresh = eval(repr(args), {"inf": float("inf"), "nan": float("nan")}), {}
    was = ArgumentsBefore("mod", fresh, None, lambda: (args, {}))
    run, encoder = Answering(ref, CallBatch(())), Encoder("mod", [("args", fresh[0])])
    try:
        result = function(*fresh[0])
        trees = run.encoded(encoder, result)
    except Exception as error:
        found = CallAnswering(run, encoder, fresh, was, fresh)
        found.raised(error)
    else:
        found = CallAnswering(run, encoder, fresh, was, fresh)
        found.returned(*trees, result)
        found.operations(False, result)
    return found.end()


def returning(value: Any, *args: Any, **options: Any) -> Answer:
    """What a call does that returns a value."""
    return answer_of(lambda *_: value, *args, **options)


def told(*answers: Answer, state: State | None = None) -> CallAnswer:
    """Answers of a run."""
    return CallAnswer(answers, tuple(f"f({at})" for at in range(len(answers))), state=state or State())
