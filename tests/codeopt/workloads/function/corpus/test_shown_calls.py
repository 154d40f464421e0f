"""Calls that a model is shown, with what comes of them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from codeopt.workloads.function.briefing import example_calls
from codeopt.workloads.function.counterexample import CallNames
from codeopt_sandbox.call_answer import CallAnswer, Kind
from codeopt_sandbox.calls import CallBatch
from codeopt_sandbox.comparing import AnsweredCase
from codeopt_sandbox.guest.answer import Answer, Field

NONE = Field("0", "None")
BENCH: Any = SimpleNamespace(names=CallNames())


def shown(arguments: Field) -> str:
    answer = CallAnswer((Answer(Kind.RETURNS, value=NONE, arguments=arguments),))
    return example_calls(BENCH, [AnsweredCase("c", CallBatch(("f([2, 1])",)).stdin(), answer=answer)])


def test_what_becomes_of_the_arguments_is_told_however_long_it_is() -> None:
    nothing, short, long = shown(Field()), shown(Field("1", "[1, 2]")), shown(Field("2", "7" * 1000))
    assert "f([2, 1])" in nothing
    assert "[1, 2]" in short
    assert "7777" not in long
    assert len({nothing, short, long}) == 3
