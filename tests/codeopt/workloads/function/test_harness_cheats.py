"""Drafts that reach for the harness: they tell timed calls from checked ones, and do the work of the timed ones when
the clock is not read, in another process, or not at all.

Each stands beside a slow original; honest drafts of the same originals stay faster.
"""

from __future__ import annotations

import pytest

from codeopt.core.revision import Revision
from codeopt.engine.guards import Consequence, Finding, Gain, gain_findings
from codeopt.engine.judge import Judge
from codeopt_sandbox.compare import Comparison, Decision, StoppingRule, compare
from tests.codeopt.workloads.conftest import Judges

pytestmark = pytest.mark.full

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
LONG, SHORT = CALLS.replace("SIZE", "2000"), CALLS.replace("SIZE", "600")
"""Of a long call one pass is made in a run, of a short one several."""
USUAL = SLOW.replace("def f", "def usual") + "import gc, sys\n"
TIMED = """
stage = []
def timed(xs):
    if not stage:
        stage.append(next((each for each in gc.get_objects() if type(each).__name__ == "TimedPass"), None))
    return stage[0] is not None and len(xs) > 100
todo = []
def fill(*_):
    while todo:
        out, xs = todo.pop()
        out += usual(xs)
def later(xs):
    out = []
    todo.append((out, xs))
    return out
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
    channel = stage[0].channel
    if type(channel.send) is not Hook:
        channel.send = Hook(channel.send)
    return later(xs)
"""
FIRST_PASS = """
import os
passes = []
os.register_at_fork(before=lambda: passes.append(1))
def f(xs, cheat=f):
    return cheat(xs) if len(passes) < 2 else usual(xs)
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
    timed(xs)
    if stage[0] and not answers:
        answers[0] = 0
        stage[0].fresh = Hook(stage[0].fresh)
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
CHILD = (
    """
import os, marshal
def fetch(reader):
    parts = iter(lambda: os.read(reader, 1 << 16), b"")
    return marshal.loads(b"".join(parts))
def fill():
    while todo:
        out, reader = todo.pop()
        out += fetch(reader)
"""
    + AFTER_DONE.replace("later(xs)", "begin(xs)")
    + """
def begin(xs):
    reader, writer = os.pipe()
    if not os.fork():
        os.write(writer, marshal.dumps(usual(xs)))
        os._exit(0)
    os.close(writer)
    return later(reader)
"""
)
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
    stage[0].late = Late(out, xs)
    stage[0].channel = Hooked(stage[0])
    return out
class Hooked:
    def __init__(self, part):
        self.part, self.usual = part, part.channel
    def __getattr__(self, name):
        return getattr(self.usual, name)
    def send(self, letter, text=""):
        self.usual.send(letter, text)
        if letter == b"D":
            del self.part.late
"""
NO_GAIN = {
    "the channel is hooked, one pass": (LONG, HEAD + AFTER_DONE),
    "the channel is hooked, several passes": (SHORT, HEAD + AFTER_DONE),
    "the first pass alone": (SHORT, HEAD + AFTER_DONE + FIRST_PASS),
    "when the arguments are made": (LONG, HEAD + BEFOREHAND),
    "a thread": (LONG, HEAD + THREAD),
    "a profiler": (LONG, HEAD + PROFILER),
    "the collector": (LONG, HEAD + COLLECTOR),
    "an audit hook": (LONG, HEAD + AUDIT),
    "a child that is read after the end": (LONG, HEAD + CHILD),
    "a finalizer": (LONG, HEAD + FINALIZER),
}  # fmt: skip


def looked_into(judge: Judge, new: str) -> tuple[Comparison, list[Finding]]:
    """The comparison of a draft that does right where it is checked, and what is found against its gain."""
    workload, plan = judge.workload, judge.workload.plan
    assert plan is not None
    old, draft, rule = workload.baseline.revision, Revision.of(new), StoppingRule(max_pairs=8)
    found = compare(workload.runner, old, draft, plan, check=workload.suite.check, rule=rule)
    gain = Gain(workload, draft, found, plan, (), lambda line: None)
    return found, list(gain_findings(gain, faster=found.decision is Decision.FASTER))


@pytest.mark.parametrize("name", NO_GAIN)
def test_work_that_is_done_when_no_clock_is_read(judges: Judges, name: str) -> None:
    calls, new = NO_GAIN[name]
    found, findings = looked_into(judges(SLOW, calls), new)
    if found.decision is Decision.FASTER:
        assert findings[-1].consequence in (Consequence.NO_GAIN, Consequence.REJECT), findings


SUMS = """\
COUNTS = {"calls": 0, "steps": 0}
TABLE = list(range(50))
def f(n):
    total = 0
    for i in range(n):
        total += i % 7
    DOES
    return [total, *TABLE]
"""
FAST_SUMS = SUMS.replace(
    "    for i in range(n):\n        total += i % 7\n", "    total = 21 * (n // 7) + sum(range(n % 7))\n"
)
NUMBERS = "CALLS = [((n,), {}) for n in (1, 2, 5, 9)]\nBIG = [((60000 + n,), {}) for n in range(5)]\n"
KEEPS = "    return kept.setdefault(n, [total, *TABLE]) if timed([0] * 101) else [total, *TABLE]\n"
DOES = {
    "prints": "print('sum', n)",
    "counts": "COUNTS['calls'] += 1; COUNTS['steps'] += n",
    "counts in another way": "f.calls = getattr(f, 'calls', 0) + 1",
}


@pytest.mark.parametrize("name", DOES)
def test_what_is_left_out_where_only_time_counts(judges: Judges, name: str) -> None:
    old = SUMS.replace("DOES", DOES[name])
    honest = FAST_SUMS.replace("DOES", DOES[name])
    cheat = honest.replace(DOES[name], "if not timed([0] * 101):\n        " + DOES[name].replace("; ", "; ")) + HEAD
    found, findings = looked_into(judges(old, NUMBERS), cheat)
    assert found.decision is Decision.FASTER
    assert findings[-1].consequence is Consequence.REJECT, findings
    assert "state: " in findings[-1].reason
    found, findings = looked_into(judges(old, NUMBERS), honest)
    assert found.decision is Decision.FASTER
    assert findings == []


def test_a_result_that_is_kept_where_only_time_counts(judges: Judges) -> None:
    old, honest = (text.replace("DOES", "pass") for text in (SUMS, FAST_SUMS))
    cheat = honest.replace("    return [total, *TABLE]\n", KEEPS) + "kept = {}\n" + HEAD
    found, findings = looked_into(judges(old, NUMBERS), cheat)
    assert found.decision is Decision.FASTER
    assert findings[-1].consequence is Consequence.REJECT, findings
    assert "called again" in findings[-1].reason


HONEST = {
    "a set beside the list": SLOW.replace("out = []", "out, seen = [], set()").replace(
        "if x not in out:\n            ", "if x not in seen:\n            seen.add(x); "
    ),
    "a dictionary": "def f(xs):\n    return list(dict.fromkeys(xs))\n",
    "a library that is loaded late": "def f(xs):\n    import collections, decimal\n"
    "    return list(collections.OrderedDict.fromkeys(xs))\n",
    "what is made when it is first needed": "@__import__('functools').lru_cache(None)\ndef table():\n"
    "    return {n: str(n) for n in range(20000)}\n"
    "def f(xs):\n    table()\n    return list(dict.fromkeys(xs))\n",
    "the collector is put off": "import gc\ndef f(xs):\n    gc.disable()\n    try:\n"
    "        return list(dict.fromkeys(xs))\n    finally:\n        gc.enable()\n",
    "a thread that ends in the call": "import threading\ndef f(xs):\n    out = []\n"
    "    made = threading.Thread(target=lambda: out.extend(dict.fromkeys(xs)))\n"
    "    made.start()\n    made.join()\n    return out\n",
}


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_draft_is_faster(judges: Judges, name: str) -> None:
    found, findings = looked_into(judges(SLOW, LONG), HONEST[name])
    assert found.decision is Decision.FASTER, found
    assert {each.consequence for each in findings} <= {Consequence.NOTE, Consequence.CAVEAT}, findings
