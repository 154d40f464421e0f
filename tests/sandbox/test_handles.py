"""Locks and the like: compared by what they are, written down where they can be made anew, named where they cannot."""
# looks at sandbox/codeopt_sandbox/guest/calls/repr, sandbox/codeopt_sandbox/guest/calls/recipes
# looks at sandbox/codeopt_sandbox/guest/calls/listing
# looks at sandbox/codeopt_sandbox/guest/calls/arguments, sandbox/codeopt_sandbox/guest/calls

from __future__ import annotations

import io
import threading
import types
import weakref
from typing import Any

import pytest

from codeopt_sandbox import Sandbox
from codeopt_sandbox.calls import CallBatch
from codeopt_sandbox.guest.calls.repr.tree import Encoder, written
from codeopt_sandbox.guest.tests.recorder import write_blocker, write_call
from tests.sandbox.said import answer_of, runner_of, said

MODULE = """\
import json, logging, queue, re, threading, types, weakref

class Depot:
    def __init__(self):
        self._lock = threading.RLock()
        self.changed = threading.Condition(self._lock)
        self.log = logging.getLogger("depot")
        self.pattern = re.compile("a+", re.I)
        self.owner = weakref.ref(self)

class Node:
    __slots__ = ("items", "__weakref__")
    def __init__(self):
        self.items = [threading.Lock(), memoryview(b"abc"), json]

def event(is_set):
    found = threading.Event()
    if is_set:
        found.set()
    return found

def local(**known):
    found = threading.local()
    vars(found).update(known)
    return found

def full(kind):
    found = kind()
    found.put(1)
    return found

MAKE = [
    threading.Lock, threading.RLock, threading.Condition, lambda: event(False), lambda: event(True),
    lambda: threading.Semaphore(1), lambda: threading.Semaphore(2), lambda: threading.BoundedSemaphore(3), queue.Queue,
    lambda: full(queue.Queue), queue.SimpleQueue, local, lambda: local(a=1), lambda: weakref.ref(set()),
    lambda: types.MappingProxyType({"a": 1}), lambda: memoryview(b"abc"), lambda: memoryview(bytearray(b"abc")),
    lambda: re.compile("a"), lambda: re.compile("a", re.I), lambda: logging.getLogger("a"),
    lambda: logging.getLogger("b"), Depot, Node, lambda: json,
]

def make(n):
    return MAKE[n]()

def touch(box):
    box.append(1)

def held(reentrant):
    found = threading.RLock() if reentrant else threading.Lock()
    found.acquire()
    return found
"""


def ask(sandbox: Sandbox, name: str, *calls: str) -> list[str]:
    run = runner_of(sandbox, name).ask(MODULE, CallBatch(calls))
    return said(run)[: len(calls)]


def test_what_is_read_again_is_what_was_written_down(isolated: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    mod = types.ModuleType("mod")
    monkeypatch.setitem(__import__("sys").modules, "mod", mod)
    exec(MODULE, mod.__dict__)
    places = range(len(mod.MAKE))
    written = [write_call(([mod.make(n)],), {}) for n in places]
    assert None not in written
    calls = (*[f"f([load('mod', 'make')({n})])" for n in places], *written)
    answer = answer_of(runner_of(isolated, "touch").ask(MODULE, CallBatch(calls)))
    lines = [outcome.observed() for outcome in answer.outcomes]
    fresh, again = lines[: len(places)], lines[len(places) :]
    assert [n for n in places if fresh[n] != again[n]] == []
    assert not [outcome.opaque for outcome in answer.outcomes if outcome.opaque]
    encodings = {Encoder("mod").whole(mod.make(n)) for n in places}
    assert len(encodings) == len(places), "each is told from all others"


class Kept:
    """Keeps its own lock, and something else."""

    def __init__(self) -> None:
        self._lock, self._count = threading.Lock(), 0


def test_a_lock_that_an_object_keeps_is_seen_by_all_while_it_is_held() -> None:
    def encoded(value: Kept) -> bytes:
        return written(Encoder(__name__).tree(value))

    held, counting = Kept(), Kept()
    counting._count = 1
    assert encoded(counting) == encoded(Kept())
    with held._lock:
        assert encoded(held) != encoded(Kept())


def test_a_lock_that_is_held_is_another(isolated: Sandbox) -> None:
    held = ask(isolated, "held", "f(False)", "f(True)")
    assert held == ["returns <lock, held>", "returns <RLock, held>"]
    assert ask(isolated, "make", "f(0)", "f(1)") == [text.replace("held", "free") for text in held]


class Thing:
    def __init__(self, **state: Any) -> None:
        vars(self).update(state)

    def run(self, key: Any = None) -> None: ...


def _closed(file: Any) -> Any:
    """It is refused as an open one is, and leaves nothing behind."""
    with file:
        return file


def _held() -> Any:
    lock = threading.Lock()
    lock.acquire()
    return lock


def _local() -> Any:
    class Local:
        pass

    return Local()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Thing(_file=_closed(io.FileIO("/dev/null"))), "self._file: an open file"),
        (lambda: Thing(a=[Thing(log=_closed(io.TextIOWrapper(io.BytesIO())))]), "self.a[0].log: an open file"),
        (lambda: Thing(counts={"a": lambda: 0}), "self.counts['a']: a lambda"),
        (lambda: Thing(_lock=_held()), "self._lock: a lock that is held"),
        (lambda: Thing(rows=(n for n in range(3))), "self.rows: a generator"),
        (lambda: Thing(x=_local()), "self.x: an object of Local, a class inside a function"),
        (lambda: Thing(call=_held), ""),
        (lambda: Thing(ref=weakref.ref(Thing())), ""),
        (lambda: Thing(of=Thing(back=[], lock=threading.Lock(), thread=threading.Thread())), "self.of.thread"),
    ],
)
def test_what_cannot_be_written_down_is_named(make: Any, words: str) -> None:
    thing = make()
    text = write_call((thing,), {})
    assert (text is None) is bool(words)
    if words:
        assert write_blocker(Thing.run, (thing,), {}).startswith(words)


def test_an_argument_is_named_by_its_parameter() -> None:
    assert write_blocker(Thing.run, (1, map(str, [])), {}) == "key: an iterator"
    assert write_blocker(Thing.run, (1, lambda: 0), {}) == "key: a lambda"
    assert write_blocker(Thing.run, (1,), {"key": lambda: 0}) == "key: a lambda"
