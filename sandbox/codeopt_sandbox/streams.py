"""The standard streams of a command line, where whoever started it has closed them or does not take what is printed."""

from __future__ import annotations

import errno
import os
import sys

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""What an OSError says where nothing more can be written."""


def open_closed_streams() -> None:
    """What goes to a closed stream (`>&-`) is lost, and nothing else is."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: PTH123, SIM115


def drop_output() -> None:
    """What is still to be written goes nowhere, or the interpreter would fail with it at its end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
