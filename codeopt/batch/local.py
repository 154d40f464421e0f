"""A batch on this machine: one process a worker, which takes a problem after the other; those that die are replaced."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
import sys
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path

from codeopt.batch.batch_folder import BatchFolder, BatchOptions
from codeopt.batch.locks import CoreLock
from codeopt.batch.problem_job import ProblemJob, TimedSandbox, open_worker_sandbox
from codeopt.batch.scheduler import Scheduler, ThrottledProgress, WorkerEvent, ended
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
            for worker in list(self._workers.values()):
                self._release(worker)
            self.scheduler.record_time(last=True)

    def _start(self, number: int, core: int) -> WorkerProcess:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        folder = self.scheduler.batch.folder
        log = folder / f"worker-{number}.log"
        process = context.Process(target=work, args=(theirs, folder, core, self.options, log))
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
        self.scheduler.hear(event)
        if event.kind == "progress":
            return
        worker.ready = True
        worker.problem = self.scheduler.next()
        worker.connection.send(worker.problem or None)
        if not worker.problem:
            self._release(worker)

    def _release(self, worker: WorkerProcess) -> None:
        del self._workers[worker.number]
        worker.process.join(END_S)
        if worker.process.is_alive():
            worker.process.kill()
            worker.process.join()
        worker.connection.close()

    def _reap(self, worker: WorkerProcess) -> None:
        """Replace a worker that ended by itself: at the end of its life, or killed by something. Raises NoSandbox."""
        self._release(worker)
        if worker.problem and worker.process.exitcode == 0:  # its life was over before it took the problem up
            self.scheduler.give_back(worker.problem)
        elif worker.problem:
            reason = f"the worker ended with exit status {worker.process.exitcode}: {last_line(worker.log)}"
            self.scheduler.lost(worker.problem, reason)
        if not worker.ready:
            raise NoSandbox(
                f"a worker ended before it was ready (exit status {worker.process.exitcode}): {last_line(worker.log)}"
            )
        if self.scheduler.waiting and not self.scheduler.stopped:
            self._workers[worker.number] = self._start(worker.number, worker.core)


def last_line(path: Path) -> str:
    """The last line of a worker's log: its exception."""
    try:
        lines = path.read_text("utf-8", "replace").split("\n")
    except OSError:
        return "it left no word"
    return next((line.strip()[:300] for line in reversed(lines) if line.strip()), "it left no word")


# A worker process: it takes one problem after the other and sends events to the batch.


_PR_SET_PDEATHSIG = 1
MAX_PROBLEMS = 200
"""Problems after which a worker is replaced, so that nothing can pile up in it."""


def work(connection: Connection, folder: Path, core: int, options: BatchOptions, log: Path) -> None:
    """Work until there are no more problems; the batch's own death ends this process at once."""
    parent = os.getppid()  # we die with it
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it died before we asked
        raise SystemExit(1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the batch ends us in order
    # not KeyboardInterrupt: that would end the rounds, and confirm the best draft so far
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    handle = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o644)
    os.dup2(handle, 2)  # the traceback of a crash, for the status of the problem that caused it
    batch, lock = BatchFolder(folder), CoreLock(core)
    try:
        with open_worker_sandbox(options, core) as sandbox:
            timed_sandbox = TimedSandbox(sandbox)
            connection.send(WorkerEvent("ready", text=f"{sandbox.backend}: {sandbox.description}"))
            for number in range(MAX_PROBLEMS):
                id = connection.recv()
                if id is None:
                    return
                if number:
                    sandbox.restart_guest()  # programs of one problem do not meet those of the next
                teller = ThrottledProgress(connection.send, id)
                work = ProblemJob(batch.problem(id), batch, timed_sandbox, lock, options, teller)
                connection.send(ended(id, work.run()))
    except CodeoptError as error:
        connection.send(WorkerEvent("broken", text=error.words, exit_status=error.exit_status))
    except (BrokenPipeError, EOFError):
        return
