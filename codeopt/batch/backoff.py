"""One pause for all workers when the model's server says that it has had enough: a small file in the run folder."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

FIRST_PAUSE_S = 1.0
"""First pause, seconds; it doubles while the server continues refusing."""
MAX_PAUSE_S = 120.0
"""Longest pause, seconds."""
MAX_JITTER = 0.1
"""Largest random addition to a wait, as a share of the pause, so that not all workers ask at once."""
FORGET_S = 30.0
"""Time without a refusal, seconds, after which the next pause is a short one again."""


@dataclass(frozen=True)
class Pause:
    """A pause: its end in seconds since the epoch, and its length in seconds."""

    until: float = 0.0
    length: float = 0.0


@dataclass(frozen=True)
class Backoff:
    """The pause that all workers of a batch share."""

    path: Path
    first_s: float = FIRST_PAUSE_S
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.time

    def wait(self) -> float:
        """Sleep until the pause is over and a little longer, so that not all ask at once; returns the seconds slept."""
        slept = 0.0
        while (seconds := self.left()) > 0:  # it may grow meanwhile
            self.sleep(seconds)
            slept += seconds
        return slept

    def left(self) -> float:
        """Time that a worker should wait from now, seconds; a little different for each."""
        pause = self.read()
        left = pause.until - self.clock()
        return left + random.uniform(0, MAX_JITTER * pause.length) if left > 0 else 0.0

    def refused(self, wait_s: float | None = None) -> float:
        """Begin a pause after a refusal: the server's own `wait_s`, else twice the last one; returns its seconds."""
        before, now = self.read(), self.clock()
        if now < before.until:  # another worker's refusal of the same moment
            return before.until - now
        doubled = 2 * before.length if now - before.until < FORGET_S else 0.0
        length = min(MAX_PAUSE_S, max(wait_s if wait_s is not None else max(doubled, self.first_s), 0.0))
        temporary = self.path.with_name(f"{self.path.name}.{os.getpid()}")
        temporary.write_text(f"{now + length} {length}")
        temporary.replace(self.path)
        return length

    def read(self) -> Pause:
        """Read the latest pause; an empty one where there is no file, or one that makes no sense."""
        try:
            until, length = map(float, self.path.read_text().split())
        except (OSError, ValueError):
            return Pause()
        return Pause(until, length)
