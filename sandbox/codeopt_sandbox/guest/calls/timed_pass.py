"""One timed pass as the controller sees it, by the clocks of the worker and the importer."""

from __future__ import annotations

import time

from ..syscalls import own_runqueue_wait_s, runqueue_wait_s
from .channel import CODES, DONE, FINISHED, GIVEN, GO, OUTCOME, READY, SHOW, STATE, USE, USED, WARM
from .outcome import ENDED_EARLY, RunFailed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol

    from .batch import CallBatch
    from .channel import Channel

    class PassController(Protocol):
        """Protocol of Controller: directs the passes of a run."""

        batch: CallBatch
        channel: Channel
        times: PassTimes
        importer_pid: int
        patience: float

        def start(self, calls: tuple[str, ...]) -> int:
            """Start a worker with its first calls; its process id."""

        def code_of(self, calls: tuple[str, ...]) -> bytes:
            """Code objects of calls, marshalled for a worker."""

        def expect(self, letter: bytes, seconds: float) -> str:
            """Text of the worker's next message, which must be of this kind."""

        def wait(self, seconds: float) -> tuple[bytes, str]:
            """Kind and text of the worker's next message."""

        def kill(self, pid: int) -> None:
            """End a worker."""


class PassTimes:
    """Times of the passes of a run, CPU seconds unless a field is of another clock."""

    def __init__(self) -> None:
        self.cpu: list[float] = []
        self.wall: list[float] = []
        self.delay: list[float] = []
        """Seconds in which a worker was ready to run while others had the processor."""
        self.given: list[float] = []
        """Seconds until a pass had its arguments."""
        self.beside: list[float] = []
        """Seconds of worker and importer while arguments are made, and while results are used: any work of a call that
        is done beforehand or is put off. What the harness looks at meanwhile is in neither."""
        self.beside_wall: list[float] = []
        self.exits: list[float] = []
        """Seconds in which the kernel ends a worker, then the importer: it takes their memory back, and runs no code of
        theirs."""
        self.known = 0.0
        """CPU seconds of all of our own processes in the whole run."""

    def fields(self) -> dict[str, list[float] | float]:
        return dict(vars(self))


class Meter:
    """Readings of the clocks of one pass."""

    def __init__(self, pid: int, importer: int) -> None:
        self.worker, self.importer = cpu_clock(pid), cpu_clock(importer)
        self.beside = self.beside_wall = 0.0
        """Seconds of the steps in addition to the calls, of worker and importer, and by the wall."""

    def cpu(self) -> float:
        """CPU seconds of the worker since its start."""
        return time.clock_gettime(self.worker)

    def final_cpu(self, before: float) -> float:
        """The same of a worker that has ended; as before where its importer has not kept it."""
        try:
            return self.cpu()
        except OSError:
            return before

    def spent(self) -> float:
        """CPU seconds of worker and importer."""
        return self.cpu() + time.clock_gettime(self.importer)

    def take(self, controller: PassController, asked: bytes, data: bytes, done: bytes) -> None:
        """Let the worker take a step in addition to the calls, in which code under test may run. Raises RunFailed."""
        before, wall = self.spent(), time.monotonic()
        controller.channel.send_bytes(asked, data)
        controller.expect(done, max(controller.patience, controller.batch.pass_seconds))
        self.beside += self.spent() - before
        self.beside_wall += time.monotonic() - wall


def timed_pass(controller: PassController, calls: Sequence[str], before: str = "") -> list[bytes]:
    """Time calls between two readings of the worker's clock; their outcomes, and the state that they leave in a pass
    that is looked at closely. before: the state before any call, in such a pass. Calls that are timed in groups have no
    outcomes."""
    batch, times = controller.batch, controller.times
    pid = controller.start(tuple(calls[: batch.warm]))
    controller.expect(WARM, controller.patience)
    meter = Meter(pid, controller.importer_pid)
    codes = controller.code_of(tuple(calls[batch.warm :]))
    meter.take(controller, CODES, codes, GIVEN)
    times.given.append(meter.beside)
    controller.expect(READY, controller.patience)
    delay = runqueue_wait_s(pid) + own_runqueue_wait_s()  # on a busy machine we hear late of its end
    cpu, wall = meter.cpu(), time.monotonic()
    controller.channel.send(GO)
    controller.expect(DONE, batch.pass_seconds)
    wall_end = time.monotonic()
    times.cpu.append(meter.cpu() - cpu)
    times.wall.append(wall_end - wall)
    times.delay.append(runqueue_wait_s(pid) + own_runqueue_wait_s() - delay)
    meter.take(controller, USE, b"", USED)
    times.beside.append(meter.beside)
    times.beside_wall.append(meter.beside_wall)
    found = [] if batch.groups else shown(controller, before)
    spent = meter.cpu()
    controller.kill(pid)
    times.exits.append(max(0.0, meter.final_cpu(spent) - spent))
    times.known += spent + times.exits[-1]
    return found


def shown(controller: PassController, before: str) -> list[bytes]:
    """Outcomes from a worker, which is still there afterwards. Raises RunFailed."""
    controller.channel.send(SHOW, before)
    found = []
    while (message := controller.wait(controller.patience))[0] in (OUTCOME, STATE):
        found.append(message[0] + message[1].encode("utf-8", "backslashreplace"))
    if message[0] != FINISHED:
        raise RunFailed(ENDED_EARLY, "the process ended while its results were read")
    return found


def cpu_clock(pid: int) -> int:
    """Clock of a process's CPU time: CPUCLOCK_SCHED in the kernel's posix-timers.h."""
    return (~pid << 3) | 2
