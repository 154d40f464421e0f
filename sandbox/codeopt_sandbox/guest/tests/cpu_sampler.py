"""Samples a process by its own processor time, and adds up whose time it is; what that means, subclasses say.

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

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import Any

WAITING = ("threading.py", "queue.py", "selectors.py", "socket.py", "subprocess.py", "connection.py")
"""A thread whose innermost frame is in one of these waits for another."""


class CpuSampler:
    """Adds up seconds by `key`, and gives them to `tell` now and then."""

    each_s = 0.002
    at_once = 16
    """Samples between two writes: what a process has not written when it dies is lost."""
    nobody: Any = None
    """Owner of the time while all threads wait; None: the time is not counted."""

    def __init__(self) -> None:
        self.seconds: dict[Any, float] = {}
        self.samples = 0
        self.last = 0.0

    def key(self, frame: FrameType) -> Any:
        """Owner of the time in a frame. Raises NotImplementedError."""
        raise NotImplementedError

    def tell(self, key: Any, seconds: float) -> None:
        """Write down what was added up since the last time. Raises NotImplementedError."""
        raise NotImplementedError

    def arm(self) -> None:
        """Start the timer in a process that just began, also by a fork, which inherits no timer."""
        self.seconds, self.samples, self.last = {}, 0, time.process_time()
        signal.setitimer(signal.ITIMER_PROF, self.each_s, self.each_s)

    def disarm(self) -> None:
        """A timer outlives exec, a handler does not: the signal would end the next program."""
        signal.setitimer(signal.ITIMER_PROF, 0)
        self.write()

    def sample(self, number: int, frame: FrameType | None) -> None:
        """The signal's handler; of threads that run at once each gets its part."""
        now = time.process_time()
        spent, self.last = now - self.last, now
        frames = [frame] if threading.active_count() < 2 else [frame, *others()]
        keys = [self.key(each) for each in frames if each is not None and not is_waiting(each)]
        if not keys and self.nobody is not None:
            keys = [self.nobody]
        for key in keys:
            self.seconds[key] = self.seconds.get(key, 0.0) + spent / len(keys)
        self.samples += 1
        if self.samples % self.at_once == 0:
            self.write()

    def write(self) -> None:
        """Write the sums since the last time."""
        seconds, self.seconds = self.seconds, {}
        for key, spent in seconds.items():
            self.tell(key, spent)

    def hear(self, event: str, arguments: object) -> None:
        """An audit hook."""
        if event == "os.exec":
            self.disarm()

    def install(self) -> None:
        """Start sampling in the main thread of an interpreter that just starts."""
        signal.signal(signal.SIGPROF, self.sample)
        signal.siginterrupt(signal.SIGPROF, False)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGPROF})  # a thread of the parent's may have started us
        threading.setprofile(leave_to_the_main_thread)
        sys.addaudithook(self.hear)
        os.register_at_fork(after_in_child=self.arm)
        atexit.register(self.disarm)
        self.arm()


def others() -> list[FrameType]:
    """The innermost frames of all threads but this one."""
    me = threading.get_ident()
    return [frame for ident, frame in sys._current_frames().items() if ident != me]


def leave_to_the_main_thread(*event: object) -> None:
    """First function of each new thread: it blocks the signal, as the handler runs in the main thread alone, and one
    that waits for a lock wakes only for a signal of its own."""
    sys.setprofile(None)
    signal.siginterrupt(signal.SIGPROF, True)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGPROF})


def is_waiting(frame: FrameType) -> bool:
    """Whether a frame waits for a lock, a queue or another process."""
    return frame.f_code.co_filename.endswith(WAITING)
