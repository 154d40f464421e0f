"""Starts `python -m codeopt` from an interpreter that has everything imported already: half a second less for each.

A command still is a process of its own, with its own folder, environment and streams; what differs is that its imports
are done, so that nothing beside its folder can stand in for them, and that it ends without taking apart what it shares
with the others.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import json
import os
import pkgutil
import runpy
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

BESIDE = (
    "docker", "hypothesis.strategies", "openai", "pydantic.dataclasses", "rich.live", "rich.table"
)  # fmt: skip
"""What commands import of others."""
SELDOM = ("codeopt.serving", "codeopt_sandbox.guest")
"""What few of them import of ours, or none."""


class WarmCommand:
    """The interpreter that is kept, and what it is asked for: one command after the other."""

    def __init__(self) -> None:
        self._ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, __file__, str(theirs.fileno())], pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL
            )
        self._python = of_python(os.environ)

    def fits(self, env: Mapping[str, str]) -> bool:
        """Variables that an interpreter reads at its start are what they were at ours."""
        return of_python(env) == self._python

    def run(self, arguments: Sequence[str], cwd: Path, env: Mapping[str, str], seconds: float) -> tuple[int, str, str]:
        """(status as subprocess has it, standard output, standard error). Raises TimeoutExpired."""
        order = json.dumps([arguments, str(cwd.resolve()), dict(env)]).encode()
        with Path(os.devnull).open() as null, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            socket.send_fds(self._ours, [order], [null.fileno(), out.fileno(), err.fileno()])
            pid = int(self._ours.recv(64))
            self._ours.settimeout(seconds)
            try:
                status = int(self._ours.recv(64))
            except TimeoutError as error:
                os.kill(pid, signal.SIGKILL)
                self._ours.settimeout(None)
                self._ours.recv(64)
                raise subprocess.TimeoutExpired(list(arguments), seconds) from error
            self._ours.settimeout(None)
            for stream in (out, err):
                stream.seek(0)
            return status, out.read().decode(), err.read().decode()

    def close(self) -> None:
        """End the interpreter."""
        self._ours.close()
        self._process.wait()


@cache
def warm_command() -> WarmCommand:
    """That of this process, ended with it."""
    made = WarmCommand()
    atexit.register(made.close)
    return made


def of_python(env: Mapping[str, str]) -> dict[str, str]:
    """What an interpreter reads at its start."""
    return {name: value for name, value in env.items() if name.startswith("PYTHON")}


def serve(channel: socket.socket) -> bool:
    """Fork a process for each order; True in the child, when it is to run the command, and False at the end."""
    while True:
        order, fds, _, _ = socket.recv_fds(channel, 1 << 18, 3)
        if not order:
            return False
        pid = os.fork()
        if not pid:
            channel.close()
            become(*json.loads(order), fds)
            return True
        for fd in fds:
            os.close(fd)
        channel.send(str(pid).encode())
        _, status = os.waitpid(pid, 0)
        with contextlib.suppress(BrokenPipeError):
            channel.send(str(os.waitstatus_to_exitcode(status)).encode())


def become(arguments: list[str], folder: str, env: dict[str, str], fds: list[int]) -> None:
    """The process that was asked for."""
    for target, fd in enumerate(fds):
        os.dup2(fd, target)
        os.close(fd)
    os.environ.clear()
    os.environ.update(env)
    os.chdir(folder)
    sys.argv[1:] = arguments
    sys.path[0] = folder


def ours() -> Iterator[str]:
    """All modules of the two packages that commands may need."""
    for package in ("codeopt", "codeopt_sandbox"):
        found = pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}.")
        yield from (m.name for m in found if not m.name.startswith(SELDOM) and not m.name.endswith("__main__"))


def run_command() -> None:
    """Run it, and end as the interpreter would, but for its objects: to take these apart copies all of their pages."""
    try:
        runpy.run_module("codeopt", run_name="__main__", alter_sys=True)
        status = 0
    except SystemExit as end:
        if end.code is not None and not isinstance(end.code, int):
            raise
        status = end.code or 0
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    for name in (*BESIDE, *ours()):
        importlib.import_module(name)
    gc.collect()
    gc.freeze()  # a collection copies no page of what is shared
    if serve(socket.socket(fileno=int(sys.argv[1]))):
        run_command()
