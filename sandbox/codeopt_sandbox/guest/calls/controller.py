"""Directs the passes of calls, times them and writes down what they did. Never imports the module under test."""

from __future__ import annotations

import marshal
import os
import time

from ..syscalls import cpu_clock, forget_peak, kill, own_runqueue_wait_s, resident_bytes, runqueue_wait_s, thread_cpu_s
from .channel import SAID, TIMES, Channel, Said, Tell, frame, to_json
from .outcome import PASSES, Failure, RunFailed, died, how_it_ended, not_made, timeout
from .recipes import RECIPE, UNPACKED, with_one_object, with_packed_recipes

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType

    from ..answer import Answer
    from ..request import CallBatch, Question


MAX_START_S = 60.0
GRACE_S = 0.3
"""Wall time that a call may take beyond its limit, seconds."""
LISTED = ("list", "shape", "scene", "libraries", "watch")
"""Questions that are answered in one piece, by one worker."""


class Controller:
    """Directs the passes and writes down what they did."""

    patience = MAX_START_S
    """Seconds in which a worker says what is next, if no call of a known length is made."""

    def __init__(self, channel: Channel, importer_pid: int, batch: CallBatch) -> None:
        self.channel, self.importer_pid, self.batch = channel, importer_pid, batch
        self.buffer = b""
        self.codes: dict[tuple[str, ...], bytes] = {}
        """Marshalled code objects of calls; a worker reads them ten times as fast as it compiles their texts."""
        self.times: dict[str, list[float]] = {name: [] for name in PASSES}
        """Times of the passes, as RunTimes has them."""
        self.import_s = self.known_s = 0.0
        self.memory: list[int] = []
        """Bytes: the highest peak of a call by tracemalloc, the growth of the process, what the importer has."""
        self.made: list[bytes] = []
        """A letter and JSON or text for each call, in their order."""
        self.digest = ""
        """Digest of the outcomes of the first timed pass; empty where they are not plain."""
        self.left: list[bytes] = []
        """A letter and JSON for each thing that was seen of all calls together."""
        self.took: list[float] = []
        self.lost = 0

    def run(self) -> None:
        """Direct all passes. Raises RunFailed."""
        letter, text = self.wait(MAX_START_S)
        if letter != Said.IMPORTED:
            kind = Failure.NOT_IMPORTED if letter == Said.FAILED else Failure.IS_PROGRAM
            why = f"the module cannot be imported: {text}" if text else "the process ended during the import"
            raise RunFailed(kind, why)
        self.import_s = time.clock_gettime(cpu_clock(self.importer_pid))
        if self.batch.memory:
            self.memory = [
                self.memory_pass("traced"),
                self.memory_pass("resident"),
                resident_bytes(self.importer_pid)[1],
            ]
        if self.batch.program == "time":
            before = self.state() if self.batch.whole else ""
            for _ in range(self.batch.passes):
                for calls in self.groups():
                    self.keep(self.timed_pass(calls, before))
        else:
            self.check_all()

    def start(self, calls: tuple[str, ...], question: Question = "") -> int:
        """A new worker with its first calls; its process number. question: asked of this worker alone.
        Raises RunFailed."""
        self.channel.send(Tell.PASS)
        letter, text = self.wait(MAX_START_S)
        if letter != Said.FORKED:
            raise RunFailed(Failure.ENDED_EARLY, "the module ended its process after it was imported")
        self.channel.send_bytes(
            Tell.NEXT, self.batch.for_worker(calls, question or self.batch.question, sum(self.took)).stdin()
        )
        self.channel.send_bytes(Tell.NEXT, self.code_of(calls))
        return int(text)

    def code_of(self, calls: tuple[str, ...]) -> bytes:
        """Code objects of calls, marshalled for a worker."""
        if calls not in self.codes:
            # a call of a small size is made a thousand times
            codes = {call: compiled(call, self.batch.shared) for call in dict.fromkeys(calls)}
            self.codes[calls] = marshal.dumps([codes[call] for call in calls])
        return self.codes[calls]

    def state(self) -> str:
        """State before any call, as a worker that makes none finds it."""
        self.start((), "state")
        found = self.expect(Said.STATE, MAX_START_S)
        self.expect(Said.FINISHED, MAX_START_S)
        self.expect(Said.ENDED, MAX_START_S)
        return found

    def keep(self, found: Sequence[bytes]) -> None:
        """Keep the outcomes of the first pass; of later passes only a difference from it, which the host looks for
        where it has those of the first."""
        outcomes = [line for line in found if line[:1] == Said.OUTCOME]
        if self.digest in self.batch.known:
            self.left += [Said.OUTCOME + b"[%d, %s]" % (at, each[1:]) for at, each in enumerate(outcomes)]
        elif not self.made:
            self.made = outcomes
            self.left = [line for line in found if line[:1] == Said.STATE]
        elif outcomes != self.made:
            self.left.append(Said.OUTCOME + first_difference(self.made, outcomes))
        elif lefts := [line for line in found if line[:1] == Said.STATE and line not in self.left]:
            self.left = [line for line in self.left if line[:1] != Said.STATE] + lefts

    def check_all(self) -> None:
        """Each call by itself; after one that hangs or ends the process a new worker continues with the next. Raises
        RunFailed."""
        calls, listing = self.batch.calls, self.batch.question in LISTED
        while lost := self.listen(self.start(calls if listing else calls[len(self.made) :])):
            if listing:
                raise RunFailed(
                    Failure.ENDED_EARLY,
                    f"{'the calls file' if self.batch.question == 'list' else 'a call'} {lost.text}",
                )
            if len(self.made) >= len(calls):
                raise RunFailed(Failure.ENDED_EARLY, f"after its calls the module {lost.text}")
            del self.took[len(self.made) :]
            self.add(lost)
            self.lost += 1
            if self.lost > self.batch.lost or len(self.made) >= len(calls) or self.spent():
                break
        for _ in calls[len(self.made) :] if not listing else ():
            self.add(not_made())

    def add(self, outcome: Answer) -> None:
        """An outcome that the worker could not show."""
        self.made.append(Said.OUTCOME + to_json(outcome.told()).encode())
        self.took.append(outcome.seconds)

    def spent(self, more: float = 0.0) -> bool:
        """Whether all calls together have taken what they may. more: seconds in addition."""
        return sum(self.took) >= self.batch.budget + more

    def listen(self, pid: int) -> Answer | None:
        """Write down what a worker does; how it hung or ended, None when all is made or enough time is spent. Raises
        RunFailed."""
        seconds, letter = self.batch.seconds, b""
        while True:
            letter, text = self.hear(pid, self.limit(begun=bool(letter)))
            if letter == Said.TOOK:
                self.took.append(float(text))
            elif letter in (Said.OUTCOME, Said.TEXT):
                self.made.append(letter + text.encode("utf-8", "backslashreplace"))
                if letter == Said.OUTCOME and self.spent(seconds) and len(self.made) < len(self.batch.calls):
                    self.kill(pid)  # a worker ends by itself when its time is spent, but the code under test is in it
                    return None
                if not self.buffer and len(self.made) < len(self.batch.calls):
                    # pause before the outcomes of several calls are read at once, seconds; waking up for each one takes
                    # a fifth of the calls' time on the same processor
                    time.sleep(0.002)
            elif letter in (Said.LINES, Said.STATE, Said.LEFT):
                said = letter + text.encode("utf-8", "backslashreplace")
                self.left = [each for each in self.left if each[:1] != letter] + [said]
            elif letter == Said.FAILED:
                raise RunFailed(Failure.ENDED_EARLY, f"the calls file fails: {text}")
            elif letter == Said.FINISHED:
                self.wait(MAX_START_S)
                return None
            elif letter == Said.ENDED:
                return died(int(text), seconds)
            else:
                self.kill(pid)
                return timeout(seconds)

    def hear(self, pid: int, seconds: float) -> tuple[bytes, str]:
        """The next message of a worker. What others had of the processor meanwhile is no time of its own. Raises
        RunFailed."""
        if (message := self.wait(0.0))[0]:  # it was read with an earlier one: most are, and a look takes as long as it
            return message
        before = runqueue_wait_s(pid)
        message = self.wait(seconds)
        # longest time in the run queue that is added to a limit, as a multiple of it
        return message if message[0] else self.wait(min(runqueue_wait_s(pid) - before, 3 * seconds))

    def limit(self, *, begun: bool) -> float:
        """Seconds until a worker's next message: those of a call, unless it is still to make the first or has made the
        last."""
        made = len(self.made) >= len(self.batch.calls) or self.spent()
        makes_call = begun and not made or self.batch.question in LISTED
        return self.batch.seconds + GRACE_S if makes_call else self.patience

    def kill(self, pid: int) -> None:
        """End a worker, which may have made its last call meanwhile; what it still said is dropped."""
        kill(pid)
        limit = time.monotonic() + MAX_START_S
        while not is_ended(self.buffer) and self.read(limit):
            pass
        self.buffer = b""

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

    def timed_pass(self, calls: tuple[str, ...], before: str) -> list[bytes]:
        """Time calls between two readings of the worker's clock; their outcomes, and the state that they leave in a
        pass that is looked at closely. before: the state before any call, in such a pass. Calls that are timed in
        groups have no outcomes."""
        batch, times = self.batch, self.times
        pid = self.start(calls[: batch.warm])
        self.expect(Said.WARM, self.patience)
        meter = Meter(pid, self.importer_pid)
        codes = self.code_of(calls[batch.warm :])
        meter.take(self, codes, Said.GIVEN)
        times["given"].append(meter.beside)
        ours = -thread_cpu_s(pid)
        self.channel.send(Tell.NEXT)
        self.expect(Said.READY, self.patience)
        ours += thread_cpu_s(pid)
        delay = runqueue_wait_s(pid) + own_runqueue_wait_s()  # on a busy machine we hear late of its end
        cpu, wall = meter.cpu(), time.monotonic()
        self.channel.send(Tell.NEXT)
        self.expect(Said.DONE, batch.pass_seconds)
        wall_end = time.monotonic()
        times["cpu"].append(meter.cpu() - cpu)
        times["wall"].append(wall_end - wall)
        times["delay"].append(runqueue_wait_s(pid) + own_runqueue_wait_s() - delay)
        meter.take(self, b"", Said.USED)
        times["beside"].append(meter.beside)
        times["beside_wall"].append(meter.beside_wall)
        ours -= thread_cpu_s(pid)
        found = [] if batch.groups else self.shown(before)
        ours += thread_cpu_s(pid)
        times["looked"].append(0.0 if self.digest else max(0.0, ours))
        spent = meter.cpu()
        self.kill(pid)
        try:
            after = meter.cpu()
        except OSError:  # its importer has not kept it
            after = spent
        times["exits"].append(max(0.0, after - spent))
        self.known_s += spent + times["exits"][-1]
        return found

    def shown(self, before: str) -> list[bytes]:
        """Outcomes from a worker, which is still there afterwards; those of the first pass again where its digest is
        the same, and none where the host has them. Raises RunFailed."""
        self.channel.send(Tell.NEXT)
        digest = self.expect(Said.DIGEST, self.patience)
        first = len(self.times["cpu"]) == 1
        self.digest = digest if first else self.digest
        if digest and not before and digest in (self.batch.known if first else (self.digest,)):
            return self.made
        self.channel.send(Tell.NEXT, before)
        found = []
        while (message := self.wait(self.patience))[0] in (Said.OUTCOME, Said.STATE):
            found.append(message[0] + message[1].encode("utf-8", "backslashreplace"))
        if message[0] != Said.FINISHED:
            raise RunFailed(Failure.ENDED_EARLY, "the process ended while its results were read")
        return found

    def memory_pass(self, question: Question) -> int:
        """The highest peak of a call by what the worker says, or what its process grew by at most. Raises RunFailed."""
        pid = self.start(self.batch.calls, question)
        self.expect(Said.READY, MAX_START_S)
        forget_peak(pid)
        before = resident_bytes(pid)[1]
        self.channel.send(Tell.NEXT)
        # factor on the time limit of a pass in which every allocation is traced
        said = self.expect(Said.DONE, 8 * self.batch.pass_seconds)
        grown = resident_bytes(pid)[1] - before
        self.kill(pid)
        if not said.isdigit():
            raise RunFailed(Failure.ENDED_EARLY, "the memory of the calls is no number")
        return int(said) if question == "traced" else max(0, grown)

    def expect(self, wanted: bytes, seconds: float) -> str:
        """The next message of a timed pass: its text. Raises RunFailed."""
        letter, text = self.wait(seconds)
        if not letter:
            raise RunFailed(Failure.OVERRUN, f"the timed calls take longer than {seconds:g} s")
        if letter != wanted:
            how = how_it_ended(int(text)) if letter == Said.ENDED else ""
            raise RunFailed(Failure.ENDED_EARLY, f"a timed call ends the process{how}")
        return text

    def wait(self, seconds: float) -> tuple[bytes, str]:
        """The next message, or (b"", "") after that long. Raises RunFailed for bytes that are no message of ours."""
        limit = time.monotonic() + seconds
        while True:
            if len(self.buffer) >= 5:
                if self.buffer[4:5] not in SAID:
                    raise RunFailed(Failure.ENDED_EARLY, "a call writes to files that it did not open")
                size = int.from_bytes(self.buffer[:4], "big") + 5
                if len(self.buffer) >= size:
                    message, self.buffer = self.buffer[:size], self.buffer[size:]
                    return message[4:5], message[5:].decode("utf-8", "surrogatepass")
            if not self.read(limit):
                return b"", ""

    def read(self, limit: float) -> bool:
        """Read what there is, waiting until a time of the monotonic clock. Returns False where nothing comes."""
        import select

        left = limit - time.monotonic()
        if left <= 0 or not select.select([self.channel.reader], [], [], left)[0]:
            return False
        part = os.read(self.channel.reader, 1 << 20)
        self.buffer += part
        return bool(part)

    def answer(self) -> bytes:
        """The measurements, then a frame for each call, then what was seen of all calls together."""
        times = {**self.times, "import_s": self.import_s, "known_s": self.known_s, "memory": self.memory}
        times["digest"] = self.digest
        parts = [frame(each[:1], each[1:]) for each in (*self.made, *self.left)]
        return b"".join([frame(TIMES, to_json(times).encode()), *parts])

    def end(self) -> None:
        """End the importer, with all that it would still do."""
        clock = cpu_clock(self.importer_pid)
        before = time.clock_gettime(clock)
        os.kill(self.importer_pid, 9)  # our child, not yet waited for: its number is still its own
        os.waitid(os.P_PID, self.importer_pid, os.WEXITED | os.WNOWAIT)
        after = time.clock_gettime(clock)
        os.waitpid(self.importer_pid, 0)
        self.times["exits"].append(after - before)
        self.known_s += after + time.process_time()


def is_ended(data: bytes) -> bool:
    """Return True if the last message is the importer's, that a worker ended.

    The worker's own last frame may be cut; the importer says no more until it is asked.
    """
    before, _, status = data[-20:].rpartition(Said.ENDED)
    return status.isdigit() and before.endswith(len(status).to_bytes(4, "big"))


_OF_PACKED = compile(f"{UNPACKED}(b'')", "call", "eval", dont_inherit=True)


def compiled(call: str | bytes, shared: bool = False) -> CodeType | str:
    """A call as code; as it is where it cannot be compiled: its worker says why. shared: as of `with_one_object`."""
    if isinstance(call, bytes):
        return _OF_PACKED.replace(co_consts=tuple([call if each == b"" else each for each in _OF_PACKED.co_consts]))
    call = with_one_object(call) if shared else call
    try:
        tree = with_packed_recipes(call) if f"{RECIPE}(" in call else call
        return compile(tree, "call", "eval", dont_inherit=True)
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError):
        return call


def first_difference(one: Sequence[bytes], other: Sequence[bytes]) -> bytes:
    """JSON: which call did something else in another pass, and what."""
    shorter = min(len(one), len(other))
    at = next((at for at in range(shorter) if one[at] != other[at]), shorter)
    return b"[%d, %s]" % (at, other[at][1:] if at < len(other) else b"null")


class Meter:
    """Readings of the clocks of one pass."""

    def __init__(self, pid: int, importer: int) -> None:
        self.worker, self.importer = cpu_clock(pid), cpu_clock(importer)
        self.beside = self.beside_wall = 0.0
        """Seconds of the steps in addition to the calls, of worker and importer, and by the wall."""

    def cpu(self) -> float:
        """CPU seconds of the worker since its start."""
        return time.clock_gettime(self.worker)

    def spent(self) -> float:
        """CPU seconds of worker and importer."""
        return self.cpu() + time.clock_gettime(self.importer)

    def take(self, controller: Controller, data: bytes, done: bytes) -> None:
        """Let the worker take a step in addition to the calls, in which code under test may run. Raises RunFailed."""
        before, wall = self.spent(), time.monotonic()
        controller.channel.send_bytes(Tell.NEXT, data)
        controller.expect(done, max(controller.patience, controller.batch.pass_seconds))
        self.beside += self.spent() - before
        self.beside_wall += time.monotonic() - wall
