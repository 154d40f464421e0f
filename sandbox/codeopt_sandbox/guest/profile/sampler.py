"""Samples a user's command: by CPU time where it works, by wall time where it waits.

A signal of the process's own clock interrupts it each few milliseconds. That costs next to nothing and does not distort
the shares. A profiler that sees each call makes functions with many calls look slower.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time

from ..boot import ROOT
from .start_and_end import ProcessEnd

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import CodeType, FrameType
    from typing import Any

DRIVERS = frozenset(
    """
    MySQLdb aiomysql aiosqlite apsw asyncpg asyncmy cx_Oracle duckdb mysql oracledb pg8000 psycopg psycopg2 pymssql
    pymysql pyodbc sqlite3 _sqlite3 snowflake
    """.split()  # noqa: SIM905
)
"""Packages that speak to a database, as the interface of Python's databases (PEP 249) has them do."""
WAIT_S = 0.005
"""Wall time between two samples, seconds."""
IDLE = ("threading.py", "queue.py", "selectors.py", "socket.py", "subprocess.py", "connection.py")
"""A thread whose innermost frame is in one of these waits, and takes no CPU time."""
OTHERS = ("threading.py", "queue.py", "subprocess.py")
FOLDERS = ("/multiprocessing/", "/concurrent/futures/")
"""A thread that waits in one of these waits for a thread or a process of its own program."""
TASKS = "/proc/self/task"
STANDARD = os.path.realpath(os.path.dirname(os.__file__)) + os.sep  # noqa: PTH120  what a user imports is left alone


def install(root: str, waits: bool, sink: Callable[[str], None]) -> None:
    """Start sampling in the main thread of an interpreter that just starts."""
    sink(f"@ begun {time.process_time():.6f}")
    Sampler(root, waits, sink).install()


class Sampler:
    """Adds up seconds by stack, and writes them now and then."""

    def __init__(self, root: str, waits: bool, sink: Callable[[str], None]) -> None:
        self.places, self.waits, self.sink = Places(root), waits, sink
        # CPU time between two samples, seconds; the kernel's clock may tick less often
        self.signal, self.timer, self.each_s = signal.SIGPROF, signal.ITIMER_PROF, 0.001
        self.clock: Callable[[], float] = time.process_time
        if waits:
            self.signal, self.timer, self.each_s = signal.SIGALRM, signal.ITIMER_REAL, WAIT_S
            self.clock = time.perf_counter
        self.seconds: dict[Any, float] = {}
        self.samples = 0
        self.is_sampling = False
        """The handler runs; a signal that comes meanwhile would show the handler at work."""
        self.is_child = False
        """The process may be terminated by another of the command's, as those of a pool are."""
        self.asks = False
        """A driver of a database is loaded."""

    def install(self) -> None:
        """Start sampling, also in processes that are forked from here on."""
        signal.signal(self.signal, self.sample)
        signal.siginterrupt(self.signal, False)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {self.signal})  # a thread of the parent's may have started us
        threading.setprofile(self.leave_to_the_main_thread)
        # A timer outlives exec, a handler does not: the signal would end the next program.
        sys.addaudithook(lambda event, arguments: self.disarm() if event == "os.exec" else None)
        # argument of an interpreter that multiprocessing starts
        self.is_child = "--multiprocessing-fork" in getattr(sys, "orig_argv", ())
        ProcessEnd(self.arm_child, self.disarm).install()
        self.arm()

    def arm_child(self) -> None:
        """Start in a process that was forked, which inherits no timer."""
        self.is_child = True
        self.arm()

    def arm(self) -> None:
        """Start the timer in a process that just began."""
        self.seconds, self.samples = {}, 0
        self.last = self.clock()
        self.written, self.ready = (0.0, ready_seconds()) if self.waits else (0.0, 0.0)
        self.clocks = {threading.get_ident(): time.thread_time()}
        """CPU time of each thread at the last sample, seconds."""
        signal.setitimer(self.timer, self.each_s, self.each_s)

    def disarm(self) -> None:
        """Stop the timer, and write the rest."""
        signal.setitimer(self.timer, 0)
        self.write()

    def leave_to_the_main_thread(self, *event: object) -> None:
        """Block the signal in a new thread, before its first function.

        The handler runs in the main thread only, and a main thread that waits for a lock wakes only for its own signal.
        """
        sys.setprofile(None)
        signal.siginterrupt(self.signal, True)
        signal.pthread_sigmask(signal.SIG_BLOCK, {self.signal})

    def sample(self, number: int, frame: FrameType | None) -> None:
        """The signal's handler."""
        if self.is_sampling:
            return
        self.is_sampling = True
        try:
            now = self.clock()
            passed, self.last = now - self.last, now
            for each, share in (self.waiting if self.waits else self.at_work)(frame, passed):
                key = self.key(each)
                self.seconds[key] = self.seconds.get(key, 0.0) + passed * share
            self.samples += 1
            # Maximum time between two writes in a child, seconds
            # The same as a share of the child's CPU time: one that is terminated soon loses only its last
            # sample
            most_s = min(0.02, 0.02 * time.process_time())
            # samples between two writes
            if self.samples % 512 == 0 or (self.is_child and now - self.written > most_s):
                self.written = now
                self.write()
        finally:
            self.is_sampling = False

    def frames(self, frame: FrameType | None) -> dict[int, FrameType]:
        """Innermost frames by thread, without the handler's."""
        found = {threading.get_ident(): frame}
        if threading.active_count() > 1:
            found = {**sys._current_frames(), **found}
        return {ident: each for ident, each in found.items() if each is not None}

    def at_work(self, frame: FrameType | None, passed: float) -> Sequence[tuple[FrameType, float]]:
        """Innermost frames of the threads that took CPU time since the last sample and do not wait now, with their
        parts of it. A thread that is blocked in C shows the line that called it, and took none."""
        frames = self.frames(frame)
        before, self.clocks = self.clocks, {ident: thread_seconds(ident) for ident in frames}
        spent = {ident: max(0.0, now - before.get(ident, 0.0)) for ident, now in self.clocks.items()}
        awake = {ident: each for ident, each in frames.items() if not each.f_code.co_filename.endswith(IDLE)}
        total = sum(spent[ident] for ident in awake)
        if total:
            return [(each, spent[ident] / total) for ident, each in awake.items() if spent[ident]]
        return [] if any(spent.values()) else [(each, 1 / len(awake)) for each in awake.values()]

    def waiting(self, frame: FrameType | None, passed: float) -> Sequence[tuple[FrameType, float]]:
        """Threads that wait for something outside of the process, or else the main thread; none if it works."""
        ready = ready_seconds()
        spent, self.ready = max(0.0, ready - self.ready), ready
        # share of the time between two samples from which on a process is at work or ready to be, and does not wait. On
        # a busy machine it is ready for a while each time that it is woken up
        if spent >= 0.5 * passed:
            return []
        found = [each for each in self.frames(frame).values() if not waits_for_others(each)]
        found = found or [each for each in [frame] if each is not None]
        return [(each, (1 - spent / passed) / len(found)) for each in found]

    def key(self, frame: FrameType) -> tuple[tuple[str, ...], int, int, str, bool]:
        """The project's functions from the outermost in, the innermost's line, the line that called it if it has just
        begun, the library at work; and whether it imports, or for a wait whether it is for others of the program.

        The line is negative at the end of a loop: the jump there may have no line, and the one before it is given.
        """
        stack: list[str] = []
        line, calling, library, importing = 0, 0, "", False
        inner: FrameType | None = frame
        # frames of the project that are kept of a stack, the innermost ones
        while inner is not None and len(stack) < 60:
            code = inner.f_code
            place = self.places.of(code)
            if place[:1] == "/":
                if not stack:
                    line = inner.f_lineno or -line_before(inner)
                    caller = inner.f_back
                    if inner is frame and caller and has_begun(inner) and self.places.of(caller.f_code)[:1] == "/":
                        calling = caller.f_lineno or 0
                if stack[-1:] != [place]:
                    stack.append(place)
            elif not stack:
                importing = importing or code.co_filename == "<frozen importlib._bootstrap>"
                library = place or library
            inner = inner.f_back
        return tuple(stack[::-1]), line, calling, library, waits_for_others(frame) if self.waits else importing

    def write(self) -> None:
        """Write the sums since the last time."""
        seconds, self.seconds = self.seconds, {}
        for (stack, *rest), spent in seconds.items():
            self.sink(f"@ {'wait' if self.waits else 'stack'} " + json.dumps([list(stack), *rest, round(spent, 6)]))
        if not self.asks and any(name in sys.modules for name in DRIVERS):
            self.asks = True
            self.sink("@ database true")


class Places:
    """Places of code: the project's own, and what else is called; by code object, which is asked for at each frame."""

    def __init__(self, root: str) -> None:
        self.root = os.path.realpath(root) + os.sep
        self.known: dict[int, tuple[CodeType, str]] = {}
        """Keys are identities, as equal functions at the same lines of two files are equal as code."""

    def of(self, code: CodeType) -> str:
        """`/path:first line` in the project, else the library's name; empty for Python's own machinery and ours."""
        found = self.known.get(id(code))
        if found is None:
            found = self.known[id(code)] = code, self._look(code)
        return found[1]

    def _look(self, code: CodeType) -> str:
        name = code.co_filename
        if name.startswith(("<", f"{ROOT}/")):
            return ""
        path = os.path.realpath(name)
        if path.startswith(self.root):
            place = path[len(self.root) :]
            if "-packages" not in place and not place.startswith(".codeopt-watch"):
                return f"/{place}:{0 if code.co_name == '<module>' else code.co_firstlineno}"
        _, found, inside = path.rpartition("-packages" + os.sep)
        if not found and path.startswith(STANDARD):
            found, inside = STANDARD, path[len(STANDARD) :]
        first = inside.partition(os.sep)[0] if found else path.rpartition(os.sep)[2]
        return first[:-3] if first.endswith(".py") else first


def has_begun(frame: FrameType) -> bool:
    """Return True at a function's first instruction, which cells of closures precede."""
    code = frame.f_code
    return frame.f_lasti <= 2 * (len(code.co_cellvars) + bool(code.co_freevars))


def line_before(frame: FrameType) -> int:
    """Return the last line of the text before an instruction without a line."""
    found = 0
    for begin, _, line in frame.f_code.co_lines():
        if begin > frame.f_lasti:
            break
        found = line or found
    return found


def thread_seconds(ident: int) -> float:
    """CPU time of a thread that lives, seconds; 0 where the system does not tell."""
    try:
        return time.clock_gettime(time.pthread_getcpuclockid(ident))
    except OSError:
        return 0.0


def ready_seconds() -> float:
    """Seconds that the threads of this process were at work, or ready to be and waiting for a core."""
    found = 0
    try:
        for name in os.listdir(TASKS):  # noqa: PTH208  what a user imports is left alone
            with open(f"{TASKS}/{name}/schedstat", "rb") as file:  # noqa: PTH123
                found += sum(map(int, file.read().split()[:2]))
    except (OSError, ValueError):
        return time.process_time()
    return found / 1e9


def waits_for_others(frame: FrameType) -> bool:
    """Return True if a frame waits for a thread or a process of its own program."""
    at: FrameType | None = frame
    # number of innermost frames that are looked at for these
    for _ in range(4):
        # functions with which each thread begins
        if at is None or at.f_code.co_name in ("_bootstrap", "_bootstrap_inner", "run"):
            return False
        name = at.f_code.co_filename
        if name.endswith(OTHERS) or any(folder in name for folder in FOLDERS):
            return True
        at = at.f_back
    return False
