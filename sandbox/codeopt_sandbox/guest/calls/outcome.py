"""Outcome of a call, as a value; shared with the host."""

from __future__ import annotations

from ..record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

RETURNS = "returns"
YIELDS = "yields"
RAISES = "raises"
TIMEOUT = "timeout"
DIED = "died"
NOT_MADE = "not_made"
NOT_COMPARABLE = "not_comparable"
NO_ARGUMENTS = "no_arguments"
IMPORT = "import"
"""Phase of the import, in which a setting was changed."""
CALLS = "calls"
"""Phase of the calls, in which a setting was changed."""
THREADS = "threads"
CHILDREN = "child processes"
FILES = "an open file descriptor of "
AT_EXIT = "functions registered with atexit"
COUNTED = (THREADS, CHILDREN, FILES, AT_EXIT)
"""Beginnings of the names of settings that count something: where the original leaves any, a draft may, too."""
NOT_IMPORTED = "not_imported"
"""No outcomes: the module cannot be imported."""
IS_PROGRAM = "is_program"
"""No outcomes: the module runs as a program when it is imported, without its input, or to its end."""
ENDED_EARLY = "ended_early"
"""No outcomes: the module ends its process."""
OVERRUN = "overrun"
"""No outcomes: the timed calls exceed their time limit."""
EFFECTS = {
    "network": "uses the network", "process": "starts a process", "files": "changes files",
    "environment": "changes the environment", "folder": "changes the folder", "signals": "sends signals",
    "database": "opens a database", "library": "loads a library",
}  # fmt: skip
"""Effects of a call outside of its process, in words."""


class RunFailed(Exception):
    """The run cannot go on because of the code under test."""

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(text)
        self.kind = kind


class CallOutcome(Record):
    """Outcome of one call."""

    text: str
    """Text for people, and for comparing: `returns [1] | arguments become ([1]; )`."""
    kind: str
    """One of the names above: a result, an iterator's items, an exception, a call that took too long, that ended its
    process, that there was no time for, that has a part for which no text can stand, that has no arguments."""
    exception: str = ""
    """Name of the exception that the call raised or that ended an iterator."""
    effects: tuple[str, ...] = ()
    """Keys of EFFECTS."""
    iterators: int = 0
    """Number of iterators that were read to show the result."""
    opaque: str = ""
    """The type of what cannot be compared."""
    seconds: float = 0.0
    """Wall time of the first run, including the reading of its result, seconds."""
    cut_short: bool = False
    """An iterator has more items than were read."""
    said: str = ""
    """The exception's own text, cut; for people only."""
    line: int = 0
    """Line of the module where the exception was raised; 0 for one that is raised elsewhere."""


UNCHANGED = "state: unchanged"
"""Text of a state in which calls have changed nothing."""


class State(Record):
    """State that calls leave behind in their process."""

    text: str
    """Text for people, and for comparing: `state: global COUNT becomes [1]`."""
    changed: bool


class LeftSetting(Record):
    """A setting of the whole process that is another one afterwards than before."""

    name: str
    """`the switch interval`"""
    before: str
    after: str
    """Texts for people, and for comparing; empty where there is none."""
    when: str
    """IMPORT or CALLS: what has changed it."""


class ProcessChanges(Record):
    """Changes that import and calls leave in their process."""

    settings: tuple[LeftSetting, ...]
    libraries: tuple[str, ...]
    """Modules that were loaded meanwhile, in order; of a process with no such setting none are told."""

    def told(self) -> dict[str, Any]:
        """Fields for JSON."""
        return {"settings": [each.fields() for each in self.settings], "libraries": self.libraries}


def timeout(seconds: float) -> CallOutcome:
    """A call that was ended after so long."""
    return CallOutcome(f"takes longer than {seconds:g} s", TIMEOUT, seconds=seconds)


def died(status: int, seconds: float) -> CallOutcome:
    """A call that ended its process."""
    return CallOutcome("ends the process" + how_it_ended(status), DIED, seconds=seconds)


def not_made() -> CallOutcome:
    """A call after those that took all the time of a batch."""
    return CallOutcome("is not made: the calls before it hang or take all the time", NOT_MADE)


def no_arguments(error: BaseException) -> CallOutcome:
    """A call whose arguments cannot be made: a class does not take those that were made up for it."""
    name = type(error).__name__
    return CallOutcome(f"has no arguments: {name}", NO_ARGUMENTS, exception=name)


def how_it_ended(status: int) -> str:
    """End of a process in words."""
    return f" (signal {status & 127})" if status & 127 else f" (exit status {status >> 8})"
