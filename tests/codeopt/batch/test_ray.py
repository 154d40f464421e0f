"""`codeopt batch --cluster ray` on a real cluster of two nodes on this machine, of which one is killed."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.codeopt.batch.test_batch import ENV, ended, finish, running, start, statuses, until
from tests.support.synthetic import write_set

pytest.importorskip("ray", reason="the extra codeopt[ray] is not installed")
TOKEN = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": "0123456789abcdef" * 4}  # as Ray asks of every cluster today
PATIENT = {"RAY_raylet_start_wait_time_s": "150"}  # a busy machine takes longer than Ray's own limit for a node
RAY = [sys.executable, "-m", "ray.scripts.scripts", "start", "--num-cpus", "1", "--block", "--disable-usage-stats"]


@pytest.fixture(autouse=True)
def token(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (TOKEN | PATIENT).items():
        monkeypatch.setitem(ENV, name, value)


@dataclass(frozen=True)
class Cluster:
    """Two nodes on one machine; the second does not see the folder `hidden`, if one is given."""

    address: str
    second: subprocess.Popen[bytes]


@contextmanager
def node(*command: str, shown: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A node in a process group of its own, gone with all its processes at the end."""
    with shown.open("wb") as log:
        process = subprocess.Popen(command, env=ENV, stdout=log, stderr=log, start_new_session=True)
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@contextmanager
def head_node(folder: Path) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """The first node of a cluster, with its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    home = Path("/tmp") / f"codeopt-ray-{os.getpid()}-{port}"  # sockets' paths may have 107 bytes
    head = [*RAY, "--head", "--port", str(port), "--include-dashboard=false", "--temp-dir", str(home)]
    try:
        with node(*head, "--node-ip-address", "127.0.0.1", shown=folder / "head.log") as process:
            wait_for(folder / "head.log", "Ray runtime started")
            yield f"127.0.0.1:{port}", process
    finally:
        shutil.rmtree(home, ignore_errors=True)


@contextmanager
def cluster(folder: Path, hidden: Path | None = None) -> Iterator[Cluster]:
    with head_node(folder) as (address, _):
        second = [*RAY, "--address", address]
        if hidden:
            second = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs none "$0" && exec "$@"', str(hidden), *second]
        with node(*second, "--node-ip-address", "127.0.0.1", shown=folder / "second.log") as process:
            wait_for(folder / "second.log", "Ray runtime started")
            yield Cluster(address, process)


def wait_for(log: Path, text: str, seconds: float = 180) -> None:
    deadline = time.monotonic() + seconds
    while text not in log.read_text("utf-8", "replace"):
        if time.monotonic() > deadline:
            raise TimeoutError(log.read_text("utf-8", "replace"))
        time.sleep(0.1)


@pytest.mark.full
@pytest.mark.timeout(600)  # took 200 s beside ten busy processes
def test_every_problem_ends_once_although_a_node_sees_no_cases_and_is_killed_and_then_the_driver(
    tmp_path: Path,
) -> None:
    """One cluster for all, as it takes long to start. Only root can hide a folder from a node."""
    home = tmp_path / "set"
    home.mkdir()
    problems = write_set(home, 6)
    with cluster(tmp_path, hidden=home if os.geteuid() == 0 else None) as nodes:
        the_cases_are_sent(problems, tmp_path / "sent", nodes)
        a_node_is_killed_and_then_the_driver(problems, tmp_path / "killed", nodes)


def the_cases_are_sent(problems: Path, run: Path, nodes: Cluster) -> None:
    code, _, err = finish(problems, run, "--cluster", f"ray:{nodes.address}", "--ahead", "1", "--limit", "4")
    assert code == 0, err
    assert ended(run) == 4
    assert list(problems.parent.glob("s*"))


def a_node_is_killed_and_then_the_driver(problems: Path, run: Path, nodes: Cluster) -> None:
    flags = ("--cluster", f"ray:{nodes.address}", "--ahead", "1")
    with start(problems, run, *flags) as driver:
        until(lambda: running(run) >= 2)  # one a node
        os.killpg(nodes.second.pid, signal.SIGKILL)
        until(lambda: lost(run))
        until(lambda: "is gone from the cluster" in (run / "events.jsonl").read_text())
        until(lambda: ended(run))
        os.killpg(driver.pid, signal.SIGKILL)
        _, told = driver.communicate()
    assert_the_lost_node_is_named(told)
    kept = {id: (each.finished, each.ratio) for id, each in statuses(run).items() if each.status == "done"}
    assert 1 <= len(kept) < 6
    code, _, err = finish(problems, run, *flags)
    assert code == 0, err
    found = statuses(run)
    assert [(each.status, each.accepted) for each in found.values()] == [("done", True)] * 6
    assert kept.items() <= {id: (each.finished, each.ratio) for id, each in found.items()}.items()  # not done again
    assert all(found[id].attempts >= 2 for id in lost(run))


def lost(run: Path) -> list[str]:
    """Ids of problems whose worker was lost."""
    events = [json.loads(line) for line in (run / "events.jsonl").read_text().splitlines()]
    return [each["problem"] for each in events if each["problem"] and "lost" in each["text"]]


def assert_the_lost_node_is_named(told: str) -> None:
    """The log says which node is gone, by the name under which it came, and how many cores are left to measure."""
    came = re.findall(r"(node \S+ \(\w{8}\)) is in the cluster; (\d) cores? on (\d) nodes? measures?", told)
    gone = re.findall(r"(node \S+ \(\w{8}\)) is gone from the cluster; 1 core on 1 node measures", told)
    assert [row[1:] for row in came] == [("1", "1"), ("2", "2")], told
    assert len(gone) == 1, told
    assert gone[0] in [name for name, *_ in came], told


@pytest.mark.full
@pytest.mark.parametrize(
    ("cluster", "said"),
    [
        ("slurm", "no kind of cluster"),
        ("ray:ray://somewhere:10001", "on a node of the cluster"),
        ("ray:127.0.0.1:9", "no Ray cluster at 127.0.0.1:9"),
    ],
)
def test_refused_in_one_line(cluster: str, said: str, tmp_path: Path) -> None:
    code, out, err = finish(write_set(tmp_path, 1), tmp_path / "run", "--cluster", cluster)
    assert code == 2
    assert out == ""
    assert said in err
    assert err.count("error: ") == 1
