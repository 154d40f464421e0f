"""The process backend: limits only, no isolation. For the user's own code, or on the user's explicit word."""

from __future__ import annotations

import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from codeopt_sandbox.guest_bundle import boot_program
from codeopt_sandbox.host import BackendHandle, Options


class Child:
    """A guest that is a child process of ours."""

    def __init__(self, command: list[str], env: dict[str, str]) -> None:
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115  closed in kill()
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._stderr, env=env, bufsize=0
        )
        assert self._process.stdout is not None
        self._ahead = bytearray()
        self._poll = select.poll()
        self._poll.register(self._process.stdout, select.POLLIN)

    def write(self, data: bytes) -> None:
        """Send all of `data`."""
        assert self._process.stdin is not None
        view = memoryview(data)
        while view:
            view = view[self._process.stdin.write(view) :]

    def read(self, size: int, deadline: float) -> bytes:
        """`size` bytes, fewer at the end of the stream. Raises TimeoutError."""
        assert self._process.stdout is not None
        while len(self._ahead) < size:
            if not self._poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
                raise TimeoutError
            part = self._process.stdout.read(1 << 20)  # an answer has several parts, and comes at once
            if not part:
                break
            self._ahead += part
        data = bytes(self._ahead[:size])
        del self._ahead[:size]
        return data

    def kill(self) -> str:
        """Close the guest's standard input, which ends it and all it runs; by force when that takes long."""
        if self._stderr.closed:
            return ""
        for stream in (self._process.stdin, self._process.stdout):
            if stream:
                stream.close()
        try:
            status = self._process.wait(2)
        except subprocess.TimeoutExpired:
            self._process.kill()
            status = self._process.wait()
        self._stderr.seek(0)
        said = self._stderr.read()[-2000:].decode(errors="replace").strip()
        self._stderr.close()
        return f"exit status {status}{'; it said: ' + said if said else ''}"


def open_backend(options: Options) -> BackendHandle:
    """Always possible; isolates nothing."""
    python = options.python or sys.executable

    def start() -> Child:
        return Child([python, "-I", "-S", "-c", boot_program()], {"PATH": os.environ.get("PATH", os.defpath)})

    roots: list[Path] = []

    def folders() -> dict[str, Any]:
        above = options.base.place if options.base else None
        roots.append(Path(tempfile.mkdtemp(prefix="codeopt-", dir=above)))
        box, scratch = str(roots[-1] / "box"), str(roots[-1] / "tmp")
        return {"box": box, "scratch": [scratch], "env": {"TMPDIR": scratch, "HOME": scratch}}

    def close() -> None:
        for root in roots:  # a guest removes its own, unless it was killed
            shutil.rmtree(root, ignore_errors=True)

    base = str(options.base.folder) if options.base else ""
    setting = {"python": python, "pid1": False, "seccomp": False, "base": base}
    return BackendHandle("process", False, "this machine's own processes", start, setting, close, folders)
