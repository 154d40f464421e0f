"""Functions run in a forked process, whose values are read from a pipe."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` would load `enum`
import os
from marshal import dumps, loads

from .channel import os_exit, os_fork, waitpid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

SIGALRM: int = _signal.SIGALRM
SIGPROF: int = _signal.SIGPROF

FAILED = 1 << 8
"""Status of a process that ends with 1."""


def in_child(make: Callable[[], Any], seconds: float, cpu_s: float = 0.0) -> tuple[Any, int]:
    """Plain values made in a forked process, None if it makes none; and the status of the process, which a signal
    ends after `seconds`, and after so much of a processor's time where that is not 0. The status is FAILED where code
    under test ended the process well before the values were made."""
    reader, writer = os.pipe()
    pid = os_fork()
    if not pid:
        status = 1
        try:
            os.close(reader)
            _signal.signal(SIGALRM, _signal.SIG_DFL)
            _signal.setitimer(_signal.ITIMER_REAL, seconds)
            _signal.signal(SIGPROF, _signal.SIG_DFL)
            _signal.setitimer(_signal.ITIMER_PROF, cpu_s)
            data = dumps(make())
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
    status = waitpid(pid, 0)[1]
    return (loads(found), 0) if found and not status else (None, status or FAILED)
