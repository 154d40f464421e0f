"""Directs the passes of calls, times them and writes down what they did. Never imports the module under test."""

from __future__ import annotations

import marshal
import os
import time

from ..kernel import kill, runqueue_wait_s
from .channel import (
    CALLS,
    CODES,
    DONE,
    ENDED,
    FAILED,
    FINISHED,
    GIVEN,
    GO,
    IMPORTED,
    LEFT,
    LINES,
    OUTCOME,
    PASS,
    READY,
    SHOW,
    STATE,
    TEXT,
    TOOK,
    Channel,
)
from .json_text import to_json
from .outcome import ENDED_EARLY, IS_PROGRAM, NOT_IMPORTED, OVERRUN, died, how_it_ended, not_made, timeout
from .peaks import forget_peak, highest_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType

    from .batch import CallBatch
    from .outcome import CallOutcome

START_SECONDS = 60.0
SLOWED = 8
"""With every allocation traced a pass may take so many times as long."""
GRACE_S, QUICK_S = 0.3, 1.0
"""What a call may take beyond its time, and what is left to it when it has been made once: it is made again before its
outcome is shown, if it is quick (checking.py)."""
NAP_S = 0.002
"""What several calls do is read at once: to wake up for each takes a fifth of their time, on the same processor."""


class RunFailed(Exception):
    """The run cannot go on because of the code under test."""

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(text)
        self.kind = kind


class Controller:
    """Directs the passes and writes down what they did."""

    def __init__(self, channel: Channel, importer_pid: int, batch: CallBatch) -> None:
        self.channel, self.importer_pid, self.batch = channel, importer_pid, batch
        self.buffer = b""
        self.codes: dict[tuple[str, ...], bytes] = {}
        """What calls compile to, which a worker reads ten times as fast as it compiles them."""
        self.cpu: list[float] = []
        self.wall: list[float] = []
        self.delay: list[float] = []
        self.given: list[float] = []
        """CPU seconds until a pass had its arguments."""
        self.import_cpu = 0.0
        self.memory: list[int] = []
        """Bytes: the highest peak of a call by tracemalloc, the growth of the process, what the importer has."""
        self.made: list[bytes] = []
        """A letter and JSON or text for each call, in their order."""
        self.left: list[bytes] = []
        """The same for what was seen of all calls together."""
        self.took: list[float] = []
        self.lost = 0

    def run(self) -> None:
        """All passes. Raises Failure."""
        letter, text = self.wait(START_SECONDS)
        if letter != IMPORTED:
            kind = NOT_IMPORTED if letter == FAILED else IS_PROGRAM
            why = f"the module cannot be imported: {text}" if text else "the process ended during the import"
            raise RunFailed(kind, why)
        self.import_cpu = time.clock_gettime(cpu_clock(self.importer_pid))
        if self.batch.mode == "memory":
            self.memory = [self.memory_pass("traced"), self.memory_pass("resident"), highest_bytes(self.importer_pid)]
            self.batch = self.batch.replace(mode="time")
        if self.batch.mode == "time":
            for _ in range(self.batch.passes):
                for calls in self.groups():
                    self.timed_pass(calls)
        else:
            self.check_all()

    def start(self, calls: Sequence[str], mode: str = "") -> int:
        """A new worker with its calls; its process number. mode: another one than the batch's."""
        self.channel.send(PASS)
        letter, text = self.wait(START_SECONDS)
        if letter != PASS:
            raise RunFailed(ENDED_EARLY, "the module ended its process after it was imported")
        batch = self.batch.replace(calls=tuple(calls), mode=mode or self.batch.mode)
        if batch.calls not in self.codes:
            self.codes[batch.calls] = marshal.dumps([compiled(call) for call in batch.calls])
        self.channel.send(CALLS, batch.text())
        self.channel.send_bytes(CODES, self.codes[batch.calls])
        return int(text)

    def check_all(self) -> None:
        """Each call by itself; after one that hangs or ends the process a new worker goes on with the next."""
        calls, listing = self.batch.calls, self.batch.mode in ("list", "shape", "scene", "libraries")
        while lost := self.listen(self.start(calls if listing else calls[len(self.made) :])):
            if listing:
                raise RunFailed(
                    ENDED_EARLY, f"{'the calls file' if self.batch.mode == 'list' else 'a call'} {lost.text}"
                )
            del self.took[len(self.made) :]
            self.add(lost)
            self.lost += 1
            if self.lost > self.batch.lost or len(self.made) >= len(calls) or self.spent():
                break
        for _ in calls[len(self.made) :] if not listing else ():
            self.add(not_made())

    def add(self, outcome: CallOutcome) -> None:
        """An outcome that the worker could not show."""
        self.made.append(OUTCOME + to_json(outcome.fields()).encode())
        self.took.append(outcome.seconds)

    def spent(self) -> bool:
        """Whether all calls together have taken what they may."""
        return sum(self.took) > self.batch.budget

    def listen(self, pid: int) -> CallOutcome | None:
        """Write down what a worker does; how it hung or ended, None when all is made or enough time is spent."""
        seconds, letter = self.batch.seconds, b""
        while True:
            letter, text = self.wait((min(seconds, QUICK_S) if letter == TOOK else seconds) + GRACE_S)
            if letter == TOOK:
                self.took.append(float(text))
            elif letter in (OUTCOME, TEXT):
                self.made.append(letter + one_line(text))
                if letter == OUTCOME and self.spent() and len(self.made) < len(self.batch.calls):
                    self.kill(pid)
                    return None
                if not self.buffer and len(self.made) < len(self.batch.calls):
                    time.sleep(NAP_S)
            elif letter in (LINES, STATE, LEFT):
                self.left = [line for line in self.left if line[:1] != letter] + [letter + one_line(text)]
            elif letter == FAILED:
                raise RunFailed(ENDED_EARLY, f"the calls file fails: {text}")
            elif letter == FINISHED:
                self.wait(START_SECONDS)
                return None
            elif letter == ENDED:
                return died(int(text), seconds)
            else:
                self.kill(pid)
                return timeout(seconds)

    def kill(self, pid: int) -> None:
        """End a worker, which may have made its last call meanwhile; what it still said is dropped."""
        kill(pid)
        while self.wait(START_SECONDS)[0] not in (ENDED, b""):
            pass

    def groups(self) -> list[tuple[str, ...]]:
        """The calls of each pass, those that warm up in front of all."""
        calls, warm = self.batch.calls, self.batch.warm
        if not self.batch.groups:
            return [calls]
        found, at = [], warm
        for size in self.batch.groups:
            found.append((*calls[:warm], *calls[at : at + size]))
            at += size
        return found

    def timed_pass(self, calls: Sequence[str]) -> None:
        """Calls between two readings of the worker's clock."""
        pid = self.start(calls)
        clock = cpu_clock(pid)
        self.expect(GIVEN, START_SECONDS)
        self.given.append(time.clock_gettime(clock))
        self.expect(READY, START_SECONDS)
        cpu, wall, delay = time.clock_gettime(clock), time.monotonic(), runqueue_wait_s(pid)
        self.channel.send(GO)
        self.expect(DONE, self.batch.pass_seconds)
        wall_end = time.monotonic()
        self.cpu.append(time.clock_gettime(clock) - cpu)
        self.wall.append(wall_end - wall)
        self.delay.append(runqueue_wait_s(pid) - delay)
        if self.batch.groups:
            self.kill(pid)
            return
        self.channel.send(SHOW)
        found = []
        while (message := self.wait(START_SECONDS))[0] == OUTCOME:
            found.append(OUTCOME + one_line(message[1]))
        if message[0] != FINISHED:
            raise RunFailed(ENDED_EARLY, "the process ended while its results were read")
        self.wait(START_SECONDS)
        if not self.made:
            self.made = found
        elif found != self.made:
            self.left.append(OUTCOME + first_difference(self.made, found))

    def memory_pass(self, mode: str) -> int:
        """The highest peak of a call by what the worker says, or what its process grew by at most."""
        pid = self.start(self.batch.calls, mode)
        self.expect(READY, START_SECONDS)
        forget_peak(pid)
        before = highest_bytes(pid)
        self.channel.send(GO)
        said = self.expect(DONE, SLOWED * self.batch.pass_seconds)
        grown = highest_bytes(pid) - before
        self.kill(pid)
        if not said.isdigit():
            raise RunFailed(ENDED_EARLY, "the memory of the calls is no number")
        return int(said) if mode == "traced" else max(0, grown)

    def expect(self, wanted: bytes, seconds: float) -> str:
        """The next message of a timed pass: its text."""
        letter, text = self.wait(seconds)
        if not letter:
            raise RunFailed(OVERRUN, f"the timed calls take longer than {seconds:g} s")
        if letter != wanted:
            how = how_it_ended(int(text)) if letter == ENDED else ""
            raise RunFailed(ENDED_EARLY, f"a timed call ends the process{how}")
        return text

    def wait(self, seconds: float) -> tuple[bytes, str]:
        """The next message, or (b"", "") after that long."""
        import select

        limit = time.monotonic() + seconds
        while True:
            if len(self.buffer) >= 5:
                size = int.from_bytes(self.buffer[:4], "big") + 5
                if len(self.buffer) >= size:
                    message, self.buffer = self.buffer[:size], self.buffer[size:]
                    return message[4:5], message[5:].decode("utf-8", "surrogatepass")
            left = limit - time.monotonic()
            if left <= 0 or not select.select([self.channel.reader], [], [], left)[0]:
                return b"", ""
            part = os.read(self.channel.reader, 1 << 20)
            if not part:
                return b"", ""
            self.buffer += part

    def answer(self) -> bytes:
        """What was measured, then a line for each call, then what was seen of all of them."""
        times = {"cpu": self.cpu, "wall": self.wall, "delay": self.delay, "took": self.took, "import": self.import_cpu}
        times |= {"given": self.given, "memory": self.memory}
        return b"".join([line + b"\n" for line in (to_json(times).encode(), *self.made, *self.left)])

    def end(self) -> None:
        """End the importer, with all that it would still do."""
        os.kill(self.importer_pid, 9)  # our child, not yet waited for: its number is still its own
        os.waitpid(self.importer_pid, 0)


def compiled(call: str) -> CodeType | str:
    """A call as code; as it is where it cannot be compiled: its worker says why."""
    try:
        return compile(call, "call", "eval", dont_inherit=True)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return call


def one_line(text: str) -> bytes:
    """What a worker said: it may be anything, but it is one line."""
    return text.replace("\n", "\\n").encode("utf-8", "backslashreplace")


def first_difference(one: Sequence[bytes], other: Sequence[bytes]) -> bytes:
    """JSON: which call did something else in another pass, and what."""
    shorter = min(len(one), len(other))
    at = next((at for at in range(shorter) if one[at] != other[at]), shorter)
    return b"[%d, %s]" % (at, other[at][1:] if at < len(other) else b"null")


def cpu_clock(pid: int) -> int:
    """The clock of a process's CPU time: CPUCLOCK_SCHED in the kernel's posix-timers.h."""
    return (~pid << 3) | 2
