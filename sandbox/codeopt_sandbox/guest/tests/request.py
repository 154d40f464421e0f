"""Which tests are run, and what for; shared with the host."""

from __future__ import annotations

from ..record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    TestJob = Literal["pytest", "doctest", "rank"]


class TestRequest(Record):
    """One run of existing tests."""

    __test__ = False

    job: TestJob
    """rank: pytest under a profiler."""
    tests: tuple[str, ...]
    """Paths or test ids."""
    folder: str
    """Where they are run; empty for where we are."""
    most: int
    """Calls of the function to write down."""
    seconds: float
    """After these no further test is begun."""
    files: tuple[str, ...] = ()
    """Whose functions a "rank" job times."""
