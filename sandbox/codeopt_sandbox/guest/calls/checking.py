"""Each call by itself: what it returns, raises, changes, prints and leaves behind."""

from __future__ import annotations

import resource
import sys
import time

from ..syscalls import own_runqueue_wait_s
from . import captured_output
from .aliasing import Aliasing
from .answering import Answering
from .audit import EffectAudit
from .channel import LEFT, LINES, OUTCOME, STATE, TOOK, frame
from .coverage import LineCoverage, executable, first_line
from .identity import apart
from .json_text import to_json
from .laziness import Laziness
from .outcome import no_arguments
from .plain_arguments import ArgumentsBefore, is_plain
from .repr.tree import Encoder
from .stage import Raised, called
from .state import random_state, state_of, what_changed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence
    from types import CodeType
    from typing import Any, TypeVar

    from ..answer import Answer
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
NOTICED_S = 0.001
"""Time of a call away from the processor from which it is asked whether others had it, seconds."""


class CallClock:
    """Seconds of a call, without those in which it was ready to run and others had the processor."""

    def __init__(self) -> None:
        self.wall = self.cpu = 0.0
        self.read()

    def read(self) -> None:
        """Read the time that other processes had of the processor until now."""
        self.waited = own_runqueue_wait_s()
        self.away = monotonic() - process_time()
        """Seconds away from the processor until then, plus a constant."""

    def start(self) -> None:
        """Begin a call. A reading costs as much as a short call, so it is made only if others had the processor."""
        if monotonic() - process_time() - self.away >= NOTICED_S:
            self.read()
        self.wall, self.cpu = monotonic(), process_time()

    def took(self) -> float:
        """Seconds since its beginning."""
        wall, cpu = monotonic() - self.wall, process_time() - self.cpu
        if wall - cpu < NOTICED_S:
            return wall
        before = self.waited
        self.read()
        return max(cpu, wall - (self.waited - before))


class Checking:
    """The checking of one worker's calls."""

    def __init__(self, worker: CallWorker, batch: CallBatch, channel: Channel) -> None:
        self.worker, self.ref, self.batch, self.channel = worker, worker.ref, batch, channel
        worker.leaving.find_patched()
        self.effects, self.captured = (
            EffectAudit(),
            captured_output.CapturedOutput(self.ref, worker.environment.warnings),
        )
        self.lines = LineCoverage(self.ref.file, executable(self.ref, worker.function) if batch.lines else ())
        self.aliasing, self.answering = Aliasing(self.ref.module), Answering(self.ref, batch)
        self.clock = CallClock()
        self.plain: dict[CodeType, bool] = {}
        """Whether a call is written down as nothing but plain values."""
        self.function: Callable[..., Any] = worker.function
        if self.ref.asynchronous:
            self.function = lambda *a, **k: worker.invoke(a, k, batch.items)

    def make_all(self, codes: Sequence[CodeType]) -> Acts:
        """Each call, then the state that all of them leave."""
        limit_memory(self.ref.memory_bytes)
        self.worker.arguments.names.prepare(self.batch.calls)
        if self.ref.asynchronous:
            self.worker.loop()
        leaving = self.worker.leaving
        self.captured.listen_once()
        leaving.look()
        left = to_json(leaving.left(self.ref, []).told())
        before, random = state_of(self.ref, self.worker.module), random_state()
        self.channel.send(LEFT, left)  # now, as calls may end the process
        spent = 0.0
        for number, code in enumerate(codes):
            answer, call, result = yield from self.make(code)
            self.aliasing.keep(number, call, result)
            took = frame(TOOK, repr(answer.seconds).encode())
            self.channel.write(took + frame(OUTCOME, to_json(answer.told()).encode()))
            spent += answer.seconds
            if spent > self.batch.budget:
                break
            if self.batch.lines and not self.lines.missing:
                break  # what the other calls do is known from elsewhere
        by_calls = leaving.end_calls(self.effects.sets_inner, (vars(captured_output),))
        after, random_changed = state_of(self.ref, self.worker.module), random_state() != random
        state = what_changed(before, after, random_changed=random_changed, later=self.aliasing.changed())
        if self.batch.lines:
            function = self.worker.function
            found = [sorted(self.lines.found), executable(self.ref, function), first_line(self.ref, function)]
            self.channel.send(LINES, to_json(found))
        self.channel.send(STATE, to_json(state.told()))
        if by_calls:
            self.channel.send(LEFT, to_json(leaving.left(self.ref, by_calls).told()))

    def make(self, code: CodeType) -> Asking[tuple[Answer, Call, Any]]:
        """Answer of one call with fresh arguments, with the arguments and the result."""
        if code not in self.plain:
            self.plain[code] = is_plain(code)
        random = None if self.plain[code] else random_state()  # code of nobody makes plain arguments
        try:
            call = self.worker.arguments.fresh(code)
            call = apart(call, self.ref.module) if self.worker.environment.distinct else call
        except Exception as error:
            return no_arguments(error), ((), {}), None
        if random is not None and random != random_state():
            sys.modules["random"].setstate(random)
        known = [("args", call[0]), ("kwargs", call[1])]
        encoder = Encoder(self.ref.module, known, self.batch.items, self.batch.ordered)
        fresh = self.worker.arguments.fresh
        was = ArgumentsBefore(self.ref.module, call, self.plain[code], lambda: fresh(code), self.batch.ordered)
        lazy = Laziness(call)
        encoder.at_first_item = lazy.look
        self.captured.start()
        self.clock.start()
        trees, result, raised = yield from self.invoke(call, encoder)
        took = self.clock.took()
        output = self.captured.stop()
        found = self.answering.answer(encoder, call, was)
        if raised is None:
            found.returned(*trees, result)
        else:
            found.raised(raised)
        found.operations(lazy.reads_all, result)
        effects = tuple(sorted(self.effects.found))
        answer = found.end(output=output, complains=self.captured.complains, effects=effects, seconds=took)
        return answer, call, result

    def invoke(self, call: Call, encoder: Encoder) -> Asking[tuple[tuple[Any, Any], Any, BaseException | None]]:
        """(trees of the result, the result, the exception) of a call, listened to."""
        self.lines.start()
        self.effects.arm()
        results = yield called, self.function, [call]
        assert results is not None
        result: Any = results.pop()
        found: BaseException | None = result.error if type(result) is Raised else None
        trees: tuple[Any, Any] = (), ()
        if found is None:
            try:
                result = self.worker.settled(result, self.batch.items)
                trees = self.answering.encoded(encoder, result)
            except BaseException as error:
                found = error
        self.effects.armed = False
        self.lines.stop()
        return trees, result if found is None else None, found


def limit_memory(more_bytes: int) -> None:
    """A call that asks for too much fails by itself, instead of ending the run with all other calls."""
    if more_bytes:
        with open("/proc/self/statm") as file:  # noqa: PTH123  pathlib would count as imported by the module
            used = int(file.read().split()[5]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_DATA, (used + more_bytes,) * 2)
