"""Our own modules as code under test can reach them in its process: no name, no builtins, and nothing that counts."""

from __future__ import annotations

import pytest

from codeopt_sandbox import Sandbox
from codeopt_sandbox.calls import CallBatch, CallRunner, FunctionRef
from codeopt_sandbox.guest.boot import ROOT
from codeopt_sandbox.guest_bundle import bundle
from tests.sandbox.said import said

REF = FunctionRef("mod", "/nowhere/mod.py", "f")
NAMES = sorted({place.removesuffix(".py").removesuffix("/__init__").replace("/", ".") for place in bundle()})
IMPORT_ALL = f"""
import importlib, os, sys
NAMES = {NAMES!r}
NAMES += [name.partition(".")[2] for name in NAMES if "." in name]
NAMES += ["sandbox", "codeopt_sandbox", "codeopt_sandbox.guest", "guest", "harness", "codeopt"]
FOUND = []
SEEN = sorted(name for name in sys.modules if name.startswith({ROOT!r}) or "sandbox" in name)
for name in NAMES:
    if name in ("profile", "tests"):  # the standard library's own, or somebody's
        continue
    try:
        found = importlib.import_module(name)
    except ImportError:
        continue
    if os.path.isfile(getattr(found, "__file__", None) or ""):  # codeopt is installed there: a copy that nothing runs
        continue
    FOUND.append(name)
FINDERS = sorted(type(finder).__name__ for finder in sys.meta_path if not isinstance(finder, type))
def f(n):
    return repr([SEEN, FOUND, "Bundle" in FINDERS])
"""
PATCHES = """
import builtins, io, itertools, json, os, select, signal, sys, time
def broken(*args, **kwargs):
    raise SystemExit("patched")
for name in ("repr", "print", "sorted", "zip", "map", "sum", "vars", "hash", "any"):
    setattr(builtins, name, broken)
__builtins__["id"] = __builtins__["eval"] = broken
for module, names in (
    (json, ("dumps", "loads")), (os, ("write", "read", "fork", "_exit", "kill", "waitpid", "open", "dup2")),
    (time, ("monotonic", "perf_counter", "clock_gettime", "process_time")), (itertools, ("islice", "count")),
    (sys, ("settrace", "addaudithook")),
):
    for name in names:
        setattr(module, name, broken)
def f(n):
    return n
"""
WALK = """
import gc, sys, types
def outer(frame):
    while frame is not None:
        yield frame
        frame = frame.f_back
def f(n):
    texts = [frame.f_globals.get("__name__", "") for frame in outer(sys._getframe())]
    ours = [o for o in gc.get_objects() if type(o) is dict and str(o.get("__name__", "")).startswith("_codeopt_guest")]
    for space in ours:  # whatever it finds there: answers are wrong in its own process only
        for name in list(space):
            if type(space[name]) is float:
                space[name] = -1.0
    for frame in outer(sys._getframe().f_back):  # since Python 3.13 what is written here is what the frame reads
        for name in [name for name, value in frame.f_locals.items() if type(value) is float]:
            frame.f_locals[name] = -1.0
    return n
"""


@pytest.mark.parametrize("mode", ["fork", "exec"])
def test_no_name_leads_to_our_modules(isolated: Sandbox, mode: str) -> None:
    run = CallRunner(isolated, REF).run(IMPORT_ALL, CallBatch(("f(1)",)).stdin(), mode=mode)  # type: ignore[arg-type]
    assert said(run)[0] == "returns '[[], [], False]'"


@pytest.mark.parametrize("mode", ["fork", "exec"])
@pytest.mark.parametrize("timed", [False, True])
def test_what_it_patches_is_not_what_we_use(isolated: Sandbox, mode: str, timed: bool) -> None:
    batch = CallBatch(("f(1)", "f([2])"), "time" if timed else "check", passes=2)
    run = CallRunner(isolated, REF).run(PATCHES, batch.stdin(), mode=mode)  # type: ignore[arg-type]
    assert said(run)[:2] == ["returns 1", "returns <the same object as args[0]>"], run


def test_what_it_finds_in_its_memory_does_not_move_the_clock(isolated: Sandbox) -> None:
    """The times are taken by a process that never runs it; its own it can only spoil."""
    slow = WALK.replace("    return n", "    sum(range(3_000_000))\n    return n")
    run = CallRunner(isolated, REF).run(slow, CallBatch(("f(1)",), "time", passes=2).stdin())
    assert run.exit != 0 or run.cpu_s > 0.02, run


@pytest.mark.parametrize(
    "frame",
    [
        "b'O' + b'not json'",
        "b'O' + b'{}'",
        'b\'O\' + b\'{"text": 1, "kind": "returns"}\'',
        'b\'O\' + b\'{"text": "returns 1", "kind": "free"}\'',
        'b\'O\' + b\'{"text": "returns 1", "kind": "returns", "seconds": NaN}\'',
        "b'O' + b'[0, null]'",
        "b'V' + b'[[1], 2, 3]'",
        "b'S' + b'[]'",
    ],
)
def test_a_forged_answer_is_a_failed_run(isolated: Sandbox, frame: str) -> None:
    """It can write to the pipe of its own process: what arrives is text of its own, and never an error of ours."""
    module = f"""
import os
def f(n):
    data = {frame}
    for fd in range(3, 20):
        try:
            os.write(fd, len(data[1:]).to_bytes(4, "big") + data)
        except OSError:
            pass
    return n
"""
    run = CallRunner(isolated, REF).run(module, CallBatch(("f(1)", "f(2)")).stdin())
    assert run.answer is None or not any(outcome.kind == "free" for outcome in run.answer.outcomes)
    assert run.exit != 0 or run.answer is not None


@pytest.mark.parametrize(
    "data", [r"b'\xff\xff\xff\xffo'", r"b'\0\0\0\x09o{\"a\":NaN}'", r"b'\0\1\0\0O{'", r"b'\0\0\0\2O\xff\xff'", "b'['"]
)
def test_bytes_that_are_no_message_end_the_run_at_once(isolated: Sandbox, data: str) -> None:
    """A frame that is never whole would hold back what comes after it, for a minute."""
    module = f"""
import os
def f(n):
    for fd in range(3, 20):
        try:
            os.write(fd, {data})
        except OSError:
            pass
    return n
"""
    calls = tuple(f"f({n})" for n in range(3))
    run = CallRunner(isolated, REF).ask(module, CallBatch(calls, seconds=0.2))
    assert run.answer is None or not any(answer.kind == "returns" for answer in run.answer.outcomes)
    assert run.wall_s < 20


def test_modules_that_we_load_are_paid_for_by_a_program_that_imports_them(sandbox: Sandbox) -> None:
    """After runs of our own programs too, the warm interpreter has nothing imported."""
    source = "import sys; print(sorted(set(sys.modules) & {'json', 'types', 'ctypes', 'hashlib', 'pickle', 'enum'}))"
    before = sandbox.run(source).stdout
    CallRunner(sandbox, REF).run("def f(n):\n    return n\n", CallBatch(("f(1)",)).stdin())
    assert sandbox.run(source).stdout == before == sandbox.run(source, mode="exec").stdout
