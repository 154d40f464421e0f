"""Environments of runs: calls and programs see what they say, in a fresh interpreter and in one with libraries."""
# looks at sandbox/codeopt_sandbox/guest/zygote, sandbox/codeopt_sandbox/guest/calls/process_state
# looks at sandbox/codeopt_sandbox/guest/calls/__main__, sandbox/codeopt_sandbox/guest/request

from __future__ import annotations

from typing import Any

import pytest

from codeopt_sandbox import Sandbox
from codeopt_sandbox.calls import CallBatch, CallRunner, FunctionRef
from codeopt_sandbox.guest.request import EMBEDDED, NEIGHBOUR, SHIFTED, USUAL, Environment, seeded
from codeopt_sandbox.guest_bundle import Libraries
from tests.sandbox.said import answer_of, runner_of

MODULE = """
import os
NAMES = ("TZ", "LC_ALL", "OMP_NUM_THREADS", "PYTEST_VERSION", "SEP")
AT_IMPORT = [os.environ.get(name) for name in NAMES]
import decimal, logging, sys, threading, time, warnings
LEVEL = logging.getLogger().level
def inner():
    found = []
    thread = threading.Thread(target=lambda: found.append(decimal.getcontext().prec))
    thread.start()
    thread.join()
    return found[0]
def f(what):
    return {
        "variables": tuple(AT_IMPORT), "zone": time.localtime(0).tm_gmtoff, "level": LEVEL, "asserts": __debug__,
        "digits": (decimal.getcontext().prec, decimal.getcontext().rounding, inner()),
        "recursion": sys.getrecursionlimit(), "folder": os.path.basename(os.getcwd()), "arguments": tuple(sys.argv[1:]),
        "main": threading.current_thread() is threading.main_thread(), "filter": warnings.filters[0][0],
    }[what]
def same(x, y):
    return x is y
"""
SEEN: dict[str, Any] = {
    "variables": (None, None, "1", None, None), "zone": 0, "level": 30, "asserts": True,
    "digits": (28, "ROUND_HALF_EVEN", 28), "recursion": 1000, "arguments": (), "main": True, "filter": "always",
}  # fmt: skip
OTHERWISE: dict[str, tuple[Environment, dict[str, Any]]] = {
    "usual": (USUAL, {}),
    "neighbour": (NEIGHBOUR, {}),
    "shifted": (
        SHIFTED.replace(variables=(("SEP", "1"),)),
        {
            "variables": ("AAA+3:30BBB,M3.2.0,M11.1.0", "C", "1", None, "1"), "zone": -12600, "level": 10,
            "asserts": False, "digits": (9, "ROUND_DOWN", 9), "recursion": 3000, "folder": "elsewhere",
            "arguments": ("--other", "1"), "filter": "ignore",
        },
    ),
    "plain": (
        SHIFTED.plain,
        {
            "variables": ("AAA+3:30BBB,M3.2.0,M11.1.0", "C", "1", None, None), "zone": -12600, "level": 10,
            "folder": "elsewhere", "arguments": ("--other", "1"), "filter": "ignore",
        },
    ),
    "embedded": (EMBEDDED, {"variables": (None, None, "2", "8.0.0", None), "level": 50, "main": False}),
}  # fmt: skip


@pytest.mark.parametrize("libraries", [None, Libraries(("decimal", "logging", "threading"))], ids=["fresh", "loaded"])
@pytest.mark.parametrize("name", OTHERWISE)
def test_calls_and_the_import_see_it(sandbox: Sandbox, libraries: Libraries | None, name: str) -> None:
    environment, otherwise = OTHERWISE[name]
    expected = {**SEEN, **otherwise}
    runner = CallRunner(sandbox, FunctionRef("mod", "/nowhere/mod.py", "f"), libraries=libraries)
    run = runner.ask(MODULE, CallBatch(tuple(f"f({what!r})" for what in expected)), environment)
    assert not run.preload_failure
    assert [each.text for each in answer_of(run).outcomes] == [f"returns {value!r}" for value in expected.values()]


def test_equal_arguments_are_distinct_in_one_alone(sandbox: Sandbox) -> None:
    runner = runner_of(sandbox, "same")
    answers = [runner.ask(MODULE, CallBatch(("f(1.5, 1.5)",)), each).answer for each in (USUAL, NEIGHBOUR)]
    assert [answer and answer.outcomes[0].text for answer in answers] == ["returns True", "returns False"]


@pytest.mark.parametrize("mode", ["fork", "exec"])
def test_a_program_sees_its_variables_in_either_mode(sandbox: Sandbox, mode: Any) -> None:
    source = "import os, time; print(time.localtime(0).tm_gmtoff, os.environ.get('LC_ALL'), __debug__)"
    said = {each.name: sandbox.run(source, mode=mode, environment=each).stdout for each in (USUAL, SHIFTED, EMBEDDED)}
    assert said == {"usual": b"0 None True\n", "shifted": b"-12600 C False\n", "embedded": b"0 None True\n"}


def test_another_seed_is_all_that_differs() -> None:
    assert [name for name, value in seeded(2).fields().items() if value != USUAL.fields()[name]] == ["hash_seed"]
