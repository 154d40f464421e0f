"""Measures the time of a user's command outside of its work: the interpreter's start, and imports.

An import counts only if its module is not loaded yet, with all that it loads and runs: an import in a busy loop is
work. The outermost import of a thread is timed, by the thread's own clock.
"""

from __future__ import annotations

import json
import sys
import threading
import time

from .process_end import ProcessEnd

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


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
