"""Samples the places at which a user's command waits, by wall time, while its process uses no CPU time."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time

from .process_end import ProcessEnd
from .project_time import ProjectTime

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType
    from typing import Any

EACH_S = 0.005
"""Time between two samples, seconds."""
AT_WORK = 0.2
"""Share of the time from which on a process is at work, and does not wait."""
OTHERS = ("threading.py", "queue.py", "subprocess.py")
FOLDERS = ("/multiprocessing/", "/concurrent/futures/")
"""A thread that waits in one of these waits for a thread or a process of its own program."""
LOOKED_AT = 4
"""Number of innermost frames that are looked at for these."""
BOOTSTRAP = ("_bootstrap", "_bootstrap_inner", "run")
"""Functions with which each thread begins."""
TASKS = "/proc/self/task"
AT_ONCE = 64
"""Samples between two writes."""


class ProjectWaits:
    """Adds up seconds by the project's part of the stack of each thread that waits."""

    def __init__(self, root: str, sink: Callable[[str], None]) -> None:
        self.stacks, self.sink = ProjectTime(root, sink), sink
        self.seconds: dict[Any, float] = {}
        self.samples = 0
        self.wall = self.ready = 0.0

    def arm(self) -> None:
        """Start the timer in a process that just began, also by a fork, which inherits none."""
        self.seconds, self.samples = {}, 0
        self.wall, self.ready = time.perf_counter(), ready_seconds()
        signal.setitimer(signal.ITIMER_REAL, EACH_S, EACH_S)

    def disarm(self) -> None:
        """A timer outlives exec, a handler does not: the signal would end the next program."""
        signal.setitimer(signal.ITIMER_REAL, 0)
        self.write()

    def sample(self, number: int, frame: FrameType | None) -> None:
        """The signal's handler."""
        wall, ready = time.perf_counter(), ready_seconds()
        passed, spent = wall - self.wall, max(0.0, ready - self.ready)
        self.wall, self.ready = wall, ready
        if spent < AT_WORK * passed:
            waiting = self._waiting(frame)
            for each in waiting:
                self._add(each, (passed - spent) / len(waiting))
        self.samples += 1
        if self.samples % AT_ONCE == 0:
            self.write()

    def _waiting(self, frame: FrameType | None) -> list[FrameType]:
        """Return threads that wait for something outside of the process, or else the main thread."""
        frames = {**sys._current_frames(), threading.get_ident(): frame}
        outside = [each for each in frames.values() if each is not None and not waits_for_others(each)]
        return outside or [each for each in [frame] if each is not None]

    def _add(self, frame: FrameType, seconds: float) -> None:
        stack, line, library, _ = self.stacks.key(frame)
        key = (stack[-1:], abs(line), library, waits_for_others(frame))
        self.seconds[key] = self.seconds.get(key, 0.0) + seconds

    def write(self) -> None:
        """Write the sums since the last time."""
        found, self.seconds = self.seconds, {}
        for (stack, line, library, others), seconds in found.items():
            place = stack[0] if stack else ""
            self.sink("@ wait " + json.dumps([place, line, library, others, round(seconds, 6)]))

    def hear(self, event: str, arguments: object) -> None:
        """An audit hook."""
        if event == "os.exec":
            self.disarm()


def waits_for_others(frame: FrameType) -> bool:
    """Return True if a frame waits for a thread or a process of its own program."""
    at: FrameType | None = frame
    for _ in range(LOOKED_AT):
        if at is None or at.f_code.co_name in BOOTSTRAP:
            return False
        name = at.f_code.co_filename
        if name.endswith(OTHERS) or any(folder in name for folder in FOLDERS):
            return True
        at = at.f_back
    return False


def ready_seconds() -> float:
    """Seconds that the threads of this process were at work, or ready to be and waiting for a processor."""
    found = 0
    try:
        for name in os.listdir(TASKS):  # noqa: PTH208  what a user imports is left alone
            with open(f"{TASKS}/{name}/schedstat", "rb") as file:  # noqa: PTH123
                found += sum(map(int, file.read().split()[:2]))
    except (OSError, ValueError):
        return time.process_time()
    return found / 1e9


def install(root: str, sink: Callable[[str], None]) -> None:
    """Start sampling in the main thread of an interpreter that just starts."""
    waits = ProjectWaits(root, sink)
    signal.signal(signal.SIGALRM, waits.sample)
    signal.siginterrupt(signal.SIGALRM, False)
    sys.addaudithook(waits.hear)
    ProcessEnd(waits.arm, waits.disarm).install()
    waits.arm()
