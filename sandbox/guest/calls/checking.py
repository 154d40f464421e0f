"""Each call by itself: what it returns, raises, changes, prints and leaves behind."""

from __future__ import annotations

import resource
import sys
import time

from .audit import EffectAudit
from .channel import LINES, OUTCOME, STATE, TOOK
from .coverage import LineCoverage, executable, first_line
from .json_text import to_json
from .mutation import mutable_parts, mutate_result
from .outcome import NOT_COMPARABLE, RAISES, RETURNS, YIELDS, CallOutcome, in_words, no_arguments
from .printed import Printed
from .repr.canonical import CanonicalRepr
from .repr.plain import cut
from .state import random_state, state_of, what_changed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType
    from typing import Any

    from .arguments import Call
    from .batch import CallBatch
    from .channel import Channel
    from .worker import CallWorker

monotonic = time.monotonic
QUICK_S = 0.5
"""A call that takes no longer is made again, with its first result changed as its owner may."""


class Checking:
    """The checking of one worker's calls."""

    def __init__(self, worker: CallWorker, batch: CallBatch, channel: Channel) -> None:
        self.worker, self.ref, self.batch, self.channel = worker, worker.ref, batch, channel
        self.effects, self.printed, self.lines = EffectAudit(), Printed(), LineCoverage(self.ref.file)

    def make_all(self, codes: Sequence[CodeType]) -> None:
        """Each call, then the state that all of them leave."""
        limit_memory(self.ref.memory_bytes)
        if any("CALLS[" in call or "BIG[" in call for call in self.batch.calls):
            self.worker.arguments.names.user_namespace()
        before, random = state_of(self.ref, self.worker.module), random_state()
        for code in codes:
            outcome, result = self.make(code)
            self.channel.send(TOOK, repr(outcome.seconds))
            if outcome.seconds < QUICK_S and self.batch.mode == "check":
                outcome = self.make_again(code, outcome, result)
            self.channel.send(OUTCOME, to_json(outcome.fields()))
        after = state_of(self.ref, self.worker.module)
        state = what_changed(before, after, random_changed=random_state() != random)
        if self.batch.mode == "cover":
            function = self.worker.function
            found = [sorted(self.lines.found), executable(self.ref, function), first_line(self.ref, function)]
            self.channel.send(LINES, to_json(found))
        self.channel.send(STATE, to_json(state.fields()))

    def make_again(self, code: CodeType, first: CallOutcome, result: Any) -> CallOutcome:
        """The outcome with what is different after its result was changed by its owner."""
        mutate_result(result, 3)
        again, other = self.make(code)
        text = first.text
        if again.text != text:
            text += " | called again, after its result was changed: " + cut(again.text)
            opaque = first.opaque or again.opaque
            kind = NOT_COMPARABLE if opaque else first.kind
            effects = tuple(sorted({*first.effects, *again.effects}))
            first = first.replace(text=text, kind=kind, opaque=opaque, effects=effects)
        if set(mutable_parts(result, 3)) & set(mutable_parts(other, 3)):
            text += " | called again, it gives out the same object"
        return first.replace(text=text)

    def make(self, code: CodeType) -> tuple[CallOutcome, Any]:
        """What one call with fresh arguments does, and its result."""
        random = random_state()
        try:
            call = self.worker.arguments.fresh(code)
        except Exception as error:
            return no_arguments(error), None
        if random is not None and random != random_state():
            sys.modules["random"].setstate(random)
        before = CanonicalRepr(self.ref.module).show_arguments(*call)
        shown = CanonicalRepr(self.ref.module, [("args", call[0]), ("kwargs", call[1])])
        self.printed.start()
        started = monotonic()
        text, result, exception, said = self.invoke(call, shown)
        took = monotonic() - started
        printed = self.printed.stop()
        text = cut(text)
        arguments = CanonicalRepr(self.ref.module)
        after = arguments.show_arguments(*call, rest=True)
        opaque = shown.opaque or (arguments.opaque if after != before else "")
        text += f" | arguments become {cut(after)}" if after != before else ""
        text += f" | prints {cut(repr(printed))}" if printed else ""
        text += f" | {self.effects.words()}" if self.effects.found else ""
        text += " | yields" if shown.iterators else ""
        kind = NOT_COMPARABLE if opaque else RAISES if exception else YIELDS if shown.iterators else RETURNS
        effects = tuple(sorted(self.effects.found))
        exception = exception or shown.broken_by
        return CallOutcome(text, kind, exception, effects, shown.iterators, opaque, took, said), result

    def invoke(self, call: Call, shown: CanonicalRepr) -> tuple[str, Any, str, str]:
        """(the text, the result, the exception's name, and what it says) of a call, listened to."""
        result: Any = None
        exception = said = ""
        try:
            if self.batch.mode == "cover":
                self.lines.start()
            self.effects.arm()
            result = self.worker.invoke(*call)
            text = "returns " + shown.show(result)
        except BaseException as error:
            self.effects.armed = False
            self.lines.stop()
            exception = shown.name_of(type(error))[1:-1]
            text = "raises " + exception
            said = in_words(error, self.ref.file)
        self.effects.armed = False
        self.lines.stop()
        if shown.broken is not None:
            said = in_words(shown.broken, self.ref.file)
            shown.broken = None
        return text, result, exception, said


def limit_memory(more_bytes: int) -> None:
    """A call that asks for too much fails by itself, instead of ending the run with all other calls."""
    if more_bytes:
        with open("/proc/self/statm") as file:  # noqa: PTH123  pathlib would count as imported by the module
            used = int(file.read().split()[5]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_DATA, (used + more_bytes,) * 2)
