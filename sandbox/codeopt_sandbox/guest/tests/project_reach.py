"""Test impact: functions of a project that each test calls, by a hook on each call, in a pytest run of its own.

Calls by fixtures count for all tests, as one may be made for many of them; so do calls before the first test.
"""

from __future__ import annotations

import json
import os

from ..profile.process_end import hands_over, listen
from ..profile.sampler import Places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType, FrameType
    from typing import Any

PHASE = "call_and_report"
"""Function of pytest's that runs one phase of a test: `item`, `when`."""
RUNNER = os.path.join("_pytest", "runner.py")  # noqa: PTH118  what a user imports is left alone
"""End of the path of the file that has this function."""
CALL = "call"


class Reach:
    """Tells of each phase of each test, once it has ended."""

    def __init__(self, root: str, sink: Callable[[str], None]) -> None:
        self.places, self.sink = Places(root), sink
        test, _, phase = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")
        self.test = test if phase == f"({CALL})" else ""
        """Test whose calls these are; a process that a test starts knows it by its environment."""
        self.seen: dict[int, CodeType] = {}
        """Called since the test began, by identity: equal functions of two files are equal as code."""
        self.told: frozenset[int] = frozenset()
        """Calls of these that are written down already."""

    def begin(self) -> None:
        """Start from scratch in a process that was forked."""
        self.seen, self.told = {}, frozenset()

    def hear(self, frame: FrameType, event: str, argument: Any) -> None:
        """A profile function."""
        if event != "call":
            return
        code = frame.f_code
        if hands_over(code):
            self.tell()
        if id(code) in self.seen:
            return
        if code.co_name == PHASE and code.co_filename.endswith(RUNNER):
            self.tell()
            self.begin()
            self.test = frame.f_locals["item"].nodeid if frame.f_locals["when"] == CALL else ""
        elif code.co_filename[:1] != "<":  # of eval and exec, which would be kept for each of their calls
            self.seen[id(code)] = code

    def tell(self) -> None:
        """One line for what was called since the last one. From where it hands over a job, a child may be ended."""
        new = [code for key, code in list(self.seen.items()) if key not in self.told]
        self.told = frozenset(self.seen)
        places = [place for place in map(self.places.of, new) if place[:1] == "/"]
        if places:
            self.sink("@ reach " + json.dumps([self.test, places]))


def install(root: str, sink: Callable[[str], None]) -> None:
    """Record calls in all threads, from here on."""
    reach = Reach(root, sink)
    listen(reach.hear, reach.begin, reach.tell)
