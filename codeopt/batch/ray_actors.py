"""The two actors of a batch on Ray: the coordinator has the batch's files, the workers improve the problems.

The coordinator stays on the machine where `codeopt batch` was started; workers sit on every node and reach the files
only through it, so nodes need no common disk, and what is finished is on disk at once, even if the rest fails.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from codeopt.batch.backoff import Backoff
from codeopt.batch.batch_folder import BatchFolder
from codeopt.batch.datasets import Problem
from codeopt.batch.locks import CoreLock, measuring_cores
from codeopt.batch.problem_job import ProblemJob, TimedSandbox, open_worker_sandbox
from codeopt.batch.records import BatchOptions, ProblemResult, TimeSpent
from codeopt.batch.worker_events import ThrottledProgress, WorkerEvent, ended
from codeopt.core.errors import CodeoptError, UsageError
from codeopt.core.program import read_program
from codeopt.core.version import __version__
from codeopt_sandbox import Sandbox
from codeopt_sandbox.caseio import FOLDERS
from codeopt_sandbox.owner import temporary_folder
from codeopt_sandbox.plain_files import read_bytes

MAX_TRANSFER_BYTES = 512 * 2**20
"""Largest size of one problem's cases that are sent to a node, bytes."""
REMOTE_METHODS = frozenset(
    {"begin", "load", "save", "finish", "keep", "end", "note", "exchanges", "add_exchange", "spent"}
    | {"problem", "run_folder"}
)
"""Methods of the batch's folder that workers may call."""


class Coordinator:
    """The actor that has the batch's files: it sends problems out and takes in what workers send."""

    def __init__(self, folder: Path) -> None:
        self._batch = BatchFolder(folder)
        self._events: list[WorkerEvent] = []

    def call(self, name: str, *arguments: Any) -> Any:
        """Call a method of the batch's folder. Raises ValueError for one that workers may not call."""
        if name not in REMOTE_METHODS:
            raise ValueError(f"{name} may not be asked")
        return getattr(self._batch, name)(*arguments)

    def pause(self, name: str, *arguments: Any) -> Any:
        """Call `left` or `refused` of the pause that all workers share; returns seconds."""
        backoff = self._batch.backoff
        return backoff.left() if name == "left" else backoff.refused(*arguments)

    def send(self, event: WorkerEvent) -> None:
        """Take in an event of a worker."""
        self._events.append(event)

    def poll(self) -> list[WorkerEvent]:
        """Return the events since this was called last."""
        events, self._events = self._events, []
        return events

    def files(self, id: str) -> dict[str, bytes] | str:
        """Return the files of a problem's cases by name, or the reason why they cannot be sent."""
        problem = self._batch.problem(id)
        found: dict[str, bytes] = {}
        total = 0
        for path in sorted(path for folder in _folders(problem) for path in _plain_files(folder)):
            if path.is_symlink():
                return f"{path} is a link, and links among cases are not followed"
            total += path.stat().st_size
            if total > MAX_TRANSFER_BYTES:
                return f"its cases are more than {MAX_TRANSFER_BYTES >> 20} MiB: these cannot be sent to a node"
            found[str(path.relative_to(problem.cases or problem.path.parent))] = read_bytes(path)
        return found


def _folders(problem: Problem) -> list[Path]:
    """Folders in which a problem's cases are looked for."""
    return [problem.cases] if problem.cases else [problem.path.parent, problem.path.parent / "cases"]


def _plain_files(folder: Path) -> list[Path]:
    """Files in a folder and in its subfolders that hold cases."""
    folders = [folder, *(folder / name for pair in FOLDERS for name in pair)]
    return [path for each in folders if each.is_dir() for path in each.iterdir() if path.is_file()]


@dataclass(frozen=True)
class RemoteBackoff(Backoff):
    """The coordinator's Backoff, called from a node, which sleeps there."""

    coordinator: Any = None

    def left(self) -> float:
        """Time that a worker should wait from now, seconds."""
        return self._ask("left")

    def refused(self, wait_s: float | None = None) -> float:
        """Begin a pause of all workers after a refusal; returns its seconds."""
        return self._ask("refused", wait_s)

    def _ask(self, *arguments: Any) -> float:
        import ray

        return cast(float, ray.get(self.coordinator.pause.remote(*arguments)))


class RemoteBatch:
    """The coordinator's BatchFolder, called from a node."""

    def __init__(self, coordinator: Any) -> None:
        self._coordinator = coordinator
        self.backoff = RemoteBackoff(Path("of the coordinator"), coordinator=coordinator)

    def __getattr__(self, name: str) -> Any:
        if name not in REMOTE_METHODS:
            raise AttributeError(name)

        def call(*arguments: Any) -> Any:
            import ray

            return ray.get(self._coordinator.call.remote(name, *arguments))

        return call


@dataclass
class Worker:
    """An actor on a node, with one core to measure on and a sandbox of its own.

    environ: variables of the model's client; they go with the call, not into the cluster's settings, which others see.
    """

    core: int
    options: BatchOptions
    coordinator: Any
    environ: Mapping[str, str]
    _open: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)
    _sandbox: Sandbox | None = None

    def __post_init__(self) -> None:
        os.environ.update(self.environ)
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    def open(self) -> WorkerEvent:
        """Open the sandbox; returns `ready`, or `broken` with the reason."""
        try:
            self._sandbox = self._open.enter_context(open_worker_sandbox(self.options, self.core))
        except CodeoptError as error:
            return WorkerEvent("broken", text=error.words, exit_status=error.exit_status)
        return WorkerEvent("ready", text=f"{self._sandbox.backend}: {self._sandbox.description}")

    def work(self, id: str) -> WorkerEvent:
        """Improve one problem; returns how it ended."""
        assert self._sandbox is not None
        batch = cast(BatchFolder, RemoteBatch(self.coordinator))
        teller = ThrottledProgress(self.coordinator.send.remote, id)
        self._sandbox.restart_guest()  # programs of one problem do not meet those of the next
        with temporary_folder("parcel") as box:
            try:
                problem = self._at_hand(batch.problem(id), box)
            except CodeoptError as error:
                ending = ProblemResult("failed", error.words, fault="worker")
                batch.begin(id)
                batch.end(id, ending, TimeSpent())
                return ended(id, ending)
            timed_sandbox = TimedSandbox(self._sandbox)
            work = ProblemJob(problem, batch, timed_sandbox, CoreLock(self.core), self.options, teller)
            return ended(id, work.run())

    def _at_hand(self, problem: Problem, box: Path) -> Problem:
        """Return the problem with its files on this node, in `box` where they have to be sent. Raises UsageError."""
        if _folders(problem)[0].is_dir() and _same_file(problem):
            return problem  # a common disk, or the same machine
        if problem.function:
            where = f"{problem.path} is not the same on {socket.gethostname()}"
            raise UsageError(f"{where}: to improve functions, their project must lie at the same path on all nodes")
        import ray

        files = ray.get(self.coordinator.files.remote(problem.id))
        if isinstance(files, str):
            raise UsageError(files)
        for name, content in files.items():
            (box / name).parent.mkdir(parents=True, exist_ok=True)
            (box / name).write_bytes(content)
        return replace(problem, path=box / problem.path.name, cases=box if problem.cases else None)

    def close(self) -> None:
        """Remove the sandbox."""
        self._open.close()


def _same_file(problem: Problem) -> bool:
    """Whether the program's file here is what the batch has; a program within a larger file goes by its cases."""
    if not problem.path.exists():
        return problem.cases is not None
    return read_program(problem.path).source == problem.source


def describe_node(cores: int | None) -> tuple[str, list[int]]:
    """Return the version of codeopt on this node and the cores that measure."""
    return __version__, measuring_cores(cores)
