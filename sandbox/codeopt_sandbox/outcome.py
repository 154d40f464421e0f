"""The values that flow through the sandbox: Limits -> Run -> Outcome, all immutable."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from codeopt_sandbox.caveat import Caveat

Mode = Literal["fork", "exec"]
"""How a program is started. fork: in a fork of a warm interpreter (for timing); exec: exactly as `python
program.py`."""

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


class Cause(StrEnum):
    """Why a verdict is not AC, where the verdict alone does not say it."""

    CALL_TIMEOUT = "call_timeout"
    """A wrong answer: a call was ended that took too long."""
    OVERRUN = "overrun"
    """A runtime error: all timed calls together took too long."""


@dataclass(frozen=True)
class RunLimits:
    """Resource limits of one run."""

    seconds: float = 10.0
    """Wall clock, and CPU time of the run with all its descendants."""
    memory_mib: int = 512
    output_mib: float = 16.0
    """Limit of stdout, and of stderr, each, MiB."""
    processes: int = 64
    open_files: int = 256
    file_mib: int = 16
    """Largest file, and size of /tmp and of /dev/shm."""


Files = tuple[tuple[str, bytes], ...]
"""Relative path and content of each."""


@dataclass(frozen=True)
class WrittenFile:
    """A file that a run made, changed or removed in its working folder."""

    path: str
    content: bytes | None
    """Content; None for a file that was given and is gone."""
    special: bool = False
    """The entry is neither a file nor a link."""


@dataclass(frozen=True)
class Case:
    """One input with its expected output."""

    name: str
    stdin: bytes
    expected: bytes | None = None
    """Expected standard output; None: that of the original program."""
    held_out: bool = False
    """Never shown to a proposer."""
    title: str = ""
    """Description of an input that is no readable text, for people."""
    args: tuple[str, ...] = ()
    """The program's arguments."""
    files: Files | None = None
    """Files of the working folder, in which the files that the program writes count as output; None: no folder, and
    standard output alone counts."""
    written: tuple[WrittenFile, ...] | None = None
    """Files that the program is expected to write there; None: those of the original program."""
    ignored: tuple[str, ...] = ()
    """Patterns of files that do not count, such as logs."""
    exit: int = 0
    """The exit status that is right: a linter that found something ends with 1."""


@dataclass(frozen=True)
class Run:
    """Observations of the guest on one run; no judgement."""

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
    """Observation that led to `stop`."""
    runqueue_wait_s: float = 0.0
    """Share of the wall time in which the run, or after it whoever saw its end, was ready but others had the processor,
    seconds. What is neither this nor CPU time is waiting."""
    written: tuple[WrittenFile, ...] = ()
    """Files that the run wrote in its working folder, where it had one."""
    preload_failure: str = ""
    """Why its libraries were not imported before it was forked; empty where they were, or it has none."""

    @property
    def active_s(self) -> float:
        """Seconds of the clock without those in which others had the processor: what it takes on an idle machine."""
        return max(self.cpu_s, self.wall_s - self.runqueue_wait_s)

    @property
    def cause(self) -> Cause | None:
        """Cause that is known of a run that gave no answer, beside how it ended."""
        return None


@dataclass(frozen=True)
class ChangedSetting:
    """A setting of the whole process that a run left changed."""

    name: str
    """`the switch interval`"""
    before: str
    after: str
    """Texts; empty where there is none."""
    when: Literal["import", "calls"]
    """Phase in which the setting was changed."""


@dataclass(frozen=True)
class Outcome:
    """One run of one case, judged."""

    case: str
    verdict: Verdict
    run: Run = field(repr=False)
    detail: str = ""
    """One line for people: what differed, which limit, which exception."""
    cause: Cause | None = None
    caveats: tuple[Caveat, ...] = ()
    """Differences from what was expected that are no reason for another verdict."""
    settings: tuple[ChangedSetting, ...] = ()
    """Settings of the process that the run left changed and should not have: the reason for the verdict."""
