"""Restrictions that every run inherits and cannot undo: resource limits, no new privileges, a seccomp filter.

The filter is installed here and not by the engine, so that it is the same under every backend. Programs that compute do
not need the denied calls, and an engine's default profile may allow them:
- tracing, namespaces, mounts, io_uring, keyrings, exec from memory
- System V IPC, which outlives the run
- address families other than unix, inet and netlink's list of interfaces
- siblings: nobody waits for a child that is its parent's child
- limits and priorities of other processes: a guest of an ordinary user has the run's user
- a change of CPU affinity: a run has one core, so work that moves to other processes gains nothing

All runs share the kernel's cache of files. A run that drops pages, or sees which exist, has a memory that outlives it.
It also slows down the next reader of these pages. Calls that ask are denied. Calls that only advise do nothing and
report success, as a kernel may: a program that gives advice does not look for an error. One channel remains: the first
read of a file is slower than the next one, and runs can measure that.
"""

from __future__ import annotations

import contextlib
import ctypes  # here, before the first fork, which needs it
import errno
import os
import resource
import struct
from pathlib import Path

from ..syscalls import open_libc

_PR_SET_NO_NEW_PRIVS = 38
_PR_SET_SECCOMP = 22
_PR_SET_CHILD_SUBREAPER = 36
_ALLOW = 0x7FFF0000
_ERRNO = 0x00050000
_KILL = 0x80000000
_LOAD = 0x20
_JEQ = 0x15
_JGE = 0x35
_JSET = 0x45
_RET = 0x06
_CLONE_FLAGS = 0x7E020080 | 0x00008000  # every CLONE_NEW*, and CLONE_PARENT
_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_CALLS = {  # name: (x86_64, aarch64), from the kernel's syscall tables; None where it does not exist
    "acct": (163, 89), "add_key": (248, 217), "adjtimex": (159, 171), "bpf": (321, 280), "chroot": (161, 51),
    "clock_adjtime": (305, 266), "clock_settime": (227, 112), "delete_module": (176, 106), "execveat": (322, 281),
    "fanotify_init": (300, 262), "finit_module": (313, 273), "fsconfig": (431, 431), "fsmount": (432, 432),
    "fsopen": (430, 430), "fspick": (433, 433), "init_module": (175, 105), "io_setup": (206, 0),
    "io_uring_enter": (426, 426), "io_uring_register": (427, 427), "io_uring_setup": (425, 425),
    "ioperm": (173, None), "iopl": (172, None), "ioprio_set": (251, 30), "kcmp": (312, 272),
    "kexec_file_load": (320, 294),
    "kexec_load": (246, 104), "keyctl": (250, 219), "landlock_create_ruleset": (444, 444), "memfd_create": (319, 279),
    "memfd_secret": (447, 447), "modify_ldt": (154, None), "mount": (165, 40), "mount_setattr": (442, 442),
    "move_mount": (429, 429), "mq_open": (240, 180), "msgget": (68, 186), "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265), "open_tree": (428, 428), "perf_event_open": (298, 241),
    "personality": (135, 92), "pidfd_getfd": (438, 438), "pivot_root": (155, 41), "process_madvise": (440, 440),
    "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "ptrace": (101, 117), "quotactl": (179, 60),
    "reboot": (169, 142), "request_key": (249, 218), "sched_setaffinity": (203, 122), "sched_setattr": (314, 274),
    "sched_setscheduler": (144, 119), "semget": (64, 190), "setns": (308, 268), "settimeofday": (164, 170),
    "shmget": (29, 194), "swapoff": (168, 225), "swapon": (167, 224), "syslog": (103, 116), "umount2": (166, 39),
    "unshare": (272, 97), "userfaultfd": (323, 282), "vhangup": (153, 58),
}  # fmt: skip
_ABSENT = {"cachestat": (451, 451), "mincore": (27, 232)}  # what is in the cache of files; older kernels have neither
_IGNORED = {  # what changes that cache, or has the host's disks write
    "fadvise64": (221, 223), "readahead": (187, 213), "sync": (162, 81), "sync_file_range": (277, 84),
    "syncfs": (306, 267),
}  # fmt: skip
_MADVISE = (28, 233)
_FCNTL = (72, 25)
_PRCTL = (157, 167)
_ADVICE = (3, 12, 20, 21, 25)  # WILLNEED, MERGEABLE, COLD, PAGEOUT, COLLAPSE; allocators use others (DONTNEED, FREE)
_HINTS = (1036, 1038)  # F_SET_RW_HINT, F_SET_FILE_RW_HINT: kept in the file's inode, which all runs share
_PR_SET_MEMORY_MERGE = 67  # pages found equal to another process's are written more slowly
_READ_WRITE_2 = ((327, 286), (328, 287))  # preadv2, pwritev2
_CACHE_FLAGS = 0x88  # RWF_NOWAIT tells what is in the cache, RWF_DONTCACHE drops it
_CLONE = (56, 220)
_CLONE3 = (435, 435)
_SOCKET = (41, 198)
_SOCKETPAIR = (53, 199)
_OWN_ONLY = (((302, 261), 16), ((141, 140), 24))  # prlimit64, setpriority: argument with the process, 0 is the caller
_FAMILIES = (1, 2, 10)  # unix, inet, inet6
_NETLINK = 16
_NETLINK_ROUTE = 0


def _step(code: int, value: int, yes: int = 0, no: int = 0) -> bytes:
    return struct.pack("=HBBI", code, yes, no, value)


def _deny(error: int) -> bytes:
    """Do nothing and give this error; 0 says that it was done."""
    return _step(_RET, _ERRNO | error)


def _unless_argument(call: int, offset: int, values: tuple[int, ...], answer: bytes) -> list[bytes]:
    """Allow a call, but give `answer` where the argument at `offset` is one of these."""
    steps = [_step(_JEQ, call, 0, len(values) + 3), _step(_LOAD, offset)]
    steps += [_step(_JEQ, value, len(values) - at, 0) for at, value in enumerate(values)]
    return [*steps, _step(_RET, _ALLOW), answer]


def seccomp_program(machine: str) -> bytes:
    """The filter as classic BPF: struct seccomp_data holds the call at 0, the architecture at 4, arguments from 16."""
    column = 0 if machine == "x86_64" else 1
    steps = [_step(_LOAD, 4), _step(_JEQ, _ARCH[machine], 1, 0), _step(_RET, _KILL), _step(_LOAD, 0)]
    if machine == "x86_64":  # the x32 numbers would name the same calls past the table below
        steps += [_step(_JGE, 0x40000000, 0, 1), _deny(errno.ENOSYS)]
    for numbers in _CALLS.values():
        if numbers[column] is not None:
            steps += [_step(_JEQ, numbers[column] or 0, 0, 1), _deny(errno.EPERM)]
    for numbers in _ABSENT.values():
        steps += [_step(_JEQ, numbers[column], 0, 1), _deny(errno.ENOSYS)]
    for numbers in _IGNORED.values():
        steps += [_step(_JEQ, numbers[column], 0, 1), _deny(0)]
    steps += _unless_argument(_MADVISE[column], 32, _ADVICE, _deny(0))
    steps += _unless_argument(_FCNTL[column], 24, _HINTS, _deny(0))
    steps += _unless_argument(_PRCTL[column], 16, (_PR_SET_MEMORY_MERGE,), _deny(errno.EPERM))
    for call in _READ_WRITE_2:
        steps += [_step(_JEQ, call[column], 0, 4), _step(_LOAD, 56), _step(_JSET, _CACHE_FLAGS, 0, 1)]
        steps += [_deny(errno.EOPNOTSUPP), _step(_RET, _ALLOW)]
    steps += [_step(_JEQ, _CLONE3[column], 0, 1), _deny(errno.ENOSYS)]  # libc falls back to clone, whose flags we see
    steps += [_step(_JEQ, _CLONE[column], 0, 4), _step(_LOAD, 16), _step(_JSET, _CLONE_FLAGS, 0, 1)]
    steps += [_deny(errno.EPERM), _step(_RET, _ALLOW)]
    for call, argument in _OWN_ONLY:
        steps += [_step(_JEQ, call[column], 0, 4), _step(_LOAD, argument), _step(_JEQ, 0, 0, 1)]
        steps += [_step(_RET, _ALLOW), _deny(errno.EPERM)]
    for call in (_SOCKET, _SOCKETPAIR):
        steps += [_step(_JEQ, call[column], 0, len(_FAMILIES) + 8), _step(_LOAD, 16)]
        steps += [_step(_JEQ, _NETLINK, 0, 4), _step(_LOAD, 32), _step(_JEQ, _NETLINK_ROUTE, 0, 1)]
        steps += [_step(_RET, _ALLOW), _deny(errno.EAFNOSUPPORT)]
        steps += [_step(_JEQ, family, len(_FAMILIES) - at, 0) for at, family in enumerate(_FAMILIES)]
        steps += [_deny(errno.EAFNOSUPPORT), _step(_RET, _ALLOW)]
    return b"".join([*steps, _step(_RET, _ALLOW)])


def seccomp() -> None:
    """Install the filter for this process and all it starts. Raises OSError where the kernel refuses."""
    machine = os.uname().machine
    if machine not in _ARCH:
        raise OSError(errno.ENOTSUP, f"no seccomp filter for {machine}")
    program = seccomp_program(machine)
    buffer = ctypes.create_string_buffer(program, len(program))
    fprog = struct.pack("@HP", len(program) // 8, ctypes.addressof(buffer))
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)
    _prctl(_PR_SET_SECCOMP, 2, fprog)


def adopt_orphans() -> None:
    """Descendants whose parent dies become children of this process, as those of pid 1 do."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def first_to_go() -> None:
    """Make this process and its children the kernel's first choice when memory is short."""
    with contextlib.suppress(OSError):  # /proc is read-only: what we are in is isolated itself
        Path("/proc/self/oom_score_adj").write_text("1000")


def _prctl(option: int, value: int, pointer: bytes | None = None) -> None:
    if open_libc().prctl(option, ctypes.c_ulong(value), ctypes.c_char_p(pointer), ctypes.c_ulong(0), ctypes.c_ulong(0)):
        number = ctypes.get_errno()
        raise OSError(number, f"prctl({option}): {os.strerror(number)}")


def limit(*, open_files: int, file_bytes: int, processes: int | None, address_bytes: int | None) -> None:
    """Resource limits of one run; `processes` counts per user, so it is only for a user of the run's own."""
    _set(resource.RLIMIT_NOFILE, open_files)
    _set(resource.RLIMIT_FSIZE, file_bytes)
    _set(resource.RLIMIT_CORE, 0)
    _set(resource.RLIMIT_MEMLOCK, 0)
    _set(resource.RLIMIT_MSGQUEUE, 0)
    if processes is not None:
        _set(resource.RLIMIT_NPROC, processes)
    if address_bytes is not None:
        _set(resource.RLIMIT_AS, address_bytes)


def _set(which: int, value: int) -> None:
    _, hard = resource.getrlimit(which)
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(which, (value, value))
