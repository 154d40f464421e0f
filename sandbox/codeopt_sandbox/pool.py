"""Guests started before they are needed: starting one takes 0.1 to 0.3 s, which the user then never waits for."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable

from codeopt_sandbox.channel import Guest
from codeopt_sandbox.errors import SandboxError

JOIN_S = 1.5
"""Longest wait for the thread, seconds, when a request to an engine that was stopped within it may take a minute."""


class Pool:
    """Keeps `spare` guests ready, started by one thread in the background; with 0 each is started when asked for."""

    def __init__(self, start: Callable[[], Guest], spare: int = 0) -> None:
        self._start, self._spare = start, spare
        self._ready: deque[Guest] = deque()
        self._used: deque[Guest] = deque()
        self._failure: SandboxError | None = None
        self._closed = self._ended = False
        self._changed = threading.Condition()
        # The thread has to live as long as its guests: bubblewrap's --die-with-parent means the thread that started it.
        self._thread = threading.Thread(target=self._fill, name="guest pool", daemon=True) if spare else None
        if self._thread:
            self._thread.start()

    def take(self) -> Guest:
        """A guest that has answered. Raises SandboxError when none comes up."""
        if self._thread is None:
            return self._start()
        with self._changed:
            self._changed.wait_for(lambda: self._ready or self._failure or self._ended)
            if self._ready:
                guest = self._ready.popleft()
                self._changed.notify_all()
                return guest
            failure, self._failure = self._failure, None
            self._changed.notify_all()
        if failure is None:  # the thread died of a mistake of ours, which shows itself here again
            return self._start()
        raise failure

    def retire(self, guest: Guest) -> None:
        """End a guest that was taken; in the background where there is one, as the engine needs 0.2 s for it."""
        if self._thread is None:
            guest.close()
            return
        with self._changed:
            self._used.append(guest)
            self._changed.notify_all()

    def close(self) -> None:
        """End every guest that is left; those still in use are their takers' to retire, before this."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        if self._thread:
            self._thread.join(JOIN_S)
        for guest in (*self._used, *self._ready):
            guest.close()
        self._used.clear()
        self._ready.clear()

    def _fill(self) -> None:
        try:
            self._work()
        finally:
            with self._changed:
                self._ended = True
                self._changed.notify_all()

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._closed or self._used or self._wants_more())
                if self._closed:
                    return
                used = None if self._wants_more() else self._used.popleft()
            if used is not None:
                used.close()
            else:
                self._add()

    def _wants_more(self) -> bool:
        return len(self._ready) < self._spare and not self._failure

    def _add(self) -> None:
        guest, failure = None, None
        try:
            guest = self._start()
        except SandboxError as error:
            failure = error
        with self._changed:
            self._failure = failure
            if guest is not None and not self._closed:
                self._ready.append(guest)
                guest = None
            self._changed.notify_all()
        if guest is not None:  # it came up after the end
            guest.close()
