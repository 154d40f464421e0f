"""State that calls leave, and calls that gave no answer, as values; shared with the host."""

from __future__ import annotations

from ..answer import DIED, NO_ARGUMENTS, NOT_MADE, NOTHING, TIMEOUT, Answer, Field
from ..record import Record
from .repr.fields import text_field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Self

NOT_IMPORTED = "not_imported"
"""No outcomes: the module cannot be imported."""
IS_PROGRAM = "is_program"
"""No outcomes: the module runs as a program when it is imported, without its input, or to its end."""
ENDED_EARLY = "ended_early"
"""No outcomes: the module ends its process."""
OVERRUN = "overrun"
"""No outcomes: the timed calls exceed their time limit."""


class RunFailed(Exception):
    """The run cannot continue because of the code under test."""

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(text)
        self.kind = kind


class State(Record):
    """State that calls leave behind in their process."""

    changed: Field = NOTHING
    """Globals, attributes, random numbers and the environment that are another afterwards."""
    counted: Field = NOTHING
    """State that other modules of the project keep for themselves."""

    printed: Field = NOTHING
    """Output of the calls of a timed pass."""

    @classmethod
    def read(cls, fields: Mapping[str, Any]) -> Self:
        """Rebuild a state from JSON."""
        return cls(**{name: Field.read(value) for name, value in fields.items()})

    def told(self) -> dict[str, Any]:
        """Fields for JSON."""
        return {name: value.told() for name, value in vars(self).items() if value}

    @property
    def text(self) -> str:
        """The state in one line, for people alone."""
        counted = f" | other modules keep for themselves: {self.counted.shown}" if self.counted else ""
        printed = f"; prints {self.printed.shown}" if self.printed else ""
        return f"state: {self.changed.shown or 'unchanged'}{printed}{counted}"


def without_answer(kind: str, words: str, **more: Any) -> Answer:
    """A call of which only its end is known."""
    return Answer(kind, raised=text_field(words), **more)


def timeout(seconds: float) -> Answer:
    """A call that was ended after so long."""
    return without_answer(TIMEOUT, f"takes longer than {seconds:g} s", seconds=seconds)


def died(status: int, seconds: float) -> Answer:
    """A call that ended its process."""
    return without_answer(DIED, "ends the process" + how_it_ended(status), seconds=seconds)


def not_made() -> Answer:
    """A call after those that took all the time of a batch."""
    return without_answer(NOT_MADE, "is not made: the calls before it hang or take all the time")


def no_arguments(error: BaseException) -> Answer:
    """A call whose arguments cannot be made: a class does not take those that were generated for it."""
    name = type(error).__name__
    return without_answer(NO_ARGUMENTS, f"making its arguments raises {name}", exception=name)


def how_it_ended(status: int) -> str:
    """End of a process in words."""
    return f" (signal {status & 127})" if status & 127 else f" (exit status {status >> 8})"
