"""Choice of a processor core for a run: the least busy one, so that two sandboxes do not share a core unawares."""

from __future__ import annotations

import os
import time
from pathlib import Path

LOOK_S = 0.03


class CoreLook:
    """A look at the cores that we may use, from now on."""

    def __init__(self) -> None:
        self.cores = sorted(os.sched_getaffinity(0))
        self.since, self.before = time.monotonic(), _idle_ticks()

    def quietest(self) -> int:
        """Return the core with the most idle time so far, observed for LOOK_S or longer. Ties give the last one."""
        if len(self.cores) == 1:
            return self.cores[0]
        time.sleep(max(0.0, self.since + LOOK_S - time.monotonic()))
        after = _idle_ticks()
        return max(self.cores, key=lambda core: (after.get(core, 0) - self.before.get(core, 0), core))


def _idle_ticks() -> dict[int, int]:
    """Core -> clock ticks spent idle since boot, from /proc/stat; empty where that cannot be read."""
    try:
        lines = Path("/proc/stat").read_text().splitlines()
    except OSError:
        return {}
    rows = (line.split() for line in lines if line.startswith("cpu") and line[3:4].isdigit())
    return {int(row[0][3:]): int(row[4]) + int(row[5]) for row in rows}
