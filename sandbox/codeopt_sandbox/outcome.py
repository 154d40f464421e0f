"""The values that flow through the sandbox: Limits -> Run -> Outcome, all immutable; what runs programs, and the
verdict on a run."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Literal, Protocol, TypedDict, TypeVar, Unpack

from codeopt_sandbox.guest.request import USUAL, Environment
from codeopt_sandbox.guest_bundle import GuestProgram

Mode = Literal["fork", "exec"]
"""Way to start a program. fork: in a fork of a warm interpreter (for timing); exec: exactly as `python
program.py`."""

Stop = Literal["time", "memory", "output", "processes", "lost"]
"""Reason why the guest ended a run. `lost`: the run killed the process that started it."""


class CaseVerdict(StrEnum):
    """CodeNet's status names, as an online judge uses them."""

    AC = "AC"  # accepted
    WA = "WA"  # wrong answer
    RE = "RE"  # runtime error: non-zero exit status or a signal
    TLE = "TLE"  # time limit
    MLE = "MLE"  # memory limit
    OLE = "OLE"  # output limit
    IE = "IE"  # internal error: ours, says nothing about the program

    @property
    def words(self) -> str:
        """Name for people: `wrong result`, `time limit`."""
        return _IN_WORDS[self]


_IN_WORDS = {
    CaseVerdict.AC: "right",
    CaseVerdict.WA: "wrong result",
    CaseVerdict.RE: "error",
    CaseVerdict.TLE: "time limit",
    CaseVerdict.MLE: "memory limit",
    CaseVerdict.OLE: "output limit",
    CaseVerdict.IE: "internal error",
}


class Cause(StrEnum):
    """Cause of a verdict other than AC, if the verdict alone does not show it."""

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
    mode: int = 0o644
    """Permissions of a file, without those of others to write."""


@dataclass(frozen=True)
class Case:
    """One input with its expected output."""

    name: str
    stdin: bytes
    expected: bytes | None = None
    """Expected standard output. None: that of the original program."""
    held_out: bool = False
    """Never shown to a proposer."""
    title: str = ""
    """Description of an input that is no readable text, for people."""
    args: tuple[str, ...] = ()
    files: Files | None = None
    """Files of the working folder, in which the files that the program writes count as output. None: no folder, and
    standard output alone counts."""
    written: tuple[WrittenFile, ...] | None = None
    """Files that the program is expected to write there. None: those of the original program."""
    ignored: tuple[str, ...] = ()
    """Patterns of files that do not count, such as logs."""
    exit: int = 0
    """The exit status that is right: a linter that found something ends with 1."""
    environment: Environment = USUAL
    """Environment in which the original gave the expected output, and a draft is run."""

    @property
    def has_arguments(self) -> bool:
        """Return True if standard input is not all that a program is given."""
        return bool(self.args or self.files)

    @property
    def is_answered(self) -> bool:
        """Whether it is known what the original does."""
        return self.expected is not None

    def expecting(self, run: Run) -> Case:
        """The case that expects what this run did."""
        return replace(self, expected=run.stdout)


@dataclass(frozen=True)
class Run:
    """Observations of one run, without a judgement."""

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
    """Part of the wall time in which the run was ready but other processes had the core, seconds.

    The process that waits for its end counts also. Time that is neither this nor CPU time is waiting.
    """
    written: tuple[WrittenFile, ...] = ()
    """Files that the run wrote in its working folder, where it had one."""
    preload_failure: str = ""
    """Reason why its libraries were not imported before the fork. Empty if they were, or if it has no libraries."""

    @property
    def active_s(self) -> float:
        """Seconds of the clock without those in which others had the processor: what it takes on an idle machine."""
        return max(self.cpu_s, self.wall_s - self.runqueue_wait_s)

    @property
    def waiting_share(self) -> float:
        """Share of `active_s` in which it does not work, 0 to 1: the same on a busy machine as on an idle one."""
        return (self.active_s - self.cpu_s) / self.active_s if self.active_s else 0.0

    @property
    def cause(self) -> Cause | None:
        """Return the known cause of a missing answer, in addition to the run's end."""
        return None

    @property
    def frames(self) -> tuple[tuple[str, int], ...]:
        """File and line of each frame of the traceback on standard error, the innermost last."""
        found = re.findall(r'^ *File "(.+?)", line (\d+)', self.stderr.decode("utf-8", "replace"), re.MULTILINE)
        return tuple((path, int(line)) for path, line in found)


@dataclass(frozen=True)
class ChangedSetting:
    """A setting of the whole process that a run left changed."""

    name: str
    """`the switch interval`"""
    before: str
    after: str
    """Texts of both sides. An absent one is empty."""
    when: Literal["import", "calls"]
    """Phase in which the setting was changed."""


@dataclass(frozen=True)
class Outcome:
    """One run of one case, judged."""

    case: str
    verdict: CaseVerdict
    run: Run = field(repr=False)
    detail: str = ""
    """One line for people: what differed, which limit, which exception."""
    cause: Cause | None = None
    caveats: tuple[Caveat, ...] = ()
    """Differences from what was expected that are no reason for another verdict."""
    settings: tuple[ChangedSetting, ...] = ()
    """Settings of the process that the run left changed and should not have: the reason for the verdict."""

    @property
    def words(self) -> str:
        """`time limit: ended after 10 s`."""
        return f"{self.verdict.words}: {self.detail}" if self.detail else self.verdict.words


# A difference between two programs on unusual inputs: it is shown and does not reject a candidate.

MOST_SHOWN = 200
"""Characters of an input, and of what is done with it, in a line."""
SHOWN = 3
"""Number of kinds of inputs that one caveat names."""


class Tier(StrEnum):
    """Confidence that an input is one that the code is for; it decides what a difference on it means."""

    KNOWN = "known"
    """Tests, cases, recorded and given calls: the draft is rejected."""
    SIMILAR = "similar"
    """Generated, of the formats, types and relations that the known ones have: the draft is rejected."""
    UNUSUAL = "unusual"
    """Any other input: a difference is a caveat."""
    EXCLUDED = "excluded"
    """An input that the user excludes: a difference is never more than a caveat."""


class CaveatKind(StrEnum):
    INPUT = "input"
    """An input of a type, sign, alphabet or relation that no known one has."""
    TEXT = "text"
    """The text of an exception, or on standard error."""
    FLOATS = "floats"
    """The last bits of floats."""
    PRIVATE = "private"
    """Attributes that only the object itself looks at."""
    INTERFACE = "interface"
    """Methods of a result that callers rarely use."""
    SPEED = "speed"
    """Slower on another shape of input."""
    LAYOUT = "layout"
    """White space in what is printed."""
    MEMORY = "memory"
    ENVIRONMENT = "environment"
    """State of the machine that the code reads in addition to its input, such as clocks."""
    EVIDENCE = "evidence"
    """Too little could be tried."""


@dataclass(frozen=True)
class Caveat:
    """The smallest input that shows a difference, with both outcomes."""

    kind: CaveatKind
    input: str
    """The input in a few words, or its text cut to a line."""
    expected: str
    """Behaviour of the original, for people."""
    got: str
    """Behaviour of the draft, for people."""
    cause: str = ""
    """Reason why the input is unusual: `no known input has a negative number`."""
    reproduce: str = ""
    """Shell line that shows the difference again. Empty if there is no such line."""
    held_out: bool = False
    """Found on what a proposer is never shown."""
    tier: Tier = Tier.UNUSUAL
    max_float_difference: float = 0.0
    """The largest difference between floats, of `FLOATS`."""
    count: int = 1
    """Number of inputs that show the same for the same reason."""
    lines: tuple[int, ...] = ()
    """Lines that no input runs, of `EVIDENCE`."""
    domain: tuple[str, ...] = ()
    """What sets such inputs apart from all known ones: `letters other than A, C, G, T for `strand``."""

    @property
    def words(self) -> str:
        """One line for people."""
        far = f", at most {self.max_float_difference:.1g} apart" * bool(self.max_float_difference)
        why = f" ({self.cause}{far})" if self.cause else ""
        more = f" and {self.count - 1} more" * (self.count > 1)
        given, expected, got = cut(self.input), cut(self.expected), cut(self.got)
        if self.domain and expected:
            instead = expected.removeprefix("returns ") if got.startswith("returns ") else expected
            return f"only for {self.cause}: {got} instead of {instead}, as on {given}{more}"
        where = f"on {given}{more}: " if given else ""
        return f"{where}{got}, where the original: {expected}{why}" if expected else f"{where}{got}{why}"


def cut(text: str, most: int = MOST_SHOWN) -> str:
    """A text on one line, cut behind a word."""
    line = " ".join(text.splitlines())
    if len(line) <= most:
        return line
    head = line[:most]
    return f"{head[: head.rfind(' ')] if ' ' in head[most // 2 :] else head} ..."


def distinct(caveats: Iterable[Caveat]) -> tuple[Caveat, ...]:
    """The caveat with the smallest input for each kind and cause, in order, showable ones first, with the number
    of all. Caveats without a reason are all kept, and those about the domain are one."""
    found: dict[tuple[CaveatKind, str, str], Caveat] = {}
    for caveat in caveats:
        because = "domain" if caveat.domain else caveat.cause
        key = caveat.kind, because, "" if caveat.cause else f"{caveat.input}: {caveat.words}"
        known = found.get(key, caveat)
        best = min(known, caveat, key=lambda each: (each.held_out, len(each.input)))
        count = max(known.count, caveat.count) if known.input == caveat.input else known.count + caveat.count
        domain = tuple(dict.fromkeys((*known.domain, *caveat.domain)))
        more = f", or {len(domain) - SHOWN} further kinds of calls" * (len(domain) > SHOWN)
        cause = ", or ".join(domain[:SHOWN]) + more if domain else best.cause
        found[key] = replace(
            best,
            domain=domain,
            cause=cause,
            max_float_difference=max(known.max_float_difference, caveat.max_float_difference),
            count=count,
        )
    return tuple(found.values())


# Choice of the metric: a program that computes is timed by CPU time, one that waits by wall time.
#
# Only the program's own behavior counts. Time on a core is no waiting, nor is time in the run queue. Load of the
# machine can make a run appear to wait, and never the opposite. So one run without waiting decides, and wall time
# needs several runs that wait.

Clock = Literal["cpu", "wall", "memory"]


def choose_clock(run: Run, again: Callable[[], Run]) -> Clock:
    """The clock for what ran so; `again` makes another run of the same, and is asked only where wall time would be
    chosen."""
    # three runs have to wait, each, before wall time is chosen
    if computes(run) or any(computes(again()) for _ in range(2)):
        return "cpu"
    return "wall"


def computes(run: Run) -> bool:
    """Return True if a run waited only for a core."""
    # Least share of the wall time of a program that computes on a processor, or ready for one
    # Seconds of a run that do not belong to the program: the delay until its end is noticed
    return run.cpu_s + run.runqueue_wait_s >= 0.9 * run.wall_s - 0.002


# What runs programs: a Sandbox, or an object with its interface.


Program = str | bytes | GuestProgram
P = TypeVar("P")
P_contra = TypeVar("P_contra", contravariant=True)
"""Type that a runner takes for a program: a text, or a caller's own value of one or several."""


class RunOptions(TypedDict, total=False):
    """Options of a run; one that is left out has the default that its docstring names."""

    args: Sequence[str]
    """The program's arguments. None by default."""
    mode: Mode
    """How its process starts: a fork of the warm interpreter, by default, or a fresh one."""
    limits: RunLimits | None
    """Limits of this run, those of the runner by default."""
    environment: Environment
    """Environment that a run can depend on in addition to its input, the usual one by default. Only a fresh interpreter
    gets its variables."""
    files: Files | None
    """Files in its working folder, on top of the base. The files that it writes there are returned. By default it has
    no folder."""
    without: Sequence[str]
    """Files of the base to leave out. None by default."""


class Runner(Protocol[P_contra]):
    """Runs one program on one input."""

    @property
    def limits(self) -> RunLimits:
        """Default limits of a run."""

    def run(self, program: P_contra, stdin: bytes = b"", /, **options: Unpack[RunOptions]) -> Run:
        """Run a program. Raises SandboxError when the sandbox itself failed."""

    def restart_guest(self) -> None:
        """Go on with a fresh guest: nothing that an earlier run left behind is in it."""

    def quiesce(self) -> None:
        """Stop background work for now, so that the run has the measuring core to itself."""


GuestRunner = Runner[Program]
"""Runs our own programs of the guest too."""


def run_on(runner: Runner[P], program: P, case: Case, **options: Unpack[RunOptions]) -> Run:
    """Run a program on a case: its standard input, in its environment, with its arguments and files where it has
    some."""
    options.setdefault("environment", case.environment)
    if case.args:
        options["args"] = case.args
    if case.files is not None:
        options["files"] = case.files
    return runner.run(program, case.stdin, **options)
