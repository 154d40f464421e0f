"""Programs of this machine, started so that none is taken from whatever folder one stands in."""

from __future__ import annotations

import os
import shutil
from pathlib import Path


def find_program(name: str) -> str | None:
    """Absolute path of a program that PATH leads to, by its absolute parts; None where there is none."""
    parts = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return shutil.which(name, path=os.pathsep.join(part for part in parts if Path(part).is_absolute()))


def own_environment() -> dict[str, str]:
    """Variables for another Python of ours that stands in another folder: PYTHONPATH means the same folders there."""
    parts = [str(Path(part).absolute()) for part in os.environ.get("PYTHONPATH", "").split(os.pathsep) if part]
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return kept | ({"PYTHONPATH": os.pathsep.join(parts)} if parts else {})
