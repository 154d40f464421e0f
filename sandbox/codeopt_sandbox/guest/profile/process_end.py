"""Calls something at the end of a process and of each forked one: pool workers end without their exit handlers.

A terminated process makes no such call: a handler of the signal could wait for ever for a lock.
"""

from __future__ import annotations

import atexit
import os
import sys
import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType, FrameType
    from typing import Any

HANDS_OVER = frozenset({"get", "put", "recv", "send"})
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
    return code.co_name in HANDS_OVER and code.co_filename.endswith(JOBS)


def listen(hear: Callable[[FrameType, str, Any], None], begin: Callable[[], None], end: Callable[[], None]) -> None:
    """Hear of each call in all threads and processes from here on, until each ends. begin: called in a new process."""

    def stop() -> None:
        sys.setprofile(None)
        end()

    ProcessEnd(begin, stop).install()
    threading.setprofile(hear)
    sys.setprofile(hear)
