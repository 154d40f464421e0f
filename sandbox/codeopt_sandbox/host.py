"""The host's side of every backend: open one, keep a guest alive in it, run programs, return what was seen."""

from __future__ import annotations

import hashlib
import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import Any, Self, Unpack, get_args

from codeopt_sandbox.errors import BackendUnavailable, GuestLost, SandboxError
from codeopt_sandbox.guest.request import USUAL
from codeopt_sandbox.guest.wire import SPECIAL
from codeopt_sandbox.guest_bundle import GuestProgram
from codeopt_sandbox.outcome import Files, Program, Run, RunLimits, RunOptions, Stop, WrittenFile
from codeopt_sandbox.owner import INSIDE, BaseFolder
from codeopt_sandbox.pool import Guest, Pipe, Pool

BACKENDS = ("docker", "bubblewrap", "process")
_GRACE_S = 10.0  # what a guest may need beyond a run's own limit before the host ends it
_ENV = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "HOME": "/tmp",
    "USER": "user",  # packages ask for a name when they are imported, and the user id of a run has no name
    "LANG": "C.UTF-8",
    "PYTHONDONTWRITEBYTECODE": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}


@dataclass(frozen=True)
class Options:
    """Options of a sandbox that a user may choose."""

    limits: RunLimits = RunLimits()
    python: str | None = None
    """Interpreter that runs the programs. Default: the one that runs codeopt. See codeopt_sandbox.interpreter."""
    image: str | None = None
    """Docker: an image to run in, instead of the host's own /usr and interpreter."""
    runtime: str | None = None
    """Docker: an OCI runtime such as runsc (gVisor)."""
    all_cores: bool = False
    """A run may use every core. By default it has one, so that work moved to other processes gains nothing."""
    core: int | None = None
    """Number of the core of all runs. Default: the least busy one."""
    spare: int | None = None
    """Guests kept ready in the background. None: one where the backend takes long to start one."""
    mounts: tuple[tuple[str, str], ...] = ()
    """(path on this machine, path as a run sees it): folders to show read-only. Plain processes see the first path."""
    env: tuple[tuple[str, str], ...] = ()
    """Environment variables of runs in addition to the usual ones."""
    base: BaseFolder | None = None
    """Files with which the working folder of each run with files begins. The creator of the folder removes it."""
    most_memory_mib: int = 0
    """Largest memory limit of any run, MiB, if it is above the usual limit."""

    @property
    def shown(self) -> tuple[tuple[str, str], ...]:
        """Mounts, the base among them."""
        return (*self.mounts, (str(self.base.folder), INSIDE)) if self.base else self.mounts


@dataclass(frozen=True)
class BackendHandle:
    """Handle of a backend: how to start a guest, and how that guest is built."""

    backend: str
    isolated: bool
    description: str
    start: Callable[[], Pipe]
    setting: Mapping[str, Any]
    """Fields of codeopt_sandbox.guest.wire.Setting that depend on the backend."""
    close: Callable[[], None]
    of_one_guest: Callable[[], dict[str, Any]] = dict
    """Fields of the setting that two guests cannot share, such as their folders on this machine."""
    spare: int = 0
    """Guests kept ready in the background, unless the options say how many."""
    failure: Callable[[], str] = str
    """Reason why the backend has failed. Empty while it works."""


class Sandbox:
    """Runs untrusted programs. Use as a context manager. Threads may share it. They run one after another."""

    def __init__(self, handle: BackendHandle, options: Options) -> None:
        self._launch = handle
        self.limits = options.limits
        self.backend = handle.backend
        self.isolated = handle.isolated
        self.description = handle.description
        self._options = options
        self._look: CoreLook | None = CoreLook()
        """Measurement of idle cores, until the first run: starting the guest takes longer, so it costs nothing."""
        self._core: int | None = None
        self._guest: Guest | None = None
        self._turn = threading.RLock()
        """Held during a run: a guest answers one question at a time."""
        self._stopped = False
        self._sibling: Sandbox | None = None
        """The one on another core, kept: a guest takes 0.1 s to start."""
        self.thread = ThreadPoolExecutor(1)
        """Makes the runs of one on another core: guests of bubblewrap end with the thread that started them."""
        self._pool = Pool(self._start_guest, handle.spare if options.spare is None else options.spare)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _t: type[BaseException] | None, error: BaseException | None, _tb: TracebackType | None) -> None:
        self.close()
        # An interrupt may be the user's answer to a backend that fails; any other error says that itself.
        interrupt = None if isinstance(error, Exception | GeneratorExit) else error
        if interrupt is not None and (failure := self._launch.failure()):
            interrupt.add_note(failure)

    def close(self) -> None:
        """End the guest and remove everything that was made for it."""
        if self._sibling is not None:
            self._sibling.close()
        self._drop_guest()
        self.thread.shutdown()
        self._pool.close()
        self._launch.close()

    def restart_guest(self) -> None:
        """Continue with a fresh guest for another program. It keeps no state of the last one."""
        with self._turn:
            self._drop_guest()
        if self._sibling is not None:
            self._sibling.restart_guest()

    def on_other_core(self) -> Sandbox | None:
        """Return a sandbox like this one on another core, for runs that are not timed. None if all cores are taken.

        It goes on with a fresh guest where this one does, and is closed with it.
        """
        others = os.sched_getaffinity(0) - {self.core}
        if not others or self._options.core is not None or self.core is None:
            return None
        if self._sibling is None or self._sibling.core == self.core:
            handle = replace(self._launch, close=lambda: None, spare=0)
            self._sibling = Sandbox(handle, replace(self._options, core=max(others)))
        self._sibling.limits, self._sibling._stopped = self.limits, False
        return self._sibling

    def stop(self) -> None:
        """Let the run in progress be the last one: the next raises SandboxError."""
        self._stopped = True

    @property
    def most_memory_mib(self) -> int:
        """Memory that a run may be granted, MiB."""
        return max(self.limits.memory_mib, self._options.most_memory_mib)

    @property
    def base(self) -> BaseFolder | None:
        """Files that working folders begin as."""
        return self._options.base

    @property
    def core(self) -> int | None:
        """Core on which runs are made. None for all."""
        if self._options.all_cores:
            return None
        if self._options.core is not None:
            return self._options.core
        if self._look is not None:
            self._core, self._look = self._look.quietest(), None
        return self._core

    def quiesce(self) -> None:
        """Look again which core has the least to do. Best done before a series of timed runs, not within one."""
        self._look = CoreLook()

    def allow(self, seconds: float) -> None:
        """Set the default time limit of later runs, seconds."""
        self.limits = replace(self.limits, seconds=seconds)

    def warm(self) -> None:
        """Start the sandbox process now.

        Raises:
            SandboxError: It does not start, or it was stopped.
        """
        with self._turn:
            if self._stopped:
                raise SandboxError("the sandbox was stopped")
            if self._guest is None:
                self._guest = self._pool.take()

    def run(self, program: Program, stdin: bytes = b"", **options: Unpack[RunOptions]) -> Run:
        """Run a program on one input, with one retry if the sandbox fails.

        Args:
            program: The program.
            stdin: Its standard input.
            **options: Those of RunOptions.

        Raises:
            SandboxError: The sandbox failed twice.
        """
        self.warm()
        environment, files = options.get("environment", USUAL), options.get("files")
        tool = isinstance(program, GuestProgram)  # which enters its environment itself, once it was forked
        variables = {} if tool else environment.process_variables()
        libraries = program.libraries if isinstance(program, GuestProgram) else None
        source = program.packed() if isinstance(program, GuestProgram) else program
        limits = options.get("limits") or self.limits
        job = {
            "limits": {
                "wall_s": limits.seconds,
                "memory_bytes": limits.memory_mib << 20,
                "output_bytes": int(limits.output_mib * (1 << 20)),
                "processes": limits.processes,
                "open_files": limits.open_files,
                "file_bytes": limits.file_mib << 20,
            },
            "exec": options.get("mode", "fork") == "exec" or bool(variables),
            "tool": tool,
            "hash_seed": environment.hash_seed,
            "variables": variables,
            "args": list(options.get("args", ())),
            "core": self.core,
        }
        if files is not None and (base := self._options.base):
            job |= {"version": base.version, "hidden": list(options.get("without", ()))}
        given = source.encode() if isinstance(source, str) else source, stdin, files
        packed = libraries.packed() if libraries else b""
        with self._turn:
            try:
                return self._run(*given, packed, job)
            except GuestLost:
                self._drop_guest()
                return self._run(*given, packed, job)

    def _run(self, program: bytes, stdin: bytes, files: Files | None, libraries: bytes, job: dict[str, Any]) -> Run:
        self.warm()
        assert self._guest is not None
        seconds = job["limits"]["wall_s"] + _GRACE_S
        if "version" in job and self._options.base:
            # time that a guest may need for each file of a base, to copy it and to compare it
            seconds += self._options.base.room_files * 0.002
        try:
            given = [stdin, libraries, *(content for _, content in files or ())]
            name, of_libraries, *kept = self._keep(self._guest, given)
            if files is not None:
                job = {**job, "files": [[path, each] for (path, _), each in zip(files, kept, strict=True)]}
            if libraries:
                # what a guest may need to import libraries, of which it gives up those that take longer than 60
                job, seconds = {**job, "libraries": of_libraries}, seconds + 70.0
            report, output = self._guest.ask("run", program, seconds=seconds, stdin=name, **job)
        except BaseException:  # interrupted after a question: the next answer would be to this one
            self._drop_guest()
            raise
        if not report.get("clean"):
            self._drop_guest()
        run = _as_run(report, output)
        if run.stop == "lost" and self._launch.setting.get("uid_base"):
            raise SandboxError(f"the guest lost its interpreter, which no run can reach: {run.stop_detail}")
        return run

    def _keep(self, guest: Guest, inputs: Sequence[bytes]) -> list[str]:
        """Names of inputs that the guest has; the oldest of others go where there is no room."""
        names = [*map(_name_of, inputs)]
        for name, data in zip(names, inputs, strict=True):
            if name in guest.inputs:
                continue
            # inputs that a guest keeps; the oldest go first
            while sum(guest.inputs.values()) + len(data) > 256 << 20:
                oldest = next((each for each in guest.inputs if each not in names), None)
                if oldest is None:
                    break
                guest.ask("forget", seconds=_GRACE_S, name=oldest)
                del guest.inputs[oldest]
            guest.ask("keep", data, seconds=_GRACE_S + len(data) / 1e7, name=name)
            guest.inputs[name] = len(data)
        return names

    def _start_guest(self) -> Guest:
        setting = {**self._launch.setting, **self._launch.of_one_guest()}
        setting["env"] = {**_ENV, **setting["env"], **dict(self._options.env)}
        guest = Guest(self._launch.start(), time.monotonic)
        guest.start(setting)
        return guest

    def _drop_guest(self) -> None:
        if self._guest is not None:
            self._pool.retire(self._guest)
            self._guest = None


@lru_cache(maxsize=16)  # one input is run up to fifty times
def _name_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:32]


def _as_run(report: dict[str, Any], output: bytes) -> Run:
    """The guest's report as a value; nothing in it is taken on trust but its numbers."""
    try:
        size = int(report["stdout"])
        end = size + int(report["stderr"])
        stop = report["stop"]
        if stop not in (None, *get_args(Stop)):
            raise ValueError(f"stop={stop!r}")
        written, at = [], end
        for path, given_size, mode in report["files"]:
            length = int(given_size)
            content = output[at : at + length] if length >= 0 else None
            written.append(WrittenFile(str(path), content, special=length == SPECIAL, mode=int(mode)))
            at += max(length, 0)
        return Run(
            exit=None if report["exit"] is None else int(report["exit"]),
            signal=None if report["signal"] is None else int(report["signal"]),
            wall_s=float(report["wall_s"]),
            cpu_s=float(report["cpu_s"]),
            peak_bytes=int(report["peak_bytes"]),
            stdout=output[:size],
            stderr=output[size:end],
            stop=stop,
            stop_detail=str(report["evidence"]),
            runqueue_wait_s=float(report["delay_s"]),
            written=tuple(written),
            preload_failure=str(report["unfit"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise SandboxError(f"the guest sent a report that makes no sense: {error!r} in {report!r:.200}") from error


def open_sandbox(backend: str = "auto", *, limits: RunLimits | None = None, options: Options | None = None) -> Sandbox:
    """Open a sandbox with a process that has answered.

    Args:
        backend: `auto` takes the Docker engine if one is reachable, otherwise bubblewrap. `process`, which isolates
            nothing, has to be named.
        limits: Limits of each run, in place of those of `options`.
        options: Everything else that a user may choose.

    Raises:
        BackendUnavailable: No backend works. It has every reason.
    """
    options = options or Options()
    options = replace(options, limits=limits) if limits else options
    if backend != "auto":
        return _open(backend, options)
    reasons = []
    for name in ("docker", "bubblewrap"):
        try:
            return _open(name, options)
        except BackendUnavailable as error:
            reasons.append(f"{name}: {error}")
    raise BackendUnavailable("nothing here can isolate a run. " + "; ".join(reasons))


def _open(backend: str, options: Options) -> Sandbox:
    if backend not in BACKENDS:
        raise BackendUnavailable(f"there is no backend {backend!r}; choose one of auto, {', '.join(BACKENDS)}")
    try:
        module = import_module(f"codeopt_sandbox.{backend}")
    except ImportError as error:
        raise BackendUnavailable(f"the package {backend} is not installed (pip install {backend})") from error
    handle: BackendHandle = module.open_backend(options)
    sandbox = Sandbox(handle, options)
    try:
        sandbox.warm()
    except SandboxError as error:
        sandbox.close()
        raise BackendUnavailable(str(error)) from error
    return sandbox


# Choice of a processor core for a run: the least busy one, so that two sandboxes do not share a core unawares.

LOOK_S = 0.03


class CoreLook:
    """A look at the cores that we may use, from now on."""

    def __init__(self) -> None:
        self.cores = sorted(os.sched_getaffinity(0))
        self.since, self.before = time.monotonic(), _idle_ticks()

    def quietest(self) -> int:
        """Return the core with the most idle time so far, observed for LOOK_S or longer. Ties give the last one."""
        if len(self.cores) == 1:
            return self.cores[0]
        time.sleep(max(0.0, self.since + LOOK_S - time.monotonic()))
        after = _idle_ticks()
        return max(self.cores, key=lambda core: (after.get(core, 0) - self.before.get(core, 0), core))


def _idle_ticks() -> dict[int, int]:
    """Core -> clock ticks spent idle since boot, from /proc/stat; empty where that cannot be read."""
    try:
        lines = Path("/proc/stat").read_text().splitlines()
    except OSError:
        return {}
    rows = (line.split() for line in lines if line.startswith("cpu") and line[3:4].isdigit())
    return {int(row[0][3:]): int(row[4]) + int(row[5]) for row in rows}
