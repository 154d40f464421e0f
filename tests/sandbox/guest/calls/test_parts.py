"""The parts of a worker by themselves: JSON, results that are changed, lines that run, prints, state, frames."""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import types
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeopt_sandbox.guest.calls.arguments import Arguments, as_call
from codeopt_sandbox.guest.calls.channel import Channel, in_child, to_json
from codeopt_sandbox.guest.calls.checking import LineCoverage, executable, first_line
from codeopt_sandbox.guest.calls.controller import first_difference
from codeopt_sandbox.guest.calls.module_loader import find_target
from codeopt_sandbox.guest.calls.state import random_state, state_of, what_changed
from codeopt_sandbox.guest.request import FunctionRef

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)
REF = FunctionRef("mod", "/nowhere/mod.py", "f", globals=("COUNT",), classes=("Box",), first_line=2)


@given(JSON)
def test_json_is_what_the_package_reads(value: Any) -> None:
    assert json.loads(to_json(value)) == value


def test_lone_surrogates_and_what_is_no_json() -> None:
    assert json.loads(to_json({"a": ("\ud800", 1.5)})) == {"a": ["\ud800", 1.5]}
    with pytest.raises(TypeError):
        to_json({1})


@pytest.mark.parametrize(
    ("does", "found"),
    [
        (lambda: ([1], "a"), (([1], "a"), 0)),
        (lambda: os._exit(0), (None, 256)),  # before there are any values
        (lambda: os._exit(3), (None, 3 << 8)),
        (signal.pause, (None, signal.SIGALRM)),
    ],
)
def test_values_of_a_process(does: Callable[[], object], found: object) -> None:
    assert in_child(does, 0.2) == found


def test_lines_that_run() -> None:
    space: dict[str, Any] = {}
    text = "def f(n):\n    if n:\n        return 1\n    return 2\n"
    exec(compile(text, REF.file, "exec"), space)
    there = executable(REF, space["f"])
    lines = LineCoverage(REF.file, there)
    lines.start()
    space["f"](0)
    sys.settrace(None)
    assert (sorted(lines.found), there, first_line(REF, space["f"])) == ([2, 4], [2, 3, 4], 1)
    lines.start()
    space["f"](1)
    assert sys.gettrace() is None  # nothing is missing
    assert (sorted(lines.found), lines.missing) == ([2, 3, 4], set())


def test_state_that_is_left() -> None:
    module: Any = types.ModuleType("mod")
    module.COUNT, module.Box = [], type("Box", (), {"items": 1})
    before = state_of(REF, module)
    assert not what_changed(before, state_of(REF, module), random_changed=False).changed
    module.COUNT.append(1)
    module.Box.items = 2
    seed = random_state()
    random.random()
    found = what_changed(before, state_of(REF, module), random_changed=seed != random_state())
    words = "global COUNT becomes [1]; class attribute Box.items becomes 2; the state of random changes"
    assert (found.changed.shown, bool(found.changed)) == (words, True)


def test_frames_arrive_whole_and_an_end_is_known() -> None:
    reader, writer = os.pipe()
    channel = Channel(reader, writer)
    channel.send(b"O", "ä\ud800")
    channel.send(b"F")
    os.close(writer)
    assert [channel.receive() for _ in range(3)] == [(b"O", "ä\ud800"), (b"F", ""), (b"", "")]
    os.close(reader)


def test_arguments_are_new_each_time() -> None:
    arguments = Arguments(REF.replace(calls_file="CALLS = [([[1]], {}), ([2],)]\n"))
    code = compile("CALLS[0]", "call", "eval")
    (one, _), (other, _) = arguments.fresh(code), arguments.fresh(code)
    assert one == other == ([1],)
    assert one[0] is not other[0]
    made = arguments.fresh(compile("f(Decimal('1'), inf, *[deque([1])], key=set([2]))", "call", "eval"))
    assert repr(made) == "((Decimal('1'), inf, deque([1])), {'key': {2}})"
    with pytest.raises(TypeError, match="an entry of CALLS must be"):
        as_call(1)


def test_the_function_of_a_qualified_name() -> None:
    module: Any = types.ModuleType("mod")
    exec(
        "x = 1\nclass A:\n    p = property(lambda self: 1)\n    @staticmethod\n    def s():\n        return 2\n",
        vars(module),
    )
    assert find_target("A.p", module)(module.A()) == 1
    assert find_target("A.s", module)() == 2
    with pytest.raises(TypeError, match="x is not callable"):
        find_target("x", module)


def test_the_first_outcome_that_differs() -> None:
    assert first_difference([b"Oa", b"Ob"], [b"Oa", b"Oc"]) == b"[1, c]"
    assert first_difference([b"Oa", b"Ob"], [b"Oa"]) == b"[1, null]"


def test_public_data_of_the_projects_other_modules(monkeypatch: pytest.MonkeyPatch) -> None:
    """A list that a call changes there is found out; what is private there, a cache, and others' modules are not."""
    ref = REF.replace(paths=("/project",), file="/project/mod.py")
    ours, theirs = types.ModuleType("beside"), types.ModuleType("installed")
    ours.__file__, theirs.__file__ = "/project/beside.py", "/project/venv/lib/site-packages/installed.py"
    for each in (ours, theirs):
        vars(each).update(FOUND=[1], _found=[1], ANSWER_CACHE={}, TABLE=list(range(5000)))
        monkeypatch.setitem(sys.modules, each.__name__, each)
    module = types.ModuleType("mod")
    before = state_of(ref, module)
    for name in ("_found", "ANSWER_CACHE"):
        vars(ours)[name] = {2: 2}
    vars(theirs)["FOUND"].append(2)
    assert not what_changed(before, state_of(ref, module), random_changed=False).changed
    vars(ours)["FOUND"].append(2)
    vars(ours)["TABLE"][7] = 0
    found = what_changed(before, state_of(ref, module), random_changed=False)
    assert "global beside.FOUND becomes [1, 2]" in found.text
    assert "global beside.TABLE becomes 5000 items" in found.text
