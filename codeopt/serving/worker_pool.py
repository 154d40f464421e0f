"""Starts a process for each request, tells of its progress, and ends it where nobody wants the answer any more.

A process of its own each: what a client gives up ends at once with all its sandboxes, a crash takes nothing else
along, and nothing that is printed can get between the messages of a protocol on standard output.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from codeopt.core.errors import CodeoptError
from codeopt.serving.request import ErrandRequest
from codeopt_sandbox.host_program import own_environment

LONGEST_ANSWER = 64 << 20
"""Bytes of one line of a worker: a text of 1 MiB stands in it a few times, escaped."""
GRACE_S = 45.0
"""For a worker to close its sandboxes; a Docker engine under load takes 10 s."""
Tell = Callable[[str], Awaitable[None]]


class ErrandFailed(CodeoptError):
    """The worker's one line, with the exit status that the command would have ended in."""

    def __init__(self, message: str, exit_status: int) -> None:
        super().__init__(message)
        self.status = exit_status


@dataclass
class Caller:
    """Does requests, so many at a time; others wait in line, as long as that is short."""

    root: Path
    parallel: int = 1
    waiting: int = 8
    seconds: float = 900.0
    """That one request may take, after which it is ended."""
    _running: asyncio.Semaphore = field(init=False)
    _inside: int = 0
    _ends: set[asyncio.Task[None]] = field(default_factory=set)
    """Workers that are being ended."""

    def __post_init__(self) -> None:
        self._running = asyncio.Semaphore(self.parallel)

    async def call(self, request: ErrandRequest, tell: Tell) -> dict[str, Any]:
        """The answer. Raises ErrandFailed."""
        if self._inside >= self.parallel + self.waiting:
            raise ErrandFailed(f"{self._inside} requests are under way or waiting; ask again when one has ended", 2)
        self._inside += 1
        try:
            if self._running.locked():
                await tell("waiting for another request to end")
            await self._running.acquire()
        except BaseException:
            self._inside -= 1
            raise
        return await self._started(request, tell)

    async def _started(self, request: ErrandRequest, tell: Tell) -> dict[str, Any]:
        """The place in the line is given back when the process has ended, also where nobody waits for that."""
        try:
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-P", "-m", "codeopt.serving.worker",
                stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, cwd=self.root, limit=LONGEST_ANSWER,
                env=own_environment(),
                start_new_session=True,  # who ends the server's group must not end a worker before its sandboxes
            )  # fmt: skip
        except BaseException:
            self._leave()
            raise
        try:
            async with asyncio.timeout(self.seconds):
                return await _answer(process, request, tell)
        except TimeoutError:
            raise ErrandFailed(f"not done within {self.seconds:g} s, so it was ended", 6) from None
        finally:
            end = asyncio.get_running_loop().create_task(self._ended(process))
            self._ends.add(end)
            end.add_done_callback(self._ends.discard)

    async def _ended(self, process: asyncio.subprocess.Process) -> None:
        """A closed standard input is the word to end; one that does not hear it is killed."""
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


async def _answer(process: asyncio.subprocess.Process, request: ErrandRequest, tell: Tell) -> dict[str, Any]:
    """What the worker says until it has an answer. Raises ErrandFailed."""
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
            await tell(message["progress"])
        elif "error" in message:
            raise ErrandFailed(message["error"], message["exit_status"])
        else:
            found: dict[str, Any] = message["result"]
            return found
    status = await process.wait()
    raise ErrandFailed(f"this is a mistake of ours, please report it: the worker ended with {status} (see the log)", 70)
