"""The batch itself: hands problems to workers, replaces those that die, stops when the budget or the patience ends."""

from __future__ import annotations

import multiprocessing
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path

from codeopt.batch import worker
from codeopt.batch.store import BatchStore, Effort, Ending
from codeopt.batch.work import Tools
from codeopt.batch.worker import Message
from codeopt.errors import CodeoptError, ModelError, NoSandbox

MAX_ATTEMPTS = 2
"""A problem that was at work when its worker died is tried once more."""
PATIENCE = 8
"""After so many problems in a row that failed for the model's sake, the batch stops: not they are at fault."""
TICK_S = 0.5
END_S = 10.0
"""A worker that was asked to end gets so long to remove its sandbox."""


@dataclass
class Crew:
    """One worker's process, and the problem it has."""

    number: int
    core: int
    process: SpawnProcess
    connection: Connection
    log: Path
    problem: str = ""
    ready: bool = False


@dataclass
class Batch:
    """A batch under way."""

    store: BatchStore
    tools: Tools
    cores: list[int]
    """One entry a worker: the core it measures on."""
    tell: Callable[[int, Message], None]
    """Receives the worker's number and what it says; for the progress display."""
    stopped: str = ""
    """Why not every problem was begun."""
    _crew: dict[int, Crew] = field(default_factory=dict)
    _failures: int = 0
    """Problems in a row that failed for the model's sake."""
    _recorded: float = field(default_factory=time.monotonic)

    def run(self, ids: Iterable[str]) -> None:
        """Work until all are done or the batch is stopped. Raises NoSandbox or ModelError when nothing can work."""
        waiting = deque(ids)
        try:
            for number, core in enumerate(self.cores[: len(waiting)]):
                self._crew[number] = self._start(number, core)
            while self._crew:
                self._hear(waiting)
                self._record_time()
        finally:
            self._end_all()
            self._record_time()

    def _start(self, number: int, core: int) -> Crew:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        log = self.store.folder / f"worker-{number}.log"
        process = context.Process(target=worker.main, args=(theirs, self.store.folder, core, self.tools, log))
        process.start()
        theirs.close()
        return Crew(number, core, process, ours, log)

    def _hear(self, waiting: deque[str]) -> None:
        """Everything that workers say within a moment."""
        by_connection = {crew.connection: crew for crew in self._crew.values()}
        for connection in wait(list(by_connection), TICK_S):
            crew = by_connection[connection]  # type: ignore[index]
            try:
                message = crew.connection.recv()
            except (EOFError, OSError):
                self._bury(crew, waiting)
            else:
                self._take(crew, message, waiting)

    def _take(self, crew: Crew, message: Message, waiting: deque[str]) -> None:
        if message.kind == "broken":
            error = (
                NoSandbox(message.text) if message.exit_status == NoSandbox.exit_status else CodeoptError(message.text)
            )
            error.exit_status = message.exit_status
            raise error
        self.tell(crew.number, message)
        if message.kind == "progress":
            return
        if message.kind == "ended":
            self._judge_health(message)
        if message.kind == "ready":
            self.store.set_meta("backend", message.text)
        crew.ready = True
        crew.problem = "" if self.stopped or not waiting else waiting.popleft()
        crew.connection.send(crew.problem or None)
        if not crew.problem:
            self._dismiss(crew)

    def _judge_health(self, message: Message) -> None:
        """Stop when the budget is spent, or when the model's server fails everyone."""
        if message.result == "paused":
            self.stopped = message.text
        self._failures = self._failures + 1 if message.result == "failed: model" else 0
        if self._failures >= PATIENCE:
            raise ModelError(
                f"{self._failures} problems in a row failed for the model's sake, the last with: {message.text}; "
                "the batch stops here (the same command with --retry-failed goes on)"
            )

    def _dismiss(self, crew: Crew) -> None:
        del self._crew[crew.number]
        crew.process.join(END_S)
        self._kill(crew)

    def _bury(self, crew: Crew, waiting: deque[str]) -> None:
        """A worker has ended by itself: at the end of its life, or because something killed it."""
        crew.process.join(END_S)
        self._kill(crew)
        del self._crew[crew.number]
        if crew.problem:
            self._after_crash(crew, waiting)
        if not crew.ready:
            raise NoSandbox(
                f"a worker ended before it was ready (exit status {crew.process.exitcode}): {last_line(crew.log)}"
            )
        if waiting and not self.stopped:
            self._crew[crew.number] = self._start(crew.number, crew.core)

    def _after_crash(self, crew: Crew, waiting: deque[str]) -> None:
        how = f"the worker ended with exit status {crew.process.exitcode}"
        if crew.process.exitcode == 0:  # its life was over before it took the problem up
            waiting.appendleft(crew.problem)
            return
        reason = f"{how}: {last_line(crew.log)}"
        self.store.note(crew.problem, reason)
        if self.store.attempts(crew.problem) < MAX_ATTEMPTS:
            waiting.append(crew.problem)
            return
        self.store.end(crew.problem, Ending("failed", reason, fault="worker"), Effort())
        self.tell(crew.number, Message("ended", crew.problem, reason, "failed: worker"))

    def _end_all(self) -> None:
        for crew in self._crew.values():
            crew.process.terminate()
        for crew in self._crew.values():
            crew.process.join(END_S)
            self._kill(crew)
        self._crew.clear()

    @staticmethod
    def _kill(crew: Crew) -> None:
        if crew.process.is_alive():
            crew.process.kill()
            crew.process.join()
        crew.connection.close()

    def _record_time(self) -> None:
        """The batch's own wall time, so that a killed batch loses no more than a moment of it."""
        now = time.monotonic()
        if now - self._recorded >= 2 or not self._crew:
            self.store.add_seconds(now - self._recorded)
            self._recorded = now


def last_line(path: Path) -> str:
    """The last line of a worker's log: its exception."""
    try:
        lines = path.read_text("utf-8", "replace").split("\n")
    except OSError:
        return "it left no word"
    return next((line.strip()[:300] for line in reversed(lines) if line.strip()), "it left no word")
