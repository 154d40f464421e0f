"""Start and end of processes: what is done at the end of each, and the time that a user's command takes to start.

Pool workers end without their exit handlers. A terminated process makes no call at its end: a handler of the signal
could wait for ever for a lock.
"""

from __future__ import annotations

import atexit
import json
import os
import sys
import threading
import time

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType, FrameType
    from typing import Any


JOBS = ("multiprocessing/queues.py", "multiprocessing/connection.py")
LAST = -1000
"""Priority of a finalizer of multiprocessing: behind everybody else's."""


class ProcessEnd:
    """Something that is to be done in each process."""

    def __init__(self, begin: Callable[[], None], end: Callable[[], None]) -> None:
        self.begin, self.end = begin, end

    def install(self) -> None:
        """Watch this process and those that it forks."""
        atexit.register(self.end)
        os.register_at_fork(after_in_child=self.in_child)

    def in_child(self) -> None:
        """Start from scratch in a process that was just forked."""
        self.begin()
        util = sys.modules.get("multiprocessing.util")
        if util is not None:  # it forgets all finalizers in a child, and then calls this
            util.register_after_fork(self, ProcessEnd.in_worker)

    def in_worker(self) -> None:
        """Called by multiprocessing in a child of its own."""
        sys.modules["multiprocessing.util"].Finalize(None, self.end, exitpriority=LAST)


def hands_over(code: CodeType) -> bool:
    """Return True of a function by which a child takes a job and gives its answer: from there on it may be ended."""
    return code.co_name in {"get", "put", "recv", "send"} and code.co_filename.endswith(JOBS)


def listen(hear: Callable[[FrameType, str, Any], None], begin: Callable[[], None], end: Callable[[], None]) -> None:
    """Hear of each call in all threads and processes from here on, until each ends. begin: called in a new process."""

    def stop() -> None:
        sys.setprofile(None)
        end()

    ProcessEnd(begin, stop).install()
    threading.setprofile(hear)
    sys.setprofile(hear)


# Time of a user's command outside of its work: the interpreter's start, and imports.
#
# An import counts only if its module is not loaded yet, with all that it loads and runs: an import in a busy loop is
# work. The outermost import of a thread is timed, by the thread's own clock.


class StartTimes:
    """CPU seconds of this process's start and imports."""

    def __init__(self, sink: Callable[[str], None]) -> None:
        self.sink = sink
        self.start_s = time.process_time()
        self.import_s = 0.0
        self.local = threading.local()

    def wrap(self, find_and_load: Callable[..., Any]) -> Callable[..., Any]:
        """The import system's function that loads a module, timed."""

        def timed(name: str, import_: Any) -> Any:
            if getattr(self.local, "inside", False):
                return find_and_load(name, import_)
            self.local.inside = True
            before = time.thread_time()
            try:
                return find_and_load(name, import_)
            finally:
                self.local.inside = False
                self.import_s += time.thread_time() - before

        return timed

    def begin(self) -> None:
        """Start from scratch in a forked process: earlier times belong to its parent."""
        self.start_s = self.import_s = 0.0
        self.local = threading.local()

    def end(self) -> None:
        """One line of the log."""
        self.sink("@ start " + json.dumps([round(self.start_s, 6), round(self.import_s, 6)]))


def install(root: str, sink: Callable[[str], None]) -> None:
    """Start timing in an interpreter that just starts."""
    times = StartTimes(sink)
    ProcessEnd(times.begin, times.end).install()
    machinery: Any = sys.modules["_frozen_importlib"]
    machinery._find_and_load = times.wrap(machinery._find_and_load)
