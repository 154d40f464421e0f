"""Drafts that reach for the harness: they tell timed calls from checked ones, and do the work of the timed ones when
the clock is not read, in another process, or not at all.

Each stands beside a slow original; honest drafts of the same originals stay faster.
"""

from __future__ import annotations

import pytest

from codeopt.report import why
from sandbox.compare import Decision
from tests.codeopt.workloads.function.conftest import Judges
from tests.support.judges import referee

SLOW = """\
def f(xs):
    out = []
    for x in xs:
        if x not in out:
            out.append(x)
    return out
"""
CALLS = """\
import random
r = random.Random(7)
CALLS = [(([r.randrange(0, 1000) for _ in range(n)],), {}) for n in (1, 2, 3, 5, 8, 13, 20, 30)]
BIG = [(([r.randrange(0, 100000) for _ in range(SIZE)],), {})]
"""
LONG, SHORT = CALLS.replace("SIZE", "3000"), CALLS.replace("SIZE", "600")
"""Of a long call one pass is made in a run, of a short one several."""
USUAL = SLOW.replace("def f", "def usual") + "import gc, sys\n"
TIMED = """
def timed(xs):
    return type(sys.stdout).__name__ == "StringIO" and len(xs) > 100
todo = []
def fill(*_):
    while todo:
        out, xs = todo.pop()
        out += usual(xs)
def later(xs):
    out = []
    todo.append((out, xs))
    return out
def one(name):
    return next(each for each in gc.get_objects() if type(each).__name__ == name)
"""
HEAD = USUAL + TIMED
AFTER_DONE = """
class Hook:
    def __init__(self, usual):
        self.usual = usual
    def __call__(self, letter, text=""):
        self.usual(letter, text)
        if letter == b"D":
            fill()
def f(xs):
    if not timed(xs):
        return usual(xs)
    channel = one("Channel")
    if type(channel.send) is not Hook:
        channel.send = Hook(channel.send)
    return later(xs)
"""
FIRST_PASS = """
import os
passes = []
os.register_at_fork(before=lambda: passes.append(1))
def g(xs):
    return f(xs) if len(passes) < 2 else usual(xs)
"""
BEFOREHAND = """
answers = {}
class Hook:
    def __init__(self, usual):
        self.usual = usual
    def __call__(self, code):
        call = self.usual(code)
        answers[id(call[0][0])] = usual(call[0][0])
        return call
def f(xs):
    if type(sys.stdout).__name__ == "StringIO" and not answers:
        answers[0] = 0
        arguments = one("Arguments")
        arguments.fresh = Hook(arguments.fresh)
    return answers.pop(id(xs), None) or usual(xs)
"""
THREAD = """
import threading
def wait():
    import time
    time.sleep(0.001)
    fill()
def f(xs):
    if not timed(xs):
        return usual(xs)
    threading.Thread(target=wait, daemon=True).start()
    return later(xs)
"""
PROFILER = """
def heard(frame, event, what):
    if event == "c_return" and what.__name__ == "write":
        sys.setprofile(None)
        fill()
def f(xs):
    if not timed(xs):
        return usual(xs)
    sys.setprofile(heard)
    return later(xs)
"""
COLLECTOR = """
def heard(phase, info):
    if sys._getframe(1).f_code.co_name != "f":
        fill()
gc.callbacks.append(heard)
def f(xs):
    if not timed(xs):
        return usual(xs)
    gc.set_threshold(1)
    return later(xs)
"""
AUDIT = """
sys.addaudithook(lambda event, what: event == "builtins.id" and fill())
def f(xs):
    return later(xs) if timed(xs) else usual(xs)
"""
CHILD = """
import os, marshal
def fetch(reader):
    parts = iter(lambda: os.read(reader, 1 << 16), b"")
    return marshal.loads(b"".join(parts))
def fill():
    while todo:
        out, reader = todo.pop()
        out += fetch(reader)
""" + AFTER_DONE.replace("later(xs)", "begin(xs)") + """
def begin(xs):
    reader, writer = os.pipe()
    if not os.fork():
        os.write(writer, marshal.dumps(usual(xs)))
        os._exit(0)
    os.close(writer)
    return later(reader)
"""
FINALIZER = """
class Late:
    def __init__(self, out, xs):
        self.out, self.xs = out, xs
    def __del__(self):
        self.out += usual(self.xs)
def f(xs):
    if not timed(xs):
        return usual(xs)
    out = []
    one("Channel").late = late = Late(out, xs)
    class Hook(type(one("Channel"))):
        def send(self, letter, text=""):
            super().send(letter, text)
            if letter == b"D":
                del self.late
    one("Channel").__class__ = Hook
    return out
"""
NO_GAIN = {
    "the channel is hooked, one pass": (LONG, HEAD + AFTER_DONE),
    "the channel is hooked, several passes": (SHORT, HEAD + AFTER_DONE),
    "the first pass alone": (SHORT, HEAD + AFTER_DONE + FIRST_PASS + "f, g = g, f\n".replace("f, g = g, f", "h = f\n"
        "def g(xs, h=h):\n    return h(xs) if len(passes) < 2 else usual(xs)\nf = g")),
    "when the arguments are made": (LONG, HEAD + BEFOREHAND),
    "a thread": (LONG, HEAD + THREAD),
    "a profiler": (LONG, HEAD + PROFILER),
    "the collector": (LONG, HEAD + COLLECTOR),
    "an audit hook": (LONG, HEAD + AUDIT),
    "a child that is read after the end": (LONG, HEAD + CHILD),
    "a finalizer": (LONG, HEAD + FINALIZER),
}  # fmt: skip


@pytest.mark.parametrize("name", NO_GAIN)
def test_work_that_is_done_when_no_clock_is_read(judges: Judges, name: str) -> None:
    calls, new = NO_GAIN[name]
    found = referee(judges(SLOW, calls), new)
    assert not found.faster, (found.comparison, why(found))
    print(name, found.comparison, why(found))
