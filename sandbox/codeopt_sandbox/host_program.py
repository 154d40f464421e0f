"""Search for programs of this machine that never takes one from the current folder."""

from __future__ import annotations

import os
import shutil
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
