"""What a call prints: by sys.stdout, and past it, on the descriptor below."""

from __future__ import annotations

import os
import sys
from io import StringIO

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

os_open, os_unlink, os_dup2, os_fstat = os.open, os.unlink, os.dup2, os.fstat
os_pread, os_ftruncate, os_lseek = os.pread, os.ftruncate, os.lseek


class Printed:
    """What is printed between `start` and `stop`."""

    def __init__(self) -> None:
        path = f"/tmp/.printed-{os.getpid()}"  # memfd_create is among what no run may call
        self.file = os_open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        os_unlink(path)
        os_dup2(self.file, 1)
        self.outer: TextIO = sys.stdout

    def start(self) -> None:
        """Listen to a new call."""
        self.outer, sys.stdout = sys.stdout, StringIO()

    def stop(self) -> str:
        """What was printed since; text of sys.stdout first."""
        text, sys.stdout = getattr(sys.stdout, "getvalue", str)(), self.outer
        size = os_fstat(self.file).st_size
        if not size:
            return str(text)
        data = os_pread(self.file, min(size, 1 << 20), 0)
        os_ftruncate(self.file, 0)
        os_lseek(self.file, 0, os.SEEK_SET)
        return str(text) + data.decode("utf-8", "backslashreplace")
