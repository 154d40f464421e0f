"""What our own process takes from its surroundings: programs, environment, standard streams."""

from __future__ import annotations

import errno
import os
import shutil
import sys
from pathlib import Path


def find_program(name: str) -> str | None:
    """Return the absolute path of a program, found by the absolute parts of PATH. None if it is not found."""
    parts = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return shutil.which(name, path=os.pathsep.join(part for part in parts if Path(part).is_absolute()))


def own_environment() -> dict[str, str]:
    """Environment for another Python of ours that runs in another folder: the parts of PYTHONPATH become absolute."""
    parts = [str(Path(part).absolute()) for part in os.environ.get("PYTHONPATH", "").split(os.pathsep) if part]
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return kept | ({"PYTHONPATH": os.pathsep.join(parts)} if parts else {})


# The standard streams of a command line, for callers that have closed them or do not read the output.

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
