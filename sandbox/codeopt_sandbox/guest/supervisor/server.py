"""Pid 1 of the sandbox: takes requests from the host, has the zygote run them, watches, kills and cleans up.

Nothing here trusts a run. Its time is taken here and in the zygote, and its output is capped as it arrives. When its
first process ends, all its other processes are killed before the next run begins.
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
from pathlib import Path
from typing import Any

from .. import wire
from ..boot import Bundle, read_exactly, write_all
from ..syscalls import hide, kill
from ..wire import Job, JobLimits, Setting
from . import limits, usage
from .folders import WORK, LeftFile, TooMuch, WorkingFolder, Workspace, keep, reopen
from .monitor import GRACE_S, RunMonitor, RunState, report
from .zygotes import Link, Zygotes

_F_SETPIPE_SZ = 1031
_TOOLS = (
    "__init__.py", "boot.py", "syscalls.py", "request.py", "answer.py", "import_hooks.py", "libraries.py",
    "accept.py", "calls/", "profile/", "tests/",
)  # fmt: skip
"""The modules of our own programs, which runs of them are given."""


class Supervisor:
    """Serves requests until its standard input ends."""

    def __init__(self, setting: Setting, bundle: Bundle) -> None:
        self.setting, self.bundle = setting, bundle
        self.group = usage.ControlGroup.find() if setting.pid1 else usage.ControlGroup(None, None)
        self.workspace = Workspace(setting)
        self.zygotes = Zygotes(setting, bundle, self.workspace, capped=bool(self.group.events))
        self.monitor = RunMonitor(setting, self.zygotes)
        self.based = WorkingFolder(f"{setting.scratch[0]}/{WORK}", setting.base) if setting.base else None
        self.inputs: dict[str, int] = {}
        self.tools: int | None = None
        """Made for the first run that needs them: to compile them takes 30 ms."""
        self.runs = 0
        self.counters = usage.traffic() if setting.pid1 else ()
        self.traffic = self._traffic()

    def serve(self) -> None:
        """Answer one request after another."""
        while True:
            try:
                message, blob = wire.unpack(read_input)
            except wire.BrokenFrame:  # the host is gone: so are we, and with pid 1 everything
                return
            handler = getattr(self, "do_" + message.pop("op"))
            send(*handler(blob, **message))

    def do_keep(self, blob: bytes, name: str) -> tuple[dict[str, Any], bytes]:
        """Keep one input for later runs, in memory that nobody can change any more."""
        self.inputs[name] = keep(blob)
        return {}, b""

    def do_forget(self, _blob: bytes, name: str) -> tuple[dict[str, Any], bytes]:
        """Let one input go."""
        os.close(self.inputs.pop(name))
        return {}, b""

    def do_run(self, program: bytes, stdin: str, limits: dict[str, Any], **fields: Any) -> tuple[dict[str, Any], bytes]:
        """Run a program on a kept input."""
        job = Job(limits=JobLimits(**limits), **fields)
        self.runs += 1
        if job.tool and self.tools is None:
            self.tools = keep(self.bundle.pack(*_TOOLS))
        kept = self.inputs.get(job.libraries)
        libraries = os.pread(kept, os.fstat(kept).st_size, 0) if kept is not None else b""
        link, job = self.zygotes.ready(job, self._cwd(job), libraries)
        cpu_before, kills_before = self.group.cpu_seconds(), self.group.oom_kills()
        own_before = self._own_cpu()
        path = self.workspace.place(program)
        folder = self._folder(job)
        state = self._follow(link, job, path, stdin)
        cpu_after, own_after = self.group.cpu_seconds(), self._own_cpu()
        written = _written(folder, job, state)
        put_back = folder.put_back() if folder and folder is self.based else True
        # The kernel keeps closed connections for a minute and counts packets for ever, for the next run to read.
        clean = self.workspace.clean() and put_back and self.traffic == self._traffic()
        if (kills := self.group.oom_kills() - kills_before) > 0:
            state.stop, state.evidence = "memory", f"the kernel killed {kills} process(es) of the run for memory"
        if state.peak_kib << 10 > job.limits.memory_bytes:  # for a moment, between two looks
            state.end(
                "memory", f"{state.peak_kib >> 10} MiB at its peak, the limit is {job.limits.memory_bytes >> 20} MiB"
            )
        if cpu_before is not None and cpu_after is not None:
            by_group = cpu_after - cpu_before - (own_after - own_before)
            # The group's figure, which nothing escapes, where it is clearly more; else the exact sum over processes.
            # 20 ms and 10 %: clock ticks (10 ms) in what the supervisor and the zygote used themselves.
            state.cpu_s = by_group if by_group > state.cpu_s * 1.1 + 0.02 else state.cpu_s
        files = [[each.path, each.size, each.mode] for each in written]
        blob = b"".join([state.stdout, state.stderr, *(each.content for each in written)])
        found = {**report(state), "clean": clean, "stderr": len(state.stderr), "files": files}
        return {**found, "unfit": self.zygotes.preload_failures.get(job.libraries, "")}, blob

    # -- one run ------------------------------------------------------------------------------------------------

    def _follow(self, link: Link, job: Job, path: str, stdin: str) -> RunState:
        start_r, start_w = os.pipe2(os.O_CLOEXEC)
        out_r, out_w = _wide_pipe()
        err_r, err_w = _wide_pipe()
        given = [reopen(self.inputs[stdin]), out_w, err_w, start_w]
        if job.tool and self.tools is not None:
            given.append(reopen(self.tools))
        try:
            state = RunState(time.monotonic())
            packed = b"".join(fd.to_bytes(4, sys.byteorder) for fd in given)
            link.sock.sendmsg([self._order(job, path)], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, packed)])
        finally:
            for fd in given:
                os.close(fd)
        try:
            self.monitor.follow(state, job, {out_r: state.stdout, err_r: state.stderr})
            self.monitor.subtract_start(state, start_r)
        finally:
            for fd in (start_r, out_r, err_r):
                os.close(fd)
        return state

    def _folder(self, job: Job) -> WorkingFolder | None:
        """The run's own working folder, with what it is given."""
        if job.files is None:
            return None
        folder = self.based or WorkingFolder(self._cwd(job), base="")
        folder.fill(job.version, {path: self.inputs[name] for path, name in job.files}, job.hidden)
        return folder

    def _cwd(self, job: Job) -> str:
        return self.setting.scratch[0] + (f"/{WORK}" if job.files is not None else "")

    def _order(self, job: Job, path: str) -> bytes:
        uid = self.setting.uid_base and self.setting.uid_base + self.runs % 1000
        env = {**self.setting.env, "PYTHONHASHSEED": str(job.hash_seed), **job.variables}
        order = {"exec": job.exec, "tool": job.tool, "path": path, "uid": uid, "cwd": self._cwd(job), "env": env}
        return marshal.dumps({**order, "args": job.args, "python": self.setting.python})

    def _own_cpu(self) -> float:
        return time.process_time() + self.zygotes.cpu_s()

    def _traffic(self) -> bytes:
        return b"".join(counter.read() for counter in self.counters)


def _written(folder: WorkingFolder | None, job: Job, state: RunState) -> list[LeftFile]:
    """Files that the run left in its folder; too many bytes end the run as too much output does."""
    try:
        return folder.written(job.limits.output_bytes) if folder else []
    except (TooMuch, OSError) as error:  # OSError: nested or named so that it cannot be read
        state.end("output", str(error))
        return []


def _wide_pipe() -> tuple[int, int]:
    reader, writer = os.pipe2(os.O_CLOEXEC)
    with contextlib.suppress(OSError):  # a program that prints much should not wait; a user may be refused this much
        fcntl.fcntl(writer, _F_SETPIPE_SZ, 1 << 20)
    return reader, writer


def read_input(size: int) -> bytes:
    """`size` bytes from the host, or fewer when it is gone."""
    return read_exactly(0, size)


def send(message: dict[str, Any], blob: bytes) -> None:
    """One frame to the host."""
    write_all(1, wire.pack(message, blob))


def main(bundle: Bundle) -> None:
    """Read the setting, serve, and leave nothing behind."""
    message, _ = wire.unpack(read_input)
    python = message["python"] if message["python"].startswith("/") else sys.executable  # of an image, by its name
    setting = Setting(**{**message, "python": python})
    if not setting.pid1:
        limits.adopt_orphans()
    hide()
    signal.signal(signal.SIGINT, lambda *_: None)  # a run of the same user may send it, and a terminal does
    if setting.private:  # an engine gives a mount the mode of the folder below it
        Path(setting.private).chmod(0o700)
    supervisor = Supervisor(setting, bundle)
    send({"pid": os.getpid()}, b"")
    try:
        supervisor.serve()
    finally:
        supervisor.zygotes.end()  # waited for: what the kernel ends with pid 1 counts in nobody's CPU time
        if not setting.pid1:  # with pid 1 the kernel ends everything else, and the mounts go
            limit = time.monotonic() + GRACE_S
            while (left := usage.descendants(usage.processes(), os.getpid())) and time.monotonic() < limit:
                for process in left:
                    kill(process.pid)
                with contextlib.suppress(ChildProcessError):
                    while os.waitpid(-1, os.WNOHANG)[0]:
                        pass
            supervisor.workspace.remove()
