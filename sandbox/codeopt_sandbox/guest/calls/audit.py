"""Effects of a call outside of its process, observed by an audit hook."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

addaudithook = sys.addaudithook
_EVENTS = {
    "socket.connect": "network", "socket.bind": "network", "socket.sendto": "network",
    "socket.getaddrinfo": "network", "subprocess.Popen": "process", "os.system": "process", "os.exec": "process",
    "os.fork": "process", "os.forkpty": "process", "os.posix_spawn": "process", "os.remove": "files",
    "os.rename": "files", "os.mkdir": "files", "os.rmdir": "files", "os.chmod": "files", "os.link": "files",
    "os.symlink": "files", "os.truncate": "files", "shutil.rmtree": "files", "os.putenv": "environment",
    "os.unsetenv": "environment", "os.chdir": "folder", "os.kill": "signals", "signal.pthread_kill": "signals",
    "sqlite3.connect": "database", "ctypes.dlopen": "library", "winreg.SetValue": "files",
}  # fmt: skip
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class EffectAudit:
    """Hears while it is armed; `found` has what it heard, keys of EFFECTS."""

    def __init__(self) -> None:
        self.found: set[str] = set()
        self.armed = False
        self.sets_inner = False
        """A function was given another code, or other defaults, at any time."""
        addaudithook(self.hear)

    def arm(self) -> None:
        """Listen from here on, to a new call."""
        self.found.clear()
        self.armed = True

    def hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "object.__setattr__":
            self.sets_inner = True
        if not self.armed:
            return
        if event in _EVENTS:
            self.found.add(_EVENTS[event])
        elif event == "open" and type(arguments[2]) is int and arguments[2] & _WRITES and arguments[0] != "/dev/null":
            self.found.add("files")
