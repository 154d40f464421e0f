"""A worker process: it takes one problem after the other and sends events to the batch."""

from __future__ import annotations

import ctypes
import os
import signal
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NoReturn

from codeopt.batch.batch_folder import BatchFolder
from codeopt.batch.locks import CoreLock
from codeopt.batch.problem_job import ProblemJob, TimedSandbox, open_worker_sandbox
from codeopt.batch.records import BatchOptions
from codeopt.batch.scheduler import ThrottledProgress, WorkerEvent, ended
from codeopt.core.errors import CodeoptError

_PR_SET_PDEATHSIG = 1
MAX_PROBLEMS = 200
"""Problems after which a worker is replaced, so that nothing can pile up in it."""


def main(connection: Connection, folder: Path, core: int, options: BatchOptions, log: Path) -> None:
    """Work until there are no more problems; the batch's own death ends this process at once."""
    parent = os.getppid()  # we die with it
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it died before we asked
        raise SystemExit(1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the batch ends us in order
    signal.signal(signal.SIGTERM, _stop)
    handle = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o644)
    os.dup2(handle, 2)  # the traceback of a crash, for the status of the problem that caused it
    try:
        _serve(connection, folder, CoreLock(core), options)
    except CodeoptError as error:
        connection.send(WorkerEvent("broken", text=error.words, exit_status=error.exit_status))
    except (BrokenPipeError, EOFError):
        return


def _serve(connection: Connection, folder: Path, lock: CoreLock, options: BatchOptions) -> None:
    batch = BatchFolder(folder)
    with open_worker_sandbox(options, lock.core) as sandbox:
        timed_sandbox = TimedSandbox(sandbox)
        connection.send(WorkerEvent("ready", text=f"{sandbox.backend}: {sandbox.description}"))
        for number in range(MAX_PROBLEMS):
            id = connection.recv()
            if id is None:
                return
            if number:
                sandbox.restart_guest()  # programs of one problem do not meet those of the next
            work = ProblemJob(
                batch.problem(id), batch, timed_sandbox, lock, options, ThrottledProgress(connection.send, id)
            )
            connection.send(ended(id, work.run()))


def _stop(_number: int, _frame: object) -> NoReturn:
    raise SystemExit  # not KeyboardInterrupt: that would end the rounds, and confirm the best draft so far
