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
    "DefaultContext": ("import decimal\ndecimal.DefaultContext.prec = 4", "decimal.DefaultContext"),
    "switch interval by another name": ("import enum\nenum.sys.setswitchinterval(5.0)", "the switch interval"),
    "gc.disable": ("import gc\ngc.disable()", "gc.isenabled()"),
    "gc.freeze": ("import gc\ngc.freeze()", "gc.freeze()"),
    "gc.set_threshold": ("import gc\ngc.set_threshold(100000)", "gc.get_threshold()"),
    "gc.callbacks": ("import gc\ngc.callbacks.append(print)", "gc.callbacks"),
    "json.dumps": ("import json\njson.dumps = repr", "json.dumps"),
    "time.sleep": ("import time\ntime.sleep = lambda seconds: None", "time.sleep"),
    "a function's code": (
        "import json\njson.dumps.__code__ = (lambda obj, **rest: '').__code__", "json.dumps",
    ),
    "a method": ("import json\njson.JSONEncoder.default = lambda self, o: 0", "json.encoder.JSONEncoder.default"),
    "a function in C": ("import math\nmath.sqrt = math.sin", "math.sqrt"),
    "a class": ("import datetime\ndatetime.datetime = datetime.date", "datetime.datetime"),
    "a builtin": ("import builtins\nbuiltins.len = lambda xs: 1", "builtins.len"),
    "a new builtin": ("import builtins\nbuiltins.stash = {}", "builtins.stash"),
    "a module in another's place": (
        "import sys, types\nsys.modules['heapq'] = types.ModuleType('heapq')", "heapq",
    ),
    "a module replaced": ("import sys, types, re\nsys.modules['re'] = types.ModuleType('re')", "re"),
    "a finder": ("import sys\nsys.meta_path.insert(0, type('F', (), {'find_spec': lambda *a: None}))", "sys.meta_path"),
    "sys.path": ("import sys\nsys.path.insert(0, '/tmp')", "'/tmp' in sys.path"),
    "a thread": (
        "import threading\nthreading.Thread(target=threading.Event().wait, daemon=True).start()", "threads",
    ),
    "random.seed": ("import random\nrandom.seed(1)", "the state of the generator of random"),
    "an environment variable": ("import os\nos.environ['X'] = '1'", "the environment variable X"),
    "the folder": ("import os\nos.chdir('/')", "the working folder"),
    "the umask": ("import os\nos.umask(0)", "the umask"),
    "a limit": ("import resource\nresource.setrlimit(resource.RLIMIT_CORE, (0, 0))\n"
                "resource.setrlimit(resource.RLIMIT_NOFILE, (99, 99))", "resource.RLIMIT_NOFILE"),
    "niceness": ("import os\nos.nice(1)", "the priority"),
    "a signal handler": ("import signal\nsignal.signal(signal.SIGUSR1, print)", "the handler of signal 10"),
    "a timer": ("import signal\nsignal.alarm(99)", "ITIMER_REAL"),
    "an open file": ("FILE = open('/dev/zero')", "an open file descriptor of /dev/zero"),
    "atexit": ("import atexit\natexit.register(print)", "functions registered with atexit"),
    "warnings": (
        "import warnings\nwarnings.simplefilter('ignore')", "the warnings filter 'ignore builtins.Warning None None 0'",
    ),
    "logging": ("import logging\nlogging.disable(50)", "logging.disable()"),
    "a handler of logs": ("import logging\nlogging.basicConfig(level=10)", "handlers of the root logger"),
    "socket": ("import socket\nsocket.setdefaulttimeout(1)", "socket.setdefaulttimeout()"),
    "stdout": ("import sys, io\nsys.stdout = io.StringIO()", "sys.stdout"),
    "excepthook": ("import sys\nsys.excepthook = print", "sys.excepthook"),
    "settrace": ("import sys\nsys.settrace(lambda *a: None)", "sys.settrace"),
    "digits": ("import sys\nsys.set_int_max_str_digits(0)", "the digits of an int as a text"),
    "a context variable": ("import contextvars\nV = contextvars.ContextVar('V')\nV.set(1)", "the context variable V"),
    "tracemalloc": ("import tracemalloc\ntracemalloc.start()", "tracemalloc.is_tracing()"),
    "multiprocessing": (
        "import multiprocessing\nmultiprocessing.set_start_method('spawn')", "multiprocessing.set_start_method()",
    ),
}  # fmt: skip
"""What a draft does when it is imported, and the setting that is named."""
IN_CALLS = {
    "a function's code": (
        "json.dumps.__code__ = other.__code__", "import json\ndef other(obj, **rest): return ''", "json.dumps",
    ),
    "gc": ("gc.disable()", "import gc", "gc.isenabled()"),
    "a patch": ("json.dumps = repr", "import json", "json.dumps"),
    "a patch of what is only loaded now": ("import json; json.dumps = repr", "", "json.dumps"),
    "a decimal context": ("decimal.getcontext().prec = 4", "import decimal", "the decimal context"),
    "a pool": (
        "POOL.submit(len, xs).result()", "import concurrent.futures as c\nPOOL = c.ThreadPoolExecutor(2)", "threads",
    ),
    "a process": ("subprocess.Popen(['sleep', '9'])", "import subprocess", "child processes"),
    "a file": ("FILES.append(open('/dev/zero'))", "FILES = []", "an open file descriptor of /dev/zero"),
}  # fmt: skip
HONEST = {
    "nothing": QUICK,
    "functools.cache": "import functools\n@functools.cache\ndef g(n):\n    return n\n" + calling("list(map(g, xs))"),
    "bisect, heapq, itertools, math": "import bisect, heapq, itertools, math, collections, operator\n" + QUICK,
    "a compiled pattern": "import re\nWORD = re.compile('a+')\n" + calling("WORD.sub('b', 'a' * len(xs))"),
    "a pattern in calls": calling("import re; re.sub('a+', 'b', 'aa')"),
    "a table": "TABLE = [n * n for n in range(1000)]\nBY = {n: n for n in TABLE}\n" + QUICK,
    "its own logger": (
        "import logging\nLOG = logging.getLogger(__name__)\nLOG.addHandler(logging.NullHandler())\nLOG.setLevel(10)\n"
        + calling("LOG.debug('so many: %d', len(xs))")
    ),
    "decimal.localcontext": calling(
        "with decimal.localcontext() as c: c.prec = 4; decimal.Decimal(1) / 3", "import decimal"
    ),
    "decimal": "import decimal, fractions\nONE = decimal.Decimal(1) / 3\n" + QUICK,
    "a generator of its own": "import random\nR = random.Random(1)\n" + calling("R.random()"),
    "random": "import random, statistics\n" + QUICK,
    "a pool that is closed": calling(
        "with c.ThreadPoolExecutor(2) as p: list(p.map(len, [xs] * 9))", "import concurrent.futures as c"
    ),
    "a thread that is joined": calling(
        "t = threading.Thread(target=len, args=(xs,)); t.start(); t.join()", "import threading"
    ),
    "redirect_stdout": calling("with contextlib.redirect_stdout(io.StringIO()): print(1)", "import contextlib, io"),
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
    "a temporary folder": calling("with tempfile.TemporaryDirectory() as d: pass", "import tempfile"),
    "dataclasses and enums": (
        "import dataclasses, enum, copy\n@dataclasses.dataclass\nclass A:\n    n: int = 0\n"
        "class E(enum.IntFlag):\n    A = 1\n    B = 2\n" + calling("copy.deepcopy(A(1)); E.A | E.B")
    ),
    "a patch that is taken back": calling(
        "with mock.patch('time.sleep'): time.sleep(9)", "import time\nfrom unittest import mock"
    ),
    "a class that is registered": (
        "import collections.abc\nclass A:\n    pass\ncollections.abc.Sized.register(A)\n" + QUICK
    ),
    "an event loop that is closed": calling("l = asyncio.new_event_loop(); l.close()", "import asyncio"),
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
