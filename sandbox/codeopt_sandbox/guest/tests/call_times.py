"""Seconds of the functions of some files in threads and processes other than the main one of the tests.

A profile function in Python works in any thread. A pool ends its processes without notice. So the call of a function is
reported at once, and its time after its end and before a result is handed over.
"""

from __future__ import annotations

import _thread
import sys
import threading
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import CodeType, FrameType
    from typing import Any

TELL_S = 0.005
"""Time that is reported at once, seconds. A shorter time waits for the next report or for the end."""
HAND_OVER = "put"
QUEUES = "multiprocessing/queues.py"
"""File of the function by which a child hands over its answer: from there on it may be terminated."""


class CallTimes:
    """Times of functions by file and first line, told in parts that add up."""

    def __init__(self, files: Sequence[str], tell: Callable[[tuple[str, int], float, float], None]) -> None:
        self.files, self.tell = frozenset(files), tell
        """tell: gets place, seconds with all that is called, own seconds."""
        self.places: dict[int, tuple[CodeType, tuple[str, int] | None]] = {}
        """Keys are identities, as equal functions of two files are equal as code."""
        self.begin()

    def begin(self) -> None:
        """Start from scratch, as in a process that was forked."""
        self.stacks: dict[int, list[Any]] = {}
        """Open calls by thread: frame, place, start, seconds of what it has called."""
        self.seconds: dict[tuple[str, int], list[float]] = {}
        """Seconds that are not reported yet: with all callees, and own."""
        self.told: set[tuple[str, int]] = set()
        """Functions whose calls are reported."""

    def install(self) -> None:
        """Hear of calls in this thread and in those that start from here on."""
        self.install_for_threads()
        sys.setprofile(self.hear)

    def install_for_threads(self) -> None:
        """Hear of calls in threads that start from here on."""
        threading.setprofile(self.hear)

    def place(self, code: CodeType) -> tuple[str, int] | None:
        """Place of a function of the files; None for any other code."""
        found = self.places.get(id(code))
        if found is None:
            if code.co_filename[:1] == "<":  # of eval and exec, which would be kept for each of their calls
                return None
            mine = code.co_filename in self.files and code.co_name != "<module>"
            place = (code.co_filename, code.co_firstlineno) if mine else None
            found = self.places[id(code)] = code, place
        return found[1]

    def hear(self, frame: FrameType, event: str, argument: Any) -> None:
        """A profile function."""
        if event == "call":
            stack = self.stacks.setdefault(_thread.get_ident(), [])
            place = self.place(frame.f_code)
            if place is not None and place not in self.told:
                self.told.add(place)
                self.tell(place, 0.0, 0.0)
            elif frame.f_code.co_name == HAND_OVER and frame.f_code.co_filename.endswith(QUEUES):
                self.tell_all()
            stack.append([frame, place, time.perf_counter(), 0.0])
        elif event == "return":
            stack = self.stacks.get(_thread.get_ident(), [])
            if stack and stack[-1][0] is frame:
                self.end(stack)

    def end(self, stack: list[Any]) -> None:
        """A call has ended; of a recursion the outermost counts."""
        _, place, started, inside = stack.pop()
        spent = time.perf_counter() - started
        if stack:
            stack[-1][3] += spent
        if place is None:
            return
        seconds = self.seconds.setdefault(place, [0.0, 0.0])
        seconds[1] += spent - inside
        outermost = all(each[1] != place for each in stack)
        seconds[0] += spent if outermost else 0.0
        if outermost and seconds[0] > TELL_S:
            self.tell_of(place)

    def tell_of(self, place: tuple[str, int]) -> None:
        """Tell what is new of one function."""
        total, own = self.seconds.pop(place)
        self.tell(place, total, own)

    def tell_all(self) -> None:
        for place in list(self.seconds):
            self.tell_of(place)

    def stop(self) -> None:
        """Hear no more in this thread, and tell all that is new."""
        sys.setprofile(None)
        self.tell_all()
