"""Probes: how much a run may take, and that all of it is counted."""

from __future__ import annotations

from codeopt_sandbox.conformance._seen import SHORT, failed, stopped
from codeopt_sandbox.host import Sandbox
from codeopt_sandbox.outcome import Case, CaseVerdict
from codeopt_sandbox.verdict import judge

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
