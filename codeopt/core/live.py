"""Status lines at the end of a terminal, which change during the work. Other output appears above them."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from typing import IO, TYPE_CHECKING, Any

from codeopt.core.screen import open_terminal, write_lines

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.live import Live

REDRAW_S = 0.5
"""Seconds between two drawings: few enough drawings that a program timed meanwhile has the processor."""


def takes_live_lines() -> bool:
    """Return whether standard error is a terminal that can go back to an earlier line."""
    return sys.stderr.isatty() and os.environ.get("TERM", "").lower() not in ("dumb", "unknown")


class LiveLines:
    """The one live display of a terminal.

    Lines of `write` are put above it. Anything else that writes to standard output or standard error takes it away
    first, so that nothing is glued to it; `show` brings it back.

    render: the display as it is now; called by another thread.
    """

    def __init__(self, render: Callable[[], RenderableType]) -> None:
        self._render = render
        self._lock = threading.RLock()
        self._live: Live | None = None
        self._streams = (sys.stdout, sys.stderr)
        # `print` holds sys.stdout by no reference of its own (cpython gh-130163), and the first write takes the guard
        # away from there: without this field it would be freed in the middle of that write.
        self._guards = tuple(self._guarded(stream) for stream in self._streams)
        self._terminal = open_terminal(sys.stderr)

    @property
    def takes_marks(self) -> bool:
        """Return whether the terminal shows more than ASCII."""
        return self._terminal.encoding.startswith("utf")

    def show(self) -> None:
        """Show the display, unless it is there."""
        from rich.live import Live

        with self._lock:
            if self._live:
                return
            self._live = Live(
                console=self._terminal, get_renderable=self._render, refresh_per_second=1 / REDRAW_S, transient=True,
                redirect_stdout=False, redirect_stderr=False,
            )  # fmt: skip
            # Rich's thread draws it, the first time too: Ctrl-C within a drawing would leave a part of it behind.
            self._live.start(refresh=False)
            sys.stdout, sys.stderr = self._guards

    def hide(self) -> None:
        """Wipe the display and give the terminal's cursor and streams back."""
        with self._lock:
            if self._live:
                live, self._live = self._live, None
                sys.stdout, sys.stderr = self._streams
                live.stop()

    def write(self, text: str) -> None:
        """Write lines that stay."""
        with self._lock:
            write_lines(text, self._terminal)

    def _guarded(self, stream: IO[str]) -> Any:
        return _HidesFirst(stream, self.hide) if stream and stream.isatty() else stream


class _HidesFirst:
    """A stream to the terminal whose first write takes the live lines away."""

    def __init__(self, stream: IO[str], hide: Callable[[], None]) -> None:
        self._stream, self._hide = stream, hide

    def write(self, text: str) -> int:
        self._hide()
        return self._stream.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
