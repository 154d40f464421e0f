"""Which processor core a run gets: the one with the least to do, so that two sandboxes do not share one unawares."""

from __future__ import annotations

import os
import time
from pathlib import Path

LOOK_S = 0.03


def quietest_core() -> int:
    """The core that was idle most during LOOK_S, of those that we may use; the last of them where they are alike."""
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) == 1:
        return cores[0]
    before = _idle_ticks()
    time.sleep(LOOK_S)
    after = _idle_ticks()
    return max(cores, key=lambda core: (after.get(core, 0) - before.get(core, 0), core))


def _idle_ticks() -> dict[int, int]:
    """Core -> clock ticks spent idle since boot, from /proc/stat; empty where that cannot be read."""
    try:
        lines = Path("/proc/stat").read_text().splitlines()
    except OSError:
        return {}
    rows = (line.split() for line in lines if line.startswith("cpu") and line[3:4].isdigit())
    return {int(row[0][3:]): int(row[4]) + int(row[5]) for row in rows}
