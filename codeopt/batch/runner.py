"""A batch on this machine: a process a worker; replaces those that die."""

from __future__ import annotations

import multiprocessing
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path

from codeopt.batch import worker
from codeopt.batch.foreman import Foreman
from codeopt.batch.message import Message
from codeopt.batch.tools import Tools
from codeopt.errors import CodeoptError, NoSandbox

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

    foreman: Foreman
    tools: Tools
    cores: list[int]
    """One entry a worker: the core it measures on."""
    _crew: dict[int, Crew] = field(default_factory=dict)

    def run(self) -> None:
        """Work until all are done or the batch is stopped. Raises NoSandbox or ModelError when nothing can work."""
        try:
            for number, core in enumerate(self.cores[: len(self.foreman.waiting)]):
                self._crew[number] = self._start(number, core)
            while self._crew:
                self._hear()
                self.foreman.record_time()
        finally:
            self._end_all()
            self.foreman.record_time(last=True)

    def _start(self, number: int, core: int) -> Crew:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        folder = self.foreman.store.folder
        log = folder / f"worker-{number}.log"
        process = context.Process(target=worker.main, args=(theirs, folder, core, self.tools, log))
        process.start()
        theirs.close()
        return Crew(number, core, process, ours, log)

    def _hear(self) -> None:
        """Everything that workers say within a moment."""
        by_connection = {crew.connection: crew for crew in self._crew.values()}
        for connection in wait(list(by_connection), TICK_S):
            crew = by_connection[connection]  # type: ignore[index]
            try:
                message = crew.connection.recv()
            except (EOFError, OSError):
                self._bury(crew)
            else:
                self._take(crew, message)

    def _take(self, crew: Crew, message: Message) -> None:
        if message.kind == "broken":
            raise as_error(message)
        if message.kind == "ended":
            self.foreman.ended(crew.number, message)
        else:
            self.foreman.tell(crew.number, message)
        if message.kind == "progress":
            return
        if message.kind == "ready":
            self.foreman.store.set_meta("backend", message.text)
        crew.ready = True
        crew.problem = self.foreman.next()
        crew.connection.send(crew.problem or None)
        if not crew.problem:
            self._dismiss(crew)

    def _dismiss(self, crew: Crew) -> None:
        del self._crew[crew.number]
        crew.process.join(END_S)
        self._kill(crew)

    def _bury(self, crew: Crew) -> None:
        """A worker has ended by itself: at the end of its life, or because something killed it."""
        crew.process.join(END_S)
        self._kill(crew)
        del self._crew[crew.number]
        if crew.problem:
            self._after_crash(crew)
        if not crew.ready:
            raise NoSandbox(
                f"a worker ended before it was ready (exit status {crew.process.exitcode}): {last_line(crew.log)}"
            )
        if self.foreman.waiting and not self.foreman.stopped:
            self._crew[crew.number] = self._start(crew.number, crew.core)

    def _after_crash(self, crew: Crew) -> None:
        if crew.process.exitcode == 0:  # its life was over before it took the problem up
            self.foreman.give_back(crew.problem)
            return
        reason = f"the worker ended with exit status {crew.process.exitcode}: {last_line(crew.log)}"
        self.foreman.lost(crew.number, crew.problem, reason)

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


def as_error(message: Message) -> CodeoptError:
    """What keeps a worker from working, for the batch to end with."""
    error = NoSandbox(message.text) if message.exit_status == NoSandbox.exit_status else CodeoptError(message.text)
    error.exit_status = message.exit_status
    return error


def last_line(path: Path) -> str:
    """The last line of a worker's log: its exception."""
    try:
        lines = path.read_text("utf-8", "replace").split("\n")
    except OSError:
        return "it left no word"
    return next((line.strip()[:300] for line in reversed(lines) if line.strip()), "it left no word")
