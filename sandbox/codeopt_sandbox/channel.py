"""The host's end of a guest: requests out, reports in, and an outer limit that the guest cannot argue with."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from codeopt_sandbox.errors import GuestLost
from codeopt_sandbox.guest import wire
from codeopt_sandbox.guest_bundle import boot_input


class Pipe(Protocol):
    """A running guest process, however it was started."""

    def write(self, data: bytes) -> None:
        """Send all of `data`; raises OSError when the guest is gone."""
        ...

    def read(self, size: int, deadline: float) -> bytes:
        """`size` bytes, fewer at the end of the stream. Raises TimeoutError at `deadline` (time.monotonic())."""
        ...

    def kill(self) -> str:
        """End the guest and its runs in any state, and return the known facts about its end."""
        ...


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
