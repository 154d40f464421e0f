"""Records calls of some functions of a project while a command runs.

For calls that cannot be recorded it reports the project functions on their stack.
"""

from __future__ import annotations

import json
import os
import sys

from .project_time import DEEPEST, Places
from .recorded_module import install_for_files
from .recorder import CallRecorder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

OURS = __name__.partition(".")[0]
"""Package of the recorder's own code, whose files lie nowhere."""
MOST = 16
"""Maximum number of different stacks in the report."""


class CallerStacks:
    """Different stacks, as far as they are the project's."""

    def __init__(self, root: str, sink: Callable[[str], None]) -> None:
        self.places, self.sink = Places(root), sink
        self.seen: set[tuple[str, ...]] = set()

    def tell(self) -> None:
        """Write down the stack that this is called on, if it is a new one: the functions, the innermost first."""
        frame: FrameType | None = sys._getframe(1)
        found: list[str] = []
        while frame is not None and len(found) < DEEPEST:
            place = self.places.of(frame.f_code)
            if place[:1] == "/" and not str(frame.f_globals.get("__name__", "")).startswith(OURS):
                found.append(place)
            frame = frame.f_back
        stack = tuple(found)
        if stack and stack not in self.seen and len(self.seen) < MOST:
            self.seen.add(stack)
            self.sink("@ callers " + json.dumps(found))


def install(root: str, functions: list[tuple[str, str]], most: int, sink: Callable[[str], None]) -> None:
    """Install the recorders of functions, each given by the path of its file in the project and its qualified name.

    Each line begins with the number of its function.
    """
    recorders: dict[str, list[CallRecorder]] = {}
    for number, (path, qualname) in enumerate(functions):
        recorder = CallRecorder("", qualname, most, _numbered(number, sink))
        recorder.tell_callers = CallerStacks(root, recorder.sink).tell
        recorders.setdefault(os.path.realpath(root) + os.sep + path, []).append(recorder)
    install_for_files(recorders)


def _numbered(number: int, sink: Callable[[str], None]) -> Callable[[str], None]:
    return lambda line: sink(f"{number} {line}")
