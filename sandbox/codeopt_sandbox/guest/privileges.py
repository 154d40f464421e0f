"""Privileges that a process gives up before it runs a program: capabilities, its user, and the descriptors of
others."""

from __future__ import annotations

import posix

from .boot import BUNDLE_FD
from .syscalls import PR_SET_DUMPABLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ctypes import CDLL
    from typing import Any

_PR_CAPBSET_DROP = 24
_CAP_HEADER = bytes((0x22, 5, 8, 0x20)) + bytes(4)
"""Header of capset: version 3, this process."""
_NO_CAPS = bytes(24)
"""Three empty sets of capabilities."""


def drop_bounds(libc: CDLL) -> None:
    """Empty the set of capabilities that a program started from here could ever gain."""
    for capability in range(64):
        if libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0):
            break  # the kernel knows no more of them


def drop_privileges(job: dict[str, Any], fds: list[int], libc: CDLL) -> None:
    """Give up every privilege and every descriptor but the program's own, and the start mark (moved to 3)."""
    posix.setsid()
    fds = fds if job["exec"] else fds[:BUNDLE_FD]
    for target, fd in enumerate(fds):  # which are higher: 0 to 3 were in use when these came
        posix.dup2(fd, target, inheritable=target != 3)
    posix.closerange(len(fds), 4096)
    if job["uid"]:
        posix.setgroups([])
        posix.setresgid(job["uid"], job["uid"], job["uid"])
        posix.setresuid(job["uid"], job["uid"], job["uid"])
        libc.capset(_CAP_HEADER, _NO_CAPS)
    libc.prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)  # or /dev/stdin, a link into /proc/self, could not be opened
    posix.chdir(job["cwd"])
    posix.umask(0o022)  # as most users have it: permissions of written files are compared
