"""Calls that a model is shown, with what comes of them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from codeopt.workloads.function.briefing import brief, example_calls
from codeopt.workloads.function.counterexample import CallNames
from codeopt.workloads.function.timing import Timed
from codeopt_sandbox.calls import CallAnswer, CallBatch, Kind
from codeopt_sandbox.comparing import AnsweredCase
from codeopt_sandbox.guest.answer import Answer, Field
from tests.support.recorded import data_of, numbers_of

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


LINES = ("0\tlist of 3 int", "1\tint", "->\tstr")
FUNCTION = SimpleNamespace(
    qualname="C.f", name="f", parameters=("a",), asynchronous=True, generator=False, kind="method"
)


@pytest.mark.parametrize(
    ("calls", "metric", "told"),
    [(3, "cpu", "2 200 100"), (2, "cpu", "200"), (3, "wall", "2 200 100"), (3, "memory", "2 3 1.5")],
)
def test_what_is_timed_is_told(calls: int, metric: str, told: str) -> None:
    """The first call warms up; the time is that of one of two passes."""
    answer = SimpleNamespace(answer=SimpleNamespace(lines=LINES))
    target, runner = SimpleNamespace(module="m"), SimpleNamespace(ask=lambda source, batch: answer)
    bench: Any = SimpleNamespace(function=FUNCTION, target=target, runner=runner, source="", names=CallNames())
    timed = Timed(CallBatch(("f(1)", "f(2)", "f(3)")[:calls], "time", passes=2, warm=1), 3.0, 0.1, "calls, size 7")
    plan: Any = SimpleNamespace(timed=timed, metric=metric, longest_s=0.4)
    request: Any = SimpleNamespace(interpreter=None, options=SimpleNamespace(tolerance=0.25))
    found = brief(request, bench, [], plan, "a is known")
    assert numbers_of(found.measured_facts.partition("\n")[0]) == told
    assert data_of(found.measured_facts) == ["a: list of 3 int\nargument 2: int\nresult: str\n"]
    assert (data_of(found.source_facts), numbers_of(found.source_facts)) == (["a is known\n"], "0.25.")
    assert (found.timed.calls, found.timed.passes) == (calls - 1, 2) if found.timed else None
