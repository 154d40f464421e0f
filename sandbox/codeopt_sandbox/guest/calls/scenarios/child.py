"""Functions run in a forked process, whose text is read from a pipe."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` would load `enum`
import os

from ..channel import os_exit, os_fork, waitpid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

SIGALRM: int = _signal.SIGALRM


def in_child(make: Callable[[], str], seconds: float) -> tuple[str, int]:
    """Text made in a forked process, and the status of the process, which a signal ends after `seconds`."""
    reader, writer = os.pipe()
    pid = os_fork()
    if not pid:
        status = 1
        try:
            os.close(reader)
            _signal.signal(SIGALRM, _signal.SIG_DFL)
            _signal.setitimer(_signal.ITIMER_REAL, seconds)
            data = make().encode("utf-8", "surrogatepass")
            while data:
                data = data[os.write(writer, data) :]
            status = 0
        finally:
            os_exit(status)
    os.close(writer)
    found = b""
    while part := os.read(reader, 1 << 16):
        found += part
    os.close(reader)
    return found.decode("utf-8", "surrogatepass"), waitpid(pid, 0)[1]
