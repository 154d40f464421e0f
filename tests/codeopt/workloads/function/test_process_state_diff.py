"""What a draft's import or calls leave of the process, and the original's do not; lines that only one side has."""

from __future__ import annotations

import pytest

from codeopt.core.revision import Revision
from codeopt.workloads.function.harness import TimedRuns
from codeopt.workloads.function.judging import changed_lines, new_process_state
from codeopt_sandbox import Sandbox
from codeopt_sandbox.calls import CallBatch, CallRunner, FunctionRef, LeftSetting, ProcessChanges
from codeopt_sandbox.guest_bundle import Libraries
from tests.codeopt.workloads.function.test_harness_cheats import SLOW as ORIGINAL
from tests.sandbox.said import answer_of

CALLS = ("f([3, 1, 3])", "f([2])", "f([])")
QUICK = "def f(xs):\n    return list(dict.fromkeys(xs))\n"


def calling(statement: str, before: str = "") -> str:
    """A draft whose calls do something besides."""
    return f"{before}\ndef f(xs):\n    {statement}\n    return list(dict.fromkeys(xs))\n"


ATTACKS = {
    "decimal.setcontext": ("import decimal\ndecimal.setcontext(decimal.Context(prec=4))", "the decimal context"),
    "a function in C": ("import math\nmath.sqrt = math.sin", "math.sqrt"),
    "a module in another's place": (
        "import sys, types\nsys.modules['heapq'] = types.ModuleType('heapq')", "heapq",
    ),
    "a thread": (
        "import threading\nthreading.Thread(target=threading.Event().wait, daemon=True).start()", "threads",
    ),
    "stdout": ("import sys, io\nsys.stdout = io.StringIO()", "sys.stdout"),
}  # fmt: skip
"""What a draft does when it is imported, and the setting that is named. All: `test_process_state.py`."""
IN_CALLS = {
    "gc": ("gc.disable()", "import gc", "gc.isenabled()"),
    "a patch of what is only loaded now": ("import json; json.dumps = repr", "", "json.dumps"),
    "a pool": (
        "POOL.submit(len, xs).result()", "import concurrent.futures as c\nPOOL = c.ThreadPoolExecutor(2)", "threads",
    ),
    "a process": ("subprocess.Popen(['sleep', '9'])", "import subprocess", "child processes"),
}  # fmt: skip
HONEST = {
    "nothing": QUICK,
    "its own logger": (
        "import logging\nLOG = logging.getLogger(__name__)\nLOG.addHandler(logging.NullHandler())\nLOG.setLevel(10)\n"
        + calling("LOG.debug('so many: %d', len(xs))")
    ),
    "decimal.localcontext": calling(
        "with decimal.localcontext() as c: c.prec = 4; decimal.Decimal(1) / 3", "import decimal"
    ),
    "a pool that is closed": calling(
        "with c.ThreadPoolExecutor(2) as p: list(p.map(len, [xs] * 9))", "import concurrent.futures as c"
    ),
    "catch_warnings": calling(
        "with warnings.catch_warnings(): warnings.simplefilter('ignore'); warnings.warn('x')", "import warnings"
    ),
    "asyncio.run": calling("asyncio.run(asyncio.sleep(0))", "import asyncio"),
    "many libraries": (
        "import asyncio, concurrent.futures, multiprocessing, multiprocessing.pool, logging.handlers, ssl, csv, "
        "http.client, urllib.request, xml.etree.ElementTree, ctypes, sqlite3, typing, unittest.mock, dataclasses, "
        "inspect, zoneinfo, email.message, locale, uuid, hashlib, tempfile, shutil, subprocess, socketserver\n" + QUICK
    ),
    "libraries in calls": calling("import ctypes, logging, uuid, csv, inspect, concurrent.futures.thread"),
    "a process that ended": calling("subprocess.run(['true'])", "import subprocess"),
    "a patch that is taken back": calling(
        "with mock.patch('time.sleep'): time.sleep(9)", "import time\nfrom unittest import mock"
    ),
}  # fmt: skip
"""Drafts that do nothing that outlasts them."""


@pytest.fixture(scope="module")
def runner(isolated: Sandbox) -> TimedRuns:
    """Calls of `f`, with the original's run made."""
    return asked(TimedRuns(CallRunner(isolated, FunctionRef("mod", "/nowhere/mod.py", "f"), libraries=Libraries(()))))


def asked(runner: TimedRuns) -> TimedRuns:
    """With what the original leaves."""
    assert changes(runner, ORIGINAL).settings == ()
    return runner


def changes(runner: TimedRuns, source: str) -> ProcessChanges:
    """What a module leaves."""
    answer = answer_of(runner.ask(Revision.of(source), CallBatch(CALLS)))
    assert answer.left is not None
    return answer.left


def new(runner: TimedRuns, source: str, original: str = ORIGINAL) -> dict[str, LeftSetting]:
    """What a draft leaves that the original does not, by name."""
    changes(runner, original)
    found = new_process_state(runner, Revision.of(original), changes(runner, source))
    return {each.name: each for each in reversed(found)}  # the first counts: of the import


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_import_that_changes_the_process(attack: str, runner: TimedRuns) -> None:
    statements, name = ATTACKS[attack]
    found = new(runner, f"{statements}\n{QUICK}")
    assert name in found
    assert found[name].when == "import"
    assert found[name].before != found[name].after
    assert new(runner, f"{statements}\n{QUICK}", f"{statements}\n{ORIGINAL}") == {}


@pytest.mark.parametrize("attack", IN_CALLS)
def test_calls_that_change_the_process(attack: str, runner: TimedRuns) -> None:
    statement, before, name = IN_CALLS[attack]
    draft = calling(statement, before)
    assert new(runner, draft)[name].when == "calls"
    assert new(runner, draft, draft + "\n") == {}


@pytest.mark.parametrize("draft", HONEST)
def test_honest_drafts_leave_nothing(draft: str, runner: TimedRuns) -> None:
    assert new(runner, HONEST[draft]) == {}


def test_lines_that_differ_have_the_numbers_of_their_side() -> None:
    assert changed_lines("a\nb\nc\n", "a\nx\ny\nc\n") == ({2}, {2, 3})
    assert changed_lines("a\nb\n", "b\n") == ({1}, set())
    assert changed_lines("a\n", "a\n") == (set(), set())
