"""Long answers: nothing of an answer is cut before it is compared, whatever stands in it."""
# looks at sandbox/codeopt_sandbox/guest/answer, sandbox/codeopt_sandbox/guest/calls/answering
# looks at sandbox/codeopt_sandbox/guest/calls/channel

from __future__ import annotations

import pytest

from codeopt_sandbox import Sandbox
from codeopt_sandbox.calls import CallBatch
from codeopt_sandbox.comparing import AnswerComparison, Observable
from codeopt_sandbox.guest.answer import Answer
from codeopt_sandbox.guest.calls.scenarios import ORDER, SCENARIO
from codeopt_sandbox.outcome import CaveatKind
from tests.sandbox.said import answer_of, runner_of

LENGTHS = [20, 19_999, 20_000, 20_001, 60_000]
MODULE = """\
class Shop:
    def __init__(self, **state):
        vars(self).update(state)

def f(kind, size):
    text = "{a=[_b=1, " + "x" * size
    if kind == "equal":
        return text + "|"
    if kind == "private":
        return Shop(name=text + "|", _kept=END)
    if kind == "text":
        return text + END
    if kind == "floats":
        return [n * (1 / 3) if END == "a" else n / 3 for n in range(size)]
    if kind == "other floats":
        return [n / 3 + len(END) * 1e-6 for n in range(size)]
    if kind == "last number":
        return [*range(size), len(END)]
    return None

def changes(given, size):
    if END:
        given.extend([1] * size)
    return "{a=[_b=1, " + "x" * size
"""


def answers(sandbox: Sandbox, end: str, call: str, name: str = "f") -> Answer:
    """Answer of a call, where END is what makes a difference."""
    found = answer_of(runner_of(sandbox, name).ask(f"END = {end!r}\n{MODULE}", CallBatch((call,))))
    return found.outcomes[0]


def subject(was: Answer, now: Answer, *, may_change: bool = False) -> str:
    """The subject of the caveat that a difference is, `differs` where it is none, `same` where there is no
    difference."""
    found = AnswerComparison(ignored=frozenset({Observable.ARGUMENTS} if may_change else ())).of_one(was, now)
    return "same" if found is None else str(found.subject or "differs")


@pytest.mark.parametrize("size", LENGTHS)
@pytest.mark.parametrize(
    ("kind", "wanted"),
    [("equal", "same"), ("private", str(CaveatKind.PRIVATE)), ("text", "differs"), ("last number", "differs")],
)
def test_a_long_result(isolated: Sandbox, kind: str, wanted: str, size: int) -> None:
    call = f"f({kind!r}, {size})"
    assert subject(answers(isolated, "a", call), answers(isolated, "bc", call)) == wanted


@pytest.mark.parametrize("size", [20, 5_000])
@pytest.mark.parametrize(("kind", "wanted"), [("floats", str(CaveatKind.FLOATS)), ("other floats", "differs")])
def test_floats_of_calls_made_together(isolated: Sandbox, kind: str, wanted: str, size: int) -> None:
    """Their last bits are a caveat, as of a call by itself."""
    runner = runner_of(isolated)
    batch = CallBatch((f"{SCENARIO}({ORDER!r}, f({kind!r}, {size}), f({kind!r}, {size + 1}))",), "combine")
    old, new = (answer_of(runner.ask(f"END = {end!r}\n{MODULE}", batch)) for end in ("a", "bc"))
    assert len(old.outcomes[0].steps) == 2
    assert subject(old.outcomes[0], new.outcomes[0]) == wanted


@pytest.mark.parametrize("size", LENGTHS)
def test_a_long_result_beside_a_changed_argument(isolated: Sandbox, size: int) -> None:
    call = f"f([1], {size})"
    was, now = (answers(isolated, end, call, "changes") for end in ("", "a"))
    assert subject(was, now) == "differs"
    assert subject(was, now, may_change=True) == "same"
