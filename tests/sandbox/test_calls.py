"""The harness of calls: outcomes as text, strict in type and value, on every backend."""
# looks at sandbox/codeopt_sandbox/guest/calls

from __future__ import annotations

from typing import Any

import pytest

from codeopt_sandbox import Sandbox
from codeopt_sandbox.calls import CallBatch, CallRunner, Failure, FunctionRef
from codeopt_sandbox.comparing import AnswerComparison
from codeopt_sandbox.guest_bundle import Libraries
from codeopt_sandbox.outcome import Mode
from tests.sandbox.said import answer_of, runner_of, said

MODULE = """\
import dataclasses, itertools, os
COUNT = []

class Ids:
    def __init__(self):
        self.at = 0
    def __iter__(self):
        return self
    def __next__(self):
        self.at += 1
        return os.urandom(8)

IDS, NUMBERS, ROWS = Ids(), itertools.count(), (n for n in range(9))

def same(x):
    return x

def raises(x):
    raise LookupError(x)

def items(n):
    yield from range(n)
    return "end"

async def later(n):
    import asyncio
    await asyncio.sleep(0)
    return [n]

async def many(n):
    for i in range(n):
        yield i

def prints(a):
    import os, sys
    print("one")
    os.write(1, b"two")
    sys.__stdout__.write("three")
    sys.__stdout__.flush()

def grows(a):
    a.append(len(a))
    return a

def counts():
    COUNT.append(1)

def waits():
    import time
    time.sleep(0.6)
    COUNT.append(1)

def takes(name):
    next(globals()[name])

def numbers():
    return next(NUMBERS), next(ROWS)

@dataclasses.dataclass
class Point:
    x: int
    tags: list

    def moved(self, by):
        return Point(self.x + by, self.tags)

    @property
    def double(self):
        return self.x * 2

    @classmethod
    def origin(cls, tags):
        return cls(0, tags)

    @staticmethod
    def zero():
        return 0

def hang():
    while True:
        pass

def leave():
    import os
    os._exit(3)
"""


def ask(sandbox: Sandbox, name: str, *calls: str, batch: dict[str, Any] | None = None) -> list[str]:
    """The outcomes of some calls of a function of MODULE."""
    shared = ("COUNT", "IDS", "NUMBERS", "ROWS")
    runner = runner_of(sandbox, name, globals=shared, asynchronous=name in ("later", "many"))
    return said(runner.ask(MODULE, CallBatch(calls, **(batch or {}))))


def test_kinds_of_functions(sandbox: Sandbox) -> None:
    assert ask(sandbox, "same", "f(1)", "f([1, 'a'])") == [
        "returns 1", "returns <the same object as args[0]>", "state: unchanged",
    ]  # fmt: skip
    assert ask(sandbox, "raises", "f(1)")[0] == "raises LookupError(1)"
    assert ask(sandbox, "items", "f(3)")[0] == "returns <iterator of 0, 1, 2 then returns 'end'>"
    assert ask(sandbox, "later", "f(3)")[0] == "returns [3]"
    assert ask(sandbox, "many", "f(3)")[0] == "returns <iterator of 0, 1, 2>"
    assert ask(sandbox, "Point.moved", "f(load('mod', 'Point')(1, []), 2)")[0].startswith(
        "returns <.Point>() {tags=<the same"
    )
    assert ask(sandbox, "Point.double", "f(load('mod', 'Point')(4, []))")[0] == "returns 8"
    assert ask(sandbox, "Point.origin", "f([])")[0].startswith("returns <.Point>()")
    assert ask(sandbox, "Point.zero", "f()")[0] == "returns 0"


def test_an_iterator_that_all_calls_share_is_not_read(isolated: Sandbox) -> None:
    assert ask(isolated, "same", "f(1)")[-1] == "state: unchanged"
    assert ask(isolated, "numbers", "f()", "f()")[:2] == ["returns (0, 0)", "returns (1, 1)"]
    assert ask(isolated, "takes", "f('IDS')")[-1] == "state: global IDS becomes <iterator <.Ids>() {at=1}>"
    assert ask(isolated, "takes", "f('NUMBERS')")[-1] == "state: global NUMBERS becomes count(1)"


def test_what_a_call_prints_by_any_way(isolated: Sandbox) -> None:
    assert ask(isolated, "prints", "f(1)", "f(2)")[:2] == ["returns None | prints 'one\\ntwothree'"] * 2


def test_a_module_finds_the_same_modules_in_each_run(isolated: Sandbox) -> None:
    """Whether ours were loaded for the run, or before it was forked; and none of ours."""
    module = "import sys\nFOUND = sorted(sys.modules)\ndef f():\n    return FOUND\n"
    stdin, target = CallBatch(("f()",)).stdin(), FunctionRef("mod", "/nowhere/mod.py", "f")
    runners = [CallRunner(isolated, target, libraries=libraries) for libraries in (None, Libraries(()))]
    modes: tuple[Mode, ...] = ("exec", "fork", "fork")
    texts = {runner.run(module, stdin, mode=mode).stdout for runner in runners for mode in modes}
    assert len(texts) == 1
    assert b"codeopt" not in texts.pop()


def test_a_call_that_hangs_or_leaves_does_not_take_the_others_with_it(isolated: Sandbox) -> None:
    assert ask(isolated, "hang", "f()", "f(1)", batch={"seconds": 0.2})[:2] == [
        "takes longer than 0.2 s",
        "raises TypeError",
    ]
    assert ask(isolated, "leave", "f()", "f(1)")[:2] == ["ends the process (exit status 3)", "raises TypeError"]


def test_timed_calls_say_the_same_and_seconds_are_of_the_calls(isolated: Sandbox) -> None:
    module = (
        "import time\ntime.sleep(0.3)\ndef f(n):\n    t = 0\n    for i in range(n):\n        t += i\n    return t\n"
    )
    run = runner_of(isolated).run(module, CallBatch(("f(3)", "f(400000)"), "time", passes=2, warm=1).stdin())
    assert said(run) == ["returns 79999800000"]
    assert 0.005 < run.cpu_s < 0.3
    assert run.wall_s - run.runqueue_wait_s < 0.3


LONG_ARRAY = """\
import numpy
def f(n):
    a = numpy.arange(30000) / 7
    if n == 1:
        a = numpy.nextafter(a, 1e9)
    if n == 2:
        a[[70, 71]] = a[[71, 70]]
    if n == 3:
        a[5] = numpy.nan
    if n == 4:
        a[29999] += 1e-3
    return {"data": a}
"""


def test_long_arrays_may_differ_in_last_bits(isolated: Sandbox) -> None:
    """Neither in order, nor in where NaN is, nor in one item."""
    pytest.importorskip("numpy")
    answer = answer_of(runner_of(isolated).ask(LONG_ARRAY, CallBatch(tuple(map("f({})".format, range(5))))))
    first, *others = answer.outcomes
    for tolerance in (0.0, 1e-9):
        found = [AnswerComparison(tolerance).of_one(first, other) for other in others]
        wrong = [each is not None and each.subject is None for each in found]
        assert wrong == [False, True, True, True]
    assert AnswerComparison().of_one(first, others[0]), "a caveat"


@pytest.mark.parametrize(
    ("module", "failure", "said"),
    [
        ("import nothing_like_this\n", Failure.NOT_IMPORTED, b"the module cannot be imported: ModuleNotFoundError"),
        ("import sys\nprint(sys.argv[7])\n", Failure.IS_PROGRAM, b"the module cannot be imported: IndexError"),
        ("import os\nos._exit(0)\n", Failure.IS_PROGRAM, b"the process ended during the import"),
    ],
)
def test_a_module_that_cannot_be_imported(module: str, failure: str, said: bytes, isolated: Sandbox) -> None:
    run = runner_of(isolated).ask(module, CallBatch(("f()",)))
    assert (run.answer, run.failure) == (None, failure)
    assert said in run.stderr


LOOKED_AT = """\
import os, time
class Last:
    looks = 0
    def __reduce__(self):
        Last.looks += 1
        {does}
        return str, ()
TABLE = [Last(), *range(3000)]
def f(n):
    return n
"""
"""A module whose state is read before and after its calls by pickle, which runs code of its own."""


def test_reading_the_state_takes_no_call_its_time(isolated: Sandbox) -> None:
    runner = runner_of(isolated, globals=("TABLE",))
    run = runner.ask(LOOKED_AT.format(does="time.sleep(0.6)"), CallBatch(("f(1)", "f(2)"), seconds=0.1))
    assert said(run) == ["returns 1", "returns 2", "state: unchanged"]


def test_a_module_that_ends_after_its_calls_has_no_answer(isolated: Sandbox) -> None:
    runner = runner_of(isolated, globals=("TABLE",))
    run = runner.ask(LOOKED_AT.format(does="Last.looks < 2 or os._exit(3)"), CallBatch(("f(1)", "f(2)")))
    assert (run.answer, run.failure) == (None, Failure.ENDED_EARLY)
    assert b"after its calls the module ends the process (exit status 3)" in run.stderr


def test_outcomes_that_a_module_makes_up_are_no_answer(isolated: Sandbox) -> None:
    module = """\
import os
def f(n):
    said = b'{"kind": "returns"}'
    for fd in range(3, 20):
        try:
            os.write(fd, len(said).to_bytes(4, "big") + b"O" + said)
        except OSError:
            pass
    return n
"""
    run = runner_of(isolated).ask(module, CallBatch(("f(1)",)))
    assert (run.answer, run.exit) == (None, 1)


def test_a_calls_file_of_the_original_makes_objects_of_the_other_version(isolated: Sandbox) -> None:
    """`from old import Cart` in it: the module under test stands for the one that it is compared with."""
    module = (
        "class Cart:\n    def __init__(self):\n        self.total = 5\n    def f(self):\n        return self.total\n"
    )
    target = FunctionRef("new", "/nowhere/new.py", "Cart.f", calls_file="from old import Cart\nCALLS = [(Cart(),)]\n")
    run = CallRunner(isolated, target.replace(aliases=("old",))).ask(module, CallBatch(("CALLS[0]",)))
    assert said(run)[0] == "returns 5"


def test_a_calls_file_may_name_what_only_the_original_has(isolated: Sandbox) -> None:
    """The original's own module then makes the arguments, and what the first try did to sys.path is undone."""
    text = "import sys\nsys.path.insert(0, '/first')\nfrom colorsys import ONE_THIRD\nCALLS = [((ONE_THIRD,), {})]\n"
    target = FunctionRef("new", "/nowhere/new.py", "f", calls_file=text, aliases=("colorsys",))
    module = "import sys\ndef f(x):\n    return x, sys.path.count('/first')\n"
    run = CallRunner(isolated, target).ask(module, CallBatch(("CALLS[0]",)))
    assert said(run)[0] == "returns (0.3333333333333333, 1)"


def test_the_harness_cannot_be_reached_from_the_module(isolated: Sandbox) -> None:
    """Neither the warden's descriptors nor its memory: what it writes is what the caller said."""
    module = """\
import os
def f(n):
    seen = []
    for pid in [p for p in os.listdir("/proc") if p.isdigit() and int(p) != os.getpid()]:
        for what in ("fd", "mem"):
            try:
                path = f"/proc/{pid}/{what}"
                seen.append(len(os.listdir(path)) if what == "fd" else open(path, "r+b").close())
            except OSError:
                pass
    return len(os.listdir("/proc/self/fd")) <= 8, [s for s in seen if s and s > 6]
"""
    run = runner_of(isolated).ask(module, CallBatch(("f(1)",)))
    assert said(run)[0].startswith("returns (True, [])"), run


def test_groups_of_calls_are_timed_apart(isolated: Sandbox) -> None:
    """Each is a pass of its own, in turn."""
    module = "def f(n):\n    for _ in range(n):\n        pass\n"
    batch = CallBatch(("f(1)", "f(2)", "f(3)", "f(3000000)"), "time", warm=1, groups=(2, 1), passes=2)
    answer = answer_of(runner_of(isolated).run(module, batch.stdin()))
    assert len(answer.times.cpu) == len(answer.times.wall) == 4
    assert min(answer.times.cpu[1], answer.times.cpu[3]) > 10 * max(answer.times.cpu[0], answer.times.cpu[2])
    assert answer.outcomes == ()


HUNGRY = """\
import mmap

def listed(n):
    return sum([k + 1000 for k in range(n)])

def yields(n):
    for k in range(n):
        yield "x" * 1000 + str(k)

def unseen(n):
    pages = mmap.mmap(-1, n)
    for at in range(0, n, 4096):
        pages[at] = 1
    return n
"""


def peak(sandbox: Sandbox, name: str, *calls: str, iterators: str = "") -> int:
    """Bytes that the calls of a function of HUNGRY take at their peak."""
    run = runner_of(sandbox, name).run(HUNGRY, CallBatch(calls, "time", memory=True, iterators=iterators).stdin())
    assert run.answer is not None, run.stderr
    assert run.answer.memory is not None
    assert len(run.answer.outcomes) == len(calls)
    assert run.cpu_s > 0
    return run.peak_bytes


def test_the_memory_of_calls(sandbox: Sandbox) -> None:
    """Peak of the largest call, not of all; items of an iterator come and go; memory that tracemalloc cannot see
    counts."""
    one = peak(sandbox, "listed", "f(100_000)")
    assert 3 << 20 < one < 6 << 20
    assert peak(sandbox, "listed", "f(100_000)", "f(99_999)", "f(10)") == pytest.approx(one, rel=0.01)
    assert peak(sandbox, "yields", "f(5_000)", iterators="flat") < 100_000
    assert peak(sandbox, "unseen", f"f({32 << 20})") > 28 << 20


def test_what_calls_left_is_known_where_their_time_ends(isolated: Sandbox) -> None:
    batch = {"budget": 1e-9}
    assert ask(isolated, "same", "f(1)", "f(2)", batch=batch) == [
        "returns 1", "is not made: the calls before it hang or take all the time", "state: unchanged",
    ]  # fmt: skip
    assert ask(isolated, "counts", "f()", "f()", batch=batch)[-1] == "state: global COUNT becomes [1]"


def test_a_checked_call_is_made_once(isolated: Sandbox) -> None:
    """However quick it is; one whose result is changed meanwhile is made again in a scenario alone."""
    assert ask(isolated, "counts", *["f()"] * 5)[-1] == "state: global COUNT becomes [1, 1, 1, 1, 1]"
