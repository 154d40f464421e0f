"""Runs of calls that keep their timings, and what they left of their processes: all runs of a judge say more than a
few."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import TypeVar, Unpack

from codeopt.core.revision import Revision
from codeopt_sandbox.call_answer import CallTiming, ProcessChanges
from codeopt_sandbox.calls import CallBatch, CallRun, CallRunner, FunctionRef
from codeopt_sandbox.outcome import RunLimits
from codeopt_sandbox.runner import RunOptions

T = TypeVar("T")
Left = dict[tuple[Revision, tuple[str, ...]], list[ProcessChanges]]
"""What checked runs left, each once, by program and the libraries that were imported after it."""


@dataclass(frozen=True)
class TimedRun:
    """Time that a run of timed calls took beside them."""

    program: Revision
    calls: bytes
    """A digest: which ones were timed."""
    batch: bytes
    """A digest: which ones, and how."""
    timing: CallTiming


@dataclass(frozen=True)
class TimedRuns:
    """Runs calls of a module's revisions, and keeps what each run of timed ones took beside them."""

    calls: CallRunner
    """Runner of a module's text, which calls the target."""
    others: Mapping[Revision, FunctionRef] = field(default_factory=dict)
    """Functions to call instead of the target, in revisions that stand elsewhere."""
    kept: list[TimedRun] = field(default_factory=list)
    """Oldest first."""
    left: Left = field(default_factory=dict)
    """By program and the libraries that were imported after it: what its checked runs left, each once."""

    @property
    def limits(self) -> RunLimits:
        """The sandbox's own."""
        return self.calls.limits

    def run(self, program: Revision, stdin: bytes = b"", /, **options: Unpack[RunOptions]) -> CallRun:
        """Make the calls of a batch."""
        calls = replace(self.calls, ref=self.others[program]) if program in self.others else self.calls
        run = calls.run(program.text, stdin, **options)
        if run.call_timing:
            self.kept.append(TimedRun(program, _calls(stdin), _digest(stdin), run.call_timing))
        left = run.answer.left if run.answer else None
        if left is not None and left not in self.left.setdefault((program, ()), []):
            self.left[program, ()].append(left)
        return run

    def ask(self, program: Revision, batch: CallBatch, hash_seed: int = 0) -> CallRun:
        """Run a batch in a fresh interpreter. Without an answer the run says why."""
        return self.run(program, batch.stdin(), mode="exec", hash_seed=hash_seed)

    def restart_guest(self) -> None:
        """A fresh guest, as the sandbox does it."""
        self.calls.restart_guest()

    def quiesce(self) -> None:
        """Let the sandbox settle before timing."""
        self.calls.quiesce()

    def timings(self, program: Revision, stdin: bytes | None = None) -> list[CallTiming]:
        """Timings of all its runs, or of those that made the calls of this batch, whatever else it asks for; oldest
        first."""
        calls = None if stdin is None else _calls(stdin)
        return [each.timing for each in self.kept if each.program == program and calls in (None, each.calls)]

    def of_batch(self, program: Revision, stdin: bytes) -> list[CallTiming]:
        """Timings of its runs that made just this batch; oldest first."""
        batch = _digest(stdin)
        return [each.timing for each in self.kept if each.program == program and each.batch == batch]


def side_by_side(old: Sequence[T], new: Sequence[T]) -> list[tuple[T, T]]:
    """The latest of each, oldest first: of what is run more often the first runs stood alone."""
    last = min(len(old), len(new))
    return list(zip(old[-last:], new[-last:], strict=True)) if last else []


def _calls(stdin: bytes) -> bytes:
    """The first line of a batch says how its calls are made."""
    return _digest(stdin.partition(b"\n")[2])


def _digest(text: bytes) -> bytes:
    return blake2b(text, digest_size=16).digest()
