"""Slots for requests at one server, which all batches of this user on this machine share.

A slot is an `flock`, as a core is: the kernel takes it back from a worker that was killed.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from codeopt.core.model import Message, Model, Reply, at_once

LOOK_AGAIN_S = 0.05
"""Interval at which a free slot is looked for, seconds; replies take seconds."""


@dataclass(frozen=True)
class RequestSlots:
    """The slots of one server."""

    server: str
    """URL of the server; empty: the default one."""
    count: int
    """Requests at a time."""

    @contextmanager
    def held(self) -> Iterator[None]:
        """Wait for a slot, then hold it."""
        home = self._home()
        handle = -1
        while handle < 0:
            for number in range(self.count):
                handle = _locked(home / str(number))
                if handle >= 0:
                    break
            else:
                time.sleep(LOOK_AGAIN_S)
        try:
            yield
        finally:
            os.close(handle)

    def _home(self) -> Path:
        name = hashlib.sha256(self.server.encode("utf-8", "replace")).hexdigest()[:16]
        home = Path(tempfile.gettempdir()) / f"codeopt-requests-{os.getuid()}" / name
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        return home


def _locked(path: Path) -> int:
    """Open and lock a file; returns its descriptor, -1 where somebody else holds the lock."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        return -1
    return handle


class SlottedModel:
    """A model that waits for a slot before each request."""

    def __init__(self, model: Model, slots: RequestSlots) -> None:
        self.name, self.context_tokens = model.name, model.context_tokens
        self._model, self._slots = model, slots

    def complete(self, messages: Sequence[Message], *, on_text: Callable[[str], None] | None = None) -> Reply:
        """Ask the model within a slot. Raises ModelError."""
        with self._slots.held():
            return self._model.complete(messages, on_text=on_text)

    def several(self, messages: Sequence[Message], count: int) -> Iterator[Reply]:
        """Ask the model `count` times at once, as far as slots are free. Raises ModelError."""
        return at_once(lambda: self.complete(messages), count)
