"""Samples a process by its own CPU time, and adds up the time by owner. Subclasses define the owner.

A signal of the process's own clock interrupts it each few milliseconds. That costs next to nothing and does not distort
the shares. A profiler that sees each call makes functions with many calls look slower.
"""

from __future__ import annotations

import signal
import sys
import threading
import time

from .process_end import ProcessEnd

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import Any

WAITING = ("threading.py", "queue.py", "selectors.py", "socket.py", "subprocess.py", "connection.py")
"""A thread whose innermost frame is in one of these waits for another."""

EACH_S = 0.001
"""Processor time between two samples, seconds; the kernel's clock may tick less often."""
AT_ONCE = 512
"""Samples between two writes."""
CHILD_S = 0.02
"""Maximum processor time between two writes in a child, seconds."""
CHILD_SHARE = 0.02
"""The same as a share of the child's processor time: one that is terminated soon loses only its last sample."""
SPAWNED = "--multiprocessing-fork"
"""Argument of an interpreter that multiprocessing starts."""


class CpuSampler:
    """Adds up seconds by `key`, and gives them to `tell` now and then. Time while all threads wait is not counted."""

    def __init__(self) -> None:
        self.seconds: dict[Any, float] = {}
        self.samples = 0
        self.last = 0.0
        self.is_sampling = False
        """The handler runs; a signal that comes meanwhile would show the handler at work."""
        self.is_child = False
        """The process may be terminated by another of the command's, as those of a pool are."""
        self.written = 0.0
        """Processor time at the last write, seconds."""
        self.clocks: dict[int, float] = {}
        """Processor time of each thread at the last sample, seconds."""

    def key(self, frame: FrameType) -> Any:
        """Owner of the time in a frame. Raises NotImplementedError."""
        raise NotImplementedError

    def tell(self, key: Any, seconds: float) -> None:
        """Write down what was added up since the last time. Raises NotImplementedError."""
        raise NotImplementedError

    def arm(self) -> None:
        """Start the timer in a process that just began, also by a fork, which inherits no timer."""
        self.seconds, self.samples, self.written, self.last = {}, 0, 0.0, time.process_time()
        self.clocks = {threading.get_ident(): time.thread_time()}
        signal.setitimer(signal.ITIMER_PROF, EACH_S, EACH_S)

    def arm_child(self) -> None:
        """Start it in a process that was forked."""
        self.is_child = True
        self.arm()

    def disarm(self) -> None:
        """A timer outlives exec, a handler does not: the signal would end the next program."""
        signal.setitimer(signal.ITIMER_PROF, 0)
        self.write()

    def sample(self, number: int, frame: FrameType | None) -> None:
        """The signal's handler; of several threads each gets what it took itself."""
        if self.is_sampling:
            return
        self.is_sampling = True
        try:
            self._sample(frame)
        finally:
            self.is_sampling = False

    def _sample(self, frame: FrameType | None) -> None:
        now = time.process_time()
        spent, self.last = now - self.last, now
        for each, share in self.at_work(frame):
            key = self.key(each)
            self.seconds[key] = self.seconds.get(key, 0.0) + spent * share
        self.samples += 1
        most_s = min(CHILD_S, CHILD_SHARE * now)
        if self.samples % AT_ONCE == 0 or (self.is_child and now - self.written > most_s):
            self.written = now
            self.write()

    def at_work(self, frame: FrameType | None) -> list[tuple[FrameType, float]]:
        """Innermost frames of the threads that took time since the last sample and do not wait now, with their parts of
        it. A thread that is blocked in C shows the line that called it, and took none."""
        frames = {threading.get_ident(): frame}
        if threading.active_count() > 1:
            frames = {**sys._current_frames(), **frames}
        before, self.clocks = self.clocks, {ident: thread_seconds(ident) for ident in frames}
        spent = {ident: max(0.0, now - before.get(ident, 0.0)) for ident, now in self.clocks.items()}
        awake = {ident: each for ident, each in frames.items() if each is not None and not is_waiting(each)}
        total = sum(spent[ident] for ident in awake)
        if total:
            return [(each, spent[ident] / total) for ident, each in awake.items() if spent[ident]]
        return [] if any(spent.values()) else [(each, 1 / len(awake)) for each in awake.values()]

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
        self.is_child = SPAWNED in getattr(sys, "orig_argv", ())
        ProcessEnd(self.arm_child, self.disarm).install()
        self.arm()


def thread_seconds(ident: int) -> float:
    """Processor time of a thread that lives, seconds; 0 where the system does not tell."""
    try:
        return time.clock_gettime(time.pthread_getcpuclockid(ident))
    except OSError:
        return 0.0


def leave_to_the_main_thread(*event: object) -> None:
    """Block the signal in a new thread, before its first function.

    The handler runs in the main thread only, and a main thread that waits for a lock wakes only for its own signal.
    """
    sys.setprofile(None)
    signal.siginterrupt(signal.SIGPROF, True)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGPROF})


def is_waiting(frame: FrameType) -> bool:
    """Return True if a frame waits for a lock, a queue or another process."""
    return frame.f_code.co_filename.endswith(WAITING)
