"""Traces that a hostile program may have left: processes, files and containers of this machine, and traces in its
guest."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from codeopt_sandbox import Sandbox

RUNS_PER_GUEST = 1000  # user numbers of a guest: a run's number in thousands names its guest
PLANTED = ("sitecustomize.py", "usercustomize.py", "result.json", "profile.json", "logs")
LOOK = """
import os, sys
way = {p.split("/")[2] for p in (sys.prefix, sys.base_prefix) if p.startswith("/tmp/")}
left = sorted({f for d in ("/tmp", "/dev/shm", "/box") for f in os.listdir(d)} - way)
processes = sum(p.isdigit() for p in os.listdir("/proc"))
abstract = sum("@" in line for line in open("/proc/net/unix"))
descriptors = sorted(map(int, os.listdir("/proc/self/fd")))[:-1]
print(sum(map(int, sys.stdin.read().split())), left, processes, abstract, descriptors)
"""
CLEAN = b"3 ['program.py'] 3 0 [0, 1, 2]\n"
"""The right answer, its own file (the way to an interpreter below /tmp aside), three processes (supervisor,
interpreter, itself), no socket, no descriptor."""


def until(holds: Callable[[], bool], seconds: float = 2.0) -> bool:
    """Whether it comes to hold in time."""
    limit = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > limit:
            return False
        time.sleep(0.02)
    return True


def uids_of_runs(sandbox: Sandbox) -> range:
    """The user numbers of a guest's runs; empty where they are the caller's own."""
    uid = int(sandbox.run("import os; print(os.getuid())").stdout)
    if uid == os.getuid():
        return range(0)
    return range(uid - uid % RUNS_PER_GUEST, uid - uid % RUNS_PER_GUEST + RUNS_PER_GUEST)


def processes_of(uids: range) -> list[str]:
    """Command lines of this machine's processes under one of these user numbers, zombies included."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if folder.stat().st_uid in uids:
                found.append(f"{folder.name}: {(folder / 'cmdline').read_bytes()!r:.80}")
        except OSError:  # it ended while we looked
            continue
    return found


def marked_files(marker: str) -> set[str]:
    """Files with the marker's name, or with a name that attacks plant, where a program on this machine might write."""
    return {str(path) for path in _candidates() if marker in path.name or path.name in PLANTED}


def _candidates() -> Iterator[Path]:
    here = Path(__file__).parents[2]
    prefixes = (Path(sys.prefix), Path(sys.base_prefix))
    libraries = [p for prefix in prefixes for p in (prefix / "bin", *(prefix / "lib").glob("python3*"))]
    folders = [Path(p) for p in ("/", "/tmp", "/var/tmp", "/dev/shm", "/etc", "/root", "/home", "/var", "/opt", "/run")]
    folders += [Path("/usr/local/bin"), Path.home(), Path.cwd(), here, here / "sandbox" / "codeopt_sandbox", *libraries]
    folders += [library / "site-packages" for library in libraries]
    for folder in folders:
        if folder.is_dir() and os.access(folder, os.R_OK):
            yield from folder.iterdir()


def containers() -> set[str]:
    """Ids of all containers that the engine knows."""
    import docker

    client = docker.from_env()
    try:
        return {container["Id"] for container in client.api.containers(all=True)}
    finally:
        client.close()
