"""Calls of one function in the sandbox: a module's text and calls go in, times and outcomes come out.

A `CallRunner` stands where a Sandbox stands: `compare`, `judge` and `make_plan` work on modules as they do on programs
that read standard input. A case's stdin is a `CallBatch` as text; what is printed is one line a call,
`f(1) -> returns 2`. The seconds of such a run are those between two readings of the clock just before and after its
calls, taken by a process that never runs the code under test (see guest/calls); what a whole run took is kept beside
it, as a check.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Unpack

from codeopt_sandbox.answers import ARROW
from codeopt_sandbox.call_answer import (
    CallAnswer,
    CallOutcome,
    CallRun,
    CallTiming,
    as_call_run,
    read_answer,
    read_failure,
)
from codeopt_sandbox.guest.accept.request import AcceptRequest, OutputsRequest
from codeopt_sandbox.guest.calls.batch import CallBatch
from codeopt_sandbox.guest.calls.function_ref import FunctionRef
from codeopt_sandbox.guest.tests.request import TestRequest
from codeopt_sandbox.guest_bundle import GuestProgram, Libraries
from codeopt_sandbox.outcome import RunLimits
from codeopt_sandbox.runner import GuestRunner, RunOptions

USUAL_S = 62.0
"""Time limits of a call and of a pass where a batch says nothing, together, seconds."""
WHOLE_MIB = 64.0
"""Output of a run whose long answers are told whole, MiB."""
_LIMITS = re.compile(rb"'(?:pass_)?seconds': ([\d.]+)")

__all__ = ["CallBatch", "CallOutcome", "CallRun", "CallRunner", "FunctionRef", "TestRequest"]


def calls_program(ref: FunctionRef, source: str, libraries: Libraries | None = None) -> GuestProgram:
    """A program that calls `ref` in the module text `source`."""
    return GuestProgram("calls", (ref.fields(), source), libraries)


def tests_program(ref: FunctionRef, request: TestRequest, source: str) -> GuestProgram:
    """A program that runs existing tests or doctests on the module text `source`."""
    return GuestProgram("tests", (ref.fields(), request.fields(), source))


def accept_program(ref: FunctionRef, request: AcceptRequest) -> GuestProgram:
    """A program that asks a user's own checker about answers of `ref`."""
    return GuestProgram("accept", (request.fields(), ref.fields()))


def outputs_program(request: OutputsRequest) -> GuestProgram:
    """A program that asks a user's own checker about outputs of programs."""
    return GuestProgram("accept", (request.fields(),))


@dataclass(frozen=True)
class CallRunner:
    """Runs batches of calls in a sandbox. A program is a module's text."""

    sandbox: GuestRunner
    ref: FunctionRef
    name: Callable[[str], str] = str
    """A call as it is shown."""
    libraries: Libraries | None = None
    """Imported once, for all runs alike."""

    @property
    def limits(self) -> RunLimits:
        """The sandbox's own."""
        return self.sandbox.limits

    def run(self, program: str | bytes, stdin: bytes = b"", **options: Unpack[RunOptions]) -> CallRun:
        """Make the calls of a batch; seconds are those of the calls. What is no answer of ours stays as it is."""
        source = program if isinstance(program, str) else program.decode()
        options["limits"] = options.get("limits") or self._roomy(stdin)
        calls = calls_program(self.ref, source, self.libraries)
        run = self.sandbox.run(calls, stdin, **options)
        if run.exit != 0 or run.stop is not None:
            failure = read_failure(run.stdout)
            return as_call_run(replace(run, stdout=b"") if failure else run, failure=failure)
        try:
            answer = read_answer(run.stdout)
            text = self._text(stdin, answer)
        except ValueError as error:  # what a worker says is up to the code under test
            return as_call_run(replace(run, exit=1, stdout=b"", stderr=f"no answer of ours: {error}".encode()))
        found = replace(as_call_run(run, answer), stdout=text.encode("utf-8", "surrogatepass"))
        return _timed(found, answer) if answer.cpu else found

    def _text(self, stdin: bytes, answer: CallAnswer) -> str:
        """`f(1) -> returns 2`, a line for each call that was made after the clock was read, and the state."""
        calls = stdin.decode("utf-8", "surrogatepass").rstrip("\n").split("\n")[1:]
        return self.as_printed(calls[len(calls) - len(answer.outcomes) :], answer)

    def as_printed(self, calls: Sequence[str], answer: CallAnswer) -> str:
        """Standard output of a run that makes these calls and gets this answer."""
        lines = [f"{self.name(call)}{ARROW}{each.text}\n" for call, each in zip(calls, answer.outcomes, strict=True)]
        return "".join([*lines, f"{answer.state.text}\n" if answer.state else ""])

    def restart_guest(self) -> None:
        """A fresh guest, as the sandbox does it."""
        self.sandbox.restart_guest()

    def quiesce(self) -> None:
        """Let the sandbox settle before timing."""
        self.sandbox.quiesce()

    def _roomy(self, stdin: bytes) -> RunLimits:
        """One run makes many calls, and imports first; a call or pass that may take long has that beside it."""
        calls = stdin.count(b"\n")
        long = sum(float(seconds) for seconds in _LIMITS.findall(stdin[: stdin.find(b"\n")]))
        seconds = self.limits.seconds * 6 + 20 + calls + max(0.0, long - USUAL_S)
        output = max(self.limits.output_mib, WHOLE_MIB * self.ref.whole_answers)
        return replace(self.limits, seconds=seconds, output_mib=output)

    def ask(self, source: str, batch: CallBatch, hash_seed: int = 0) -> CallRun:
        """Run a batch in a fresh interpreter. Without an answer the run says why."""
        return self.run(source, batch.stdin(), mode="exec", hash_seed=hash_seed)


def _timed(run: CallRun, answer: CallAnswer) -> CallRun:
    """The run with the seconds of its calls, and their memory where it was measured, in place of those of the whole
    run."""
    cpu_s = sum(answer.cpu)
    memory = answer.memory
    imported = memory.imported if memory else 0
    timing = CallTiming(
        run.cpu_s - cpu_s - sum(answer.exits), answer.import_s, answer.cpu, answer.wall, min(answer.given),
        answer.beside, answer.beside_wall, run.cpu_s - answer.known_s, imported,
    )  # fmt: skip
    run = replace(run, peak_bytes=memory.peak) if memory else run
    return replace(run, cpu_s=cpu_s, wall_s=sum(answer.wall), runqueue_wait_s=sum(answer.delay), call_timing=timing)
