"""The process that does one request: reads it from standard input, writes lines of JSON, and ends with its parent.

The first line of standard input is the request. The input then stays open. If it is closed, because the client gave up
or the server ended, the work and its sandboxes are ended. Each line of output has one of the keys `progress`, `result`
and `error`.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import threading
import warnings
from typing import IO, Any

from codeopt.core.console import Console
from codeopt.core.errors import CodeoptError, NoSandbox, UsageError
from codeopt.core.sanitize import inline
from codeopt.serving.request import OperationRequest
from codeopt_sandbox.errors import SandboxError

MAX_MESSAGE_CHARS = 2000
"""Longest error message, characters."""
MAX_PROGRESS_CHARS = 300
CLOSE_S = 60.0
"""Time that sandboxes have to close, seconds; then the process ends as it is."""
CANCELLED = 130
"""Exit status where the client gave up."""


class Cancelled(BaseException):
    """The client gave up. Not a KeyboardInterrupt, after which the best draft so far would be confirmed first."""


class AnswerLines(Console):
    """A console that writes to the parent, one line of JSON a message."""

    def __init__(self, stream: IO[str]) -> None:
        super().__init__(quiet=True)
        self._stream = stream
        self._targets = (0, 1)
        self._done: float | None = None

    def send(self, **message: Any) -> None:
        """Write one line; a parent that is gone is no error."""
        with contextlib.suppress(OSError, ValueError):
            self._stream.write(json.dumps(message) + "\n")
            self._stream.flush()

    def print(self, line: str) -> None:
        self._tell(line)

    def warn(self, line: str, hint: str = "") -> None:
        self._tell(f"{line} ({hint})" if hint else line)

    def progress(self, line: str) -> None:
        """Send the current step, behind the name of its stage."""
        self._tell(f"{self.stages.words}{line}")

    def step(self, done: int, total: int, name: str = "") -> None:
        """Set how many targets are behind, for the next lines of progress."""
        self._targets = (done, max(1, total))
        self._advance(0.0)

    def stage(self, name: str, which: str = "") -> None:
        """Begin a stage of the present target, for the next lines of progress."""
        super().stage(name, which)
        self._advance(self.stages.share)

    def _advance(self, share: float) -> None:
        done, total = self._targets
        self._done = max(self._done or 0.0, (done + share) / total)

    def _tell(self, line: str) -> None:
        self.send(progress=inline(line, MAX_PROGRESS_CHARS), done=self._done)


def main() -> int:
    """Do one request; returns the exit status that the command of its name would have."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # other output must not mix with the answers
    signal.signal(signal.SIGTERM, _cancel)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal's Ctrl-C is the server's business
    warnings.simplefilter("ignore", SyntaxWarning)
    lines = AnswerLines(answers)
    try:
        request = OperationRequest.from_line(sys.stdin.buffer.readline())
        threading.Thread(target=_watch_parent, daemon=True).start()
        from codeopt.serving.handlers import handle

        lines.send(result=handle(request, lines))
    except Cancelled:
        lines.send(error="cancelled", exit_status=CANCELLED)
        return CANCELLED
    except CodeoptError as error:
        lines.send(error=inline(error.words, MAX_MESSAGE_CHARS), exit_status=error.exit_status)
        return error.exit_status
    except SandboxError as error:
        lines.send(
            error=f"the sandbox failed: {inline(str(error), MAX_MESSAGE_CHARS)}", exit_status=NoSandbox.exit_status
        )
        return NoSandbox.exit_status
    except TypeError as error:  # an option that there is not
        lines.send(error=inline(str(error), MAX_MESSAGE_CHARS), exit_status=UsageError.exit_status)
        return UsageError.exit_status
    return 0


def _cancel(_number: int, _frame: object) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # once: what is closed now is closed in peace
    raise Cancelled


def _watch_parent() -> None:
    """End the work once the parent no longer holds our standard input."""
    while os.read(0, 4096):  # not by way of sys.stdin, whose lock a thread may not hold when Python ends
        pass
    os.kill(os.getpid(), signal.SIGTERM)
    threading.Event().wait(CLOSE_S)
    os._exit(CANCELLED)


if __name__ == "__main__":
    sys.exit(main())
