"""What a draft may not newly touch, by name; what the original uses itself is allowed; no text is an error."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeopt.core.revision import Revision
from codeopt.engine.guards import Consequence, Finding, SourcePair
from codeopt.engine.guards.forbidden import check_source, newly_touched


def why_refused(draft: str, original: str) -> str:
    found = check_source(SourcePair(Revision.of(original), Revision.of(draft)))
    return found.reason if found else ""


PLAIN = "import sys\nprint(sum(map(int, sys.stdin.read().split())))\n"
ALLOWED = [
    PLAIN,
    "",
    "import math, heapq, bisect, collections, itertools, functools, re, string, decimal, fractions, array\n",
    "from functools import lru_cache\n@lru_cache(None)\ndef f(n):\n    return n\n",
    "import sys\nsys.setrecursionlimit(10**6)\nsys.stdout.write('x')\n",
    "import sys\ninput = sys.stdin.readline\nprint(input())\n",
    "import sys\ndata = sys.stdin.buffer.read()\n",
    "import os\ndata = os.read(0, os.fstat(0).st_size)\nos.write(1, data)\n",
    "from os import read, write, fstat\n",
    "print(open(0).read())\n",
    "print(open('/dev/stdin').read())\n",
    "import os, io\nclass FastIO(io.IOBase):\n    def read(self):\n        return os.read(0, os.fstat(0).st_size)\n",
    "import sys, io\nsys.stdout = io.TextIOWrapper(sys.stdout.buffer)\n",
    "import numpy as np\nprint(np.arange(3).sum())\n",
    "class Box:\n    __slots__ = ('x',)\n    def __eq__(self, other):\n        return self.x == other.x\n",
    "class Node:\n    def __init__(self):\n        self._left = None\nprint(Node()._left)\n",
    "import collections\nPoint = collections.namedtuple('Point', 'x')\nprint(Point(1)._replace(x=2))\n",
    "system = 1\nexecute = 'exec'\n# import ctypes\n",
    "not python at all (",
    "x = 1\r\ny = 'Grüße 数'\r\n",
]
REFUSED = [  # a draft, what has to be named
    ("x = 1  # \u202e comment", "U+202E"),
    ("x = 1  # a comment\rimport os", "U+000D"),
    ("x = '\u200b'", "U+200B"),
    ("x = 1\x00", "U+0000"),
    ("import ctypes", "ctypes"),
    ("import ctypes.util as u", "ctypes"),
    ("from ctypes import c_int", "ctypes"),
    ("import subprocess, math", "subprocess"),
    ("import threading\nthreading.Thread(target=print).start()", "threading.Thread"),
    ("from threading import Timer", "threading.Timer"),
    ("import threading\nwork = threading", "threading as a value"),
    ("import types\ntypes.FunctionType", "types.FunctionType"),
    ("from weakref import finalize", "weakref.finalize"),
    ("from concurrent.futures import ThreadPoolExecutor", "concurrent"),
    ("from multiprocessing.pool import Pool", "multiprocessing"),
    ("import gc\ngc.disable()", "gc"),
    ("import inspect", "inspect"),
    ("import signal", "signal"),
    ("import atexit", "atexit"),
    ("import builtins", "builtins"),
    ("import unittest", "unittest"),
    ("import pytest", "pytest"),
    ("import time", "time"),
    ("import resource", "resource"),
    ("import tempfile", "tempfile"),
    ("from pathlib import Path", "pathlib"),
    ("def f():\n    import socket", "socket"),
    ("if 0:\n    import pickle", "pickle"),
    ("import os\nos.fork()", "os.fork"),
    ("import os\nos.nice(-20)", "os.nice"),
    ("import os\nos._exit(0)", "os._exit"),
    ("from os import fork", "os.fork"),
    ("import os.path\nos.fork()", "os.fork"),
    ("import os\nimport os.path\nos.fork()", "os.fork"),
    ("import random\nrandom._os.fork()", "random._os"),
    ("import random as r\nprint(r._urandom(1))", "random._urandom"),
    ("from random import _os", "random._os"),
    ("import codecs\ncodecs.open('x')", "codecs"),
    ("import gzip", "gzip"),
    ("from os import *", "os.*"),
    ("import os as o\no.fork()", "os.fork"),
    ("import sys\nsys._getframe()", "sys._getframe"),
    ("from sys import settrace", "sys.settrace"),
    ("import sys\nsys.modules['time']", "sys.modules"),
    ("import sys\nsys.setswitchinterval(9)", "sys.setswitchinterval"),
    ("__import__('os')", "__import__"),
    ("eval('1')", "eval"),
    ("exec('x = 1')", "exec"),
    ("f = eval", "eval"),
    ("globals()['x'] = 1", "globals"),
    ("open('answers.txt').read()", "open() of a file"),
    ("open('/proc/self/mem', 'wb')", "open() of a file"),
    ("name = 'a'\nopen(name)", "open() of a file"),
    ("().__class__.__base__.__subclasses__()", "__subclasses__"),
    ("(lambda: 0).__globals__", "__globals__"),
    ("def f(): pass\nf.__code__ = None", "__code__"),
    ("import sys as s\ns.settrace(None)", "sys"),
    ("import os\nfork = os.fork", "os.fork"),
    ("import os\ngetattr(os, 'fork')()", "os"),
    ("import sys\ngetattr(sys, '_getframe')()", "sys"),
    ("from sys import *", "sys"),
    ("import importlib\nimportlib.import_module('os')", "importlib"),
    ("open('/dev/stdin', 'w')", "open() of a file"),
    ("import io\nio.open('x')", "io.open"),
    ("import io as i\ni.FileIO('x')", "io.FileIO"),
]


@pytest.mark.parametrize(
    ("draft", "named"),
    [
        ("import threading\n_found = threading.local()", "threading"),
        ("from threading import Lock, local\nfrom weakref import WeakKeyDictionary", "threading, weakref"),
        ("from types import MappingProxyType", "types"),
    ],
)
def test_a_harmless_name_of_a_watched_module_is_a_note(draft: str, named: str) -> None:
    assert newly_touched(Revision.of(draft), Revision.of(PLAIN)) == []
    found = check_source(SourcePair(Revision.of(PLAIN), Revision.of(draft)))
    assert found == Finding(Consequence.NOTE, f"it newly imports {named}")
    assert check_source(SourcePair(Revision.of(draft), Revision.of(draft + "\nx = 1"))) is None


@pytest.mark.parametrize("draft", ALLOWED)
def test_allowed(draft: str) -> None:
    assert newly_touched(Revision.of(draft), Revision.of(PLAIN)) == []
    assert why_refused(draft, PLAIN) == ""


@pytest.mark.parametrize(("draft", "named"), REFUSED)
def test_refused_with_the_reason(draft: str, named: str) -> None:
    found = newly_touched(Revision.of(draft), Revision.of(PLAIN))
    assert any(named in name for name in found), found
    assert named in why_refused(draft, PLAIN)
    assert "\n" not in why_refused(draft, PLAIN)


@pytest.mark.parametrize(("draft", "named"), REFUSED)
def test_what_the_original_uses_itself_is_allowed(draft: str, named: str) -> None:
    assert why_refused(draft + "\nprint(1)\n", draft) == ""
    assert named in why_refused(draft, "print(1)\n")


def test_only_what_is_new_is_named() -> None:
    assert newly_touched(
        Revision.of("import os, time\nos.fork()\nos.nice(1)"), Revision.of("import os\nos.fork()")
    ) == ["os.nice", "time"]


@given(st.text(), st.text())
def test_no_text_is_an_error(draft: str, original: str) -> None:
    assert isinstance(why_refused(draft, original), str)


@given(st.text("()[]{}=:.,'\"\\\n\t #@osyeval import1_", max_size=60))
def test_no_text_that_looks_like_a_program_is_an_error(draft: str) -> None:
    assert why_refused(draft, draft) == ""


@pytest.mark.parametrize(
    "draft", ["(" * 100_000, "-" * 100_000 + "1", "[" * 3000 + "]" * 3000, "a." * 50_000 + "b", "\ud800"]
)
def test_no_depth_is_an_error(draft: str) -> None:
    assert isinstance(why_refused(draft, PLAIN), str)
