"""Probes: what a run gives back is what the program did, to the byte, and each time."""

from __future__ import annotations

from codeopt_sandbox.conformance._seen import LIMITS, failed, stopped
from codeopt_sandbox.errors import SandboxError
from codeopt_sandbox.host import Sandbox


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
