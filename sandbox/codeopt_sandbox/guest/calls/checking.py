"""Each call by itself: what it returns, raises, changes, prints and leaves behind."""

from __future__ import annotations

import resource
import sys
import time
import types

from .aliasing import Aliasing
from .apart import apart
from .audit import EffectAudit
from .captured_output import CapturedOutput
from .channel import LEFT, LINES, OUTCOME, STATE, TOOK, frame
from .coverage import LineCoverage, executable, first_line
from .json_text import to_json
from .laziness import Laziness
from .mutation import corrupt_result, mutable_parts, mutate_result
from .outcome import NOT_COMPARABLE, RAISES, RETURNS, YIELDS, CallOutcome, no_arguments
from .plain_arguments import ArgumentsBefore, is_plain
from .public_view import PublicViews
from .repr.canonical import CanonicalRepr
from .repr.exceptions import held_by
from .repr.parts import is_container
from .repr.plain import cut
from .repr.private import EQUAL, GENERATOR, KEPT, KEPT_UNCHANGED, RECEIVER
from .stage import Raised, called
from .state import random_state, state_of, what_changed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence
    from types import CodeType
    from typing import Any, TypeVar

    from .arguments import Call
    from .batch import CallBatch
    from .channel import Channel
    from .stage import Act, Acts, Results
    from .worker import CallWorker

    T = TypeVar("T")
    Asking = Generator[Act, Results | None, T]
    """Generator that asks for calls before it returns its value."""

monotonic = time.monotonic
process_time = time.process_time
MAX_TEXT_CHARS = 200
"""Characters of an exception's text."""
QUICK_CPU_S = 0.03
"""CPU time up to which a call is made again, seconds. Wall time would depend on what else the machine does, and with it
whether a function that counts its calls has the same state in two runs."""
TOLD_S = 0.005
"""The controller hears at once of a call that takes longer; of a shorter one when its outcome is known."""


class Checking:
    """The checking of one worker's calls."""

    def __init__(self, worker: CallWorker, batch: CallBatch, channel: Channel) -> None:
        self.worker, self.ref, self.batch, self.channel = worker, worker.ref, batch, channel
        worker.leaving.find_patched()
        self.effects, self.captured = EffectAudit(), CapturedOutput(self.ref)
        self.lines = LineCoverage(self.ref.file, executable(self.ref, worker.function) if batch.mode == "cover" else ())
        self.aliasing, self.views = Aliasing(self.ref.module), PublicViews(self.ref.module)
        self.plain: dict[CodeType, bool] = {}
        """Whether a call is written down as nothing but plain values."""
        self.cpu_s = 0.0
        """CPU time of the call that was made last, seconds."""
        self.generator = (RECEIVER if self.ref.receives else GENERATOR) * self.ref.generator
        """Mark of a result that is a generator, where that matters to callers."""
        self.function: Callable[..., Any] = worker.function
        if self.ref.asynchronous:
            self.function = lambda *a, **k: worker.invoke(a, k, batch.items)

    def make_all(self, codes: Sequence[CodeType]) -> Acts:
        """Each call, then the state that all of them leave."""
        limit_memory(self.ref.memory_bytes)
        if any("CALLS[" in call or "BIG[" in call for call in self.batch.calls):
            self.worker.arguments.names.user_namespace()
        if self.ref.asynchronous:
            self.worker.loop()
        leaving = self.worker.leaving
        self.captured.listen_once()
        leaving.look()
        self.channel.send(LEFT, to_json(leaving.left(self.ref, []).told()))  # calls may end the process
        before, random = state_of(self.ref, self.worker.module), random_state()
        spent = 0.0
        for number, code in enumerate(codes):
            outcome, call, result = yield from self.make(code)
            took = frame(TOOK, repr(outcome.seconds).encode())
            if outcome.seconds > TOLD_S:
                self.channel.write(took)
                took = b""
            if self.cpu_s < QUICK_CPU_S and self.batch.mode == "check":
                mutate_result(result, 3)
                self.aliasing.keep(number, call, result)
                outcome = yield from self.make_again(code, outcome, result)
            self.channel.write(took + frame(OUTCOME, to_json(outcome.fields()).encode()))
            spent += outcome.seconds
            if spent > self.batch.budget:
                break
            if self.batch.mode == "cover" and not self.lines.missing:
                break  # what the other calls do is known from elsewhere
        by_calls = leaving.end_calls(self.effects.sets_inner)
        after, random_changed = state_of(self.ref, self.worker.module), random_state() != random
        state = what_changed(before, after, random_changed=random_changed, later=self.aliasing.changed())
        if self.batch.mode == "cover":
            function = self.worker.function
            found = [sorted(self.lines.found), executable(self.ref, function), first_line(self.ref, function)]
            self.channel.send(LINES, to_json(found))
        self.channel.send(STATE, to_json(state.fields()))
        if by_calls:
            self.channel.send(LEFT, to_json(leaving.left(self.ref, by_calls).told()))

    def make_again(self, code: CodeType, first: CallOutcome, result: Any) -> Asking[CallOutcome]:
        """The outcome with what is different after its result was changed by its owner, or with equal arguments that
        are other objects."""
        again, _, other = yield from self.make(code, others=True)
        text = first.text
        if again.text != text:
            as_at_first, _, _ = yield from self.make(code)
            by_identity = as_at_first.text == text
            text += (EQUAL if by_identity else " | called again, after its result was changed: ") + cut(again.text)
            opaque = first.opaque or again.opaque
            kind = NOT_COMPARABLE if opaque else first.kind
            effects = tuple(sorted({*first.effects, *again.effects}))
            first = first.replace(text=text, kind=kind, opaque=opaque, effects=effects)
        if shared := dict(mutable_parts(result, 3)).keys() & dict(mutable_parts(other, 3)).keys():
            kept = [part for at, part in mutable_parts(other, 3) if at in shared]
            shows = yield from self.shows_in_next(code, kept, again.text)
            text += KEPT if shows else KEPT_UNCHANGED
        return first.replace(text=text)

    def shows_in_next(self, code: CodeType, kept: Sequence[Any], text: str) -> Asking[bool]:
        """Whether a caller who changes what was given out meets that change when he asks again."""
        if any(is_container(type(part)) for part in kept):
            return True
        changed = corrupt_result(kept)
        found = (yield from self.make(code))[0].text
        for part, name, was in changed:
            setattr(part, name, was)
        return found != text

    def make(self, code: CodeType, others: bool = False) -> Asking[tuple[CallOutcome, Call, Any]]:
        """Outcome of one call with fresh arguments, with the arguments and the result. others: no argument is, or
        holds, the same object twice."""
        self.cpu_s, random = 0.0, random_state()
        try:
            call = self.worker.arguments.fresh(code)
            call = apart(call, self.ref.module) if others else call
        except Exception as error:
            return no_arguments(error), ((), {}), None
        if random is not None and random != random_state():
            sys.modules["random"].setstate(random)
        shown = CanonicalRepr(self.ref.module, [("args", call[0]), ("kwargs", call[1])], self.batch.items)
        shown.whole = self.ref.whole_answers
        if code not in self.plain:
            self.plain[code] = is_plain(code)
        self.views.begin(code)
        was = ArgumentsBefore(self.ref.module, call, self.plain[code], lambda: self.worker.arguments.fresh(code))
        lazy = Laziness(call)
        shown.at_first_item = lazy.look
        self.captured.start()
        started, started_cpu = monotonic(), process_time()
        text, result, raised = yield from self.invoke(call, shown)
        took, self.cpu_s = monotonic() - started, process_time() - started_cpu
        captured = self.captured.stop()
        text, opaque = cut(text, self.ref.whole_answers), shown.opaque
        if type(result) is types.GeneratorType:  # after the cut: the digest is of the items alone
            text = text.replace("returns ", "returns " + self.generator, 1)
        before, after, why = was.changed(call)
        if after:
            text += self.views.of_arguments(self.worker.arguments.fresh(code), call, before, after)
            opaque = opaque or why
        text += self.views.of_result(call, result)
        text += captured
        text += f" | {self.effects.words()}" if self.effects.found else ""
        text += " | yields" if shown.iterators else ""
        text += lazy.words
        kind = NOT_COMPARABLE if opaque else RAISES if raised is not None else YIELDS if shown.iterators else RETURNS
        exception, line, said = shown.broken_by, 0, ""
        if raised is not None:
            exception, line = shown.name_of(type(raised))[1:-1], raised_at(raised, self.ref.file)
            said = text_of(raised)
        effects = tuple(sorted(self.effects.found))
        found = CallOutcome(text, kind, exception, effects, shown.iterators, opaque, took, shown.cut_short, said, line)
        return found, call, result

    def invoke(self, call: Call, shown: CanonicalRepr) -> Asking[tuple[str, Any, BaseException | None]]:
        """(the text, the result, the exception) of a call, listened to."""
        self.lines.start()
        self.effects.arm()
        results = yield called, self.function, [call]
        assert results is not None
        result: Any = results.pop()
        found: BaseException | None = result.error if type(result) is Raised else None
        text = ""
        if found is None:
            try:
                result = self.worker.settled(result, self.batch.items)
                text = "returns " + shown.show(result)
            except BaseException as error:
                found = error
        self.effects.armed = False
        self.lines.stop()
        if found is not None:
            text, result = "raises " + shown.name_of(type(found))[1:-1] + held_by(self.ref.module, found), None
        return text, result, found


def text_of(error: BaseException) -> str:
    """An exception's own text on one line, cut; it is data of the code under test."""
    try:
        return " ".join(str(error).split())[:MAX_TEXT_CHARS]
    except Exception:
        return ""


def raised_at(error: BaseException, file: str) -> int:
    """The last line of a file that an exception passed through; 0 where it is of other files alone."""
    line, trace = 0, error.__traceback__
    while trace is not None:
        line = trace.tb_lineno if trace.tb_frame.f_code.co_filename == file else line
        trace = trace.tb_next
    return line


def limit_memory(more_bytes: int) -> None:
    """A call that asks for too much fails by itself, instead of ending the run with all other calls."""
    if more_bytes:
        with open("/proc/self/statm") as file:  # noqa: PTH123  pathlib would count as imported by the module
            used = int(file.read().split()[5]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_DATA, (used + more_bytes,) * 2)
