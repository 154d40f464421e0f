"""One timed pass as the controller sees it, by the clocks of the worker and the importer."""

from __future__ import annotations

import time

from ..syscalls import own_runqueue_wait_s, runqueue_wait_s
from .channel import CODES, DONE, FINISHED, GIVEN, GO, OUTCOME, READY, SHOW, STATE, WARM
from .outcome import ENDED_EARLY, RunFailed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol

    from .batch import CallBatch
    from .channel import Channel

    class Directs(Protocol):
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
        """Seconds of worker and importer from the warm-up to the last outcome, the calls themselves excluded: any work
        of a call that is done beforehand or is put off."""
        self.beside_wall: list[float] = []
        self.exits: list[float] = []
        """Seconds in which the kernel ends a worker, then the importer: it takes their memory back, and runs no code of
        theirs."""
        self.known = 0.0
        """CPU seconds of all of our own processes in the whole run."""

    def fields(self) -> dict[str, list[float] | float]:
        """Values by field name."""
        return dict(vars(self))


class Meter:
    """Readings of the clocks of one pass."""

    def __init__(self, pid: int, importer: int) -> None:
        self.worker, self.importer = cpu_clock(pid), cpu_clock(importer)
        self.began, self.wall = self.spent(), time.monotonic()

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


def timed_pass(controller: Directs, calls: Sequence[str], before: str = "") -> list[bytes]:
    """Time calls between two readings of the worker's clock; their outcomes, and the state that they leave in a pass
    that is looked at closely. before: the state before any call, in such a pass. Calls that are timed in groups have no
    outcomes."""
    batch, times = controller.batch, controller.times
    pid = controller.start(tuple(calls[: batch.warm]))
    controller.expect(WARM, controller.patience)
    meter = Meter(pid, controller.importer_pid)
    first = meter.cpu()
    controller.channel.send_bytes(CODES, controller.code_of(tuple(calls[batch.warm :])))
    controller.expect(GIVEN, controller.patience)
    times.given.append(meter.cpu() - first)
    controller.expect(READY, controller.patience)
    delay = runqueue_wait_s(pid) + own_runqueue_wait_s()  # on a busy machine we hear late of its end
    cpu, wall = meter.cpu(), time.monotonic()
    controller.channel.send(GO)
    controller.expect(DONE, batch.pass_seconds)
    wall_end = time.monotonic()
    times.cpu.append(meter.cpu() - cpu)
    times.wall.append(wall_end - wall)
    times.delay.append(runqueue_wait_s(pid) + own_runqueue_wait_s() - delay)
    found = [] if batch.groups else shown(controller, before)
    times.beside.append(meter.spent() - meter.began - times.cpu[-1])
    times.beside_wall.append(time.monotonic() - meter.wall - times.wall[-1])
    spent = meter.cpu()
    controller.kill(pid)
    times.exits.append(max(0.0, meter.final_cpu(spent) - spent))
    times.known += spent + times.exits[-1]
    return found


def shown(controller: Directs, before: str) -> list[bytes]:
    """Outcomes from a worker, which is still there afterwards. Raises RunFailed."""
    controller.channel.send(SHOW, before)
    found = []
    while (message := controller.wait(controller.patience))[0] in (OUTCOME, STATE):
        found.append(message[0] + one_line(message[1]))
    if message[0] != FINISHED:
        raise RunFailed(ENDED_EARLY, "the process ended while its results were read")
    return found


def one_line(text: str) -> bytes:
    """Message of a worker as one line: it may hold anything."""
    return text.replace("\n", "\\n").encode("utf-8", "backslashreplace")


def cpu_clock(pid: int) -> int:
    """Clock of a process's CPU time: CPUCLOCK_SCHED in the kernel's posix-timers.h."""
    return (~pid << 3) | 2
