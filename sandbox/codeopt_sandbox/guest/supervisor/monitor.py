"""One run, watched from its start until all of its processes have ended."""

from __future__ import annotations

import contextlib
import marshal
import os
import select
import signal
import time
from typing import Any

from ..syscalls import kill
from ..wire import Job, Setting
from . import usage
from .zygotes import Link, Zygotes

TICK_S = 0.02  # how often memory and processes are looked at in a run that lasts longer than this
GRACE_S = 2.0  # for the kernel to end what was killed


class RunState:
    def __init__(self, started: float) -> None:
        self.started = started
        self.stdout, self.stderr = bytearray(), bytearray()
        self.pid = 0
        self.status: int | None = None
        self.cpu_s = self.delay_s = self.next_look = 0.0
        self.peak_kib = self.end_ns = 0
        self.stop = self.evidence = ""

    def end(self, stop: str, evidence: str) -> None:
        """End the run for the first reason found."""
        if not self.stop:
            self.stop, self.evidence = stop, evidence


def report(state: RunState) -> dict[str, Any]:
    """Report of a run to the host, which makes the verdict."""
    status = state.status
    return {
        "exit": os.WEXITSTATUS(status) if status is not None and os.WIFEXITED(status) else None,
        "signal": os.WTERMSIG(status) if status is not None and os.WIFSIGNALED(status) else None,
        "wall_s": max(0.0, state.end_ns / 1e9 - state.started),
        "cpu_s": state.cpu_s,
        "peak_bytes": state.peak_kib << 10,
        "delay_s": state.delay_s,
        "stdout": len(state.stdout),
        "stop": state.stop or None,
        "evidence": state.evidence,
    }


class RunMonitor:
    """Reads what a run prints, holds it to its limits, kills what it leaves and counts its time."""

    def __init__(self, setting: Setting, zygotes: Zygotes) -> None:
        self.setting, self.zygotes = setting, zygotes
        self.children = usage.children(os.getpid())

    def follow(self, state: RunState, job: Job, outputs: dict[int, bytearray]) -> None:
        """Wait until the first process has ended and all that it left behind is dead and read. Raises SystemExit."""
        link = self.zygotes.current.link
        assert link is not None
        poll = select.poll()
        poll.register(0, 0)  # only to hear that the host has gone
        for fd in (*outputs, link.sock.fileno()):
            poll.register(fd, select.POLLIN)
        deadline = state.started + job.limits.wall_s
        state.next_look = state.started + TICK_S
        while state.status is None and not state.stop:
            now = time.monotonic()
            for fd, event in poll.poll(max(0.0, min(deadline, state.next_look) - now) * 1000):
                if fd == 0 and event & (select.POLLHUP | select.POLLERR):
                    raise SystemExit
                if fd in outputs:
                    data = os.read(fd, 1 << 16)
                    if not data:
                        poll.unregister(fd)
                    _keep(state, job, outputs[fd], data)
                elif fd == link.sock.fileno():
                    self._hear(state, link)
            self._check(state, job, deadline)
        self._end(state, link)
        # Every writer is dead, so what is left in the pipes is all there is. A pipe may still be open: a descriptor on
        # its way through a socket goes when the kernel next cleans those up.
        for fd, into in outputs.items():
            os.set_blocking(fd, False)
            with contextlib.suppress(BlockingIOError):
                while data := os.read(fd, 1 << 16):
                    _keep(state, job, into, data)

    def _hear(self, state: RunState, link: Link) -> None:
        try:
            data = link.sock.recv(1 << 12)
        except ConnectionResetError:  # it died with an order unread
            data = b""
        if not data:  # a program of the same user can kill the zygote: the program is ours to wait for now
            self._lose_zygote(state)
            return
        message = marshal.loads(data)
        if message[0] == "pid":
            state.pid = message[1]
        else:
            _, state.status, cpu_s, peak_kib, state.end_ns, state.delay_s = message
            state.cpu_s += cpu_s
            state.peak_kib = max(state.peak_kib, peak_kib)

    def _lose_zygote(self, state: RunState) -> None:
        self.zygotes.current.forget()
        state.end("lost", "the run killed the process that started it")

    def _check(self, state: RunState, job: Job, deadline: float) -> None:
        now = time.monotonic()
        if state.status is None and now >= deadline:
            state.end("time", f"still running after {job.limits.wall_s:g} s")
        if now < state.next_look:
            return
        state.next_look = now + TICK_S
        mine = self.of_the_run()
        tasks = sum(process.threads for process in mine)
        if tasks > job.limits.processes:
            state.end("processes", f"{tasks} processes and threads, the limit is {job.limits.processes}")
        # What a forked process still shares with the interpreter it came from counts once: 8 MiB, a bare one, as the
        # exact figure (Pss) may not be read across users. The first process, which is ours and directs the calls, has
        # the zygote's libraries in addition; so they count as they do where the run imports them.
        shared = (8 << 20) * max(0, len(mine) - 1) + self.zygotes.shared_bytes
        used = max(0, sum(process.resident_bytes for process in mine) - shared)
        state.peak_kib = max(state.peak_kib, used >> 10)
        if used > job.limits.memory_bytes:
            state.end("memory", f"{used >> 20} MiB resident, the limit is {job.limits.memory_bytes >> 20} MiB")

    def _end(self, state: RunState, link: Link) -> None:
        """Kill the rest of the run, wait for all of it, and count its CPU time.

        Processes may still have worked and printed after the end of the first one. So their time counts: to end early
        and leave the work to a child gains nothing.
        """
        if state.status is not None and self._is_alone():
            return
        limit = time.monotonic() + GRACE_S
        lingered = False
        while time.monotonic() < limit:
            if state.pid and state.status is None:
                kill(state.pid)
            left = self.of_the_run(dead=True)
            for process in left:
                kill(process.pid)
            lingered = lingered or bool(left)
            self._reap(state)
            if not left and (state.status is not None or self.zygotes.current.link is None):
                if lingered:
                    state.end_ns = time.monotonic_ns()
                    if not self.setting.uid_base:  # of our own user: it may have stopped the zygote for the next run
                        self.zygotes.end()
                return
            if self.zygotes.current.link and state.status is None and select.select([link.sock], [], [], 0.005)[0]:
                self._hear(state, link)
        self._kill_everything(state)

    def _is_alone(self) -> bool:
        """Return True if no process of the run is left for certain.

        Once its first process has ended, its descendants are below a child of this process other than a zygote, dead or
        alive. A zygote starts nothing else.
        """
        link = self.zygotes.current.link
        if not (link and link.children and self.children):
            return False
        try:
            return not link.children.read() and set(map(int, self.children.read().split())) == self.zygotes.pids
        except OSError:  # the zygote has ended
            return False

    def _kill_everything(self, state: RunState) -> None:
        """A run that forks faster than it can be killed one by one: the kernel ends all at once, zygotes too."""
        if not self.setting.pid1:
            raise SystemExit("processes of a run could not be killed")
        state.end("processes", "they forked faster than they could be killed one by one")
        limit = time.monotonic() + GRACE_S
        os.kill(-1, signal.SIGKILL)
        self.zygotes.end()
        while self.of_the_run(dead=True):
            if time.monotonic() > limit:
                raise SystemExit("processes of a run could not be killed")
            kill(-1)
            self._reap(state)

    def _reap(self, state: RunState) -> None:
        while True:
            try:
                pid, status, used = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if not pid:
                return
            if pid == self.zygotes.current.pid:
                self._lose_zygote(state)
                continue
            if pid in self.zygotes.pids:
                self.zygotes.forget(pid)
                continue
            state.cpu_s += used.ru_utime + used.ru_stime
            state.peak_kib = max(state.peak_kib, used.ru_maxrss)
            if pid == state.pid:
                state.status, state.end_ns = status, time.monotonic_ns()

    @staticmethod
    def subtract_start(state: RunState, start_r: int) -> None:
        """Time before the program's first line is not the program's. Raises SystemExit."""
        os.set_blocking(start_r, False)
        try:
            began_ns, cpu_s = marshal.loads(os.read(start_r, 256))
        except (BlockingIOError, EOFError):  # it did not get as far as the program's first line
            began_ns, cpu_s = int(state.started * 1e9), 0.0
            state.evidence = state.evidence or "the run ended before the program began"
            if not state.stop and state.status is not None and os.WIFEXITED(state.status):  # ours, so no verdict
                raise SystemExit(f"the program was not started: {state.stderr.decode(errors='replace')}") from None
        state.started = began_ns / 1e9
        state.cpu_s = max(0.0, state.cpu_s - cpu_s)
        state.end_ns = state.end_ns or time.monotonic_ns()

    def of_the_run(self, dead: bool = False) -> list[usage.Process]:
        """Processes of the run; with `dead` also those that nobody has waited for yet."""
        seen = usage.processes(dead)
        if not self.setting.pid1:
            seen = usage.descendants(seen, os.getpid())
        ours = {os.getpid(), *self.zygotes.pids}
        return [process for process in seen if process.pid not in ours]


def _keep(state: RunState, job: Job, into: bytearray, data: bytes) -> None:
    """Keep what a run printed, and end one that prints too much."""
    into += data[: job.limits.output_bytes - len(into) + 1]
    if len(into) > job.limits.output_bytes:
        del into[job.limits.output_bytes :]
        state.end("output", f"more than {job.limits.output_bytes} bytes")
