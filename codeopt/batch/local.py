"""A batch on this machine: one process a worker; those that die are replaced."""

from __future__ import annotations

import multiprocessing
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path

from codeopt.batch import worker as worker_process
from codeopt.batch.records import BatchOptions
from codeopt.batch.scheduler import Scheduler, WorkerEvent
from codeopt.core.errors import CodeoptError, NoSandbox

POLL_S = 0.5
"""Longest wait for a worker's message before the batch looks after itself, seconds."""
END_S = 10.0
"""Time that a worker that was asked to end has to remove its sandbox, seconds."""


@dataclass
class WorkerProcess:
    """A worker's process and the problem that it has."""

    number: int
    core: int
    process: SpawnProcess
    connection: Connection
    log: Path
    problem: str = ""
    ready: bool = False


@dataclass
class LocalBatch:
    """A batch under way on this machine."""

    scheduler: Scheduler
    options: BatchOptions
    cores: list[int]
    _workers: dict[int, WorkerProcess] = field(default_factory=dict)

    def run(self) -> None:
        """Work until all problems are done or the batch stops. Raises NoSandbox, ModelError where nothing can work."""
        try:
            for number, core in enumerate(self.cores[: len(self.scheduler.waiting)]):
                self._workers[number] = self._start(number, core)
            while self._workers:
                self._poll()
                self.scheduler.record_time()
        finally:
            for worker in self._workers.values():
                worker.process.terminate()
            for worker in self._workers.values():
                worker.process.join(END_S)
                self._kill(worker)
            self._workers.clear()
            self.scheduler.record_time(last=True)

    def _start(self, number: int, core: int) -> WorkerProcess:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        folder = self.scheduler.batch.folder
        log = folder / f"worker-{number}.log"
        process = context.Process(target=worker_process.main, args=(theirs, folder, core, self.options, log))
        process.start()
        theirs.close()
        return WorkerProcess(number, core, process, ours, log)

    def _poll(self) -> None:
        """Handle what workers send within POLL_S."""
        by_connection = {worker.connection: worker for worker in self._workers.values()}
        for connection in wait(list(by_connection), POLL_S):
            worker = by_connection[connection]  # type: ignore[index]
            try:
                event = worker.connection.recv()
            except (EOFError, OSError):
                self._reap(worker)
            else:
                self._handle(worker, event)

    def _handle(self, worker: WorkerProcess, event: WorkerEvent) -> None:
        if event.kind == "broken":
            raise as_error(event)
        if event.kind == "ended":
            self.scheduler.ended(event)
        else:
            self.scheduler.on_event(event)
        if event.kind == "progress":
            return
        if event.kind == "ready":
            self.scheduler.batch.set_facts(backend=event.text)
        worker.ready = True
        worker.problem = self.scheduler.next()
        worker.connection.send(worker.problem or None)
        if not worker.problem:
            self._release(worker)

    def _release(self, worker: WorkerProcess) -> None:
        del self._workers[worker.number]
        worker.process.join(END_S)
        self._kill(worker)

    def _reap(self, worker: WorkerProcess) -> None:
        """Replace a worker that ended by itself: at the end of its life, or killed by something. Raises NoSandbox."""
        worker.process.join(END_S)
        self._kill(worker)
        del self._workers[worker.number]
        if worker.problem:
            self._after_crash(worker)
        if not worker.ready:
            raise NoSandbox(
                f"a worker ended before it was ready (exit status {worker.process.exitcode}): {last_line(worker.log)}"
            )
        if self.scheduler.waiting and not self.scheduler.stopped:
            self._workers[worker.number] = self._start(worker.number, worker.core)

    def _after_crash(self, worker: WorkerProcess) -> None:
        if worker.process.exitcode == 0:  # its life was over before it took the problem up
            self.scheduler.give_back(worker.problem)
            return
        reason = f"the worker ended with exit status {worker.process.exitcode}: {last_line(worker.log)}"
        self.scheduler.lost(worker.problem, reason)

    @staticmethod
    def _kill(worker: WorkerProcess) -> None:
        if worker.process.is_alive():
            worker.process.kill()
            worker.process.join()
        worker.connection.close()


def as_error(event: WorkerEvent) -> CodeoptError:
    """Convert what keeps a worker from working into the error that the batch ends with."""
    error = NoSandbox(event.text) if event.exit_status == NoSandbox.exit_status else CodeoptError(event.text)
    error.exit_status = event.exit_status
    return error


def last_line(path: Path) -> str:
    """The last line of a worker's log: its exception."""
    try:
        lines = path.read_text("utf-8", "replace").split("\n")
    except OSError:
        return "it left no word"
    return next((line.strip()[:300] for line in reversed(lines) if line.strip()), "it left no word")
