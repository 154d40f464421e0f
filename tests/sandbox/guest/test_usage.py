"""The kernel's accounting: control groups of both versions from files as it writes them, and real processes."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from codeopt_sandbox.guest.supervisor import usage
from codeopt_sandbox.guest.supervisor.usage import ControlGroup, Process, descendants, processes
from tests.sandbox.machine import until
from tests.support.files import write_files

V2 = {
    "cpu.stat": "usage_usec 2500000\nuser_usec 2000000\nsystem_usec 500000\ncore_sched.force_idle_usec 0\n"
    "nr_periods 0\nnr_throttled 0\nthrottled_usec 0\nnr_bursts 0\nburst_usec 0\n",
    "memory.events": "low 0\nhigh 0\nmax 12\noom 3\noom_kill 2\noom_group_kill 0\n",
}
V1 = {
    "cpuacct/cpuacct.usage": "2500000000\n",
    "memory/memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n",
}
V1_JOINED = {"cpu,cpuacct/cpuacct.usage": "2500000000\n", "memory/memory.oom_control": V1["memory/memory.oom_control"]}
TREES = {"v2": V2, "v1": V1, "v1 with joined controllers": V1_JOINED}
PARTS: list[tuple[dict[str, str], float | None, int]] = [
    ({}, None, 0),
    ({"cpu.stat": V2["cpu.stat"]}, 2.5, 0),
    ({"memory.events": V2["memory.events"]}, None, 2),
    ({"cpu.stat": "nr_periods 0\n"}, None, 0),  # a version 2 root without the controller
    ({"memory/memory.oom_control": "oom_kill_disable 0\nunder_oom 0\n"}, None, 0),  # before Linux 4.13
    ({"memory.events": ""}, None, 0),
    ({"cpuacct/cpuacct.usage": "0\n"}, 0.0, 0),
]


@pytest.mark.parametrize("files", TREES.values(), ids=TREES)
def test_both_versions_say_the_same(files: dict[str, str], tmp_path: Path) -> None:
    group = ControlGroup.find(write_files(tmp_path, files))
    assert (group.cpu_seconds(), group.oom_kills()) == (2.5, 2)


@pytest.mark.parametrize(("files", "cpu", "kills"), PARTS)
def test_what_the_kernel_does_not_give_is_left_out(
    files: dict[str, str], cpu: float | None, kills: int, tmp_path: Path
) -> None:
    group = ControlGroup.find(write_files(tmp_path, files))
    assert (group.cpu_seconds(), group.oom_kills()) == (cpu, kills)


MINE, OTHER = f"7\n{os.getpid()}\n", "1\n2\n"
BELOW_V2 = {
    "docker/abc/cpu.stat": V2["cpu.stat"],
    "docker/abc/memory.events": V2["memory.events"],
    "docker/abc/cgroup.procs": MINE,
    "cpu.stat": "usage_usec 9000000\n",
    "memory.events": "oom_kill 9\n",
    "cgroup.procs": OTHER,
}
BELOW_V1 = {
    "memory/docker/abc/memory.oom_control": V1["memory/memory.oom_control"],
    "memory/docker/abc/cgroup.procs": MINE,
    "memory/memory.oom_control": "oom_kill 9\n",
    "memory/cgroup.procs": OTHER,
    "cpuacct/docker/abc/cpuacct.usage": "2500000000\n",
    "cpuacct/docker/abc/cgroup.procs": MINE,
    "cpuacct/cpuacct.usage": "9\n",
    "cpuacct/cgroup.procs": OTHER,
}
MEMBER_V1 = "4:memory:{way}\n2:cpu,cpuacct:{way}\n1:name=systemd:/elsewhere\n0::/elsewhere\n"


@pytest.mark.parametrize("way", ["/docker/abc", "/outer/group/docker/abc"])
@pytest.mark.parametrize(("files", "member"), [(BELOW_V2, "0::{way}\n"), (BELOW_V1, MEMBER_V1)], ids=["v2", "v1"])
def test_the_group_is_found_in_the_hierarchy(files: dict[str, str], member: str, way: str, tmp_path: Path) -> None:
    """The second way is one that starts above what is mounted, as in an engine that runs in a container itself."""
    group = ControlGroup.find(write_files(tmp_path, files), member.format(way=way))
    assert (group.cpu_seconds(), group.oom_kills()) == (2.5, 2)


def test_a_group_of_others_is_not_taken_for_ours(tmp_path: Path) -> None:
    files = {name: text for name, text in BELOW_V2.items() if "/" not in name}
    assert ControlGroup.find(write_files(tmp_path, files), "0::/docker/abc\n") == ControlGroup(None, None)


def test_where_both_versions_are_mounted_the_unified_one_counts(tmp_path: Path) -> None:
    group = ControlGroup.find(write_files(write_files(tmp_path, V1), {"cpu.stat": "usage_usec 1000000\n"}))
    assert group.cpu_seconds() == 1.0


def test_numbers_are_read_anew(tmp_path: Path) -> None:
    group = ControlGroup.find(write_files(tmp_path, V2))
    write_files(tmp_path, {"cpu.stat": "usage_usec 4000000\n", "memory.events": "oom_kill 5\n"})
    assert (group.cpu_seconds(), group.oom_kills()) == (4.0, 5)


TREE = """
import os, sys, threading, time
if os.fork() == 0:
    if os.fork() == 0:
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
    time.sleep(60)
print("up", flush=True)
time.sleep(60)
"""


@pytest.fixture
def tree() -> Iterator[int]:
    """A process with a child, and a grandchild of two threads; its pid."""
    with subprocess.Popen([sys.executable, "-c", TREE], stdout=subprocess.PIPE, start_new_session=True) as root:
        assert root.stdout is not None
        root.stdout.readline()
        yield root.pid
        with contextlib.suppress(ProcessLookupError):
            os.killpg(root.pid, signal.SIGKILL)


def test_a_tree_of_processes(tree: int) -> None:
    assert until(lambda: sum(process.threads for process in descendants(processes(), tree)) == 3)
    child, grandchild = descendants(processes(), tree)
    assert (child.parent, child.threads) == (tree, 1)
    assert (grandchild.parent, grandchild.threads) == (child.pid, 2)
    assert all(1 << 20 < process.resident_bytes < 1 << 30 for process in (child, grandchild))


def test_who_has_ended_is_not_counted() -> None:
    pid = os.fork()
    if not pid:
        os._exit(0)
    assert until(lambda: pid not in {process.pid for process in processes()})
    assert Path(f"/proc/{pid}").exists()  # a zombie until somebody waits for it
    os.waitpid(pid, 0)


def test_a_process_whose_first_thread_has_ended_still_counts_with_its_memory() -> None:
    """A way to hide: the thread group's leader is a zombie, and its line in /proc says that it has no memory."""
    hide = (
        "import ctypes, threading, time; x = b'x' * (30 << 20); threading.Thread(target=time.sleep, args=(60,)).start()"
    )
    with subprocess.Popen([sys.executable, "-c", f"{hide}; ctypes.CDLL(None).pthread_exit(None)"]) as hidden:
        try:
            assert until(
                lambda: Path(f"/proc/{hidden.pid}/stat").read_bytes().rpartition(b")")[2].split()[0] == b"Z", 5
            )
            (seen,) = [process for process in processes() if process.pid == hidden.pid]
            assert seen.resident_bytes > 30 << 20
        finally:
            hidden.kill()


def test_names_cannot_forge_the_line() -> None:
    """The name stands in brackets in the middle of the line, and a program can put brackets into it."""
    name = b"a) R 1 1 (b"
    rename = f"import ctypes, sys; ctypes.CDLL(None).prctl(15, {name!r}); print(flush=True); sys.stdin.read()"
    with subprocess.Popen([sys.executable, "-c", rename], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as renamed:
        assert renamed.stdout is not None
        renamed.stdout.readline()
        (seen,) = [process for process in processes() if process.pid == renamed.pid]
        assert seen.parent == os.getpid()
        renamed.kill()


def test_descendants_of_a_made_up_table() -> None:
    table = [Process(pid, parent, 1, 0) for pid, parent in ((2, 1), (3, 2), (4, 3), (5, 1), (6, 9), (7, 3))]
    assert [process.pid for process in descendants(table, 2)] == [3, 4, 7]
    assert descendants(table, 4) == []
    assert descendants([], 1) == []


def test_a_process_that_ends_while_it_is_looked_at_is_no_error() -> None:
    assert usage._process(2**22 + 1) is None
