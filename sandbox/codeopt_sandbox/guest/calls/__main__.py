"""The program that makes calls: forks the importer, hides itself from it, directs it and answers.

stdin:   an encoded CallBatch.
stdout:  frames of channel.py: what was measured; then one for each call, and for what all of them leave, with JSON or
         text. If there is no answer: {"failure": why}, with words on stderr.
"""

from __future__ import annotations

import os
import sys
import types

from ..boot import read_exactly
from ..request import Environment, FunctionRef, batch_of
from ..syscalls import hide
from .channel import Channel, to_json
from .controller import Controller
from .importer import serve_passes
from .outcome import RunFailed
from .worker import play_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..boot import Bundle
    from ..libraries import LibraryCode
    from .worker import Acts


def main(bundle: Bundle, ref: dict[str, Any], source: str, fields: dict[str, Any]) -> None:
    """Make the calls on standard input of a function of the module text `source`. fields: of the environment."""
    environment = Environment.read(fields)
    channel, pid, acts = start_importer(FunctionRef.read(ref), source, environment, bundle.library_code)
    if acts is not None:
        play_in(environment.thread, acts)
    hide(bundle.libc)
    controller = Controller(channel, pid, batch_of(read_exactly(0, sys.maxsize)))
    try:
        controller.run()
    except RunFailed as failure:
        os.write(2, f"{failure}\n".encode("utf-8", "backslashreplace"))
        os.write(1, to_json({"failure": failure.kind}).encode())
        controller.end()
        os._exit(1)
    controller.end()
    data = controller.answer()
    while data:
        data = data[os.write(1, data) :]


def start_importer(
    ref: FunctionRef, source: str, environment: Environment, code: LibraryCode | None
) -> tuple[Channel, int, Acts | None]:
    """Fork the importer, which keeps only its end of the pipes; in a worker that it forks, what it does."""
    down_r, down_w = os.pipe()
    up_r, up_w = os.pipe()
    pid = os.fork()
    if pid:
        os.close(down_r)
        os.close(up_w)
        return Channel(up_r, down_w), pid, None
    os.close(down_w)
    os.close(up_r)
    null = os.open("/dev/null", os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(null, fd)
    os.close(null)
    sys.modules["__main__"] = types.ModuleType("__main__")
    channel = Channel(down_r, up_w)
    return channel, 0, serve_passes(channel, ref, source, environment, code)
