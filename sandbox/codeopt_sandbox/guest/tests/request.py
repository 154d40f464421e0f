"""Request to run tests, with its purpose; shared with the host."""

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
    """Purpose of the run. rank: pytest under a profiler."""
    tests: tuple[str, ...]
    """Paths or test ids."""
    folder: str
    """Folder to run in; empty for the current one."""
    most: int
    """Calls of the function to write down."""
    seconds: float
    """Time after which no further test is begun, seconds."""
    files: tuple[str, ...] = ()
    """Files whose functions a "rank" job times."""
    functions: tuple[str, ...] = ()
    """Functions whose calls a "rank" job writes down, each as `module qualname`."""
