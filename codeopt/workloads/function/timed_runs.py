"""Runs of calls that keep their timings, and what they left of their processes: all runs of a judge say more than a
few."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from itertools import chain
from typing import TypeVar, Unpack

from codeopt.core.revision import Revision
from codeopt.workloads.source.module_names import imported_names
from codeopt_sandbox.call_answer import CallRun, CallTiming, ProcessChanges
from codeopt_sandbox.calls import CallBatch, CallRunner, FunctionRef
from codeopt_sandbox.guest.calls.batch import batch_of
from codeopt_sandbox.guest.environment import USUAL, Environment
from codeopt_sandbox.outcome import RunLimits
from codeopt_sandbox.runner import RunOptions

T = TypeVar("T")
Left = dict[tuple[Revision, tuple[str, ...]], list[ProcessChanges]]
"""Changes that checked runs left, each once, by program and the libraries that were imported after it."""


@dataclass(frozen=True)
class TimedRun:
    """Times of one run of timed calls."""

    program: Revision
    calls: bytes
    """A digest: which ones were timed."""
    batch: bytes
    """A digest: which ones, and how."""
    timing: CallTiming


@dataclass
class TimedRuns:
    """Runs calls of a module's revisions, and stores the times of each timed run."""

    calls: CallRunner
    """Runner of a module's text, which calls the target."""
    others: Mapping[Revision, FunctionRef] = field(default_factory=dict)
    """Functions to call instead of the target, for revisions in other places."""
    kept: list[TimedRun] = field(default_factory=list)
    """Oldest first."""
    left: Left = field(default_factory=dict)
    """Changes that checked runs left, each once, by program and the libraries that were imported after it."""
    known: frozenset[str] = frozenset()
    """Packages that the original imports."""
    imported: dict[Revision, tuple[str, ...]] = field(default_factory=dict)
    """Modules that a program newly imports, by program."""

    @property
    def limits(self) -> RunLimits:
        """The sandbox's own."""
        return self.calls.limits

    def run(self, program: Revision, stdin: bytes = b"", /, **options: Unpack[RunOptions]) -> CallRun:
        """Make the calls of a batch. Libraries that any program so far newly imports are loaded before.

        So no program alone pays for an import or finds a different process. Memory is compared without the others'
        imports.
        """
        if program not in self.imported:
            self.imported[program] = self.new_libraries(program)
        ref = self.others.get(program, self.calls.ref)
        if not batch_of(stdin).memory:
            ref = ref.replace(libraries=tuple(dict.fromkeys(chain.from_iterable(self.imported.values()))))
        calls = replace(self.calls, ref=ref)
        run = calls.run(program.text, stdin, **options)
        if run.call_timing:
            self.kept.append(TimedRun(program, _calls(stdin), _digest(stdin), run.call_timing))
        left = run.answer.left if run.answer else None
        if left is not None and left not in self.left.setdefault((program, ()), []):
            self.left[program, ()].append(left)
        return run

    def apart(self) -> TimedRuns:
        """A runner that knows as much by now, and whose further runs this one does not see."""
        return replace(self, kept=[], left={}, imported=dict(self.imported))

    def join(self, other: TimedRuns) -> None:
        """Add what the runs of one that was apart left of their processes."""
        for key, changes in other.left.items():
            self.left.setdefault(key, []).extend(each for each in changes if each not in self.left[key])

    def new_libraries(self, program: Revision) -> tuple[str, ...]:
        """Return the names that a program may import from packages that the original does not import."""
        return tuple(name for name in imported_names(program.text) if name.partition(".")[0] not in self.known)

    def ask(self, program: Revision, batch: CallBatch, environment: Environment = USUAL) -> CallRun:
        """Run a batch in a fresh interpreter. Without an answer the run says why."""
        return self.run(program, batch.stdin(), mode="exec", environment=environment)

    def restart_guest(self) -> None:
        """A fresh guest, as the sandbox does it."""
        self.calls.restart_guest()

    def quiesce(self) -> None:
        """Let the sandbox settle before timing."""
        self.calls.quiesce()

    def timings(self, program: Revision, stdin: bytes | None = None) -> list[CallTiming]:
        """Return timings of all runs of a program, or of those with the calls of this batch, the oldest first.

        The other questions of a batch do not matter.
        """
        calls = None if stdin is None else _calls(stdin)
        return [each.timing for each in self.kept if each.program == program and calls in (None, each.calls)]

    def of_batch(self, program: Revision, stdin: bytes) -> list[CallTiming]:
        """Timings of its runs that made just this batch; oldest first."""
        batch = _digest(stdin)
        return [each.timing for each in self.kept if each.program == program and each.batch == batch]


def side_by_side(old: Sequence[T], new: Sequence[T]) -> list[tuple[T, T]]:
    """Pair the latest runs of each, oldest first. The first runs of the longer list have no partner."""
    last = min(len(old), len(new))
    return list(zip(old[-last:], new[-last:], strict=True)) if last else []


def _calls(stdin: bytes) -> bytes:
    """A digest of the calls of a batch, however they are made."""
    return _digest(repr(batch_of(stdin).calls).encode("utf-8", "surrogatepass"))


def _digest(text: bytes) -> bytes:
    return blake2b(text, digest_size=16).digest()
