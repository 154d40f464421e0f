"""The zygote: the warm interpreter that starts each run, itself under the limits that runs inherit."""

from __future__ import annotations

import os
import signal
import socket
from typing import NamedTuple

from . import lockdown, meter
from .job import Job, Setting

_TICKS = os.sysconf("SC_CLK_TCK")


class Zygote(NamedTuple):
    """The warm interpreter, our end of its socket, and what the kernel says of it."""

    pid: int
    sock: socket.socket
    stat: meter.Book
    children: meter.Book | None


class Warm:
    """Has a zygote ready for the next run.

    capped: a control group caps the memory of all, so no limit on addresses is needed.
    """

    def __init__(self, setting: Setting, *, capped: bool) -> None:
        self.setting, self.capped = setting, capped
        self.zygote: Zygote | None = None
        self.limits: tuple[int, ...] = ()
        self.cores = os.sched_getaffinity(0)
        self.core: int | None = None

    @property
    def pid(self) -> int:
        """Of the zygote; 0 when there is none."""
        return self.zygote.pid if self.zygote else 0

    def cpu_s(self) -> float:
        """What the zygote itself has used, in clock ticks."""
        if self.zygote is None:
            return 0.0
        fields = self.zygote.stat.read().rpartition(b")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS

    def end(self) -> None:
        """Kill the zygote, if there is one."""
        if self.zygote:
            os.kill(self.zygote.pid, signal.SIGKILL)  # our child, not yet waited for: its number is still its own
            os.waitpid(self.zygote.pid, 0)
            self.forget()

    def forget(self) -> None:
        """It has ended and was waited for."""
        assert self.zygote is not None
        self.zygote.sock.close()
        self.zygote.stat.close()
        if self.zygote.children:
            self.zygote.children.close()
        self.zygote = None

    def ready(self, job: Job) -> Zygote:
        """The zygote with the limits of this job; a new one when they differ or the old one is gone."""
        limits = (job.open_files, job.file_bytes, job.processes, job.memory_bytes)
        if self.zygote and limits != self.limits:
            self.end()
        if self.zygote is None:
            self.zygote, self.limits, self.core = self._start(job), limits, None
        if job.core != self.core:  # set from here: the filter that a run inherits forbids it to everybody else
            os.sched_setaffinity(self.zygote.pid, self.cores if job.core is None else {job.core})
            self.core = job.core
        return self.zygote

    def _start(self, job: Job) -> Zygote:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        pid = os.fork()
        if pid:
            theirs.close()
            return Zygote(pid, ours, meter.Book(f"/proc/{pid}/stat"), meter.children(pid))
        try:
            self._become(job, theirs.fileno())
        finally:
            os._exit(70)

    def _become(self, job: Job, fd: int) -> None:
        null = os.open("/dev/null", os.O_RDWR)
        os.dup2(fd, 3 if fd != 3 else fd)
        for target in (0, 1):
            os.dup2(null, target)
        os.set_inheritable(3, True)
        os.closerange(4, 4096)
        # uid 0 is exempt from RLIMIT_NPROC; as an ordinary user it would count that user's other processes too.
        lockdown.limit(
            open_files=job.open_files,
            file_bytes=job.file_bytes,
            processes=job.processes if self.setting.uid_base else None,
            address_bytes=None if self.capped else 4 * job.memory_bytes + (1 << 30),
        )
        if self.setting.seccomp:
            lockdown.seccomp()
        env = {**self.setting.env, "PYTHONHASHSEED": "0"}
        os.execve(self.setting.python, [self.setting.python, "-c", self.setting.zygote], env)
