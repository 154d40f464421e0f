"""Request to a profiler; shared with the host."""

from __future__ import annotations

from ..record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal

    ProfileMode = Literal["lines", "scalene", "callees", "allocated"]
INTERVAL = 0.005
"""Seconds between Scalene's samples."""


class ProfileRequest(Record):
    """One profiled run. On standard input it is one line of JSON, and what follows is the program and its input."""

    mode: ProfileMode
    source: int
    """Bytes of the program's text."""
    stdin: int
    """Bytes of its input."""
    marker: str
    """Stands before the result, which the program may have printed something like."""
    min_seconds: float
    """Time for which Scalene repeats the program, seconds."""
    max_seconds: float
    """Time limit of the program, seconds; samples until then count."""
    function: dict[str, Any] | None = None
    """Fields of a FunctionRef. The program is its module, and the function is called with the calls on the program's
    input.

    Lines are measured only from then on. Import and construction of arguments are excluded, with their time.
    """
    args: tuple[str, ...] = ()
