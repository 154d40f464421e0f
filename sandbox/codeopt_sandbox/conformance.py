"""python -m codeopt_sandbox.conformance [BACKEND]: a line for each promise; status 1 when one is broken.

Each promise of the sandbox is tried on this machine. It holds, or the report says why it cannot.
"""

from __future__ import annotations

import os
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from codeopt_sandbox import conformance_walls as walls
from codeopt_sandbox.calls import CallBatch, CallRunner, FunctionRef
from codeopt_sandbox.conformance_walls import LIMITS, SHORT, failed, stopped
from codeopt_sandbox.errors import BackendUnavailable, SandboxError
from codeopt_sandbox.guest.request import seeded
from codeopt_sandbox.guest_bundle import Libraries
from codeopt_sandbox.host import Sandbox, open_sandbox
from codeopt_sandbox.outcome import Case, CaseVerdict, RunLimits
from codeopt_sandbox.verdict import judge

__all__ = ["LIMITS", "Check", "CheckResult", "checks", "report", "run_checks"]

Probe = Callable[[Sandbox], str]
"""Tries the promise that is its docstring; returns "" when it holds, else what was seen."""


@dataclass(frozen=True)
class Check:
    """One promise."""

    name: str
    probe: Probe
    cannot: Mapping[str, str] = field(default_factory=dict)
    """Backend -> why it cannot keep this promise."""

    @property
    def promise(self) -> str:
        return self.probe.__doc__ or ""


@dataclass(frozen=True)
class CheckResult:
    check: Check
    held: bool
    seen: str = ""
    """Reason why a guarantee fails, or cannot be tested."""
    cannot: bool = False

    def __str__(self) -> str:
        if self.held:
            return f"PASS    {self.check.name}: {self.check.promise}"
        if self.cannot:
            return f"CANNOT  {self.check.name}: {self.check.promise} (cannot hold here: {self.seen})"
        return f"FAIL    {self.check.name}: {self.check.promise} (seen: {self.seen})"


def run_checks(open: Callable[[RunLimits], Sandbox]) -> Iterator[CheckResult]:
    """Check one promise after another in one sandbox, as the runs of a program are; the last of them end its guest."""
    with open(LIMITS) as sandbox:
        for check in checks():
            why = check.cannot.get(sandbox.backend)
            if check.name == "identity" and sandbox.backend == "bubblewrap" and os.geteuid() != 0:
                why = "started by an ordinary user, guest and runs share that user's number, in namespaces of their own"
            if why:
                yield CheckResult(check, False, why, cannot=True)
                continue
            try:
                seen = check.probe(sandbox)
            except SandboxError as error:
                seen = f"the sandbox failed: {error}"
            yield CheckResult(check, not seen, seen)


def report(backend: str = "auto") -> int:
    """Print a line for each promise; 0 when no promise is broken, 3 without the backend."""
    broken = False
    try:
        for result in run_checks(lambda limits: open_sandbox(backend, limits=limits)):
            # in rows of a terminal, broken between words; elsewhere it stays one line
            wide = textwrap.fill(str(result), 80, subsequent_indent=" " * 8) if sys.stdout.isatty() else str(result)
            print(wide, flush=True)
            broken = broken or not (result.held or result.cannot)
    except BackendUnavailable as error:
        print(f"error: {error}", file=sys.stderr)
        return 3
    return int(broken)


_NOT_ISOLATED = {"process": "a run is a process of this machine like any other"}
_NO_GROUP = dict.fromkeys(("bubblewrap", "process"), "only a control group counts a child that nobody waited for")


def checks() -> tuple[Check, ...]:
    """Every promise, in the order in which they are checked."""
    return (
        Check("ends", ends),
        Check("bytes", all_bytes),
        Check("unread input", unread_input),
        Check("network", walls.network, _NOT_ISOLATED),
        Check("files", walls.files, _NOT_ISOLATED),
        Check("clean slate", walls.clean_slate),
        Check("traces", walls.traces, _NOT_ISOLATED),
        Check("memory", memory),
        Check("wall clock", wall_clock),
        Check("descendants", walls.descendants),
        Check("processor time", processor_time),
        Check("ignored children", ignored_children, _NO_GROUP),
        Check("out of memory", walls.ended_first, _NOT_ISOLATED),
        Check("processes", processes),
        Check("output", output),
        Check("clock", clock),
        Check("clock setting", walls.clock_setting, _NOT_ISOLATED),
        Check("forged results", forged, _NOT_ISOLATED),
        Check("out of sight", walls.out_of_sight, _NOT_ISOLATED),
        Check("identity", walls.identity, _NOT_ISOLATED),
        Check("system calls", walls.calls, _NOT_ISOLATED),
        Check("file cache", walls.file_cache, _NOT_ISOLATED),
        Check("environment", environment),
        Check("repeatable", repeatable),
        Check("libraries", imported_once),
        Check("lost guest", walls.lost_guest),
        Check("killed owner", walls.killed_owner),
    )


# Probes: what a run takes and gives back, and libraries that are imported once.


def ends(sandbox: Sandbox) -> str:
    """Exit status and signal are the program's own, and no two ends look the same."""
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
    """Every byte of input and output arrives as it was sent."""
    data = bytes(range(256)) * 1000
    run = sandbox.run("import sys; sys.stdout.buffer.write(sys.stdin.buffer.read())", data)
    return "" if run.stdout == data else f"{len(data)} bytes came back as {len(run.stdout)} others"


def unread_input(sandbox: Sandbox) -> str:
    """Mebibytes of input that nobody reads do not block."""
    return failed(sandbox.run("print(1)", bytes(8 << 20)), "1")


def output(sandbox: Sandbox) -> str:
    """Output is capped to the byte while it comes; what is below the cap is whole."""
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
    """Time is taken outside the run, which can patch or end what it likes."""
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
    """Nothing that a run prints, writes or kills is taken for a report."""
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
    """The environment is a fixed list: no secret of ours is in it."""
    for mode in ("fork", "exec"):
        run = sandbox.run(f"import os; print(sorted(set(os.environ) - set({_KNOWN})))", mode=mode)
        if seen := failed(run, "[]"):
            return seen
    return ""


def repeatable(sandbox: Sandbox) -> str:
    """The same program ends in the same way each time."""
    source = "import random; print(hash('a'), {*'abc'}, len(random.sample(range(9), 3)))"
    runs = {(run.exit, run.stdout) for run in (sandbox.run(source) for _ in range(10))}
    return "" if len(runs) == 1 else f"{len(runs)} different ends in 10 runs: {sorted(map(str, runs))[:2]}"


# Probes: how much a run may take, and that all of it is counted.

_GROW = "kept = []\nwhile True: kept.append(b'x' * (1 << 20))"


def memory(sandbox: Sandbox) -> str:
    """Twice the memory that is allowed is a memory limit, in a child too."""
    child = (
        f"import os\nif os.fork() == 0:\n    exec({_GROW!r})\nprint(os.wait()[1] and 'child failed')\nraise MemoryError"
    )
    for name, source in (("itself", _GROW), ("child", child)):
        outcome = judge(Case(name, b""), sandbox.run(source))
        if outcome.verdict is not CaseVerdict.MLE:
            return f"{name}: {outcome.verdict} {outcome.detail}"
    return ""


def wall_clock(sandbox: Sandbox) -> str:
    """A run that does not end is ended in time, busy or asleep."""
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
    """Processor time counts daemons that left the run."""
    return _counted(sandbox, _BURN.replace("IGNORE", "").replace("DAEMON", "if os.fork(): os._exit(0)"))


def ignored_children(sandbox: Sandbox) -> str:
    """Processor time counts children that nobody waited for."""
    ignore = "signal.signal(signal.SIGCHLD, signal.SIG_IGN)"
    return _counted(sandbox, _BURN.replace("IGNORE", ignore).replace("DAEMON", ""))


def _counted(sandbox: Sandbox, source: str) -> str:
    burnt, quiet = sandbox.run(source), sandbox.run("pass")
    if burnt.cpu_s < 0.2:
        return f"0.25 s were burnt and {burnt.cpu_s:.3f} s counted"
    return f"the next run inherited {quiet.cpu_s:.3f} s" if quiet.cpu_s > 0.15 else ""


_FORKS = "import os, time\nfor _ in range(100):\n    if os.fork() == 0:\n        time.sleep(60)\ntime.sleep(60)"


def processes(sandbox: Sandbox) -> str:
    """More processes than allowed end the run, and the next one is fine."""
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
    """Libraries of calls are imported once; a run cannot detect that, and changes nothing in them."""
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


if __name__ == "__main__":
    sys.exit(report(*sys.argv[1:2]))
