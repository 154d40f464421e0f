"""Resource usage of the processes of a run, from the kernel's own accounting: /proc and the control group, if any."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import NamedTuple

from ..syscalls import read_proc

_PAGE = os.sysconf("SC_PAGE_SIZE")
_COUNTERS = tuple(Path("/proc/net") / name for name in ("dev", "snmp", "snmp6", "netstat"))


class Book:
    """A file of the kernel's that is read before and after each run: opened once, which takes as long as reading it."""

    def __init__(self, path: str | Path) -> None:
        self._fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)

    def read(self) -> bytes:
        """Current content. Raises OSError when its subject is gone."""
        return os.pread(self._fd, 1 << 16, 0)

    def close(self) -> None:
        """Let it go."""
        os.close(self._fd)


class Process(NamedTuple):
    """One line of /proc/PID/stat."""

    pid: int
    parent: int
    threads: int
    resident_bytes: int


def processes(dead: bool = False) -> list[Process]:
    """Every process that can be seen; with `dead` also those that have ended and that nobody has waited for."""
    names = os.listdir("/proc")  # noqa: PTH208  for each tick of each run: a Path for each name takes longer
    return [p for pid in names if pid.isdigit() and (p := _process(int(pid), dead))]


def _process(pid: int, dead: bool = False) -> Process | None:
    fields = read_proc(f"/proc/{pid}/stat").rpartition(b")")[2].split()
    if not fields:  # it ended while we looked
        return None
    threads, pages = int(fields[17]), int(fields[21])
    if fields[0] in b"ZX":
        if threads < 2:
            return Process(pid, int(fields[1]), 0, 0) if dead else None
        # its first thread has ended, and shows no memory any more; others live on
        with contextlib.suppress(OSError):
            for thread in Path(f"/proc/{pid}/task").iterdir():
                pages = max(pages, int((thread / "statm").read_bytes().split()[1]))
    return Process(pid, int(fields[1]), threads, pages * _PAGE)


def descendants(all_processes: list[Process], root: int) -> list[Process]:
    """Descendants of a process, nearest first, without itself."""
    found: list[Process] = []
    parents = {root}
    while parents:
        children = [p for p in all_processes if p.parent in parents]
        found += children
        parents = {p.pid for p in children}
    return found


def traffic() -> tuple[Book, ...]:
    """Accounting files of the network: traffic of each interface, and counters of the protocols, failures included."""
    return tuple(Book(path) for path in _COUNTERS if path.exists())


def children(pid: int) -> Book | None:
    """The numbers of a process's children, those that have ended and were not waited for among them; None where the
    kernel keeps no such list. The process has one thread."""
    try:
        return Book(f"/proc/{pid}/task/{pid}/children")
    except OSError:
        return None


class ControlGroup(NamedTuple):
    """The container's control group; every number is None where the kernel does not give it.

    Version 1 keeps one folder a controller, version 2 one folder in all; names from the kernel's admin guide.
    """

    cpu: Path | None
    events: Path | None

    @classmethod
    def find(cls, root: Path = Path("/sys/fs/cgroup"), member_of: str | None = None) -> ControlGroup:
        """The files that exist under `root`, which is the group itself or a hierarchy that it is somewhere in.

        member_of: the kernel's list of this process's groups; by default as it says now.
        """
        if member_of is None:
            member_of = Path("/proc/self/cgroup").read_text() if Path("/proc/self/cgroup").exists() else ""
        ways = [line.split(":", 2)[1:] for line in member_of.splitlines()]
        below = {name: way for names, way in ways for name in names.split(",")}
        cpu = (
            (root, "", "cpu.stat"),
            (root / "cpuacct", "cpuacct", "cpuacct.usage"),
            (root / "cpu,cpuacct", "cpuacct", "cpuacct.usage"),
        )
        events = ((root, "", "memory.events"), (root / "memory", "memory", "memory.oom_control"))
        return cls(
            *[
                next((path for top, of, name in files if (path := _own(top, below.get(of, ""), name))), None)
                for files in (cpu, events)
            ]
        )

    def cpu_seconds(self) -> float | None:
        """CPU time of everything in the group since it was made."""
        if self.cpu is None:
            return None
        if self.cpu.name == "cpu.stat":
            usage = _fields(self.cpu).get("usage_usec")
            return None if usage is None else usage / 1e6
        return int(read_proc(str(self.cpu))) / 1e9

    def oom_kills(self) -> int:
        """Number of processes that the kernel has killed for lack of memory."""
        return 0 if self.events is None else _fields(self.events).get("oom_kill", 0)


def _own(top: Path, way: str, name: str) -> Path | None:
    """A file of our group: of the one at `way` or, where the kernel's way starts elsewhere, at an end of it."""
    parts = way.strip("/").split("/")
    for at in range(len(parts) + 1):
        folder = top.joinpath(*parts[at:])
        try:
            members = folder / "cgroup.procs"  # shows processes by their numbers here, or not at all
            if (folder / name).exists() and (not members.exists() or str(os.getpid()) in members.read_text().split()):
                return folder / name
        except OSError:  # a host may let nobody look
            continue
    return None


def _fields(path: Path) -> dict[str, int]:
    pairs = (line.split() for line in read_proc(str(path)).decode().splitlines())
    return {pair[0]: int(pair[1]) for pair in pairs if len(pair) == 2}
