"""A batch on a Ray cluster: workers on every node, each with a core to measure on, also on nodes that join later.

Ray brings the processes to the nodes and tells when one is gone. What is done is kept by the coordinator at once, not
by Ray, so a batch whose driver died continues like any other: the same command again.
"""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from codeopt.batch.batch_folder import Backoff, BatchFolder, BatchOptions, ProblemResult, TimeSpent
from codeopt.batch.datasets import Problem
from codeopt.batch.locks import CoreLock, measuring_cores
from codeopt.batch.problem_job import ProblemJob, TimedSandbox, open_worker_sandbox
from codeopt.batch.scheduler import Scheduler, ThrottledProgress, WorkerEvent, ended
from codeopt.core.errors import CodeoptError, NoSandbox, UsageError
from codeopt.core.plugins import install_command
from codeopt.core.program import read_program
from codeopt.core.version import __version__
from codeopt.core.words import counted
from codeopt_sandbox import Sandbox
from codeopt_sandbox.caseio import FOLDERS
from codeopt_sandbox.owner import temporary_folder
from codeopt_sandbox.plain_files import read_bytes

POLL_S = 0.5
"""Longest wait for a worker's answer before the driver looks after the cluster, seconds."""
CONNECT_S = 10.0
"""Longest wait for a connection to the cluster, seconds."""
MAX_NO_NODE_S = 60.0
"""Longest wait of a batch without a node for one, seconds; also a node's time to describe itself."""
PASSED_PREFIXES = (
    "OPENAI_",
    "CODEOPT_",
    "NO_PROXY",
    "no_proxy",
    "HTTPS_PROXY",
    "https_proxy",
    "HTTP_PROXY",
    "http_proxy",
)
"""Beginnings of the environment variables that workers get from the driver."""


@dataclass
class RemoteWorker:
    """A worker as the driver sees it."""

    node: str
    core: int
    actor: Any
    problem: str = ""
    ready: bool = False


@dataclass
class RayBatch:
    """A batch under way on a cluster.

    address: HOST:PORT of the cluster; empty: the one that RAY_ADDRESS names, one that runs here, or a new one.
    """

    scheduler: Scheduler
    options: BatchOptions
    cores: int | None = None
    """Cores of each node that measure; None: see measuring_cores."""
    address: str = ""
    _coordinator: Any = None
    _calls: dict[Any, RemoteWorker] = field(default_factory=dict)
    """Workers by the future of the answer that they work on."""
    _known: set[str] = field(default_factory=set)
    """Ids of the nodes that have workers."""
    _hosts: dict[str, str] = field(default_factory=dict)
    """Names of all nodes that were seen, by id."""
    _cores: dict[str, list[int]] = field(default_factory=dict)
    """Cores that measure, by node."""
    _head: str = ""
    """HOST:PORT of the cluster's head."""
    _most: int = 0
    _seen: float = float("-inf")
    """Time of the last count of nodes, by the monotonic clock."""
    _met: float = field(default_factory=time.monotonic)
    """Time when there was a worker last, by the monotonic clock."""

    def run(self) -> None:
        """Work until all problems are done or the batch stops. Raises NoSandbox, ModelError, UsageError."""
        ray = _connect(self.address)
        try:
            here = ray.get_runtime_context().get_node_id()
            self._head = ray.get_runtime_context().gcs_address
            self._coordinator = (
                ray.remote(Coordinator).options(num_cpus=0, **_at(here)).remote(self.scheduler.batch.folder)
            )
            while self._calls or (self.scheduler.waiting and not self.scheduler.stopped):
                self._require_head()
                self._count_nodes(ray)
                self._poll(ray)
                self.scheduler.record_time()
        finally:
            self.scheduler.record_time(last=True)
            ray.shutdown()

    def _count_nodes(self, ray: Any) -> None:
        """Start workers on nodes without one, while there is work. Raises NoSandbox, UsageError."""
        now = time.monotonic()
        if self._calls:
            self._met = now
        if now - self._met > MAX_NO_NODE_S:
            raise NoSandbox(f"the cluster has had no node for {MAX_NO_NODE_S:.0f} s", hint="the same command continues")
        # interval at which nodes are counted, seconds
        if now - self._seen < (5.0 if self._calls else POLL_S):
            return
        self._seen = now
        nodes = ray.nodes()
        alive = {node["NodeID"]: int(node["Resources"].get("CPU", 0)) for node in nodes if node["Alive"]}
        self._hosts |= {node["NodeID"]: node.get("NodeManagerHostname", "") for node in nodes}
        for gone in self._known - set(alive):
            self._cores.pop(gone, None)
            self._log(f"{self._named(gone)} is gone from the cluster; {self._measuring()}")
        self._known &= set(alive)
        for node in set(alive) - self._known:
            self._known.add(node)
            if alive[node] and self.scheduler.waiting:
                self._meet(ray, node, alive[node])
        # A lost worker is replaced here, and not at once: for some seconds a dead node still counts as alive.
        idle = len(self.scheduler.waiting) - sum(not worker.problem for worker in self._calls.values())
        for node, cores in self._cores.items():
            at_work = {worker.core for worker in self._calls.values() if worker.node == node}
            free = [core for core in cores if core not in at_work]
            for core in free[: 0 if self.scheduler.stopped else max(0, idle)]:
                environ = {name: value for name, value in os.environ.items() if name.startswith(PASSED_PREFIXES)}
                actor = ray.remote(Worker).options(num_cpus=1, max_restarts=0, **_at(node))
                worker = RemoteWorker(node, core, actor.remote(core, self.options, self._coordinator, environ))
                self._calls[worker.actor.open.remote()] = worker

    def _meet(self, ray: Any, node: str, cpus: int) -> None:
        """Ask a node which cores measure, never more than Ray was given. Raises UsageError."""
        try:
            describe = ray.remote(describe_node).options(num_cpus=0, max_retries=0, **_at(node))
            version, cores = ray.get(describe.remote(self.cores), timeout=MAX_NO_NODE_S)
        except (ray.exceptions.RayError, ModuleNotFoundError) as error:
            self._log(f"{self._named(node)} cannot be used: {type(error).__name__}")
            return
        if version != __version__:
            raise UsageError(f"a node of the cluster has codeopt {version}, this machine {__version__}")
        self._cores[node] = cores[-cpus:]
        self._log(f"{self._named(node)} is in the cluster; {self._measuring()}")

    def _poll(self, ray: Any) -> None:
        """Handle what workers send within POLL_S."""
        if not self._calls:
            time.sleep(POLL_S)
            return
        done, _ = ray.wait(list(self._calls), timeout=POLL_S)
        for event in ray.get(self._coordinator.poll.remote()):
            self.scheduler.on_event(event)
        for call in done:
            worker = self._calls.pop(call)
            try:
                event = ray.get(call)
            except ray.exceptions.RayError as error:
                self._lost(worker, error)
            else:
                self._handle(worker, event)

    def _handle(self, worker: RemoteWorker, event: WorkerEvent) -> None:
        self.scheduler.hear(event)
        worker.ready = True
        worker.problem = self.scheduler.next()
        if worker.problem:
            self._calls[worker.actor.work.remote(worker.problem)] = worker
        else:
            worker.actor.close.remote()

    def _lost(self, worker: RemoteWorker, error: Exception) -> None:
        """Give a lost worker's problem to another. A core on which none could even begin gets no further one."""
        reason = f"a worker on {self._named(worker.node)} was lost ({type(error).__name__})"
        self._log(reason)
        if worker.problem:
            self.scheduler.lost(worker.problem, reason)
        if not worker.ready and worker.core in self._cores.get(worker.node, []):
            self._cores[worker.node].remove(worker.core)

    def _require_head(self) -> None:
        """Wait for a head that does not answer. Raises NoSandbox. Ray would end the process after a minute."""
        # longest wait for a head of the cluster that does not answer, seconds: one that is kept in Redis may start
        # again
        until = time.monotonic() + 10.0
        while True:
            try:
                return _require_listener(self._head)
            except OSError as error:
                if time.monotonic() > until:
                    raise NoSandbox(
                        f"the head of the cluster at {self._head} does not answer: {error.strerror}",
                        hint="start the cluster again: the same command continues",
                    ) from None
            time.sleep(POLL_S)

    def _named(self, node: str) -> str:
        """`node host (1a2b3c4d)`."""
        host = self._hosts.get(node, "")
        return f"node {host} ({node[:8]})" if host else f"node {node[:8]}"

    def _measuring(self) -> str:
        """`12 cores on 3 nodes measure`; the most that did at once are kept for the report."""
        cores = sum(map(len, self._cores.values()))
        self._most = max(self._most, cores)
        self.scheduler.batch.set_facts(cores=max(1, self._most))
        return (
            f"{counted(cores, 'core')} on {counted(len(self._cores), 'node')} {'measures' if cores == 1 else 'measure'}"
        )

    def _log(self, line: str) -> None:
        self.scheduler.batch.note("", line)
        self.scheduler.on_event(WorkerEvent("note", "", line))


def _connect(address: str) -> Any:
    """Connect to the cluster and return the module `ray`. Raises UsageError where Ray or the cluster is missing."""
    try:
        import ray
    except ImportError as error:
        raise UsageError("--cluster ray needs Ray", hint=install_command("ray")) from error
    if address.startswith("ray://"):
        raise UsageError("ray:// has no place for the files of codeopt", hint="run codeopt on a node of the cluster")
    address = address or os.environ.get("RAY_ADDRESS", "")
    try:
        _require_listener(address)
        ray.init(
            address=address or None,
            include_dashboard=False,
            log_to_driver=False,
            logging_level=logging.ERROR,
        )
    except (OSError, ValueError, RuntimeError, ray.exceptions.RayError) as error:
        raise UsageError(f"no Ray cluster at {address or 'this machine'}: {str(error).splitlines()[0]}") from error
    return ray


def _require_listener(address: str) -> None:
    """Require a listener at HOST:PORT, since Ray itself would try for minutes. Raises OSError."""
    host, _, port = address.rpartition(":")
    if port.isdecimal():
        socket.create_connection((host.strip("[]"), int(port)), CONNECT_S).close()


def _at(node: str) -> dict[str, Any]:
    """Ray's options for an actor or task that must run on one node."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    return {"scheduling_strategy": NodeAffinitySchedulingStrategy(node_id=node, soft=False)}


# The two actors of a batch on Ray: the coordinator has the batch's files, the workers improve the problems.
#
# The coordinator stays on the machine where `codeopt batch` was started; workers sit on every node and reach the files
# only through it, so nodes need no common disk, and what is finished is on disk at once, even if the rest fails.

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
        homes = [
            home
            for folder in _folders(problem)
            for home in (folder, *(folder / name for pair in FOLDERS for name in pair))
        ]
        for path in sorted(path for home in homes if home.is_dir() for path in home.iterdir() if path.is_file()):
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
        is_here = _folders(problem)[0].is_dir()
        if is_here and problem.path.exists():
            is_here = read_program(problem.path).source == problem.source
        elif is_here:  # a program within a larger file goes by its cases
            is_here = problem.cases is not None
        if is_here:
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


def describe_node(cores: int | None) -> tuple[str, list[int]]:
    """Return the version of codeopt on this node and the cores that measure."""
    return __version__, measuring_cores(cores)
