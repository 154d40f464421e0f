"""The process that does one request: reads it from standard input, writes lines of JSON, and ends with its parent.

The first line of standard input is the request. Then that stays open: where it is closed, because the client gave up
or the server is gone, the work is ended and its sandboxes with it. Each line of output has one of the keys `progress`,
`result` and `error`.
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
from codeopt.core.errors import CodeoptError, UsageError
from codeopt.core.sanitize import inline
from codeopt.serving.request import ErrandRequest
from codeopt_sandbox.errors import SandboxError

LONGEST = 2000  # characters of a message
PATIENCE_S = 60.0
"""For sandboxes to be closed, after which the process is ended as it is."""
NO_SANDBOX, CANCELLED, OUR_MISTAKE = 3, 130, 70


class Cancelled(BaseException):
    """The client no longer wants it. Not KeyboardInterrupt, after which the best so far would be confirmed first."""


class AnswerLines(Console):
    """Tells the parent, a line of JSON each."""

    def __init__(self, stream: IO[str]) -> None:
        super().__init__(quiet=True)
        self._stream = stream
        self._stage = ""

    def send(self, **message: Any) -> None:
        """One line; nobody may be there any more."""
        with contextlib.suppress(OSError, ValueError):
            self._stream.write(json.dumps(message) + "\n")
            self._stream.flush()

    def print(self, line: str) -> None:
        """Something that is so."""
        self.send(progress=inline(line, 300))

    def warn(self, line: str) -> None:
        """Something that is so, and should not be."""
        self.send(progress=inline(line, 300))

    def stage(self, prefix: str) -> None:
        """What the next lines belong to."""
        self._stage = prefix

    def progress(self, line: str) -> None:
        """What is being done now."""
        self.send(progress=inline(f"{self._stage}{line}", 300))


def main() -> int:
    """One request. Returns the exit status that the command of its name would have."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever prints, our answers stay whole
    signal.signal(signal.SIGTERM, _cancel)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal's Ctrl-C is the server's business
    warnings.simplefilter("ignore", SyntaxWarning)
    lines = AnswerLines(answers)
    try:
        request = ErrandRequest.from_line(sys.stdin.buffer.readline())
        threading.Thread(target=_watch_parent, daemon=True).start()
        from codeopt.serving.handlers import run_errand

        lines.send(result=run_errand(request, lines))
    except Cancelled:
        lines.send(error="cancelled", exit_status=CANCELLED)
        return CANCELLED
    except CodeoptError as error:
        lines.send(error=inline(str(error), LONGEST), exit_status=error.exit_status)
        return error.exit_status
    except SandboxError as error:
        lines.send(error=f"the sandbox failed: {inline(str(error), LONGEST)}", exit_status=NO_SANDBOX)
        return NO_SANDBOX
    except TypeError as error:  # an option that there is not
        lines.send(error=inline(str(error), LONGEST), exit_status=UsageError.exit_status)
        return UsageError.exit_status
    return 0


def _cancel(_number: int, _frame: object) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # once: what is closed now is closed in peace
    raise Cancelled


def _watch_parent() -> None:
    """End the work where the parent no longer holds our standard input."""
    while os.read(0, 4096):  # not by way of sys.stdin, whose lock a thread may not hold when Python ends
        pass
    os.kill(os.getpid(), signal.SIGTERM)
    threading.Event().wait(PATIENCE_S)
    os._exit(CANCELLED)


if __name__ == "__main__":
    sys.exit(main())
