"""What a batch ran on, for whoever reads its figures later."""

from __future__ import annotations

import json
import os
import platform
from pathlib import Path

from codeopt import __version__


def describe_machine() -> str:
    """CPU, cores, memory, system, Python and our own version, as JSON; no name of the machine or of a user."""
    return json.dumps(
        {
            "cpu": _field("/proc/cpuinfo", "model name") or platform.machine(),
            "cores": len(os.sched_getaffinity(0)),
            "memory": _field("/proc/meminfo", "MemTotal"),
            "system": f"{platform.system()} {platform.release()}",
            "python": platform.python_version(),
            "codeopt": __version__,
        }
    )


def _field(path: str, name: str) -> str:
    try:
        lines = Path(path).read_text().splitlines()
    except OSError:
        return ""
    return next((line.partition(":")[2].strip() for line in lines if line.startswith(name)), "")
