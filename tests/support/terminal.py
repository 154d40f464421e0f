"""A program on a real terminal: the screens that it has shown, and the one that it left."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import termios
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyte

ROWS = 200
CTRL_C = b"\x03"


@dataclass(frozen=True)
class Shown:
    """All that a terminal was told."""

    status: int
    data: str
    screens: list[list[str]]
    """Each screen without its empty rows, after each piece of output."""
    cursor: bool
    """The cursor can be seen at the end."""

    @property
    def lines(self) -> list[str]:
        """The screen at the end."""
        return self.screens[-1]


def on_a_terminal(
    command: Sequence[str], folder: Path, environment: Mapping[str, str], columns: int = 80,
    interrupt: Callable[[list[str]], bool] = lambda screen: False, typed: bytes = b"",
) -> Shown:  # fmt: skip
    """Run a command with all three streams on a terminal.

    interrupt: presses Ctrl-C, once, at such a screen. typed: keys that are pressed before the command starts.
    """
    screen = pyte.Screen(columns, ROWS)
    stream = pyte.ByteStream(screen)
    data, screens, pressed = b"", [[""]], False
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, columns, 0, 0))
    os.write(master, typed)
    with subprocess.Popen(
        ["setsid", "--ctty", "--wait", *command], cwd=folder, env=environment, stdin=slave, stdout=slave, stderr=slave
    ) as process:
        os.close(slave)
        try:
            while part := os.read(master, 4096):
                data += part
                stream.feed(part)
                screens.append([row.rstrip() for row in screen.display if row.strip()])
                if not pressed and interrupt(screens[-1]):
                    pressed = True
                    os.write(master, CTRL_C)
        except OSError:  # the last program has closed it
            pass
        finally:
            os.close(master)
    return Shown(process.returncode, data.decode("utf-8", "replace"), screens, not screen.cursor.hidden)
