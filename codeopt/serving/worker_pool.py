"""A process for each request: started, followed by its progress, and ended if the answer is no longer wanted.

A cancelled request ends at once with all its sandboxes. A crash affects only its own request. Printed text cannot get
between the messages of a protocol on standard output.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from codeopt.core.errors import CodeoptError
from codeopt.serving.request import OperationRequest
from codeopt_sandbox.host_program import own_environment

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
            raise OperationFailed(
                f"{self._inside} requests are under way or waiting; ask again when one has ended", TOO_MANY
            )
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
                sys.executable, "-P", "-m", "codeopt.serving.worker",
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
    raise OperationFailed(
        f"this is a mistake of ours, please report it: the worker ended with {status} (see the log)", OUR_MISTAKE
    )
