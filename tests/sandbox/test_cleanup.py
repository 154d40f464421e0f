"""Leftovers where something ends at the worst moment: our process, a guest, an engine's container, a run."""
# looks at sandbox/codeopt_sandbox/process, sandbox/codeopt_sandbox/docker

from __future__ import annotations

import contextlib
import gc
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import docker as sdk
import pytest

from codeopt_sandbox import BackendUnavailable, RunLimits, Sandbox, SandboxError, docker, host, open_sandbox, owner
from codeopt_sandbox.guest.supervisor import usage
from codeopt_sandbox.pool import Guest
from tests.conftest import BACKENDS, open_or_skip
from tests.sandbox import machine

DAEMON = """
import os, sys, time
if not os.fork():
    os.setsid()
    if not os.fork():
        while True:
            time.sleep(0.01)
    os._exit(0)
time.sleep(600)
"""
HOLDER = """
import sys
from codeopt_sandbox import RunLimits, open_sandbox
sandbox = open_sandbox(sys.argv[1], limits=RunLimits(seconds=600))
print(sandbox.run("import os; print(os.getuid())").stdout.decode().strip(), flush=True)
sandbox.run(sys.argv[2])
"""


@pytest.fixture
def engine() -> Iterator[Any]:
    """The Docker engine."""
    with open_or_skip("docker"):
        pass
    client = sdk.from_env()
    yield client.api
    client.close()


def containers_of(api: Any, pid: int) -> list[str]:
    """Containers whose label names that process as their owner."""
    found = api.containers(all=True, filters={"label": docker.OWNER})
    return [each["Id"] for each in found if f":{pid}:" in each["Labels"][docker.OWNER]]


def left_of(parent: int, uid: int, folder: Path, before: set[int]) -> list[object]:
    """Processes of its runs, processes that came since and know its folder, its files, and itself."""
    uids = range(uid - uid % machine.RUNS_PER_GUEST, uid + machine.RUNS_PER_GUEST) if uid >= 100_000 else range(0)
    new = [p.pid for p in usage.processes() if p.pid not in before and is_ours(p.pid, str(folder))]
    return [*machine.processes_of(uids), *new, *folder.iterdir(), *([parent] if alive(parent) else [])]


def is_ours(pid: int, folder: str) -> bool:
    """By its environment, which descendants inherit; those in a namespace of their own are found by their user."""
    try:
        return f"TMPDIR={folder}".encode() in Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return False


def alive(pid: int) -> bool:
    return any(process.pid == pid for process in usage.processes())


@pytest.mark.parametrize("backend", BACKENDS)
def test_after_kill_9_nothing_is_left(backend: str, tmp_path: Path) -> None:
    with open_or_skip(backend):
        pass
    before = {process.pid for process in usage.processes()}
    env = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, backend, DAEMON], stdout=subprocess.PIPE, env=env, text=True
    ) as holder:
        assert holder.stdout is not None
        uid = int(holder.stdout.readline())
        children = started_below(holder.pid) if backend != "docker" else set()
        assert machine.until(lambda: daemon_runs(backend, holder.pid, uid), 10)
        children |= started_below(holder.pid)
        holder.send_signal(signal.SIGKILL)
        holder.wait()
    try:
        assert machine.until(lambda: not left_of(holder.pid, uid, tmp_path, before), 10), left_of(
            holder.pid, uid, tmp_path, before
        )
        assert machine.until(lambda: not [pid for pid in children if alive(pid)], 10)
        if backend == "docker":
            assert machine.until(lambda: not containers(holder.pid), 10)
    finally:
        for pid in children:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def started_below(pid: int) -> set[int]:
    return {process.pid for process in usage.descendants(usage.processes(), pid)}


def daemon_runs(backend: str, holder: int, uid: int) -> bool:
    """The program and its daemon are there: two processes of the run's user, or four below the holder."""
    if uid >= 100_000:
        span = range(uid - uid % machine.RUNS_PER_GUEST, uid + machine.RUNS_PER_GUEST)
        return len(machine.processes_of(span)) >= 2
    return len(started_below(holder)) >= 4  # supervisor, interpreter, program, daemon


def containers(pid: int) -> list[str]:
    client = sdk.from_env()
    try:
        return containers_of(client.api, pid)
    finally:
        client.close()


def test_close_leaves_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with open_or_skip("process") as opened:
        opened.run("import os; open('x', 'w'); os.fork()")
        assert list(tmp_path.iterdir())
    assert list(tmp_path.iterdir()) == []


# --- interruptions ---------------------------------------------------------------------------------


@pytest.fixture(params=BACKENDS)
def own(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    """A sandbox that may be broken."""
    with open_or_skip(str(request.param), RunLimits(seconds=20)) as opened:
        yield opened


def test_an_interrupted_run_does_not_answer_the_next_question(own: Sandbox) -> None:
    """Ctrl-C while a program runs: its answer must not be taken for the next program's."""
    for _ in range(3):
        timer = threading.Timer(0.2, signal.raise_signal, [signal.SIGINT])
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            own.run("import time; time.sleep(0.5); print('late')")
        timer.join()
        assert own.run("print('own')").stdout == b"own\n"
        assert own.run("print(input())", b"input").stdout == b"input\n"


def kill_guest(opened: Sandbox) -> None:
    """End the guest of a sandbox as somebody else would: an administrator, or the kernel for memory."""
    assert opened._guest is not None
    pipe: Any = opened._guest.pipe
    if opened.backend == "docker":
        pipe._api.kill(pipe._container)
    else:
        pipe._process.kill()


def test_a_guest_that_was_killed_between_runs_is_replaced(own: Sandbox) -> None:
    assert own.run("print(1)").stdout == b"1\n"
    kill_guest(own)
    assert own.run("print(2)").stdout == b"2\n"


def test_a_guest_that_was_killed_during_a_run_is_replaced_and_the_run_repeated(own: Sandbox) -> None:
    own.run("print(1)")
    timer = threading.Timer(0.3, kill_guest, [own])
    timer.start()
    run = own.run("import time; time.sleep(1); print('whole')")
    timer.join()
    assert (run.exit, run.stdout) == (0, b"whole\n")


class Killer:
    """Kills each guest of a sandbox as soon as it is there."""

    def __init__(self, opened: Sandbox) -> None:
        self._opened, self._end = opened, threading.Event()
        self._thread = threading.Thread(target=self._work)
        self.killed: set[int] = set()

    def __enter__(self) -> Killer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join()

    def _work(self) -> None:
        while not self._end.wait(0.01):
            guest: Guest | None = self._opened._guest
            if guest is not None and id(guest) not in self.killed:
                self.killed.add(id(guest))
                with contextlib.suppress(OSError, sdk.errors.APIError):
                    kill_guest(self._opened)


def test_a_guest_that_is_killed_again_and_again_is_an_error_of_ours(own: Sandbox) -> None:
    own.run("print(1)")
    with Killer(own), pytest.raises(SandboxError, match="the guest is gone"):
        own.run("import time; time.sleep(5); print('never')")
    assert own.run("print('again')").stdout == b"again\n"


@pytest.mark.docker
def test_a_paused_container_meets_the_outer_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """The guest cannot answer, not even that time is up; so long after the run's own limit the host ends it."""
    monkeypatch.setattr(host, "_GRACE_S", 2.0)
    with open_or_skip("docker", RunLimits(seconds=1.0)) as opened:
        opened.run("print(1)")
        assert opened._guest is not None
        pipe: Any = opened._guest.pipe
        pipe._api.pause(pipe._container)
        started = time.monotonic()
        run = opened.run("print(2)")  # in a new guest
        assert run.stdout == b"2\n"
        assert time.monotonic() - started >= 3
        assert pipe._container not in machine.containers()


# --- what others left ------------------------------------------------------------------------------

DEAD = "from codeopt_sandbox import owner; print(owner.current_owner())"
FUTURE = f"{time.time() + 3600:.0f}"


@pytest.mark.docker
def test_leftovers_are_removed_and_nothing_else_is(engine: Any) -> None:
    dead = subprocess.run([sys.executable, "-c", DEAD], capture_output=True, text=True, check=True).stdout.strip()
    labels = {
        "dead": {docker.LABEL: "1", docker.OWNER: dead, docker.DEADLINE: FUTURE},
        "late": {docker.LABEL: "1", docker.OWNER: owner.current_owner(), docker.DEADLINE: "1"},
        "living": {docker.LABEL: "1", docker.OWNER: owner.current_owner(), docker.DEADLINE: FUTURE},
        "garbage": {docker.LABEL: "1", docker.OWNER: "?", docker.DEADLINE: "?"},
        "unlabelled": {},
        "another's": {"codeopt.other": "1", docker.OWNER: dead, docker.DEADLINE: "1"},
    }
    image = next(tag for found in engine.images() for tag in found["RepoTags"] or [] if "codeopt-host-root" in tag)
    made = {name: engine.create_container(image, ["/x"], labels=each)["Id"] for name, each in labels.items()}
    try:
        docker.remove_leftovers(engine)
        left = {each["Id"] for each in engine.containers(all=True)}
        assert {name for name, container in made.items() if container in left} == {
            "living", "garbage", "unlabelled", "another's",
        }  # fmt: skip
    finally:
        for container in made.values():
            docker._remove(engine, container)


def test_an_engine_that_is_not_there_leaves_no_socket_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python would warn of it whenever it is collected: in another test, or in the middle of what a user reads."""
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/nowhere.sock")
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        with pytest.raises(BackendUnavailable, match="no Docker engine answers"):
            open_sandbox("docker")
        gc.collect()
    assert [str(each.message) for each in seen] == []
