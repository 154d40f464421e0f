"""A process for each request: started, followed by its progress, and ended if the answer is no longer wanted.

A cancelled request ends at once with all its sandboxes. A crash affects only its own request. Printed text cannot get
between the messages of a protocol on standard output.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
import threading
import warnings
from collections.abc import Awaitable
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Protocol

from codeopt.core.console import CallbackConsole
from codeopt.core.errors import CodeoptError, NoSandbox, UsageError
from codeopt.core.sanitize import inline
from codeopt.serving.request import OperationRequest
from codeopt_sandbox.errors import SandboxError
from codeopt_sandbox.interpreter import own_environment

MAX_ANSWER_BYTES = 64 << 20
"""Longest line of a worker, bytes. It contains a text of 1 MiB several times, escaped."""
GRACE_S = 45.0
"""Time that a worker has to close its sandboxes, seconds; a Docker engine under load takes 10."""
TOO_MANY = 2
"""Exit status of a request that found no place in the line."""
TOO_LONG = 6
"""Exit status of a request that was ended at its time limit."""
OUR_MISTAKE = 70
"""Exit status where a worker crashed."""


class OnProgress(Protocol):
    """Told of each step."""

    def __call__(self, line: str, done: float | None = None) -> Awaitable[None]:
        """Take one line. done: part of the work that is behind, 0 to 1. None: not known."""
        ...


class OperationFailed(CodeoptError):
    """A request failed: the worker's one line, with the exit status that the command would have ended in."""

    def __init__(self, message: str, exit_status: int) -> None:
        super().__init__(message)
        self.status = exit_status


@dataclass
class WorkerPool:
    """Workers below one root; requests beyond `parallel` wait in a short line, the rest are refused."""

    root: Path
    parallel: int = 1
    waiting: int = 8
    """Requests that may wait in line."""
    max_seconds: float = 900.0
    """Time limit of one request, seconds; then it is ended."""
    _running: asyncio.Semaphore = field(init=False)
    _inside: int = 0
    _ends: set[asyncio.Task[None]] = field(default_factory=set)
    """Tasks that wait for workers to end."""

    def __post_init__(self) -> None:
        self._running = asyncio.Semaphore(self.parallel)

    async def call(self, request: OperationRequest, on_progress: OnProgress) -> dict[str, Any]:
        """Do a request and return its answer. Raises OperationFailed."""
        if self._inside >= self.parallel + self.waiting:
            said = f"{self._inside} requests are under way or waiting; ask again when one has ended"
            raise OperationFailed(said, TOO_MANY)
        self._inside += 1
        try:
            if self._running.locked():
                await on_progress("waiting for another request to end")
            await self._running.acquire()
        except BaseException:
            self._inside -= 1
            raise
        return await self._started(request, on_progress)

    async def _started(self, request: OperationRequest, on_progress: OnProgress) -> dict[str, Any]:
        """Start a worker and return its answer. Raises OperationFailed.

        The place in the line is given back when the process has ended, also where nobody waits for that.
        """
        try:
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-P", "-m", "codeopt.serving.worker_pool",
                stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, cwd=self.root, limit=MAX_ANSWER_BYTES,
                env=own_environment(),
                start_new_session=True,  # who ends the server's group must not end a worker before its sandboxes
            )  # fmt: skip
        except BaseException:
            self._leave()
            raise
        try:
            async with asyncio.timeout(self.max_seconds):
                return await _answer(process, request, on_progress)
        except TimeoutError:
            raise OperationFailed(f"not done within {self.max_seconds:g} s, so it was ended", TOO_LONG) from None
        finally:
            end = asyncio.get_running_loop().create_task(self._ended(process))
            self._ends.add(end)
            end.add_done_callback(self._ends.discard)

    async def _ended(self, process: asyncio.subprocess.Process) -> None:
        """Close the worker's standard input, which asks it to end, and kill it where it does not."""
        try:
            assert process.stdin
            process.stdin.close()
            try:
                await asyncio.wait_for(process.wait(), GRACE_S)
            except TimeoutError:
                process.kill()
                await process.wait()
        finally:
            self._leave()

    def _leave(self) -> None:
        self._inside -= 1
        self._running.release()

    async def close(self) -> None:
        """Wait for workers that are being ended."""
        while self._ends:
            await asyncio.gather(*self._ends, return_exceptions=True)


async def _answer(
    process: asyncio.subprocess.Process, request: OperationRequest, on_progress: OnProgress
) -> dict[str, Any]:
    """Pass a worker's progress on until it has an answer. Raises OperationFailed."""
    assert process.stdin
    assert process.stdout
    try:
        process.stdin.write(request.to_line())
        await process.stdin.drain()
    except ConnectionError:
        pass  # it has ended already, and has said why
    async for line in process.stdout:
        message = json.loads(line)
        if "progress" in message:
            await on_progress(message["progress"], message.get("done"))
        elif "error" in message:
            raise OperationFailed(message["error"], message["exit_status"])
        else:
            found: dict[str, Any] = message["result"]
            return found
    status = await process.wait()
    said = f"this is a mistake of ours, please report it: the worker ended with {status} (see the log)"
    raise OperationFailed(said, OUR_MISTAKE)


# The process that does one request: reads it from standard input, writes lines of JSON, and ends with its parent.
#
# The first line of standard input is the request. The input then stays open. If it is closed, because the client gave
# up or the server ended, the work and its sandboxes are ended. Each line of output has one of the keys `progress`,
# `result` and `error`.

MAX_MESSAGE_CHARS = 2000
"""Longest error message, characters."""
CANCELLED = 130
"""Exit status where the client gave up."""


class Cancelled(BaseException):
    """The client gave up. Not a KeyboardInterrupt, after which the best draft so far would be confirmed first."""


class AnswerLines(CallbackConsole):
    """A console that writes to the parent, one line of JSON a message."""

    def __init__(self, stream: IO[str]) -> None:
        super().__init__(self._tell)
        self._stream = stream
        self._targets = (0, 1)
        self._done: float | None = None

    def send(self, **message: Any) -> None:
        """Write one line; a parent that is gone is no error."""
        with contextlib.suppress(OSError, ValueError):
            self._stream.write(json.dumps(message) + "\n")
            self._stream.flush()

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
        # characters of a line of progress
        self.send(progress=inline(line, 300), done=self._done)


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
        return 0
    except Cancelled:
        said, status = "cancelled", CANCELLED
    except CodeoptError as error:
        said, status = inline(error.words, MAX_MESSAGE_CHARS), error.exit_status
    except SandboxError as error:
        said, status = f"the sandbox failed: {inline(str(error), MAX_MESSAGE_CHARS)}", NoSandbox.exit_status
    except TypeError as error:  # an option that there is not
        said, status = inline(str(error), MAX_MESSAGE_CHARS), UsageError.exit_status
    lines.send(error=said, exit_status=status)
    return status


def _cancel(_number: int, _frame: object) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # once: what is closed now is closed in peace
    raise Cancelled


def _watch_parent() -> None:
    """End the work once the parent no longer holds our standard input."""
    while os.read(0, 4096):  # not by way of sys.stdin, whose lock a thread may not hold when Python ends
        pass
    os.kill(os.getpid(), signal.SIGTERM)
    # time that sandboxes have to close, seconds; then the process ends as it is
    threading.Event().wait(60.0)
    os._exit(CANCELLED)


if __name__ == "__main__":
    sys.exit(main())
