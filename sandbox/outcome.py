"""The values that flow through the sandbox: Limits -> Run -> Outcome, all immutable."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

Mode = Literal["fork", "exec"]
"""fork: a fresh process of a warm interpreter (for timing); exec: exactly `python program.py`."""

Stop = Literal["time", "memory", "output", "processes", "lost"]
"""Why the guest ended a run; `lost`: the run killed the process that started it."""


class Verdict(StrEnum):
    """CodeNet's status names, as an online judge uses them."""

    AC = "AC"  # accepted
    WA = "WA"  # wrong answer
    RE = "RE"  # runtime error: non-zero exit status or a signal
    TLE = "TLE"  # time limit
    MLE = "MLE"  # memory limit
    OLE = "OLE"  # output limit
    IE = "IE"  # internal error: ours, says nothing about the program


@dataclass(frozen=True)
class RunLimits:
    """What one run may use."""

    seconds: float = 10.0
    """Wall clock, and CPU time of the run with all its descendants."""
    memory_mib: int = 512
    output_mib: float = 16.0
    """Of stdout, and of stderr, each."""
    processes: int = 64
    open_files: int = 256
    file_mib: int = 16
    """Largest file, and size of /tmp and of /dev/shm."""


@dataclass(frozen=True)
class Case:
    """One input with its expected output."""

    name: str
    stdin: bytes
    expected: bytes | None = None
    """None: the original program's output decides."""
    held_out: bool = False
    """Never shown to a proposer."""
    title: str = ""
    """What is said of the input to people, where it is no text for them."""


@dataclass(frozen=True)
class Run:
    """What the guest saw of one run; no judgement in it."""

    exit: int | None
    """Exit status, None when a signal ended the run."""
    signal: int | None
    wall_s: float
    cpu_s: float
    """User and system time of the run and of every descendant."""
    peak_bytes: int
    stdout: bytes
    stderr: bytes
    stop: Stop | None = None
    """Set when the guest ended the run."""
    stop_detail: str = ""
    """What the guest saw that led to `stop`."""
    runqueue_wait_s: float = 0.0
    """Of the wall time: ready to run, but others had the processor. What is neither this nor CPU time is waiting."""

    @property
    def active_s(self) -> float:
        """Seconds of the clock without those in which others had the processor: what it takes on an idle machine."""
        return max(self.cpu_s, self.wall_s - self.runqueue_wait_s)


@dataclass(frozen=True)
class Outcome:
    """One run of one case, judged."""

    case: str
    verdict: Verdict
    run: Run = field(repr=False)
    detail: str = ""
    """One line for people: what differed, which limit, which exception."""
