"""System calls of Linux that several processes of the guest make."""

from __future__ import annotations

import posix

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ctypes import CDLL

open_file, read_file, close_file = posix.open, posix.read, posix.close  # code under test can patch `posix`
PR_SET_DUMPABLE = 4
SIGKILL = 9


def open_libc() -> CDLL:
    """The C library, for the calls that Python has no name for; `ctypes.get_errno()` says why one failed."""
    import ctypes  # not by all who import this module: it takes four milliseconds

    return ctypes.CDLL(None, use_errno=True)


def hide(libc: CDLL | None = None) -> None:
    """Forbid other processes of this user to read or trace this one, or to look at its descriptors. libc: an open C
    library. Raises OSError."""
    if (libc or open_libc()).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0):
        raise OSError("this process cannot be hidden from others of its user")


def kill(pid: int) -> None:
    """Kill a process that may be gone already."""
    try:
        posix.kill(pid, SIGKILL)
    except ProcessLookupError:
        return  # contextlib would be imported for each run


def cpu_clock(pid: int) -> int:
    """Clock of a process's CPU time: CPUCLOCK_SCHED in the kernel's posix-timers.h."""
    return (~pid << 3) | 2


def own_runqueue_wait_s() -> float:
    """Seconds that this process was ready to run while others had the processor; 0 where the kernel does not say."""
    return runqueue_wait_s(posix.getpid())


def runqueue_wait_s(pid: int) -> float:
    """Seconds that a process was ready to run while others had the processor; 0 where the kernel does not say."""
    return _scheduled_s(pid, 1)


def thread_cpu_s(pid: int) -> float:
    """CPU seconds of a process's main thread alone; 0 where the kernel does not say."""
    return _scheduled_s(pid, 0)


def _scheduled_s(pid: int, at: int) -> float:
    try:
        return int(read_proc(f"/proc/{pid}/schedstat").split()[at]) / 1e9
    except (IndexError, ValueError):
        return 0.0


def read_proc(path: str) -> bytes:
    """Content of a file of the kernel's, 64 KiB at most; empty where it cannot be read."""
    try:
        fd = open_file(path, posix.O_RDONLY | posix.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return read_file(fd, 1 << 16)
    except OSError:
        return b""
    finally:
        close_file(fd)


def resident_bytes(pid: int) -> tuple[int, int]:
    """Resident memory of a process now, and the most since its start or since that was forgotten; 0 where it is not
    known."""
    text = read_proc(f"/proc/{pid}/status")
    now, highest = [text.partition(name)[2].split(None, 1) for name in (b"VmRSS:", b"VmHWM:")]
    return int(now[0]) << 10 if now else 0, int(highest[0]) << 10 if highest else 0


def forget_peak(pid: int) -> bool:
    """The kernel counts a process's highest memory from here on; False where it does not let us: it counts from the
    start."""
    try:
        fd = open_file(f"/proc/{pid}/clear_refs", posix.O_WRONLY | posix.O_CLOEXEC)
    except OSError:
        return False
    try:
        posix.write(fd, b"5")
    except OSError:
        return False
    finally:
        close_file(fd)
    return True
