"""Pid 1 of the sandbox: takes requests from the host, has the zygote run them, watches, kills and cleans up.

Nothing here trusts a run: its time is taken here and in the zygote, its output is capped as it arrives, and when
its first process ends everything else that it started is killed before the next run begins.
"""

from __future__ import annotations

import contextlib
import fcntl
import marshal
import os
import signal
import socket
import sys
import time
from typing import Any

from . import lockdown, meter, wire
from .folders import Folders
from .job import Job, Setting, Watch, report
from .warm import Warm, Zygote
from .watch import GRACE_S, Watcher, kill

_F_SETPIPE_SZ, _F_ADD_SEALS, _ALL_SEALS = 1031, 1033, 0xF


class Supervisor:
    """Serves requests until its standard input ends."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.group = meter.ControlGroup.find() if setting.pid1 else meter.ControlGroup(None, None)
        self.folders = Folders.make(setting)
        self.warm = Warm(setting, capped=bool(self.group.events))
        self.watcher = Watcher(setting, self.warm)
        self.inputs: dict[str, int] = {}
        self.runs = 0
        self.counters = meter.traffic() if setting.pid1 else ()
        self.traffic = self._traffic()

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
        path = self.folders.place(program)
        watch = self._watch(job, path, stdin)
        # The kernel keeps closed connections for a minute and counts packets for ever, for the next run to read.
        clean = self.folders.clean() and self.traffic == self._traffic()
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
            zygote = self.warm.ready(job)
            watch = Watch(time.monotonic())
            _hand_over(zygote, self._order(job, path), [stdin_fd, out_w, err_w, start_w])
        finally:
            for fd in (stdin_fd, out_w, err_w, start_w):
                os.close(fd)
        try:
            self.watcher.follow(watch, job, {out_r: watch.stdout, err_r: watch.stderr})
            self.watcher.subtract_start(watch, start_r)
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

    def _own_cpu(self) -> float:
        return time.process_time() + self.warm.cpu_s()

    def _traffic(self) -> bytes:
        return b"".join(counter.read() for counter in self.counters)


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
    if setting.private:  # an engine gives a mount the mode of the folder below it
        os.chmod(setting.private, 0o700)  # noqa: PTH101
    supervisor = Supervisor(setting)
    send({"pid": os.getpid()}, b"")
    try:
        supervisor.serve()
    finally:
        if not setting.pid1:  # with pid 1 the kernel ends everything else, and the mounts go
            _kill_descendants()
            supervisor.folders.remove()


def _kill_descendants() -> None:
    limit = time.monotonic() + GRACE_S
    while (left := meter.descendants(meter.processes(), os.getpid())) and time.monotonic() < limit:
        for process in left:
            kill(process.pid)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
