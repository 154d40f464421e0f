"""One run, watched from its start until nothing of it is left."""

from __future__ import annotations

import contextlib
import marshal
import os
import select
import signal
import time

from . import meter
from .job import Job, Setting, Watch
from .warm import Warm, Zygote

TICK_S = 0.02  # how often memory and processes are looked at in a run that lasts longer than this
GRACE_S = 2.0  # for the kernel to end what was killed


class Watcher:
    """Reads what a run prints, holds it to its limits, kills what it leaves and counts its time."""

    def __init__(self, setting: Setting, warm: Warm) -> None:
        self.setting, self.warm = setting, warm
        self.children = meter.children(os.getpid())

    def follow(self, watch: Watch, job: Job, outputs: dict[int, bytearray]) -> None:
        """Until the first process has ended and everything that it left behind is dead and read."""
        zygote = self.warm.zygote
        assert zygote is not None
        poll = select.poll()
        poll.register(0, 0)  # only to hear that the host has gone
        for fd in (*outputs, zygote.sock.fileno()):
            poll.register(fd, select.POLLIN)
        deadline = watch.started + job.wall_s
        watch.next_look = watch.started + TICK_S
        while watch.status is None and not watch.stop:
            now = time.monotonic()
            for fd, event in poll.poll(max(0.0, min(deadline, watch.next_look) - now) * 1000):
                if fd == 0 and event & (select.POLLHUP | select.POLLERR):
                    raise SystemExit
                if fd in outputs:
                    self._read(watch, job, poll, fd, outputs[fd])
                elif fd == zygote.sock.fileno():
                    self._hear(watch, zygote)
            self._check(watch, job, deadline)
        self._end(watch, zygote)
        self._drain(watch, job, poll, outputs)

    def _read(self, watch: Watch, job: Job, poll: select.poll, fd: int, into: bytearray) -> None:
        data = os.read(fd, 1 << 16)
        if not data:
            poll.unregister(fd)
        into += data[: job.output_bytes - len(into) + 1]
        if len(into) > job.output_bytes:
            del into[job.output_bytes :]
            watch.end("output", f"more than {job.output_bytes} bytes")

    def _hear(self, watch: Watch, zygote: Zygote) -> None:
        try:
            data = zygote.sock.recv(1 << 12)
        except ConnectionResetError:  # it died with an order unread
            data = b""
        if not data:  # a program of the same user can kill the zygote: the program is ours to wait for now
            self._lose_zygote(watch)
            return
        message = marshal.loads(data)
        if message[0] == "pid":
            watch.pid = message[1]
        else:
            _, watch.status, cpu_s, peak_kib, watch.end_ns, watch.delay_s = message
            watch.cpu_s += cpu_s
            watch.peak_kib = max(watch.peak_kib, peak_kib)

    def _lose_zygote(self, watch: Watch) -> None:
        self.warm.forget()
        watch.end("lost", "the run killed the process that started it")

    def _check(self, watch: Watch, job: Job, deadline: float) -> None:
        now = time.monotonic()
        if watch.status is None and now >= deadline:
            watch.end("time", f"still running after {job.wall_s:g} s")
        if now < watch.next_look:
            return
        watch.next_look = now + TICK_S
        mine = self.of_the_run()
        tasks = sum(process.threads for process in mine)
        if tasks > job.processes:
            watch.end("processes", f"{tasks} processes and threads, the limit is {job.processes}")
        used = _resident(mine)
        watch.peak_kib = max(watch.peak_kib, used >> 10)
        if used > job.memory_bytes:
            watch.end("memory", f"{used >> 20} MiB resident, the limit is {job.memory_bytes >> 20} MiB")

    def _end(self, watch: Watch, zygote: Zygote) -> None:
        """Kill whatever is left of the run, wait for all of it, and count its CPU time.

        What is left when the first process has ended may still have worked and printed until now, so that is the time
        that counts: nobody gains by ending early and leaving the work to a child.
        """
        if watch.status is not None and self._is_alone():
            return
        limit = time.monotonic() + GRACE_S
        lingered = False
        while time.monotonic() < limit:
            if watch.pid and watch.status is None:
                kill(watch.pid)
            left = self.of_the_run(dead=True)
            for process in left:
                kill(process.pid)
            lingered = lingered or bool(left)
            self._reap(watch)
            if not left and (watch.status is not None or self.warm.zygote is None):
                if lingered:
                    watch.end_ns = time.monotonic_ns()
                    self._doubt_zygote()
                return
            if self.warm.zygote and watch.status is None and select.select([zygote.sock], [], [], 0.005)[0]:
                self._hear(watch, zygote)
        self._kill_everything(watch)

    def _is_alone(self) -> bool:
        """Nothing is left of the run, for certain: when its first process has ended, what descends from it is below a
        child of ours that is not the zygote, dead or alive; and the zygote starts nothing else.
        """
        zygote = self.warm.zygote
        if not (zygote and zygote.children and self.children):
            return False
        try:
            return not zygote.children.read() and self.children.read().split() == [str(zygote.pid).encode()]
        except OSError:  # the zygote has ended
            return False

    def _doubt_zygote(self) -> None:
        """Where runs have its user, one that outlived its own end may have stopped it for the next."""
        if not self.setting.uid_base:
            self.warm.end()

    def _kill_everything(self, watch: Watch) -> None:
        """A run that forks faster than it can be killed one by one: the kernel ends all at once, the zygote too."""
        if not self.setting.pid1:
            raise SystemExit("processes of a run could not be killed")
        watch.end("processes", "they forked faster than they could be killed one by one")
        limit = time.monotonic() + GRACE_S
        os.kill(-1, signal.SIGKILL)
        self.warm.end()
        while self.of_the_run(dead=True):
            if time.monotonic() > limit:
                raise SystemExit("processes of a run could not be killed")
            with contextlib.suppress(ProcessLookupError):
                os.kill(-1, signal.SIGKILL)
            self._reap(watch)

    def _reap(self, watch: Watch) -> None:
        while True:
            try:
                pid, status, usage = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if not pid:
                return
            if pid == self.warm.pid:
                self._lose_zygote(watch)
                continue
            watch.cpu_s += usage.ru_utime + usage.ru_stime
            watch.peak_kib = max(watch.peak_kib, usage.ru_maxrss)
            if pid == watch.pid:
                watch.status, watch.end_ns = status, time.monotonic_ns()

    def _drain(self, watch: Watch, job: Job, poll: select.poll, outputs: dict[int, bytearray]) -> None:
        """Every writer is dead, so what is left in the pipes is all there is.

        A pipe may still be open: a descriptor on its way through a socket goes when the kernel next cleans those up.
        """
        for fd, into in outputs.items():
            os.set_blocking(fd, False)
            with contextlib.suppress(BlockingIOError):
                while data := os.read(fd, 1 << 16):
                    into += data[: job.output_bytes - len(into) + 1]
            if len(into) > job.output_bytes:
                del into[job.output_bytes :]
                watch.end("output", f"more than {job.output_bytes} bytes")

    @staticmethod
    def subtract_start(watch: Watch, start_r: int) -> None:
        """Time before the program's first line is not the program's."""
        os.set_blocking(start_r, False)
        try:
            began_ns, cpu_s = marshal.loads(os.read(start_r, 256))
        except (BlockingIOError, EOFError):  # it did not get as far as the program's first line
            began_ns, cpu_s = int(watch.started * 1e9), 0.0
            watch.evidence = watch.evidence or "the run ended before the program began"
            if not watch.stop and watch.status is not None and os.WIFEXITED(watch.status):  # ours, so no verdict
                raise SystemExit(f"the program was not started: {watch.stderr.decode(errors='replace')}") from None
        watch.started = began_ns / 1e9
        watch.cpu_s = max(0.0, watch.cpu_s - cpu_s)
        watch.end_ns = watch.end_ns or time.monotonic_ns()

    def of_the_run(self, dead: bool = False) -> list[meter.Process]:
        """Its processes; with `dead` also those that nobody has waited for yet."""
        seen = meter.processes(dead)
        if not self.setting.pid1:
            seen = meter.descendants(seen, os.getpid())
        ours = {os.getpid(), self.warm.pid}
        return [process for process in seen if process.pid not in ours]


def _resident(processes: list[meter.Process]) -> int:
    """Bytes of all together; what a forked process still shares with the interpreter it came from counts once.

    That share is taken as 8 MiB, a bare interpreter: the exact figure (Pss) may not be read across users.
    """
    total = sum(process.resident_bytes for process in processes)
    return total - (8 << 20) * max(0, len(processes) - 1)


def kill(pid: int) -> None:
    """Kill a process that may be gone already."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
