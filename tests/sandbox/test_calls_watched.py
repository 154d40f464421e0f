"""Reads of calls beside their arguments: each is seen under whatever name it is found, and what is kept of each of them
wherever that is."""
# looks at sandbox/codeopt_sandbox/guest/calls/watched
# looks at sandbox/codeopt_sandbox/guest/calls

from __future__ import annotations

import json
from typing import Any

import pytest

from codeopt_sandbox import Sandbox
from codeopt_sandbox.calls import CallBatch
from codeopt_sandbox.guest.calls.watched import ARGUMENTS, CLOCK, DATE, FILES, MACHINE, PROCESS, VARIABLES, WATCHER
from tests.sandbox.said import answer_of, runner_of

CALLS = tuple(f"f([{n}, {n + 1}])" for n in range(300))
ANSWER = "    return sorted(xs)\n"
READS = {
    "the date": ("import datetime\ndef f(xs):\n    datetime.date.today()\n" + ANSWER, DATE, 3),
    "at the import": ("import datetime\nLATE = datetime.datetime.now().year > 2030\ndef f(xs):\n" + ANSWER, DATE, 2),
    "by a library's own name": (
        "import logging\ndef f(xs):\n    getattr(logging, 'ti' + 'me').time()\n" + ANSWER, DATE, 3
    ),
    "a bound name": ("from time import perf_counter as _p\ndef f(xs, p=_p):\n    p()\n" + ANSWER, CLOCK, 3),
    "the process": ("import random\ndef f(xs):\n    random._os.getpid()\n" + ANSWER, PROCESS, 3),
    "a variable": ("import os\ndef f(xs):\n    os.environ.get('CI')\n" + ANSWER, VARIABLES, 3),
    "one of them": ("import os\ndef f(xs):\n    'CI' in os.environ\n" + ANSWER, VARIABLES, 3),
    "by getenv": ("from os import getenv\ndef f(xs):\n    getenv('CI')\n" + ANSWER, VARIABLES, 3),
    "the arguments": ("import enum\ndef f(xs):\n    enum.sys.argv[0]\n" + ANSWER, ARGUMENTS, 3),
    "the host": ("import platform\ndef f(xs):\n    platform.uname.__wrapped__ if 0 else platform.os.uname()\n" + ANSWER,
                 MACHINE, 3),
    "a file": ("def f(xs):\n    open('/proc/self/stat').close()\n" + ANSWER, FILES, 2),
    "a file by a function in C": (
        "def f(xs):\n    [each.close() for each in map(open, ['/proc/self/stat'])]\n" + ANSWER, FILES, 2
    ),
    "a folder": ("import os\ndef f(xs):\n    [*map(os.listdir, ['/'])]\n" + ANSWER, FILES, 3),
    "the date by a function in C": (
        "import datetime\ndef f(xs):\n    next(iter(datetime.date.today, None))\n" + ANSWER, DATE, 3
    ),
    "by map": ("from datetime import datetime\ndef f(xs):\n    [*map(datetime.now, [None])]\n" + ANSWER, DATE, 3),
    "by partial": (
        "import functools, time\ndef f(xs):\n    functools.partial(time.monotonic)()\n" + ANSWER, CLOCK, 3
    ),
    "by a key": ("from os import stat\ndef f(xs):\n    sorted(['/', '/'], key=stat)\n" + ANSWER, FILES, 3),
    "by a name of its own": (
        "import datetime, operator\nnow = datetime.datetime.utcnow\ndef f(xs):\n"
        "    operator.methodcaller('__call__')(now)\n" + ANSWER, DATE, 4,
    ),
    "the profiler": ("import sys\ndef f(xs):\n    sys.setprofile(None)\n" + ANSWER, WATCHER, 3),
    "in a generator": ("import time\ndef f(xs):\n    for x in xs:\n        time.time()\n        yield x\n", DATE, 4),
}  # fmt: skip
KEEPS = {
    "a default": "def f(xs, kept={}):\n    kept[tuple(xs)] = 1\n" + ANSWER,
    "a closure": "def made():\n    kept = []\n    def f(xs):\n        kept.append(tuple(xs))\n"
    "        return sorted(xs)\n"
    "    return f\nf = made()\n",
    "an attribute of the function": "def f(xs):\n    f.__dict__[repr(xs)] = 1\n" + ANSWER,
    "a class": "class Kept:\n    pass\ndef f(xs):\n    setattr(Kept, repr(xs), 1)\n" + ANSWER,
    "another module": "import heapq\ndef f(xs):\n"
    "    heapq.__dict__.setdefault('_kept', []).append(tuple(xs))\n" + ANSWER,
    "a cache without an end": "import functools\n_sort = functools.lru_cache(None)(sorted)\n"
    "def f(xs):\n    return list(_sort(tuple(xs)))\n",
}  # fmt: skip
KEEPS_NOTHING = {
    "nothing": "def f(xs):\n" + ANSWER,
    "a small cache": "import functools\n_sort = functools.lru_cache(32)(sorted)\n"
    "def f(xs):\n    return list(_sort(tuple(xs)))\n",
    "a table that is made once": "_table = []\ndef f(xs):\n"
    "    if not _table:\n        _table.extend(map(str, range(999)))\n" + ANSWER,
    "a table that is made late": "_table = []\ndef f(xs):\n"
    "    if xs[0] == 250:\n        _table.extend(map(str, range(999)))\n" + ANSWER,
    "a table by size": "_tables = {}\ndef f(xs):\n"
    "    _tables.get(xs[0] // 30) or _tables.setdefault(xs[0] // 30, [*map(str, range(999))])\n" + ANSWER,
    "cycles": "def f(xs):\n    ring = [xs]\n    ring.append(ring)\n" + ANSWER,
    "a module that is imported late": "def f(xs):\n    import decimal, fractions, json\n" + ANSWER,
}  # fmt: skip


def watched(sandbox: Sandbox, source: str) -> Any:
    """Reads of the calls of a module's text."""
    iterators = "flat" if "yield" in source else ""
    run = runner_of(sandbox).ask(source, CallBatch(CALLS, "inspect", "watch", seconds=30.0, iterators=iterators))
    return json.loads(answer_of(run).lines[0])


@pytest.mark.parametrize("name", READS)
def test_what_is_read(isolated: Sandbox, name: str) -> None:
    source, what, line = READS[name]
    assert [what, line, True] in watched(isolated, source)["reads"]


def test_what_reads_nothing(isolated: Sandbox) -> None:
    source = (
        "import collections, datetime, os\ndef f(xs):\n    datetime.date(2020, 1, 2).isoformat()\n    import json\n"
    )
    assert watched(isolated, source + ANSWER)["reads"] == []


@pytest.mark.parametrize("name", KEEPS)
def test_what_is_kept(isolated: Sandbox, name: str) -> None:
    found = watched(isolated, KEEPS[name])
    assert found["blocks"] >= found["calls"]
    assert found["bytes"] >= 32 * found["calls"]


@pytest.mark.parametrize("name", KEEPS_NOTHING)
def test_what_is_not_kept(isolated: Sandbox, name: str) -> None:
    found = watched(isolated, KEEPS_NOTHING[name])
    assert found["blocks"] < 0.25 * found["calls"]
