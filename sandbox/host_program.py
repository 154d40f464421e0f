"""Where a program of this machine is: by PATH, of which a relative part would mean whatever folder one stands in."""

from __future__ import annotations

import os
import shutil
from pathlib import Path


def find_program(name: str) -> str | None:
    """Absolute path of a program that PATH leads to; None where there is none."""
    parts = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return shutil.which(name, path=os.pathsep.join(part for part in parts if Path(part).is_absolute()))
