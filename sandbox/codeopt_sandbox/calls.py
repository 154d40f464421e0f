"""Calls of one function in the sandbox: the input is a module's text and calls, the output is times and outcomes.

A `CallRunner` has the interface of a Sandbox, so `compare`, `judge` and `make_plan` work on modules as on programs that
read standard input. A case's stdin is an encoded `CallBatch`. The output has one line a call, `f(1) -> returns 2`. The
seconds of such a run are the time between two readings of the clock, just before and after its calls. The process that
reads it never runs the code under test (see guest/calls). The time of the whole run is also stored, as a check.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Unpack

from codeopt_sandbox.call_answer import CallAnswer, CallRun, CallTiming, as_call_run, read_answer, read_failure
from codeopt_sandbox.guest.answer import FIELDS, Answer, Field, Floats
from codeopt_sandbox.guest.request import (
    USUAL,
    CallBatch,
    CheckerRequest,
    Environment,
    FunctionRef,
    TestRequest,
    batch_of,
)
from codeopt_sandbox.guest_bundle import GuestProgram, Libraries
from codeopt_sandbox.outcome import RunLimits
from codeopt_sandbox.runner import GuestRunner, RunOptions

WHOLE_MIB = 64.0
"""Output limit of a run whose long answers are complete, MiB."""
COMPARED = ("value", "raised", "arguments")
"""Fields that may differ in last bits."""

__all__ = ["Answer", "CallBatch", "CallRun", "CallRunner", "FunctionRef", "TestRequest"]


def tests_program(ref: FunctionRef, request: TestRequest, source: str) -> GuestProgram:
    """A program that runs existing tests or doctests on the module text `source`."""
    return GuestProgram("tests.__main__", (ref.fields(), request.fields(), source))


def accept_program(request: CheckerRequest, ref: FunctionRef | None = None) -> GuestProgram:
    """A program that asks a user's own checker about answers of `ref`, or outputs of programs."""
    return GuestProgram("accept", (request.fields(), ref.fields() if ref else None))


class KnownFloats:
    """Floats of fields by the digest of the whole encoding: the digest says which they are."""

    def __init__(self) -> None:
        self.known: dict[str, Floats] = {}
        self.asked: set[str] = set()

    def keep(self, answer: CallAnswer) -> None:
        """Remember what an answer tells."""
        self.known.update({each.digest: each.floats for each in _fields(answer) if each.floats})

    def missing(self, answer: CallAnswer) -> tuple[str, ...]:
        """Digests of fields whose floats are not known, and were not asked for yet."""
        wanted = [each.digest for each in _fields(answer) if each.has_floats and each.digest not in self.known]
        return tuple(dict.fromkeys(each for each in wanted if each not in self.asked))

    def fill(self, answer: CallAnswer) -> CallAnswer:
        return replace(answer, outcomes=tuple(map(self._filled, answer.outcomes)))

    def _filled(self, answer: Answer) -> Answer:
        fields = {
            name: found.replace(floats=self.known[found.digest])
            for name in FIELDS
            if (found := getattr(answer, name)).digest in self.known and found.floats is None
        }
        steps = tuple(map(self._filled, answer.steps))
        return answer.replace(**fields, steps=steps) if fields or steps else answer


def _fields(answer: CallAnswer) -> list[Field]:
    """Fields of all answers whose floats decide, also of those of scenarios' steps."""
    calls = [*answer.outcomes]
    for each in calls:
        calls += each.steps
    return [getattr(each, name) for each in calls for name in COMPARED if getattr(each, name)]


@dataclass(frozen=True)
class CallRunner:
    """Runs batches of calls in a sandbox. A program is a module's text."""

    sandbox: GuestRunner
    ref: FunctionRef
    name: Callable[[str], str] = str
    """A call as it is shown."""
    libraries: Libraries | None = None
    """Libraries that are imported once, for all runs."""
    floats: KnownFloats = field(default_factory=KnownFloats)
    """Floats of answers, shared by all runs."""

    @property
    def limits(self) -> RunLimits:
        """The sandbox's own."""
        return self.sandbox.limits

    def run(self, program: str | bytes, stdin: bytes = b"", **options: Unpack[RunOptions]) -> CallRun:
        """Make the calls of a batch; seconds are those of the calls. What is no answer of ours stays as it is."""
        source = program if isinstance(program, str) else program.decode()
        batch = batch_of(stdin)
        run = self._run(source, stdin, batch, options)
        if run.answer is None:
            return run
        # Floats of its fields that were not sent are asked for once, by their digests.
        self.floats.keep(run.answer)
        if missing := self.floats.missing(run.answer):
            asked = batch.replace(values=missing)
            asked = asked.replace(passes=1) if asked.program == "time" else asked
            whole: RunOptions = {**options, "limits": self._roomy(batch, WHOLE_MIB)}
            if (again := self._run(source, asked.stdin(), asked, whole)).answer is not None:
                self.floats.keep(again.answer)
                self.floats.asked.update(missing)
        answer, calls = self.floats.fill(run.answer), batch.calls
        answer = replace(answer, calls=tuple(map(self.name, calls[len(calls) - len(answer.outcomes) :])))
        found = replace(run, answer=answer, stdout=b"")
        return _timed(found, answer) if answer.times.cpu else found

    def _run(self, source: str, stdin: bytes, batch: CallBatch, options: RunOptions) -> CallRun:
        options = {**options, "limits": options.get("limits") or self._roomy(batch)}
        environment = options.get("environment", USUAL)
        program = GuestProgram("calls.__main__", (self.ref.fields(), source, environment.fields()), self.libraries)
        run = self.sandbox.run(program, stdin, **options)
        if run.exit != 0 or run.stop is not None:
            failure = read_failure(run.stdout)
            return as_call_run(replace(run, stdout=b"") if failure else run, failure=failure)
        try:
            answer = read_answer(run.stdout)
            if len(answer.outcomes) > len(batch.calls):
                raise ValueError("more outcomes than calls")
            return as_call_run(run, answer)
        except ValueError as error:  # what a worker says is up to the code under test
            return as_call_run(replace(run, exit=1, stdout=b"", stderr=f"no answer of ours: {error}".encode()))

    def restart_guest(self) -> None:
        """A fresh guest, as the sandbox does it."""
        self.sandbox.restart_guest()

    def quiesce(self) -> None:
        """Let the sandbox settle before timing."""
        self.sandbox.quiesce()

    def _roomy(self, batch: CallBatch, output_mib: float = 0.0) -> RunLimits:
        """Return higher limits: a run imports first and makes many calls. Slow calls or passes add their time."""
        long = batch.seconds + batch.pass_seconds
        # time limits of a call and of a pass where a batch says nothing, together, seconds
        seconds = self.limits.seconds * 6 + 20 + len(batch.calls) + max(0.0, long - 62.0)
        output = max(self.limits.output_mib, output_mib, WHOLE_MIB * self.ref.whole_answers)
        return replace(self.limits, seconds=seconds, output_mib=output)

    def ask(self, source: str, batch: CallBatch, environment: Environment = USUAL) -> CallRun:
        """Run a batch in a fresh interpreter. Without an answer the run says why."""
        return self.run(source, batch.stdin(), mode="exec", environment=environment)


def _timed(run: CallRun, answer: CallAnswer) -> CallRun:
    """The run with the seconds of its calls, and their memory where it was measured, in place of those of the whole
    run."""
    times, memory = answer.times, answer.memory
    cpu_s = sum(times.cpu)
    timing = CallTiming(
        run.cpu_s - cpu_s - sum(times.exits), times.import_s, times.cpu, times.wall, min(times.given), times.beside,
        times.beside_wall, run.cpu_s - times.known_s, memory.imported if memory else 0, sum(times.looked),
    )  # fmt: skip
    run = replace(run, peak_bytes=memory.peak) if memory else run
    return replace(run, cpu_s=cpu_s, wall_s=sum(times.wall), runqueue_wait_s=sum(times.delay), call_timing=timing)
