"""The program that is profiled, run in this process as `__main__`."""

from __future__ import annotations

import builtins
import importlib.util
import json
import os
import select
import signal
import sys
import threading
import time
import types
from pathlib import Path
from subprocess import Popen, TimeoutExpired

from ..boot import BUNDLE_FD, ROOT, STARTER, read_exactly
from ..calls.module_loader import SourceLoader, import_target
from ..calls.worker import CallWorker, read
from ..import_hooks import Before
from ..request import INTERVAL, FunctionRef, ProfileRequest, batch_of
from .sampler import ready_seconds

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType
    from typing import Any

    from ..boot import Bundle


class TimeUp(BaseException):
    """Raised in the program when its time is up; no `except Exception` swallows it."""


class ProfiledProgram:
    """The program's file and its input, to be run in this process as `__main__`."""

    def __init__(self, folder: Path, request: ProfileRequest) -> None:
        self.path, self.stdin = folder / "program.py", folder / "stdin"
        self.args, self.max_seconds = request.args, request.max_seconds
        self.function = FunctionRef.read(request.function) if request.function else None
        """Function to call with the calls on the program's input. The program is a module then."""

    def compile(self) -> types.CodeType:
        """Code object of the program, under its own name."""
        return compile(self.path.read_bytes().decode(), str(self.path), "exec")

    def measured(
        self, code: types.CodeType, begin: Callable[[], Any], end: Callable[[], Any] = lambda: None
    ) -> dict[str, Any]:
        """Run it once between `begin` and `end`, for at most `max_seconds`. Return how it ended, for the host.

        A function's calls begin when its module is imported and its arguments are made.
        """

        def start() -> None:
            begin()
            signal.setitimer(signal.ITIMER_REAL, self.max_seconds, 0.1)

        signal.signal(signal.SIGALRM, alarm)
        try:
            try:
                if self.function is None:
                    start()
                else:
                    # time limit for importing a function's module and making its arguments, seconds
                    signal.setitimer(signal.ITIMER_REAL, 60.0, 0.1)
                return {"ended": self.run(code, start), "stopped": False}
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
        except TimeUp:
            return {"ended": "", "stopped": True}
        finally:
            end()

    def run(self, code: types.CodeType, begin: Callable[[], Any] = lambda: None) -> str:
        """Run its code once; return the type of the exception that ended it, or an empty text."""
        module = types.ModuleType("__main__")
        module.__dict__.update(__file__=str(self.path), __builtins__=builtins)
        sys.modules["__main__"], sys.argv = module, [str(self.path), *self.args]
        fd = os.open(self.stdin, os.O_RDONLY)  # at its beginning, and streams that nobody has closed
        os.dup2(fd, 0)
        os.close(fd)
        streams: Any = sys  # `__stdin__` is a constant to a type checker
        text: Any = {"encoding": "utf-8", "errors": "surrogateescape", "closefd": False}
        streams.stdin = streams.__stdin__ = os.fdopen(0, **text)
        streams.stdout = streams.__stdout__ = os.fdopen(1, "w", **text)
        try:
            if self.function is None:
                exec(code, module.__dict__)
            else:
                make_calls(self.function, self.path.read_bytes().decode(), code, begin)
            for thread in threading.enumerate():
                if thread is not threading.current_thread() and not thread.daemon:
                    thread.join()
        except (TimeUp, KeyboardInterrupt):
            raise
        except SystemExit:
            pass
        except BaseException as error:
            return type(error).__name__
        return ""


def alarm(_: int, frame: types.FrameType | None) -> None:
    """End the program. An exception in a hook of ours would be lost, so that the alarm comes again in a moment."""
    if frame is not None and frame.f_code.co_filename.startswith(ROOT):
        signal.setitimer(signal.ITIMER_REAL, 0.001, 0.1)
    else:
        raise TimeUp


def claim_streams() -> int:
    """Put /dev/null in place of stdout and stderr; return a descriptor of the real stdout."""
    result, leave = os.dup(1), os._exit
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    os._exit = sys.exit  # type: ignore[assignment]  # some programs end so; the profile would be lost
    os.register_at_fork(after_in_child=lambda: setattr(os, "_exit", leave))
    return result


# The calls of a batch in the process of a profiler: every one, of the module as its users import it.


def make_calls(ref: FunctionRef, source: str, code: CodeType, begin: Callable[[], Any]) -> None:
    """Make every call on standard input, of a module whose code a profiler has made ready.

    begin: called just before: neither the import nor the making of arguments is the function's.
    """
    sys.modules.pop(ref.module, None)  # a profiler may repeat all of it
    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, SourceLoader)]
    before = Before()
    worker = CallWorker(ref, *import_target(ref, source, code), before)
    codes = [compile(call, "call", "eval") for call in batch_of(read_exactly(0, sys.maxsize)).calls]
    calls = [worker.arguments.fresh(each) for each in codes]
    if ref.asynchronous:
        worker.loop()
    invoke = worker.invoke
    begin()
    for args, kwargs in calls:
        try:
            read(invoke(args, kwargs), True)
        except Exception:
            continue


# The split by kind of code and the memory by line, from Scalene.


MAX_RUNS = 1000
SCRIPT = STARTER + 'space["Bundle"](modules).load("profile.program").main_scalene()\n'


def run_scalene(program: ProfiledProgram, request: ProfileRequest, bundle: Bundle) -> dict[str, Any]:
    """Run Scalene in a process of its own on `repeat`, and cut its report down. Raises ChildProcessError."""
    folder = program.path.parent
    (folder / "modules").write_bytes(bundle.pack(""))
    (folder / "run.py").write_text(SCRIPT.replace(f"open({BUNDLE_FD}", f"open({str(folder / 'modules')!r}"))
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
        # time limit for Scalene before the program, seconds; 0.4 s on an idle machine
        select.select([ready], [], [], 10.0)
        os.close(ready)
        # An interrupt lets Scalene write its report.
        # time limit for Scalene after the program, seconds; 0.2 s on an idle machine
        for grace, last in ((request.max_seconds, signal.SIGINT), (3.0, signal.SIGKILL)):
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
    process = os.getpid()
    try:
        # time for which Scalene repeats the program, seconds
        while facts["seconds"] < 0.6 and facts["runs"] < MAX_RUNS and os.getpid() == process:
            facts["ended"] = program.run(code) or facts["ended"]
            facts.update(runs=facts["runs"] + 1, seconds=time.perf_counter() - start)
    finally:
        if os.getpid() != process:  # the program forked it, and it has clocks of its own
            os._exit(0)
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
