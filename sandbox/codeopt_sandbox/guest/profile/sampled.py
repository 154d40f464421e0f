"""The split by kind of code and the memory by line, from Scalene."""

from __future__ import annotations

import importlib.util
import json
import os
import select
import signal
import sys
import time
from pathlib import Path
from subprocess import Popen, TimeoutExpired

from ..boot import ROOT
from ..request import INTERVAL, ProfileRequest
from .program import ProfiledProgram
from .sampler import ready_seconds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..boot import Bundle

MAX_START_S = 10.0
"""Time limit for Scalene before the program, seconds; 0.4 s on an idle machine."""
MAX_REPORT_S = 3.0
"""Time limit for Scalene after the program, seconds; 0.2 s on an idle machine."""
MAX_RUNS = 1000
SCRIPT = f'''
import marshal
with open({{modules!r}}, "rb") as file:
    modules = marshal.loads(file.read())
space = {{{{"__name__": "boot"}}}}
exec(modules["{ROOT}/boot.py"], space)
space["Bundle"](modules).load("profile.sampled").main_scalene()
'''


def run_scalene(program: ProfiledProgram, request: ProfileRequest, bundle: Bundle) -> dict[str, Any]:
    """Run Scalene in a process of its own on `repeat`, and cut its report down. Raises ChildProcessError."""
    folder = program.path.parent
    (folder / "modules").write_bytes(bundle.pack(""))
    (folder / "run.py").write_text(SCRIPT.format(modules=str(folder / "modules")))
    (folder / "repeat.py").write_text("import guest\nguest.repeat()\n")
    for memory in (True, False):  # for memory it maps files of 256 MiB: too large for some limits
        stopped = start_scalene(folder, memory, request)
        runs, report = (read_json(folder / name) for name in ("runs", "report.json"))
        if runs or stopped:
            return {**runs, **shorten(report), "stopped": stopped, "memory": memory}
    raise ChildProcessError


def start_scalene(folder: Path, memory: bool, request: ProfileRequest) -> bool:
    """Run it; return whether it had to be stopped at its time limit, which begins with the program."""
    found = importlib.util.find_spec("scalene")
    assert found is not None
    package = Path(str(found.origin)).parent
    # What `scalene run` sets before it starts itself a second time.
    preload = {"LD_PRELOAD": "libscalene.so", "LD_LIBRARY_PATH": str(package)} if memory else {}
    environment = {**preload, "SCALENE_ALLOCATION_SAMPLING_WINDOW": "1048576", "TMPDIR": str(folder)}
    options = ["--cpu-sampling-rate", str(INTERVAL), "--no-stacks", "--no-async", "-o", str(folder / "report.json")]
    options += [] if memory else ["--cpu-only"]
    ready, tell = os.pipe()
    (folder / "limits").write_text(json.dumps({**request.fields(), "tell": tell, "cwd": str(Path.cwd())}))
    command = [sys.executable, str(folder / "run.py"), "run", *options, str(folder / "repeat.py")]
    with Popen(command, env={**os.environ, **environment}, cwd=folder, pass_fds=[tell]) as process:
        os.close(tell)
        select.select([ready], [], [], MAX_START_S)
        os.close(ready)
        # An interrupt lets Scalene write its report.
        for grace, last in ((request.max_seconds, signal.SIGINT), (MAX_REPORT_S, signal.SIGKILL)):
            try:
                process.wait(grace)
                return last is signal.SIGKILL
            except TimeoutExpired:
                process.send_signal(last)
        return True


def read_json(path: Path) -> dict[str, Any]:
    """An empty dict when Scalene was killed before it wrote the file, or had nothing to write."""
    found: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    return found


def main_scalene() -> None:
    """The second process: Scalene 2.4.0 with samples at even distances.

    It draws them at random and, drawing the next before it uses the last, takes what a sample is late for native
    time against the wrong one: a loop of pure Python came out at 60 % Python, and at 93 % with even distances.
    """
    from scalene.scalene_profiler import Scalene

    Scalene._generate_exponential_sample = staticmethod(lambda scale: scale)
    guest = type(sys)("guest")  # repeat.py need not compile this text again, under Scalene
    guest.repeat = repeat  # type: ignore[attr-defined]
    sys.modules["guest"] = guest
    Scalene.main()


def repeat() -> None:
    """In the second process: run the program until it has run for long enough to sample."""
    folder = Path(sys.argv[0]).parent
    limits = json.loads((folder / "limits").read_text())
    tell, cwd = limits.pop("tell"), limits.pop("cwd")
    request = ProfileRequest.read(limits)
    program = ProfiledProgram(folder, request)
    code = program.compile()
    os.close(tell)
    os.chdir(cwd)  # it was started in the folder of its report, and the program needs its own files
    start, before, ready = time.perf_counter(), os.times(), ready_seconds()
    facts: dict[str, Any] = {"runs": 0, "seconds": 0, "ended": ""}
    try:
        while facts["seconds"] < request.min_seconds and facts["runs"] < MAX_RUNS:
            facts["ended"] = program.run(code) or facts["ended"]
            facts.update(runs=facts["runs"] + 1, seconds=time.perf_counter() - start)
    finally:
        after = os.times()
        user, system = after.user - before.user, after.system - before.system
        facts.update(seconds=time.perf_counter() - start, busy_s=max(0.0, ready_seconds() - ready))
        facts.update(cpu_s=user + system, system=system / ((user + system) or 1))
        (folder / "runs").write_text(json.dumps(facts))


def shorten(report: dict[str, Any]) -> dict[str, Any]:
    """The program's lines of Scalene's report that took time or memory."""
    files = {Path(name).name: file for name, file in report.get("files", {}).items()}
    lines = []
    for line in files.get("program.py", {"lines": []})["lines"]:
        # Not n_sys_percent: it is the time without CPU, all of it, so that it grows on a busy machine.
        shares = [line["n_cpu_percent_python"], line["n_cpu_percent_c"]]
        memory = [line["n_peak_mb"], line["n_growth_mb"], line["n_copy_mb_s"]]
        if any(shares) or any(memory):
            lines.append([line["lineno"], *shares, *memory])
    return {"lines": lines}
