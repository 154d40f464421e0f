"""Probes: nothing is left of a run, of a guest that vanished, of an owner that was killed."""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import subprocess
import sys
import time
from pathlib import Path

from codeopt_sandbox.channel import Pipe
from codeopt_sandbox.conformance._seen import GONE_S, failed
from codeopt_sandbox.errors import SandboxError
from codeopt_sandbox.host import Sandbox
from codeopt_sandbox.process import Child

DAEMON = """
import os, signal, sys
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
            signal.signal(number, signal.SIG_IGN)
        os.execv(sys.executable, [sys.executable, "-c", "import time; time.sleep(600)", sys.argv[1]])
    os._exit(0)
os.wait()
print(1)
"""


def descendants(sandbox: Sandbox) -> str:
    marker = f"codeopt-{secrets.token_hex(8)}"
    run = sandbox.run(DAEMON, args=[marker])
    return failed(run, "1") or still_there(marker)


def still_there(marker: str) -> str:
    """Processes with the marker among their arguments that are left after a grace period."""
    limit = time.monotonic() + GONE_S
    while found := _with_argument(marker.encode()):
        if time.monotonic() > limit:
            return f"{len(found)} process(es) still there: {found[:5]}"
        time.sleep(0.05)
    return ""


def _with_argument(marker: bytes) -> list[str]:
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it ended while we looked
            if marker in (folder / "cmdline").read_bytes() and int(folder.name) != os.getpid():
                found.append(folder.name)
    return found


def lost_guest(sandbox: Sandbox) -> str:
    guest = sandbox._guest
    if guest is None:
        return "there is no guest to lose"
    _take_away(guest.pipe)
    try:
        return failed(sandbox.run("print(1)"), "1")
    except SandboxError:
        return ""


def _take_away(pipe: Pipe) -> None:
    """End a guest as the kernel or an engine would: from outside, without a word to our end of the channel."""
    if isinstance(pipe, Child):
        pipe._process.kill()
        pipe._process.wait()
    else:
        pipe.kill()


_OWNER = """
import sys
from codeopt_sandbox import open_sandbox
sandbox = open_sandbox(sys.argv[1])
print("ready", flush=True)
sandbox.run(sys.stdin.read(), args=[sys.argv[2]])
"""


def killed_owner(sandbox: Sandbox) -> str:
    marker = f"codeopt-{secrets.token_hex(8)}"
    root = str(Path(__file__).parents[2])
    # The marker is in two halves, or the owner's own command line would hold it.
    command = [sys.executable, "-c", _OWNER.replace("sys.argv[2]", "sys.argv[2] + sys.argv[3]")]
    command += [sandbox.backend, marker[:12], marker[12:]]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))}
    source = DAEMON.replace("print(1)", "import time; time.sleep(600)")
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env) as owner:
        assert owner.stdin is not None
        assert owner.stdout is not None
        if not owner.stdout.readline():
            return "the owner's sandbox did not open, so nothing was tried"
        owner.stdin.write(source.encode())
        owner.stdin.close()
        limit = time.monotonic() + GONE_S
        while not _with_argument(marker.encode()) and time.monotonic() < limit:
            time.sleep(0.02)
        started = _with_argument(marker.encode())
        owner.send_signal(signal.SIGKILL)
    return still_there(marker) if started else "the run did not start, so nothing was tried"
