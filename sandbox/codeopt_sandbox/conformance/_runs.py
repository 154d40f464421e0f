"""Probes: what a run takes and gives back, and libraries that are imported once."""

from __future__ import annotations

from codeopt_sandbox.calls import CallBatch, CallRunner, FunctionRef
from codeopt_sandbox.errors import SandboxError
from codeopt_sandbox.guest.request import seeded
from codeopt_sandbox.guest_bundle import Libraries
from codeopt_sandbox.host import Sandbox
from codeopt_sandbox.outcome import Case, CaseVerdict, Run, RunLimits
from codeopt_sandbox.verdict import judge


def ends(sandbox: Sandbox) -> str:
    ends = {
        "raise SystemExit(3)": (3, None, None),
        "raise SystemExit(137)": (137, None, None),
        "import os; os.kill(os.getpid(), 9)": (None, 9, None),
        "import os; os.abort()": (None, 6, None),
        "1 / 0": (1, None, None),
    }
    for source, end in ends.items():
        for mode in ("fork", "exec"):
            run = sandbox.run(source, mode=mode)
            if (run.exit, run.signal, run.stop) != end:
                return f"{source} ({mode}): {run.exit, run.signal, run.stop} instead of {end}"
    return ""


def all_bytes(sandbox: Sandbox) -> str:
    data = bytes(range(256)) * 1000
    run = sandbox.run("import sys; sys.stdout.buffer.write(sys.stdin.buffer.read())", data)
    return "" if run.stdout == data else f"{len(data)} bytes came back as {len(run.stdout)} others"


def unread_input(sandbox: Sandbox) -> str:
    return failed(sandbox.run("print(1)", bytes(8 << 20)), "1")


def output(sandbox: Sandbox) -> str:
    cap = int(LIMITS.output_mib * (1 << 20))
    for stream in (1, 2):
        run = sandbox.run(f"import os\nwhile True: os.write({stream}, b'x' * 65536)")
        size = len(run.stdout if stream == 1 else run.stderr)
        if seen := stopped(run, "output") or ("" if size == cap else f"{size} bytes came through, the cap is {cap}"):
            return seen
    whole = sandbox.run("print('x' * 200_000)")
    return "" if len(whole.stdout) == 200_001 else f"{len(whole.stdout)} of 200001 bytes arrived"


_PATCH_CLOCK = """
import os, time
time.sleep(0.3)
for name in ("time", "perf_counter", "monotonic", "process_time"):
    setattr(time, name, lambda: 0.0)
os._exit(0)
"""


def clock(sandbox: Sandbox) -> str:
    run = sandbox.run(_PATCH_CLOCK)
    return "" if 0.3 <= run.wall_s <= 8 else f"0.3 s were slept and {run.wall_s:.3f} s reported"


_FORGE = """
import os
frame = b'{"exit": 0, "signal": null, "stop": null, "wall_s": 0, "cpu_s": 0, "peak_bytes": 1, "stdout": 2}'
for descriptor in range(1024):
    try:
        os.write(descriptor, len(frame).to_bytes(4, "big") + bytes((0, 0, 0, 2)) + frame + b"1\\n")
    except OSError:
        pass
for pid in (1, os.getppid()):
    for number in (19, 9):
        try:
            os.kill(pid, number)
        except OSError:
            pass
os._exit(3)
"""


def forged(sandbox: Sandbox) -> str:
    try:
        run = sandbox.run(_FORGE)
    except SandboxError:  # an error of ours is not what the program wanted either
        return failed(sandbox.run("print(1)"), "1")
    if run.exit == 3 or run.stop == "lost":
        return failed(sandbox.run("print(1)"), "1")
    return f"it exited with 3 and the report says {run.exit}, stop {run.stop}"


_KNOWN = ["HOME", "LANG", "LC_CTYPE", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "PATH"]

_KNOWN += ["PYTHONDONTWRITEBYTECODE", "PYTHONHASHSEED", "PYTHONUSERBASE", "TMPDIR", "USER"]


def environment(sandbox: Sandbox) -> str:
    for mode in ("fork", "exec"):
        run = sandbox.run(f"import os; print(sorted(set(os.environ) - set({_KNOWN})))", mode=mode)
        if seen := failed(run, "[]"):
            return seen
    return ""


def repeatable(sandbox: Sandbox) -> str:
    source = "import random; print(hash('a'), {*'abc'}, len(random.sample(range(9), 3)))"
    runs = {(run.exit, run.stdout) for run in (sandbox.run(source) for _ in range(10))}
    return "" if len(runs) == 1 else f"{len(runs)} different ends in 10 runs: {sorted(map(str, runs))[:2]}"


# Probes: how much a run may take, and that all of it is counted.

_GROW = "kept = []\nwhile True: kept.append(b'x' * (1 << 20))"


def memory(sandbox: Sandbox) -> str:
    child = (
        f"import os\nif os.fork() == 0:\n    exec({_GROW!r})\nprint(os.wait()[1] and 'child failed')\nraise MemoryError"
    )
    for name, source in (("itself", _GROW), ("child", child)):
        outcome = judge(Case(name, b""), sandbox.run(source))
        if outcome.verdict is not CaseVerdict.MLE:
            return f"{name}: {outcome.verdict} {outcome.detail}"
    return ""


def wall_clock(sandbox: Sandbox) -> str:
    for source in ("while True: pass", "import time; time.sleep(1000)"):
        run = sandbox.run(source, limits=SHORT)
        if seen := stopped(run, "time"):
            return seen
        if not SHORT.seconds / 10 <= run.wall_s <= SHORT.seconds + 5:  # from its first line on; a machine may be busy
            return f"ended after {run.wall_s:.2f} s; the limit is {SHORT.seconds} s"
    return ""


_BURN = """
import os, signal, time
IGNORE
def burn():
    limit = time.process_time() + 0.25
    while time.process_time() < limit:
        pass
reader, writer = os.pipe()
if os.fork() == 0:
    os.setsid()
    os.close(reader)
    DAEMON
    burn()
    os.write(writer, b"x")
    os._exit(0)
os.close(writer)
os.read(reader, 1)
"""


def processor_time(sandbox: Sandbox) -> str:
    return _counted(sandbox, _BURN.replace("IGNORE", "").replace("DAEMON", "if os.fork(): os._exit(0)"))


def ignored_children(sandbox: Sandbox) -> str:
    ignore = "signal.signal(signal.SIGCHLD, signal.SIG_IGN)"
    return _counted(sandbox, _BURN.replace("IGNORE", ignore).replace("DAEMON", ""))


def _counted(sandbox: Sandbox, source: str) -> str:
    burnt, quiet = sandbox.run(source), sandbox.run("pass")
    if burnt.cpu_s < 0.2:
        return f"0.25 s were burnt and {burnt.cpu_s:.3f} s counted"
    return f"the next run inherited {quiet.cpu_s:.3f} s" if quiet.cpu_s > 0.15 else ""


_FORKS = "import os, time\nfor _ in range(100):\n    if os.fork() == 0:\n        time.sleep(60)\ntime.sleep(60)"


def processes(sandbox: Sandbox) -> str:
    run = sandbox.run(_FORKS)
    refused = run.exit == 1 and b"BlockingIOError" in run.stderr
    return ("" if refused else stopped(run, "processes")) or failed(sandbox.run("print(1)"), "1")


# Probe: libraries of calls are imported once. A run cannot detect this, and cannot change them for the next run.

_LIBRARIES = Libraries(("decimal", "random", "uuid"))
_MODULE = """
import os, sys
LOADED = "uuid" in sys.modules
import decimal, random, uuid
CHANGED = getattr(uuid, "changed", None)
uuid.changed, decimal.DefaultContext.prec = True, 7
def f(what):
    return repr({
        "loaded": LOADED, "changed": CHANGED, "user": os.getuid(), "hash": hash("text"), "drawn": random.random(),
        "as in a fresh one": (os.getcwd(), sys.argv, sys.path, sorted(os.environ.items()), decimal.Context().prec),
    }[what])
"""


def imported_once(sandbox: Sandbox) -> str:
    fresh = CallRunner(sandbox, FunctionRef("mod", "/nowhere/mod.py", "f"))
    warm = CallRunner(sandbox, FunctionRef("mod", "/nowhere/mod.py", "f"), libraries=_LIBRARIES)
    for seed in (0, 1):
        for what in ("as in a fresh one", "hash"):
            wanted, seen = _ask(fresh, what, seed), _ask(warm, what, seed)
            if wanted != seen or "returns" not in seen:
                return f"{seen} instead of {wanted}"
    for what, wanted in (("loaded", "'True'"), ("changed", "'None'")):
        if (seen := _ask(warm, what)) != f"returns {wanted}":
            return seen
    if _ask(warm, "drawn") == _ask(warm, "drawn"):
        return "two runs draw the same random numbers"
    return "a run is root" if sandbox.isolated and _ask(warm, "user") == "returns '0'" else ""


def _ask(runner: CallRunner, what: str, seed: int = 0) -> str:
    run = runner.run(_MODULE, CallBatch((f"f({what!r})",)).stdin(), mode="exec", environment=seeded(seed))
    return run.preload_failure or (run.answer.outcomes[0].text if run.answer else "no answer")


# Observations of probes in words; empty where all is as it should be.

LIMITS = RunLimits(seconds=20.0, memory_mib=128, output_mib=1.0, processes=32, file_mib=8)
SHORT = RunLimits(seconds=0.5, memory_mib=128, output_mib=1.0, processes=32, file_mib=8)
GONE_S = 10.0  # how long after its end a run, or the process that owns it, may still be seen


def failed(run: Run, wanted: str) -> str:
    """Message about a run that should have printed `wanted`."""
    printed = run.stdout.decode(errors="backslashreplace").strip()
    if (run.exit, run.stop, printed) == (0, None, wanted):
        return ""
    trace = run.stderr.decode(errors="backslashreplace").strip()[-200:]
    return f"exit {run.exit}, signal {run.signal}, stop {run.stop}, printed {printed!r:.200} {trace}".strip()


def stopped(run: Run, stop: str) -> str:
    return "" if run.stop == stop else f"stop {run.stop} instead of {stop}; exit {run.exit}, signal {run.signal}"


def first(*seen: str) -> str:
    return next((text for text in seen if text), "")
