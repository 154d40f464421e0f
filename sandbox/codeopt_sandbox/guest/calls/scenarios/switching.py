"""Two threads, switched at chosen lines: one is stopped at a line while the other makes a whole call, so that nothing
is left to chance.

Lines are those of the project's own code. If the second thread has to wait for the first, as for a lock, the first
continues after WAIT_S.
"""

from __future__ import annotations

import sys

from ...record import Record
from ..function_ref import OwnCode
from ..outcome import not_made

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import FrameType
    from typing import Any

    from ...answer import Answer
    from ..function_ref import FunctionRef

MAX_STOPS = 8
"""Most places at which a call is stopped, each in a process of its own."""
MAX_STEPS = 20_000
"""Most steps in which places to stop are looked for."""
WAIT_S = 0.3
"""Time that the stopped call waits for the other, seconds."""
END_S = 5.0
"""Time limit for the end of the other call, seconds."""


class Stops:
    """Counter of the lines that a call runs, which acts at one of them."""

    def __init__(self, ref: FunctionRef, at: int = 0, then: Callable[[], None] = lambda: None) -> None:
        self.own, self.at, self.then = OwnCode(ref), at, then
        self.lines: list[int] = []

    def run(self, call: Callable[[], Answer]) -> Answer:
        """Make a call while its lines are counted."""
        sys.settrace(self.trace)
        try:
            return call()
        finally:
            sys.settrace(None)

    def trace(self, frame: FrameType, event: str, arg: Any) -> Any:
        """Trace function for sys.settrace."""
        if not self.own.has(frame.f_code.co_filename):
            return None
        if event == "line":
            self.lines.append(frame.f_lineno)
            if len(self.lines) == self.at:
                sys.settrace(None)
                self.then()
            if len(self.lines) >= max(MAX_STEPS, self.at):
                sys.settrace(None)
        return self.trace

    def chosen(self) -> list[int]:
        """Steps before which to stop: the first and the middle one of each line, as many as are affordable."""
        places: dict[int, list[int]] = {}
        for step, line in enumerate(self.lines, 1):
            places.setdefault(line, []).append(step)
        found = sorted({step for steps in places.values() for step in (steps[0], steps[len(steps) // 2])})
        apart = max(1, -(-len(found) // MAX_STOPS))
        return found[::apart]


class Other:
    """A call in another thread."""

    def __init__(self, make: Callable[[], Answer]) -> None:
        import _thread

        self.make, self.start = make, _thread.start_new_thread
        self.answer, self.waited = not_made(), False
        self.over = _thread.allocate_lock()
        self.over.acquire()

    def run(self) -> None:
        """Start the call and wait for its end, for WAIT_S at most."""
        self.start(self.called, ())
        self.waited = not self.over.acquire(True, WAIT_S)

    def called(self) -> None:
        try:
            self.answer = self.make()
        finally:
            self.over.release()

    def end(self) -> Answer:
        if self.waited:
            self.over.acquire(True, END_S)
        return self.answer


def stopped_at(
    ref: FunctionRef, step: int, call_first: Callable[[Stops], Answer], alone: Sequence[Callable[[], Answer]]
) -> Stopped:
    """Stop a call before a step while another is made, then make both again. alone: each of them by itself."""
    other = Other(alone[1])
    stops = Stops(ref, step, other.run)
    first = call_first(stops)
    if len(stops.lines) < step:  # it ran fewer lines than before: the other one follows
        other.run()
    before = stops.lines[:step]
    place = (before[-1], before.count(before[-1])) if before else ()
    return Stopped(place, other.waited, (first, other.end(), alone[1](), alone[0]()))


class Stopped(Record):
    """Two threads, the first of which was stopped."""

    place: tuple[int, ...]
    """Line, and for which time it was reached."""
    waited: bool
    """The second call had to wait for the first."""
    answers: tuple[Answer, ...]
    """Answers of both, and of both by themselves afterwards."""
