"""Calls of one function in the sandbox: the input is a module's text and calls, the output is times and outcomes.

A `CallRunner` has the interface of a Sandbox, so `compare`, `judge` and `make_plan` work on modules as on programs that
read standard input. A case's stdin is an encoded `CallBatch`. The output has one line a call, `f(1) -> returns 2`. The
seconds of such a run are the time between two readings of the clock, just before and after its calls. The process that
reads it never runs the code under test (see guest/calls). The time of the whole run is also stored, as a check.
"""

from __future__ import annotations

import json
import marshal
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from hashlib import sha256
from typing import Any, TypeVar, Unpack

from codeopt_sandbox.guest.answer import EFFECTS, FIELDS, KINDS, Answer, Field, Floats
from codeopt_sandbox.guest.answer import Kind as Kind
from codeopt_sandbox.guest.calls.channel import TIMES, Said, frames
from codeopt_sandbox.guest.calls.outcome import Failure as Failure
from codeopt_sandbox.guest.calls.outcome import RunTimes
from codeopt_sandbox.guest.calls.outcome import State as State
from codeopt_sandbox.guest.calls.process_state import CALLS, IMPORT
from codeopt_sandbox.guest.calls.process_state import LeftSetting as LeftSetting
from codeopt_sandbox.guest.calls.process_state import ProcessChanges as ProcessChanges
from codeopt_sandbox.guest.request import (
    FORMAT,
    NEEDED,
    USUAL,
    CallBatch,
    CheckerRequest,
    Environment,
    FunctionRef,
    Record,
    TestRequest,
    batch_of,
)
from codeopt_sandbox.guest_bundle import GuestProgram, Libraries
from codeopt_sandbox.outcome import Cause, GuestRunner, Run, RunLimits, RunOptions

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
    """Floats of fields by the digest of the whole encoding, and answers by theirs: the digest says which they are."""

    def __init__(self) -> None:
        self.known: dict[str, Floats] = {}
        self.asked: set[str] = set()
        self.timed: dict[CallBatch, dict[str, CallAnswer]] = {}
        """Answers to timed calls by digest, which need not be shown again. To show one takes time outside of the calls,
        by which sides are compared: so neither side shows one that is known, with any number of passes."""

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
    """Floats of answers, and answers to timed calls, shared by all runs."""

    @property
    def limits(self) -> RunLimits:
        """The sandbox's own."""
        return self.sandbox.limits

    def run(self, program: str | bytes, stdin: bytes = b"", **options: Unpack[RunOptions]) -> CallRun:
        """Make the calls of a batch; seconds are those of the calls. What is no answer of ours stays as it is."""
        source = program if isinstance(program, str) else program.decode()
        batch, run = _packed(stdin)[0], self._run(source, stdin, options)
        if run.answer is None:
            return run
        if (digest := run.answer.times.digest) and not (batch.whole or any(e.other_run for e in run.answer.outcomes)):
            self.floats.timed.setdefault(batch.replace(passes=1), {}).setdefault(digest, run.answer)
        # Floats of its fields that were not sent are asked for once, by their digests.
        self.floats.keep(run.answer)
        if missing := self.floats.missing(run.answer):
            asked = batch.replace(values=missing)
            asked = asked.replace(passes=1) if asked.program == "time" else asked
            whole: RunOptions = {**options, "limits": self._roomy(batch, WHOLE_MIB)}
            if (again := self._run(source, asked.stdin(), whole)).answer is not None:
                self.floats.keep(again.answer)
                self.floats.asked.update(missing)
        answer, calls = self.floats.fill(run.answer), batch.calls
        answer = replace(answer, calls=tuple(map(self.name, calls[len(calls) - len(answer.outcomes) :])))
        found = replace(run, answer=answer, stdout=b"")
        return _timed(found, answer) if answer.times.cpu else found

    def _run(self, source: str, stdin: bytes, options: RunOptions) -> CallRun:
        known = self.floats.timed.get(_packed(stdin)[0].replace(passes=1), {})
        batch, packed = _packed(stdin, tuple(known))
        options = {**options, "limits": options.get("limits") or self._roomy(batch)}
        environment = options.get("environment", USUAL)
        program = GuestProgram("calls.__main__", (self.ref.fields(), source, environment.fields()), self.libraries)
        run = self.sandbox.run(program, packed, **options)
        if run.exit != 0 or run.stop is not None:
            failure = read_failure(run.stdout)
            return as_call_run(replace(run, stdout=b"") if failure else run, failure=failure)
        try:
            answer = read_answer(run.stdout, known)
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


@lru_cache(maxsize=8)  # one input is run up to fifty times, and to read it takes longer than its calls
def _packed(stdin: bytes, known: tuple[str, ...] = ()) -> tuple[CallBatch, bytes]:
    """The batch of an input, and its input with long calls of numbers packed. known: digests of its outcomes."""
    batch = batch_of(stdin).replace(known=known)
    calls = tuple(len(call) >= LONG_CHARS and packed_numbers(call) or call for call in batch.calls)
    return batch, batch.replace(calls=calls).stdin()


LONG_CHARS = 5_000
"""Length from which a call of numbers alone is packed. In shorter ones equal numbers are one object, as in a caller's
text, and Python's compiler makes them so."""
NUMBERS = b"0123456789+-.eE, []"
"""Characters of a call of numbers and lists of them, in which JSON and Python say the same."""


@lru_cache(maxsize=32)  # some long calls are in many inputs
def packed_numbers(text: str) -> bytes | None:
    """The call `f(1, [2.5, -3])`, packed; None where it holds anything but numbers and lists."""
    inside = f"[{text[2:-1]}]"
    if text[:2] != "f(" or text[-1:] != ")" or inside.encode("utf-8", "replace").translate(None, NUMBERS):
        return None
    try:
        return marshal.dumps((tuple(json.loads(inside)), {}), FORMAT)
    except (ValueError, RecursionError):  # no JSON, or nested too deep
        return None


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


# Answer of a run of calls, as values: an outcome for each call, the state that all of them leave, and the times.


R = TypeVar("R", bound=Record)


@dataclass(frozen=True)
class CallTiming:
    """Times of a run of timed calls except the calls themselves, seconds."""

    outside_s: float
    """CPU seconds of the whole run less those within the timed region, and those in which the kernel ends processes and
    takes their memory back."""
    import_s: float
    """CPU seconds from the start of its process until the module is imported."""
    cpu: tuple[float, ...]
    """Seconds of each pass; before the first nothing can be remembered."""
    wall: tuple[float, ...]
    given_s: float
    """CPU seconds in which the arguments of a pass are made, the least of all passes."""
    beside: tuple[float, ...] = ()
    """CPU seconds in which a pass makes its arguments and uses its results; then those of the wall."""
    beside_wall: tuple[float, ...] = ()
    elsewhere_s: float = 0.0
    """CPU seconds of foreign processes."""
    imported_bytes: int = 0
    """Memory of the process that imported the module, bytes; 0 unless the memory of calls is measured."""
    looked_s: float = 0.0
    """CPU seconds of `outside_s` in which the harness encodes arguments: more where an object holds more."""


@dataclass(frozen=True)
class CallMemory:
    """Memory of calls, bytes."""

    traced: int
    """The highest peak of a single call, by tracemalloc: what it allocated itself."""
    resident: int
    """Peak growth of the process during all calls, including memory that libraries take from the system themselves."""
    imported: int
    """Memory of the process that imported the module."""

    @property
    def peak(self) -> int:
        """Peak by Python's own allocator statistics, or by the kernel's where those are plainly higher."""
        # Growth of a process that belongs to no object, bytes: pages of the interpreter itself, arenas that
        # are not full
        # Smallest reported peak, bytes: one page
        return max(self.traced, self.resident - (2 << 20), 4096)


@dataclass(frozen=True)
class CallAnswer:
    """Everything that the guest reports of a batch of calls."""

    outcomes: tuple[Answer, ...] = ()
    """Answers of the calls, without warm-up calls."""
    calls: tuple[str, ...] = ()
    """These calls as they are shown."""
    texts: tuple[str, ...] = ()
    """The lines of a listing."""
    state: State | None = None
    """State that all calls leave behind; only in checking modes."""
    left: ProcessChanges | None = None
    """Settings of the process that import or calls leave changed; only of calls that are checked."""
    covered: tuple[frozenset[int], tuple[int, ...], int] | None = None
    """(lines that were run, lines that there are, line at which the function begins)."""
    times: RunTimes = RunTimes()

    @property
    def memory(self) -> CallMemory | None:
        """Memory of the calls, if it was measured."""
        return CallMemory(*self.times.memory) if self.times.memory else None

    @property
    def leaves_nothing(self) -> bool:
        """All calls together have changed nothing that a later one could see, nor counted anything."""
        return self.state == State()

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines of a listing, or the answers as text; for people alone."""
        return self.texts or tuple(outcome.text for outcome in self.outcomes)


@dataclass(frozen=True)
class CallRun(Run):
    """A run of calls: the answer is what its stdout said, and its seconds are those of timed calls."""

    answer: CallAnswer | None = field(default=None, repr=False)
    """Answer of the guest. Without one it is None, and the end of the run explains it."""
    call_timing: CallTiming | None = None
    """Times outside of the calls, for timed runs only."""
    failure: str | None = None
    """Reason for the missing answer, if the guest's program gives one."""

    @property
    def cause(self) -> Cause | None:
        """Return the cause of a missing answer, if it is known."""
        return Cause.OVERRUN if self.failure == Failure.OVERRUN else None


def as_call_run(run: Run, answer: CallAnswer | None = None, failure: str | None = None) -> CallRun:
    return CallRun(**vars(run), answer=answer, failure=failure)


def read_failure(stdout: bytes) -> str | None:
    """Reason that the guest's program gives for having no answer; None where it did not end the run itself."""
    try:
        failure = json.loads(stdout)["failure"]
    except (ValueError, KeyError, TypeError):
        return None
    return failure if failure in vars(Failure).values() else None


def read_answer(stdout: bytes, known: Mapping[str, CallAnswer]) -> CallAnswer:
    """Parse what the guest's program wrote. known: answers of which it had the digests. Raises ValueError."""
    (letter, head), *rest = list(frames(stdout)) or [(b"", b"")]
    if letter != TIMES:
        raise ValueError(f"no times: {stdout!r:.100}")
    times = read_record(RunTimes, json.loads(head))
    outcomes = [*known[times.digest].outcomes] if times.digest in known else []
    texts: list[str] = []
    left: dict[str, Any] = {}
    for letter, data in rest:
        if letter == Said.TEXT:
            texts.append(data.decode("utf-8", "surrogateescape").replace("\n", "\\n"))
        elif letter == Said.OUTCOME and times.cpu and data.startswith(b"["):
            # a pass in which a call did something else
            found = json.loads(data)
            if not isinstance(found, list) or len(found) != 2 or not isinstance(found[0], int):
                raise ValueError(f"a difference that makes no sense: {found!r:.100}")
            at, fields = found
            if not 0 <= at < len(outcomes):
                raise ValueError(f"a difference in a call that was not made: {at}")
            other = read_record(Answer, fields) if fields is not None else None
            if other == outcomes[at]:
                continue
            observed = repr(other.observed()) if other else "nothing"
            digest = sha256(observed.encode("utf-8", "surrogatepass")).hexdigest()
            outcomes[at] = outcomes[at].replace(other_run=Field(digest, other.text if other else "nothing"))
        elif letter == Said.OUTCOME:
            outcomes.append(read_record(Answer, json.loads(data)))
        elif letter in _LEFT:
            name, read = _LEFT[letter]
            left[name] = read(json.loads(data))
        else:
            raise ValueError(f"a frame that makes no sense: {letter + data!r:.100}")
    return CallAnswer(tuple(outcomes), texts=tuple(texts), **left, times=times)


def read_record(kind: type[R], fields: Any) -> R:
    """Parse a record, which a process of the code under test sent: it may be any JSON. Raises ValueError."""
    try:
        return _checked(kind.read(fields))
    except (TypeError, AttributeError, KeyError, OverflowError) as error:
        raise ValueError(f"{kind.__name__} that makes no sense: {fields!r:.100}") from error


def _checked(found: R) -> R:
    """The record with texts of one line, if each value is of its field's type."""
    defaults, changes = vars(type(found)), {}
    for name, value in vars(found).items():
        kind = type(found).__annotations__[name]
        if value is defaults.get(name, NEEDED) or kind == "Any":
            continue
        if kind.startswith("tuple[") is not (type(value) is tuple):
            raise ValueError(f"{name} that makes no sense: {value!r:.100}")
        parts = [_part(name, kind, each) for each in (value if type(value) is tuple else (value,))]
        read = tuple(parts) if type(value) is tuple else parts[0]
        if read != value:
            changes[name] = read
    return found.replace(**changes) if changes else found


def _part(name: str, kind: str, value: Any) -> Any:
    if isinstance(value, Record) and type(value).__name__ in kind:
        return _checked(value)
    if type(value) is str and "str" in kind and value in _ALLOWED.get(name, (value,)):
        if not value.isascii() or "\n" in value:  # packed floats may be long
            value = value.replace("\n", "\\n").encode("utf-8", "backslashreplace").decode()
        # characters of a field that are shown
        return value[: 4000 if name == "shown" else None]
    is_number = type(value) in (int, float) and ("int" in kind or "float" in kind) and 0 <= value < math.inf
    if not is_number and not (type(value) is bool and kind == "bool"):
        raise ValueError(f"{name} that makes no sense: {value!r:.100}")
    return value


def _covered(found: Any) -> tuple[frozenset[int], tuple[int, ...], int]:
    if not isinstance(found, list) or len(found) != 3 or not all(isinstance(part, list) for part in found[:2]):
        raise ValueError(f"lines that make no sense: {found!r:.100}")
    return frozenset(map(int, found[0])), tuple(map(int, found[1])), int(found[2])


_LEFT: Mapping[bytes, tuple[str, Callable[[Any], Any]]] = {
    Said.STATE: ("state", partial(read_record, State)),
    Said.LEFT: ("left", partial(read_record, ProcessChanges)),
    Said.LINES: ("covered", _covered),
}
"""Field and reader of what was seen of all calls together, by the letter of its frame."""
_ALLOWED: Mapping[str, tuple[str, ...]] = {"kind": KINDS, "effects": tuple(EFFECTS), "when": (IMPORT, CALLS)}
"""Texts that a field may have."""
