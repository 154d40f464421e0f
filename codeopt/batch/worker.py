"""A worker process: takes one problem after the other, and tells the batch what it is doing."""

from __future__ import annotations

import ctypes
import os
import signal
import time
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Literal, NoReturn

from codeopt.batch.cores import CoreLock
from codeopt.batch.store import BatchStore, Ending
from codeopt.batch.work import Clocked, Tools, Work
from codeopt.errors import CodeoptError

_PR_SET_PDEATHSIG = 1
_TELL_S = 0.2
"""Progress is told at most so often."""
PROBLEMS_A_LIFE = 200
"""A worker is replaced after so many, so that nothing can pile up in it."""


@dataclass(frozen=True)
class Message:
    """What a worker tells the batch."""

    kind: Literal["ready", "progress", "ended", "broken"]
    problem: str = ""
    text: str = ""
    """ready: the sandbox; progress: what is done now; ended: the reason; broken: what keeps all from working."""
    result: str = ""
    """ended: the status; of one that is done `accepted` or `not improved`; of one that failed `failed: FAULT`."""
    ratio: float | None = None
    """ended: the confirmed speedup."""
    exit_status: int = 0
    """broken: of the error."""


def main(connection: Connection, folder: Path, core: int, tools: Tools, log: Path) -> None:
    """Work until there is nothing more to do; the batch's own death ends it at once."""
    _die_with_parent(os.getppid())
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the batch ends us in order
    signal.signal(signal.SIGTERM, _stop)
    handle = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o644)
    os.dup2(handle, 2)  # the traceback of a crash, for the row of the problem that caused it
    try:
        _serve(connection, folder, CoreLock(core), tools)
    except CodeoptError as error:
        connection.send(Message("broken", text=str(error), exit_status=error.exit_status))
    except (KeyboardInterrupt, BrokenPipeError, EOFError):
        return


def _serve(connection: Connection, folder: Path, lock: CoreLock, tools: Tools) -> None:
    with BatchStore(folder) as store, tools.open_sandbox(lock.core) as sandbox:
        clocked = Clocked(sandbox)
        connection.send(Message("ready", text=f"{sandbox.backend}: {sandbox.description}"))
        for number in range(PROBLEMS_A_LIFE):
            id = connection.recv()
            if id is None:
                return
            if number:
                sandbox.renew()  # nothing of one problem's programs meets those of the next
            work = Work(store.problem(id), store, clocked, lock, tools, _Teller(connection, id))
            connection.send(_ended(id, work.run()))


def _ended(id: str, ending: Ending) -> Message:
    result: str = ending.status
    if ending.status == "done":
        result = "accepted" if ending.best else "not improved"
    elif ending.status == "failed":
        result = f"failed: {ending.fault}"
    ratio = ending.best.comparison.ratio if ending.best and ending.best.comparison else None
    return Message("ended", id, ending.reason, result, ratio)


class _Teller:
    """Tells the batch what is being done now, but not too often."""

    def __init__(self, connection: Connection, problem: str) -> None:
        self._connection, self._problem = connection, problem
        self._last = 0.0

    def __call__(self, line: str) -> None:
        now = time.monotonic()
        if now - self._last >= _TELL_S:
            self._last = now
            self._connection.send(Message("progress", self._problem, line))


def _die_with_parent(parent: int) -> None:
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it died before we asked
        raise SystemExit(1)


def _stop(_number: int, _frame: object) -> NoReturn:
    raise KeyboardInterrupt
