"""Guests at the host's end: requests out, reports in; some are started before they are needed."""

from __future__ import annotations

import contextlib
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from codeopt_sandbox.errors import GuestLost, SandboxError
from codeopt_sandbox.guest import wire
from codeopt_sandbox.guest_bundle import boot_input


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
            # longest wait for the thread, seconds, when a request to an engine that was stopped within it may take a
            # minute
            self._thread.join(1.5)
        for guest in (*self._used, *self._ready):
            guest.close()
        self._used.clear()
        self._ready.clear()

    def _fill(self) -> None:
        try:
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
        finally:
            with self._changed:
                self._ended = True
                self._changed.notify_all()

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


# The host's end of a guest: requests out, reports in, and an outer limit that the guest cannot argue with.


class Pipe(Protocol):
    """A running guest process, however it was started."""

    def write(self, data: bytes) -> None:
        """Send all of `data`; raises OSError when the guest is gone."""

    def read(self, size: int, deadline: float) -> bytes:
        """`size` bytes, fewer at the end of the stream. Raises TimeoutError at `deadline` (time.monotonic())."""

    def kill(self) -> str:
        """End the guest and its runs in any state, and return the known facts about its end."""


@dataclass
class Guest:
    """One live guest. Not thread-safe: one request at a time."""

    pipe: Pipe
    clock: Callable[[], float]
    inputs: dict[str, int] = field(default_factory=dict)
    """Inputs that the guest keeps, oldest first: name -> size, bytes."""

    def start(self, setting: dict[str, Any], seconds: float = 20.0) -> dict[str, Any]:
        """Send the guest its code and its setting; returns its greeting."""
        return self._exchange(boot_input() + wire.pack(setting), seconds)[0]

    def ask(self, op: str, blob: bytes = b"", *, seconds: float, **fields: Any) -> tuple[dict[str, Any], bytes]:
        """One request. Raises GuestLost, with the guest killed, when no answer came within `seconds`."""
        return self._exchange(wire.pack({"op": op, **fields}, blob), seconds)

    def close(self) -> None:
        """End the guest; safe to call twice."""
        with contextlib.suppress(OSError):
            self.pipe.kill()

    def _exchange(self, request: bytes, seconds: float) -> tuple[dict[str, Any], bytes]:
        deadline = self.clock() + seconds
        try:
            self.pipe.write(request)
            return wire.unpack(lambda size: self.pipe.read(size, deadline))
        except TimeoutError as error:
            raise GuestLost(
                f"the guest did not answer within {seconds:.0f} s and was killed. {self.pipe.kill()}"
            ) from error
        except (OSError, wire.BrokenFrame) as error:
            raise GuestLost(f"the guest is gone ({error}). {self.pipe.kill()}") from error
