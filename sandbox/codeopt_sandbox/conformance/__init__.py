"""Conformance check: each promise of the sandbox, tried on this machine; it holds, or the report says why it cannot."""

from __future__ import annotations

import os
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from codeopt_sandbox.conformance import _runs, _walls
from codeopt_sandbox.conformance._runs import LIMITS
from codeopt_sandbox.errors import BackendUnavailable, SandboxError
from codeopt_sandbox.host import Sandbox, open_sandbox
from codeopt_sandbox.outcome import RunLimits

__all__ = ["LIMITS", "Check", "CheckResult", "checks", "report", "run_checks"]

Probe = Callable[[Sandbox], str]
"""Tries a promise; returns "" when it holds, else what was seen."""


@dataclass(frozen=True)
class Check:
    """One promise."""

    name: str
    promise: str
    probe: Probe
    cannot: Mapping[str, str] = field(default_factory=dict)
    """Backend -> why it cannot keep this promise."""


@dataclass(frozen=True)
class CheckResult:
    check: Check
    held: bool
    seen: str = ""
    """Reason why a guarantee fails, or cannot be tested."""
    cannot: bool = False

    def __str__(self) -> str:
        if self.held:
            return f"PASS    {self.check.name}: {self.check.promise}"
        if self.cannot:
            return f"CANNOT  {self.check.name}: {self.check.promise} (cannot hold here: {self.seen})"
        return f"FAIL    {self.check.name}: {self.check.promise} (seen: {self.seen})"


def _shown(line: str) -> str:
    """Return a line in rows of a terminal, broken between words. Elsewhere it stays one line."""
    return textwrap.fill(line, 80, subsequent_indent=" " * 8) if sys.stdout.isatty() else line


def run_checks(open: Callable[[RunLimits], Sandbox]) -> Iterator[CheckResult]:
    """Check one promise after another in one sandbox, as the runs of a program are; the last of them end its guest."""
    with open(LIMITS) as sandbox:
        for check in checks():
            yield _result(check, sandbox)


def _result(check: Check, sandbox: Sandbox) -> CheckResult:
    why = check.cannot.get(sandbox.backend)
    if check.name == "identity" and sandbox.backend == "bubblewrap" and os.geteuid() != 0:
        why = "started by an ordinary user, guest and runs share that user's number, in namespaces of their own"
    if why:
        return CheckResult(check, False, why, cannot=True)
    try:
        seen = check.probe(sandbox)
    except SandboxError as error:
        seen = f"the sandbox failed: {error}"
    return CheckResult(check, not seen, seen)


def report(backend: str = "auto") -> int:
    """Print a line for each promise; 0 when no promise is broken, 3 without the backend."""
    broken = False
    try:
        for result in run_checks(lambda limits: open_sandbox(backend, limits=limits)):
            print(_shown(str(result)), flush=True)
            broken = broken or not (result.held or result.cannot)
    except BackendUnavailable as error:
        print(f"error: {error}", file=sys.stderr)
        return 3
    return int(broken)


_NOT_ISOLATED = {"process": "a run is a process of this machine like any other"}
_NO_GROUP = {
    "bubblewrap": "only a control group counts a child that nobody waited for",
    "process": "only a control group counts a child that nobody waited for",
}


def checks() -> tuple[Check, ...]:
    """Every promise, in the order in which they are checked."""
    return (
        Check("ends", "Exit status and signal are the program's own, and no two ends look the same.", _runs.ends),
        Check("bytes", "Every byte of input and output arrives as it was sent.", _runs.all_bytes),
        Check("unread input", "Mebibytes of input that nobody reads do not block.", _runs.unread_input),
        Check(
            "network",
            "A run reaches no network, and nothing that listens on this machine.",
            _walls.network,
            _NOT_ISOLATED,
        ),
        Check(
            "files",
            "A run writes to its own scratch folders only, and reads no file of ours.",
            _walls.files,
            _NOT_ISOLATED,
        ),
        Check("clean slate", "No file of one run is there in the next.", _walls.clean_slate),
        Check(
            "traces",
            "No counter of the control group and no time of a scratch folder tells of an earlier run.",
            _walls.traces,
            _NOT_ISOLATED,
        ),
        Check("memory", "Twice the memory that is allowed is a memory limit, in a child too.", _runs.memory),
        Check("wall clock", "A run that does not end is ended in time, busy or asleep.", _runs.wall_clock),
        Check("descendants", "Whatever a run started is dead when it has ended.", _walls.descendants),
        Check("processor time", "Processor time counts daemons that left the run.", _runs.processor_time),
        Check(
            "ignored children",
            "Processor time counts children that nobody waited for.",
            _runs.ignored_children,
            _NO_GROUP,
        ),
        Check(
            "out of memory",
            "Where the machine runs out of memory a run is ended first, and cannot undo that.",
            _walls.ended_first,
            _NOT_ISOLATED,
        ),
        Check("processes", "More processes than allowed end the run, and the next one is fine.", _runs.processes),
        Check("output", "Output is capped to the byte while it comes; what is below the cap is whole.", _runs.output),
        Check("clock", "Time is taken outside the run, which can patch or end what it likes.", _runs.clock),
        Check("clock setting", "A run cannot set the machine's clock.", _walls.clock_setting, _NOT_ISOLATED),
        Check(
            "forged results",
            "Nothing that a run prints, writes or kills is taken for a report.",
            _runs.forged,
            _NOT_ISOLATED,
        ),
        Check(
            "out of sight",
            "A run sees no memory, environment or descriptor of others.",
            _walls.out_of_sight,
            _NOT_ISOLATED,
        ),
        Check(
            "identity",
            "A run has a user of its own, no capability and no way to gain one.",
            _walls.identity,
            _NOT_ISOLATED,
        ),
        Check(
            "system calls", "Calls that a program which computes never needs are denied.", _walls.calls, _NOT_ISOLATED
        ),
        Check(
            "file cache",
            "A run cannot ask what is in the kernel's cache of files, and its advice about it is ignored.",
            _walls.file_cache,
            _NOT_ISOLATED,
        ),
        Check("environment", "The environment is a fixed list: no secret of ours is in it.", _runs.environment),
        Check("repeatable", "The same program ends in the same way each time.", _runs.repeatable),
        Check(
            "libraries",
            "Libraries of calls are imported once; a run cannot detect that, and changes nothing in them.",
            _runs.imported_once,
        ),
        Check("lost guest", "A guest that vanished is replaced or reported, and never a verdict.", _walls.lost_guest),
        Check(
            "killed owner",
            "Nothing is left of a run after kill -9 of the process that asked for it.",
            _walls.killed_owner,
        ),
    )
