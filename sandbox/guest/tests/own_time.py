"""Samples which function of one file is at work while a user's own command runs, by the processor time it takes.

A signal of the process's own clock interrupts it each few milliseconds, which costs next to nothing and distorts
nothing: under a profiler that sees each call, functions that make many look slower than they are.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
import time

from .watched_file import WatchedFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

EACH_S = 0.002
AT_ONCE = 16
"""Samples between two writes: what a process has not written when it dies is lost."""
WAITING = ("threading.py", "queue.py", "selectors.py", "socket.py", "subprocess.py", "connection.py")
"""A thread whose innermost frame is in one of these waits for another."""
OUTSIDE, MODULE_LEVEL = -1, 0
"""In place of a function's first line."""
LIBRARIES = (os.path.dirname(os.__file__) + os.sep, "<")  # noqa: PTH120  what a user's program imports is left alone


class OwnTime:
    """Adds up seconds by the first line of the innermost function of the file; what libraries do counts for who called
    them."""

    def __init__(self, path: str, sink: Callable[[str], None]) -> None:
        self.watched, self.sink = WatchedFile(path), sink
        self.files: dict[str, bool] = {}
        """By a code's file name: whether it is the file."""
        self.seconds: dict[int, float] = {}
        self.samples = 0
        self.last = 0.0

    def arm(self) -> None:
        """In a process that just began, also by a fork, which inherits no timer."""
        self.seconds, self.samples, self.last = {}, 0, time.process_time()
        signal.setitimer(signal.ITIMER_PROF, EACH_S, EACH_S)

    def disarm(self) -> None:
        """A timer outlives exec, a handler does not: the signal would end the next program."""
        signal.setitimer(signal.ITIMER_PROF, 0)
        self.write()

    def sample(self, number: int, frame: FrameType | None) -> None:
        """The signal's handler; of threads that run at once each gets its part."""
        now = time.process_time()
        spent, self.last = now - self.last, now
        frames = [frame] if threading.active_count() < 2 else [frame, *self.others()]
        found = [self.line(each) for each in frames if each is not None and not is_waiting(each)]
        for line in found or [OUTSIDE]:
            self.seconds[line] = self.seconds.get(line, 0.0) + spent / max(1, len(found))
        self.samples += 1
        if self.samples % AT_ONCE == 0:
            self.write()

    def others(self) -> list[FrameType]:
        """Of all threads but this one."""
        me = threading.get_ident()
        return [frame for ident, frame in sys._current_frames().items() if ident != me]

    def line(self, frame: FrameType) -> int:
        """Whose time it is."""
        inner: FrameType | None = frame
        while inner is not None:
            code = inner.f_code
            name = code.co_filename
            if name not in self.files:
                self.files[name] = self.watched.is_at(name)
            if self.files[name]:
                return MODULE_LEVEL if code.co_name == "<module>" else code.co_firstlineno
            if not name.startswith(LIBRARIES) and "-packages" not in name:
                return OUTSIDE
            inner = inner.f_back
        return OUTSIDE

    def write(self) -> None:
        """What was added up since the last time."""
        seconds, self.seconds = self.seconds, {}
        for line, spent in seconds.items():
            self.sink(f"@ time {line} {spent:.6f}")

    def hear(self, event: str, arguments: object) -> None:
        """An audit hook."""
        if event == "os.exec":
            self.disarm()


def leave_to_the_main_thread(*event: object) -> None:
    """What each new thread begins with. The handler runs in the main thread alone, and one that waits for a lock wakes
    only for a signal of its own."""
    sys.setprofile(None)
    signal.siginterrupt(signal.SIGPROF, True)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGPROF})


def is_waiting(frame: FrameType) -> bool:
    """Not at work: for a lock, a queue, another process."""
    return frame.f_code.co_filename.endswith(WAITING)


def install(path: str, sink: Callable[[str], None]) -> None:
    """From here on, in the main thread of an interpreter that just starts."""
    own = OwnTime(path, sink)
    signal.signal(signal.SIGPROF, own.sample)
    signal.siginterrupt(signal.SIGPROF, False)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGPROF})  # a thread of the parent's may have started us
    threading.setprofile(leave_to_the_main_thread)
    sys.addaudithook(own.hear)
    os.register_at_fork(after_in_child=own.arm)
    atexit.register(own.disarm)
    own.arm()
