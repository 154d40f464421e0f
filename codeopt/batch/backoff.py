"""One pause for all workers when the model's server says that it has had enough: a small file in the run folder."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

FIRST_S, LONGEST_S = 1.0, 120.0
"""The pause doubles from the first to the longest while the server goes on refusing."""
FORGET_S = 30.0
"""After so long without a refusal the next pause is a short one again."""


@dataclass(frozen=True)
class Pause:
    """Until when nobody asks (seconds since the epoch), and how long that pause was."""

    until: float = 0.0
    length: float = 0.0


@dataclass(frozen=True)
class Backoff:
    """The pause that all workers of a batch share."""

    path: Path
    first_s: float = FIRST_S
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.time

    def wait(self) -> float:
        """Sleep until the pause is over, and a little longer so that not all ask at once; returns the seconds slept."""
        return sleep_out(self.left, self.sleep)

    def left(self) -> float:
        """Seconds that somebody who asks now should wait; not the same for all."""
        pause = self.read()
        left = pause.until - self.clock()
        return left + random.uniform(0, 0.1 * pause.length) if left > 0 else 0.0

    def refused(self, wait_s: float | None = None) -> float:
        """The server has refused: all wait `wait_s` if it said so, else twice as long as last time; returns it."""
        before, now = self.read(), self.clock()
        if now < before.until:  # another worker's refusal of the same moment
            return before.until - now
        doubled = 2 * before.length if now - before.until < FORGET_S else 0.0
        length = min(LONGEST_S, max(wait_s if wait_s is not None else max(doubled, self.first_s), 0.0))
        temporary = self.path.with_name(f"{self.path.name}.{os.getpid()}")
        temporary.write_text(f"{now + length} {length}")
        temporary.replace(self.path)
        return length

    def read(self) -> Pause:
        """The latest pause; none when there is no file, or one that makes no sense."""
        try:
            until, length = map(float, self.path.read_text().split())
        except (OSError, ValueError):
            return Pause()
        return Pause(until, length)


def sleep_out(left: Callable[[], float], sleep: Callable[[float], None]) -> float:
    """Sleep until nothing is left, which may become more meanwhile; returns the seconds slept."""
    slept = 0.0
    while (seconds := left()) > 0:
        sleep(seconds)
        slept += seconds
    return slept
