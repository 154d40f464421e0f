"""Pid 1 of the sandbox: takes requests from the host, has the zygote run them, watches, kills and cleans up.

Nothing here trusts a run: its time is taken here and in the zygote, its output is capped as it arrives, and when
its first process ends everything else that it started is killed before the next run begins.
"""

from __future__ import annotations

import contextlib
import ctypes  # noqa: F401  imported before the first fork, which needs it
import fcntl
import marshal
import os
import select
import shutil
import signal
import socket
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from . import lockdown, meter, wire

_TICK_S = 0.02  # how often memory and processes are looked at in a run that lasts longer than this
_F_SETPIPE_SZ, _F_ADD_SEALS, _ALL_SEALS = 1031, 1033, 0xF
_GRACE_S = 2.0  # for the kernel to end what was killed


@dataclass(frozen=True)
class Setting:
    """How this guest is built; sent by the host once."""

    python: str
    box: str
    """Where the program's file goes; only the supervisor needs to write there."""
    scratch: tuple[str, ...]
    """Folders a run may write to; emptied after each run. The first is its working folder."""
    env: dict[str, str]
    pid1: bool
    """Own pid namespace: everything that can be seen belongs to the run."""
    uid_base: int
    """First of 1000 user numbers for runs; 0 keeps the supervisor's own."""
    seccomp: bool
    zygote: str
    """Source text of zygote.py."""


@dataclass(frozen=True)
class Job:
    """One run; the fields of sandbox.outcome.Limits in the guest's units."""

    exec: bool
    wall_s: float
    memory_bytes: int
    output_bytes: int
    processes: int
    open_files: int
    file_bytes: int
    hash_seed: int
    args: list[str]
    """The program's own arguments."""
    core: int | None
    """The one core that the run has; None leaves it all."""


class Zygote(NamedTuple):
    """The warm interpreter and our end of its socket."""

    pid: int
    sock: socket.socket


@dataclass
class Watch:
    """What is known of the run in progress."""

    started: float
    stdout: bytearray = field(default_factory=bytearray)
    stderr: bytearray = field(default_factory=bytearray)
    pid: int = 0
    status: int | None = None
    cpu_s: float = 0.0
    peak_kib: int = 0
    delay_s: float = 0.0
    end_ns: int = 0
    stop: str = ""
    evidence: str = ""
    next_look: float = 0.0

    def end(self, stop: str, evidence: str) -> None:
        """End the run for the first reason found."""
        if not self.stop:
            self.stop, self.evidence = stop, evidence


class Supervisor:
    """Serves requests until its standard input ends."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.group = meter.ControlGroup.find() if setting.pid1 else meter.ControlGroup(None, None)
        self.zygote: Zygote | None = None
        self.zygote_limits: tuple[int, ...] = ()
        self.cores = os.sched_getaffinity(0)
        self.core: int | None = None
        self.inputs: dict[str, int] = {}
        self.runs = 0
        self.traffic = self._traffic()
        # An interpreter that lives below /tmp is mounted there: the way to it is not something that a run left.
        self.kept = frozenset(str(path) for folder in setting.scratch for path in Path(folder).iterdir())

    def serve(self) -> None:
        """Answer one request after another."""
        while True:
            try:
                message, blob = wire.unpack(read_exactly)
            except wire.BrokenFrame:  # the host is gone: so are we, and with pid 1 everything
                return
            handler = getattr(self, "do_" + message.pop("op"))
            send(*handler(blob, **message))

    def do_ping(self, _blob: bytes) -> tuple[dict[str, Any], bytes]:
        """Who answers."""
        return {"pid": os.getpid(), "version": sys.version.split()[0]}, b""

    def do_keep(self, blob: bytes, name: str) -> tuple[dict[str, Any], bytes]:
        """Keep one input for later runs, in memory that nobody can change any more."""
        fd = os.memfd_create("stdin", os.MFD_CLOEXEC | 2)
        with open(fd, "wb", closefd=False) as file:
            file.write(blob)
        fcntl.fcntl(fd, _F_ADD_SEALS, _ALL_SEALS)
        self.inputs[name] = fd
        return {}, b""

    def do_forget(self, _blob: bytes, name: str) -> tuple[dict[str, Any], bytes]:
        """Let one input go."""
        os.close(self.inputs.pop(name))
        return {}, b""

    def do_run(self, program: bytes, stdin: str, **limits: Any) -> tuple[dict[str, Any], bytes]:
        """Run a program on a kept input."""
        job = Job(**limits)
        self.runs += 1
        cpu_before, kills_before = self.group.cpu_seconds(), self.group.oom_kills()
        own_before = self._own_cpu()
        path = self._place(program)
        watch = self._watch(job, path, stdin)
        clean = self._clean()
        if (kills := self.group.oom_kills() - kills_before) > 0:
            watch.stop, watch.evidence = "memory", f"the kernel killed {kills} process(es) of the run for memory"
        if watch.peak_kib << 10 > job.memory_bytes:  # for a moment, between two looks
            watch.end("memory", f"{watch.peak_kib >> 10} MiB at its peak, the limit is {job.memory_bytes >> 20} MiB")
        cpu_after = self.group.cpu_seconds()
        if cpu_before is not None and cpu_after is not None:
            watch.cpu_s = _larger(watch.cpu_s, cpu_after - cpu_before - (self._own_cpu() - own_before))
        return {**report(watch), "clean": clean}, bytes(watch.stdout + watch.stderr)

    # -- one run ------------------------------------------------------------------------------------------------

    def _watch(self, job: Job, path: str, stdin: str) -> Watch:
        start_r, start_w = os.pipe2(os.O_CLOEXEC)
        out_r, out_w = _wide_pipe()
        err_r, err_w = _wide_pipe()
        stdin_fd = os.open(f"/proc/self/fd/{self.inputs[stdin]}", os.O_RDONLY | os.O_CLOEXEC)
        try:
            zygote = self._warm(job)
            watch = Watch(time.monotonic())
            _hand_over(zygote, self._order(job, path), [stdin_fd, out_w, err_w, start_w])
        finally:
            for fd in (stdin_fd, out_w, err_w, start_w):
                os.close(fd)
        try:
            self._follow(watch, job, zygote, {out_r: watch.stdout, err_r: watch.stderr})
            self._subtract_start(watch, start_r)
        finally:
            for fd in (start_r, out_r, err_r):
                os.close(fd)
        return watch

    def _order(self, job: Job, path: str) -> bytes:
        uid = self.setting.uid_base and self.setting.uid_base + self.runs % 1000
        env = {**self.setting.env, "PYTHONHASHSEED": str(job.hash_seed)}
        order = {
            "exec": job.exec,
            "path": path,
            "uid": uid,
            "cwd": self.setting.scratch[0],
            "env": env,
            "args": job.args,
        }
        return marshal.dumps({**order, "python": self.setting.python})

    def _follow(self, watch: Watch, job: Job, zygote: Zygote, outputs: dict[int, bytearray]) -> None:
        """Until the first process has ended and everything that it left behind is dead and read."""
        poll = select.poll()
        poll.register(0, 0)  # only to hear that the host has gone
        for fd in (*outputs, zygote.sock.fileno()):
            poll.register(fd, select.POLLIN)
        deadline = watch.started + job.wall_s
        watch.next_look = watch.started + _TICK_S
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
        assert self.zygote is not None
        self.zygote.sock.close()
        self.zygote = None
        watch.end("lost", "the run killed the process that started it")

    def _check(self, watch: Watch, job: Job, deadline: float) -> None:
        now = time.monotonic()
        if watch.status is None and now >= deadline:
            watch.end("time", f"still running after {job.wall_s:g} s")
        if now < watch.next_look:
            return
        watch.next_look = now + _TICK_S
        mine = self._of_the_run()
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
        limit = time.monotonic() + _GRACE_S
        lingered = False
        while time.monotonic() < limit:
            if watch.pid and watch.status is None:
                _kill(watch.pid)
            left = self._of_the_run(dead=True)
            for process in left:
                _kill(process.pid)
            lingered = lingered or bool(left)
            self._reap(watch)
            if not left and (watch.status is not None or self.zygote is None):
                if lingered:
                    watch.end_ns = time.monotonic_ns()
                    self._doubt_zygote()
                return
            if self.zygote and watch.status is None and select.select([zygote.sock], [], [], 0.005)[0]:
                self._hear(watch, zygote)
        self._kill_everything(watch)

    def _doubt_zygote(self) -> None:
        """Where runs have its user, one that outlived its own end may have stopped it for the next."""
        if self.zygote and not self.setting.uid_base:
            self._end_zygote(self.zygote)

    def _end_zygote(self, zygote: Zygote) -> None:
        _kill(zygote.pid)
        os.waitpid(zygote.pid, 0)
        zygote.sock.close()
        self.zygote = None

    def _kill_everything(self, watch: Watch) -> None:
        """A run that forks faster than it can be killed one by one: the kernel ends all at once, the zygote too."""
        if not self.setting.pid1:
            raise SystemExit("processes of a run could not be killed")
        watch.end("processes", "they forked faster than they could be killed one by one")
        limit = time.monotonic() + _GRACE_S
        os.kill(-1, signal.SIGKILL)
        if self.zygote:
            self._end_zygote(self.zygote)
        while self._of_the_run(dead=True):
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
            if self.zygote and pid == self.zygote.pid:
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

    def _subtract_start(self, watch: Watch, start_r: int) -> None:
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

    # -- the zygote ---------------------------------------------------------------------------------------------

    def _warm(self, job: Job) -> Zygote:
        """The zygote with the limits of this job; a new one when they differ or the old one is gone."""
        limits = (job.open_files, job.file_bytes, job.processes, job.memory_bytes)
        if self.zygote and limits != self.zygote_limits:
            self._end_zygote(self.zygote)
        if self.zygote is None:
            self.zygote, self.zygote_limits, self.core = self._start_zygote(job), limits, None
        if job.core != self.core:  # set from here: the filter that a run inherits forbids it to everybody else
            os.sched_setaffinity(self.zygote.pid, self.cores if job.core is None else {job.core})
            self.core = job.core
        return self.zygote

    def _start_zygote(self, job: Job) -> Zygote:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        pid = os.fork()
        if pid:
            theirs.close()
            return Zygote(pid, ours)
        try:
            self._become_zygote(job, theirs.fileno())
        finally:
            os._exit(70)

    def _become_zygote(self, job: Job, fd: int) -> None:
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
            address_bytes=None if self.group.events else 4 * job.memory_bytes + (1 << 30),
        )
        if self.setting.seccomp:
            lockdown.seccomp()
        env = {**self.setting.env, "PYTHONHASHSEED": "0"}
        os.execve(self.setting.python, [self.setting.python, "-c", self.setting.zygote], env)

    # -- the house ----------------------------------------------------------------------------------------------

    def _of_the_run(self, dead: bool = False) -> list[meter.Process]:
        """Its processes; with `dead` also those that nobody has waited for yet."""
        seen = meter.processes(dead)
        if not self.setting.pid1:
            seen = meter.descendants(seen, os.getpid())
        ours = {os.getpid(), self.zygote.pid if self.zygote else 0}
        return [process for process in seen if process.pid not in ours]

    def _own_cpu(self) -> float:
        own = time.process_time()
        if self.zygote is None:
            return own
        fields = Path(f"/proc/{self.zygote.pid}/stat").read_bytes().rpartition(b")")[2].split()
        return own + (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def _place(self, program: bytes) -> str:
        path = f"{self.setting.box}/program.py"
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o444)  # _clean removed the last one
        with open(fd, "wb") as file:
            file.write(program)
        return path

    def _clean(self) -> bool:
        """Empty every folder that a run can write to; False when something would not go.

        The kernel keeps closed connections for a minute and counts packets for ever, for the next run to read.
        """
        folders = {self.setting.box, *self.setting.scratch}
        if not self.setting.uid_base:
            for folder in folders:
                _restore(Path(folder))
        return all([_empty(folder, self.kept) for folder in folders]) and self.traffic == self._traffic()

    def _traffic(self) -> bytes:
        return meter.traffic() if self.setting.pid1 else b""


def _restore(folder: Path) -> None:
    """What a run of our own user can do to a folder itself: put something in its place, or keep state in its inode."""
    with contextlib.suppress(OSError):  # what cannot be emptied then is reported as not clean
        if folder.is_symlink() or not folder.is_dir():
            folder.unlink(missing_ok=True)
            folder.mkdir()
        folder.chmod(0o700)
        os.utime(folder, (0, 0))
        for name in os.listxattr(folder):
            os.removexattr(folder, name)


def _empty(folder: str, kept: frozenset[str]) -> bool:
    found = _others(folder, kept)
    for entry in found:
        _remove(entry)
    return not found or not _others(folder, kept)


def _others(folder: str, kept: frozenset[str]) -> list[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        return [entry for entry in entries if entry.path not in kept]


def _remove(entry: os.DirEntry[str]) -> None:
    with contextlib.suppress(OSError, RecursionError):  # the host throws a guest away that is not clean
        if entry.is_dir(follow_symlinks=False):
            shutil.rmtree(entry.path, ignore_errors=True)
        else:
            os.unlink(entry.path)  # noqa: PTH108


def report(watch: Watch) -> dict[str, Any]:
    """What the host is told; it makes the verdict."""
    status = watch.status
    return {
        "exit": os.WEXITSTATUS(status) if status is not None and os.WIFEXITED(status) else None,
        "signal": os.WTERMSIG(status) if status is not None and os.WIFSIGNALED(status) else None,
        "wall_s": max(0.0, watch.end_ns / 1e9 - watch.started),
        "cpu_s": watch.cpu_s,
        "peak_bytes": watch.peak_kib << 10,
        "delay_s": watch.delay_s,
        "stdout": len(watch.stdout),
        "stop": watch.stop or None,
        "evidence": watch.evidence,
    }


def _resident(processes: list[meter.Process]) -> int:
    """Bytes of all together; what a forked process still shares with the interpreter it came from counts once.

    That share is taken as 8 MiB, a bare interpreter: the exact figure (Pss) may not be read across users.
    """
    total = sum(process.resident_bytes for process in processes)
    return total - (8 << 20) * max(0, len(processes) - 1)


def _larger(by_processes: float, by_group: float) -> float:
    """The group's figure, which nothing escapes, where it is clearly more; else the exact sum over processes.

    20 ms and 10 %: clock ticks (10 ms) in what the supervisor and the zygote used themselves.
    """
    return by_group if by_group > by_processes * 1.1 + 0.02 else by_processes


def _wide_pipe() -> tuple[int, int]:
    reader, writer = os.pipe2(os.O_CLOEXEC)
    with contextlib.suppress(OSError):  # a program that prints much should not wait; a user may be refused this much
        fcntl.fcntl(writer, _F_SETPIPE_SZ, 1 << 20)
    return reader, writer


def _hand_over(zygote: Zygote, order: bytes, fds: list[int]) -> None:
    packed = b"".join(fd.to_bytes(4, sys.byteorder) for fd in fds)
    zygote.sock.sendmsg([order], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, packed)])


def _kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def read_exactly(size: int) -> bytes:
    """`size` bytes from the host, or fewer when it is gone."""
    parts = []
    while size:
        data = os.read(0, min(size, 1 << 20))
        if not data:
            break
        parts.append(data)
        size -= len(data)
    return b"".join(parts)


def send(message: dict[str, Any], blob: bytes) -> None:
    """One frame to the host."""
    data = memoryview(wire.pack(message, blob))
    while data:
        data = data[os.write(1, data) :]


def main() -> None:
    """Read the setting, serve, and leave nothing behind."""
    message, _ = wire.unpack(read_exactly)
    python = message["python"] if os.path.isabs(message["python"]) else sys.executable  # of an image, by its name
    setting = Setting(**{**message, "scratch": tuple(message["scratch"]), "python": python})
    if not setting.pid1:
        lockdown.adopt_orphans()
    lockdown.hide()
    signal.signal(signal.SIGINT, lambda *_: None)  # a run of the same user may send it, and a terminal does
    for folder in (setting.box, *setting.scratch):
        Path(folder).mkdir(parents=True, exist_ok=True)
    if setting.uid_base:
        for folder in setting.scratch:  # an engine gives a mount the mode of the folder below it
            Path(folder).chmod(0o1777)
    send({"pid": os.getpid()}, b"")
    try:
        Supervisor(setting).serve()
    finally:
        if not setting.pid1:  # with pid 1 the kernel ends everything else, and the mounts go
            _kill_descendants()
            for folder in (setting.box, *setting.scratch):
                shutil.rmtree(folder, ignore_errors=True)
            Path(setting.box).parent.rmdir()


def _kill_descendants() -> None:
    limit = time.monotonic() + _GRACE_S
    while (left := meter.descendants(meter.processes(), os.getpid())) and time.monotonic() < limit:
        for process in left:
            _kill(process.pid)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
