"""The warm interpreters of one guest: a bare one for programs, and those that have libraries imported, for calls."""

from __future__ import annotations

import fcntl
import marshal
import os
import select
import signal
import socket
import time
from typing import Any, NamedTuple

from ..boot import BUNDLE_FD, Bundle
from ..syscalls import cpu_clock
from ..wire import Job, JobLimits, Setting
from ..zygote import START
from . import limits, usage
from .folders import Workspace, keep, reopen


class Zygotes:
    """Chooses the zygote of each run; `current` has the one in progress."""

    def __init__(self, setting: Setting, bundle: Bundle, workspace: Workspace, *, capped: bool) -> None:
        self.setting, self.bundle, self.workspace, self.capped = setting, bundle, workspace, capped
        self.bare = self.current = ZygoteProcess(setting, bundle, capped=capped)
        self.loaded: dict[tuple[str, int], ZygoteProcess] = {}
        """Zygotes with preloaded libraries, by (name of the kept list of libraries, hash seed), the oldest first."""
        self.preload_failures: dict[str, str] = {}
        """Reasons why lists of libraries are not preloaded here, by name of the list."""

    @property
    def living(self) -> list[ZygoteProcess]:
        return [each for each in (self.bare, *self.loaded.values()) if each.link]

    @property
    def pids(self) -> set[int]:
        """Process ids of all zygotes."""
        return {each.pid for each in self.living}

    @property
    def shared_bytes(self) -> int:
        """Resident memory of libraries that the first process of a run has without having imported them, bytes."""
        return self.current.resident_bytes() if self.current.preload is not None and self.current.link else 0

    def cpu_s(self) -> float:
        """CPU time of all zygotes themselves, seconds."""
        return sum(each.cpu_s() for each in self.living)

    def forget(self, pid: int) -> None:
        """One has ended and was waited for."""
        for each in self.living:
            if each.pid == pid:
                each.forget()

    def end(self) -> None:
        """Kill all of them; new ones are started when they are needed."""
        for each in self.living:
            each.end()

    def ready(self, job: Job, cwd: str, libraries: bytes) -> tuple[Link, Job]:
        """Return the zygote for a run, and the changed run: it is forked if its libraries could be imported.

        `libraries` is marshalled. It is empty if the run has no libraries.
        """
        if libraries and job.libraries not in self.preload_failures:
            zygote = self._loaded(job, cwd, libraries)
            link = zygote.ready(job)
            if zygote.preload_failure or self.workspace.has_leftovers():
                self.preload_failures[job.libraries] = zygote.preload_failure or "they leave files behind"
                self.loaded.pop((job.libraries, job.hash_seed)).close()
                self.workspace.clean()
            else:
                for key, each in list(self.loaded.items()):
                    resident = sum(other.resident_bytes() for other in self.loaded.values() if other.link)
                    # resident, of all that have libraries; the oldest go. sandbox/codeopt_sandbox/docker.py leaves room
                    # for it
                    if each is not zygote and resident > 512 << 20:
                        self.loaded.pop(key).close()
                self.current = zygote
                return link, job._replace(exec=False)
        self.current = self.bare
        return self.bare.ready(job), job

    def _loaded(self, job: Job, cwd: str, libraries: bytes) -> ZygoteProcess:
        key = job.libraries, job.hash_seed
        if key not in self.loaded:
            modules, paths = marshal.loads(libraries)
            preload: dict[str, Any] = {
                "modules": modules, "paths": paths, "program": f"{self.workspace.box}/program.py", "cwd": cwd,
                "uid": self.setting.uid_base,
            }  # fmt: skip
            self.loaded[key] = ZygoteProcess(
                self.setting, self.bundle, capped=self.capped, preload=preload, hash_seed=job.hash_seed
            )
        return self.loaded[key]


# The zygote: the warm interpreter that starts each run, itself under the limits that runs inherit.

_MODULES = ("__init__.py", "boot.py", "syscalls.py", "libraries.py", "zygote.py")

_PAGE = os.sysconf("SC_PAGE_SIZE")
LOAD_S = 60.0
"""Time limit for all imports of libraries together, seconds; as long as a run may take to import a module."""


class Link(NamedTuple):
    """The warm interpreter, our end of its socket, and what the kernel says of it."""

    pid: int
    sock: socket.socket
    stat: usage.Book
    children: usage.Book | None


class ZygoteProcess:
    """Has a zygote ready for the next run.

    capped: a control group caps the memory of all, so no limit on addresses is needed.
    preload: the libraries that it imports before the first run, and what they are imported with.
    """

    def __init__(
        self,
        setting: Setting,
        bundle: Bundle,
        *,
        capped: bool,
        preload: dict[str, Any] | None = None,
        hash_seed: int = 0,
    ) -> None:
        self.setting, self.capped, self.preload, self.hash_seed = setting, capped, preload, hash_seed
        modules = bundle.pack(*_MODULES)
        self.modules = keep(
            modules if preload is None else marshal.dumps({**marshal.loads(modules), "preload": preload})
        )
        self.preload_failure = ""
        """Reason why the libraries could not be imported here. Empty if they are, or if there are no libraries."""
        self.link: Link | None = None
        self.limits: JobLimits | None = None
        self.cores = os.sched_getaffinity(0)
        self.core: int | None = None

    @property
    def pid(self) -> int:
        """Process id of the zygote; 0 without a zygote."""
        return self.link.pid if self.link else 0

    def cpu_s(self) -> float:
        """CPU time of the zygote itself, seconds."""
        return time.clock_gettime(cpu_clock(self.link.pid)) if self.link else 0.0

    def end(self) -> None:
        """Kill the zygote, if there is one."""
        if self.link:
            os.kill(self.link.pid, signal.SIGKILL)  # our child, not yet waited for: its number is still its own
            os.waitpid(self.link.pid, 0)
            self.forget()

    def forget(self) -> None:
        """Forget the zygote, which has ended and was waited for."""
        assert self.link is not None
        self.link.sock.close()
        self.link.stat.close()
        if self.link.children:
            self.link.children.close()
        self.link = None

    def ready(self, job: Job) -> Link:
        """The zygote with the limits of this job; a new one when they differ or the old one is gone."""
        wanted = job.limits._replace(wall_s=0.0, output_bytes=0)
        if self.link and wanted != self.limits:
            self.end()
        if self.link is None:
            self.link, self.limits, self.core = self._start(job), wanted, None
            if self.preload is not None:
                self.preload_failure = self._hear_loaded(self.link.sock)
        # Set from here: the filter that a run inherits forbids it to everybody else.
        if not self.preload_failure and job.core != self.core:
            os.sched_setaffinity(self.link.pid, self.cores if job.core is None else {job.core})
            self.core = job.core
        return self.link

    def close(self) -> None:
        """End the zygote for good."""
        self.end()
        os.close(self.modules)

    def resident_bytes(self) -> int:
        """Resident memory of the zygote itself, bytes."""
        assert self.link is not None
        return int(self.link.stat.read().rpartition(b")")[2].split()[21]) * _PAGE

    @staticmethod
    def _hear_loaded(sock: socket.socket) -> str:
        poll = select.poll()
        poll.register(sock.fileno(), select.POLLIN)
        poll.register(0, 0)  # only to hear that the host has gone
        limit = time.monotonic() + LOAD_S
        while (left := limit - time.monotonic()) > 0:
            for fd, event in poll.poll(left * 1000):
                if fd == 0 and event & (select.POLLHUP | select.POLLERR):
                    raise SystemExit
                if fd == sock.fileno():
                    data = sock.recv(1 << 12)
                    return str(marshal.loads(data)[1]) if data else "they end the interpreter that imports them"
        return f"they take longer than {LOAD_S:.0f} s"

    def _start(self, job: Job) -> Link:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        pid = os.fork()
        if pid:
            theirs.close()
            return Link(pid, ours, usage.Book(f"/proc/{pid}/stat"), usage.children(pid))
        try:
            null = os.open("/dev/null", os.O_RDWR)
            out_of_the_way = [fcntl.fcntl(each, fcntl.F_DUPFD, 10) for each in (theirs.fileno(), reopen(self.modules))]
            for target, source in zip((0, 1, 3, BUNDLE_FD), (null, null, *out_of_the_way)):
                os.dup2(source, target)
            os.closerange(BUNDLE_FD + 1, 4096)
            # uid 0 is exempt from RLIMIT_NPROC; as an ordinary user it would count that user's other processes too.
            limits.limit(
                open_files=job.limits.open_files,
                file_bytes=job.limits.file_bytes,
                processes=job.limits.processes if self.setting.uid_base else None,
                address_bytes=None if self.capped else 4 * job.limits.memory_bytes + (1 << 30),
            )
            if not self.setting.pid1:  # a guest of its own began so, and nothing in it can undo it
                limits.first_to_go()
            if self.setting.seccomp:
                limits.seccomp()
            env = {**self.setting.env, "PYTHONHASHSEED": str(self.hash_seed)}
            os.execve(self.setting.python, [self.setting.python, "-c", START], env)
        finally:
            os._exit(70)
