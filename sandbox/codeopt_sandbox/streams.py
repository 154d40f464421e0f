"""The standard streams of a command line, for callers that have closed them or do not read the output."""

from __future__ import annotations

import errno
import os
import sys

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""Error numbers of OSError for a full disk."""


def open_closed_streams() -> None:
    """Open /dev/null for each closed standard stream (`>&-`), so that only what goes there is lost."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: PTH123, SIM115


def drop_output() -> None:
    """Discard buffered output, with which the interpreter would fail at its end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
