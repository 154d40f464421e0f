"""One file of whole lines for each recording process, so that no process waits and no line is torn.

The text of a `sitecustomize` loads this module by name, in each interpreter that a command starts: it imports little.
"""

from __future__ import annotations

import os
import time

TYPE_CHECKING = False


class CallLog:
    """Opened at a process's first line; a process that is forked opens its own."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.pid = self.fd = -1

    def write(self, line: str) -> None:
        """Append a line. If that fails, the line is lost, and the user's command continues."""
        data = (line.replace("\n", " ") + "\n").encode("utf-8", "surrogatepass")
        try:
            if os.getpid() != self.pid:
                self.pid = os.getpid()
                path = f"{self.folder}/{self.pid}-{time.time_ns()}.txt"
                self.fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            while data:
                data = data[os.write(self.fd, data) :]
        except OSError:
            return
