"""The host's end of a guest: requests out, reports in, and an outer limit that the guest cannot argue with."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any, Protocol

from sandbox.errors import GuestLost
from sandbox.guest import wire

_MODULES = ("wire", "meter", "lockdown", "job", "folders", "warm", "watch", "supervisor")
"""In the order in which they may import each other."""
BOOT = """
import json, os, sys, types
def read(size):
    data = b""
    while len(data) < size:
        part = os.read(0, size - len(data))
        if not part:
            sys.exit("no guest code arrived")
        data += part
    return data
package = sys.modules["guest"] = types.ModuleType("guest")
package.__path__ = []
for name, text in json.loads(read(int.from_bytes(read(4), "big"))).items():
    module = sys.modules["guest." + name] = types.ModuleType("guest." + name)
    module.__package__ = "guest"
    setattr(package, name, module)
    exec(compile(text, "guest/" + name + ".py", "exec"), module.__dict__)
module.main()
"""
"""Run as `python -I -S -c BOOT`: takes the guest's modules from standard input, so that nothing has to be mounted."""


class Pipe(Protocol):
    """A running guest process, however it was started."""

    def write(self, data: bytes) -> None:
        """Send all of `data`; raises OSError when the guest is gone."""
        ...

    def read(self, size: int, deadline: float) -> bytes:
        """`size` bytes, fewer at the end of the stream. Raises TimeoutError at `deadline` (time.monotonic())."""
        ...

    def kill(self) -> str:
        """End the guest with all it runs, whatever state it is in; returns what is known of its end."""
        ...


@dataclass
class Guest:
    """One live guest. Not thread-safe: one request at a time."""

    pipe: Pipe
    clock: Callable[[], float]
    inputs: dict[str, int] = field(default_factory=dict)
    """What the guest keeps: name -> size in bytes, oldest first."""

    def start(self, setting: dict[str, Any], seconds: float = 20.0) -> dict[str, Any]:
        """Send the guest its code and its setting; returns its greeting."""
        sources = {name: _source(name) for name in _MODULES}
        text = json.dumps(sources).encode()
        hello = wire.pack({**setting, "zygote": _source("zygote")})
        return self._exchange(len(text).to_bytes(4, "big") + text + hello, seconds)[0]

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


def _source(name: str) -> str:
    return files("sandbox.guest").joinpath(f"{name}.py").read_text("utf-8")
