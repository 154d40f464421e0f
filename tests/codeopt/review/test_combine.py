"""Suggestions for one file: any of them can be taken, so all of them hold together."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from codeopt.core.program import Target, read_program
from codeopt.core.revision import Revision
from codeopt.core.session import Session
from codeopt.engine.compare import why_wrong
from codeopt.review.suggestion import Suggestion, combine
from codeopt.workloads import WorkloadRequest
from tests.conftest import require_sandbox
from tests.support.judges import BUBBLEWRAP
from tests.support.reviews import SPEEDUP, suggestion

TEXT = "def a():\n    return 1\n\n\ndef b():\n    return 2\n\n\ndef c():\n    return 3\n"


def better(name: str, ratio: float, path: str = "m.py") -> Suggestion:
    number = "abc".index(name) + 1
    improved = TEXT.replace(f"return {number}", f"return {number}  # quick")
    return suggestion(path, TEXT, improved, name, speedup=replace(SPEEDUP, ratio=ratio))


A, B, C, OTHER = better("a", 2.0), better("b", 9.0), better("c", 4.0), better("a", 3.0, "n.py")


@pytest.mark.parametrize(
    ("clashing", "kept", "dropped"),
    [
        ((), {"a": 3, "b": 3, "c": 3}, {}),
        (("b", "c"), {"a": 2, "b": 2}, {"c": "b"}),
        (("a", "b"), {"b": 2, "c": 2}, {"a": "b, c"}),
        (("a", "b", "c"), {"b": 2, "c": 2}, {"a": "b, c"}),
    ],
)
def test_what_does_not_go_together_is_not_suggested_together(
    clashing: tuple[str, ...], kept: dict[str, int], dropped: dict[str, str]
) -> None:
    """The fastest stays, and each other that goes with what stays."""

    def wrong(found: Suggestion, text: str) -> str:
        applied = [name for name, line in zip("abc", text.split("\n")[1::4], strict=True) if "quick" in line]
        return "test_x fails" if clashing and set(clashing) <= set(applied) and found.function == clashing[0] else ""

    here, there = combine([A, B, C, OTHER], wrong)
    assert {each.function: each.together for each in here if each.path == "m.py"} == kept
    assert [each.together for each in here if each.path == "n.py"] == [1]
    assert {each.function for each, _ in there} == set(dropped)
    for each, reason in there:
        assert f"not together with the suggestion for {dropped[each.function]}: " in reason
        assert reason.endswith(f"{clashing[0]}: test_x fails")


def test_one_alone_is_not_looked_at_again() -> None:
    def wrong(found: Suggestion, text: str) -> str:
        raise AssertionError

    assert combine([A, OTHER], wrong) == ([A, OTHER], [])


def test_two_answers_for_the_same_lines_are_a_choice() -> None:
    """They are never applied together, so nothing is asked of both."""
    other = suggestion("m.py", TEXT, TEXT.replace("return 1", "return 0 + 1"), "a", speedup=replace(SPEEDUP, ratio=1.5))
    kept, dropped = combine([A, other], lambda found, text: "wrong")
    assert ([each.together for each in kept], dropped) == ([1, 1], [])


MODULE = '''\
def evens(xs):
    """Those.

    >>> evens([1, 2, 4]), evens([]), evens([7]), evens([0, 0, 3]), evens(list(range(40)))[-1]
    ([2, 4], [], [], [0, 0], 38)
    """
    return [x for x in xs if x % 2 == 0]


def odds(xs):
    return [x for x in xs if x % 2]
'''
FIRST = "def _keep(x):\n    return x % 2 == 0\n\n\n"
SECOND = FIRST.replace("== 0", "!= 0")


@pytest.mark.full
def test_two_helpers_of_one_name_are_found(tmp_path: Path) -> None:
    """Each right by itself; in the file with both the second one is everybody's."""
    require_sandbox()
    (tmp_path / "m.py").write_text(MODULE)
    target = Target(tmp_path / "m.py", "evens")
    request = WorkloadRequest(target, read_program(target.path), BUBBLEWRAP, Session())
    one = FIRST + MODULE.replace("x % 2 == 0]", "_keep(x)]")
    both = one.replace("def odds", SECOND + "def odds").replace("if x % 2]", "if _keep(x)]")

    assert why_wrong(request, Revision.of(one)) == ""
    assert "expected returns" in why_wrong(request, Revision.of(both))
