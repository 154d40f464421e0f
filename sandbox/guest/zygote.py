"""A warm interpreter that forks one process for each run.

Contract: file descriptor 3 is a SOCK_SEQPACKET socket to the supervisor. A job arrives as a marshalled
dictionary with four descriptors (stdin, stdout, stderr, start), and a fifth for a run of one of our own programs:
their code objects, marshalled. The zygote forks, reports ("pid", pid), waits, and reports ("exit", status, cpu_s,
peak_kib, end_ns, delay_s). In the child the start descriptor receives the clock and the CPU time used so far just
before the program's first instruction, and is closed: the program can touch neither it nor the socket.

Only what an interpreter has built in is left imported, so that a program's own imports cost what they cost
in `python program.py`, and so that no input or result of another run is in the memory that a program inherits.
"""

from __future__ import annotations

import _io
import _socket
import builtins
import gc
import marshal
import posix
import sys
import time
from _frozen_importlib_external import SourceFileLoader

from .boot import BUNDLE_FD, STARTER, Bundle, open_tool
from .ending import failed, flush, leave, without_our_frame
from .kernel import PR_SET_DUMPABLE, open_libc, runqueue_wait_s

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ctypes import CDLL
    from types import CodeType
    from typing import Any, NoReturn

START = f"""
import sys
built_in, found_in = frozenset(sys.modules), frozenset(sys.path_importer_cache)
sys.path.pop(0)
{STARTER}
program = space["Bundle"](modules).load("zygote").serve(built_in, found_in)
try:
    exec(program.code, program.namespace)
except BaseException as error:
    program.fail(error)
program.leave()
"""
"""The zygote's own program, for `python -c`; what a program's first frame stands on. What is imported here is
forgotten again in the child, so that a program pays for its own imports; "" on sys.path is the folder that we happen
to be started in, and nothing may be imported from there."""
RUN_TOOL = STARTER + 'space["run_tool"](modules)\n'
_PR_CAPBSET_DROP = 24
_CAP_HEADER, _NO_CAPS = bytes((0x22, 5, 8, 0x20)) + bytes(4), bytes(24)  # version 3, this process; three empty sets


def serve(built_in: frozenset[str], found_in: frozenset[str]) -> Program:
    """Fork a process for each job; returns only in the child, with the program to run."""
    libc = open_libc()
    gc.collect()
    gc.freeze()  # a program's collections need not look at the interpreter's own objects, nor copy their pages
    libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)  # where a program runs as the same user, it may not look in here
    job, fds, tools = _fork_for_each(_socket.socket(fileno=3))
    drop_privileges(job, fds, libc)
    if job["exec"]:
        run_exec(job)
    enter(job, built_in, found_in)
    if tools is not None:
        run_tool(job["path"], tools)
    return read_program(job["path"])


def _fork_for_each(sock: _socket.socket) -> tuple[dict[str, Any], list[int], Bundle | None]:
    """In each child: the job, its descriptors, and the modules of our own programs where it is one of those."""
    tools: Bundle | None = None
    while True:
        data, extra, _, _ = sock.recvmsg(1 << 16, _socket.CMSG_SPACE(20))
        if not data:
            posix._exit(0)
        packed = extra[0][2]
        fds = [int.from_bytes(packed[at : at + 4], sys.byteorder) for at in range(0, len(packed), 4)]
        job: dict[str, Any] = marshal.loads(data)
        if job["tool"] and not job["exec"] and tools is None:  # before the fork: once for all runs to come
            tools = read_tools(fds[BUNDLE_FD])
        pid = posix.fork()
        if not pid:
            sock.close()
            return job, fds, tools if job["tool"] else None
        for fd in fds:
            posix.close(fd)
        sock.send(marshal.dumps(("pid", pid)))
        posix.waitid(posix.P_PID, pid, posix.WEXITED | posix.WNOWAIT)
        end = time.monotonic_ns()
        delay_s = runqueue_wait_s(pid)
        _, status, usage = posix.wait4(pid, 0)
        sock.send(marshal.dumps(("exit", status, usage.ru_utime + usage.ru_stime, usage.ru_maxrss, end, delay_s)))


def read_tools(fd: int) -> Bundle:
    """The code objects of our own programs, out of the way of a program's collections."""
    with _io.open(fd, "rb", closefd=False) as file:
        tools = Bundle(marshal.loads(file.read()))
    gc.freeze()
    return tools


def drop_privileges(job: dict[str, Any], fds: list[int], libc: CDLL) -> None:
    """Give up every privilege and every descriptor but the program's own, and the start mark (moved to 3)."""
    posix.setsid()
    fds = fds if job["exec"] else fds[:BUNDLE_FD]
    for target, fd in enumerate(fds):
        posix.dup2(fd, target + 20)
    for target in range(len(fds)):
        posix.dup2(target + 20, target, inheritable=target != 3)
    posix.closerange(len(fds), 4096)
    libc.prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)  # or /proc/self would be root's; a change of user takes it away again
    mark = posix.open("/proc/self/oom_score_adj", posix.O_WRONLY)
    posix.write(mark, b"1000")
    posix.close(mark)
    if job["uid"]:
        _change_user(job["uid"], libc)
    libc.prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)  # or /dev/stdin, a link into /proc/self, could not be opened
    posix.chdir(job["cwd"])
    posix.umask(0o077)


def _change_user(uid: int, libc: CDLL) -> None:
    for capability in range(64):
        if libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0):
            break  # the kernel knows no more of them
    posix.setgroups([])
    posix.setresgid(uid, uid, uid)
    posix.setresuid(uid, uid, uid)
    libc.capset(_CAP_HEADER, _NO_CAPS)


def mark_start() -> None:
    """Tell the supervisor that everything from here on is the program's own."""
    posix.write(3, marshal.dumps((time.monotonic_ns(), time.process_time())))
    posix.close(3)


def run_exec(job: dict[str, Any]) -> NoReturn:
    """Exactly `python program.py`, in a fresh interpreter."""
    mark_start()
    command = [job["python"], *(["-c", RUN_TOOL] if job["tool"] else []), job["path"], *job["args"]]
    posix.execve(job["python"], command, job["env"])


def enter(job: dict[str, Any], built_in: frozenset[str], found_in: frozenset[str]) -> None:
    """Leave nothing of ours where a program would see it."""
    sys.argv[:] = [job["path"], *job["args"]]
    sys.path.insert(0, job["path"].rpartition("/")[0])
    reopen_stdio()
    main = type(sys)("__main__")
    main.__dict__.update(__file__=job["path"], __builtins__=builtins, __cached__=None, __annotations__={})
    main.__loader__ = SourceFileLoader("__main__", job["path"])
    sys.modules["__main__"] = main
    for name in frozenset(sys.modules) - built_in - {"__main__"}:
        del sys.modules[name]
    for folder in frozenset(sys.path_importer_cache) - found_in:
        del sys.path_importer_cache[folder]


def reopen_stdio() -> None:
    """New stream objects, made as the interpreter makes them: the zygote's own belong to other descriptors."""
    for name, fd, mode in (("stdin", 0, "r"), ("stdout", 1, "w"), ("stderr", 2, "w")):
        old = getattr(sys, f"__{name}__")
        buffer: Any = _io.open(fd, mode + "b", closefd=False)
        buffer.raw.name = f"<{name}>"
        new: Any = _io.TextIOWrapper(buffer, old.encoding, old.errors, "\n", line_buffering=name == "stderr")
        new.mode = mode
        setattr(sys, name, new)
        setattr(sys, f"__{name}__", new)


class Program:
    """A program in this warm interpreter, which sees what it would see as `python program.py`."""

    def __init__(self, code: CodeType, namespace: dict[str, Any]) -> None:
        self.code: CodeType | None = code
        self.namespace: dict[str, Any] | None = namespace
        self.error: BaseException | None = None

    def fail(self, error: BaseException) -> None:
        """Nobody caught this."""
        self.error = without_our_frame(error)

    def leave(self) -> NoReturn:
        """End as an interpreter would."""
        self.code = self.namespace = None
        error, self.error = self.error, None
        status = 0
        if error is None:
            flush(quiet=True)
        else:
            status = failed(error)
        interrupted = type(error) is KeyboardInterrupt
        del error
        leave(status, interrupted)


def read_program(path: str) -> Program:
    """Compiled; what is no Python ends here."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123  a program pays for its own import of pathlib
            code = compile(file.read(), path, "exec", dont_inherit=True)
    except BaseException as error:
        broken = error.with_traceback(None)
    else:
        program = Program(code, vars(sys.modules["__main__"]))
        mark_start()
        return program
    mark_start()
    return leave(failed(broken))


def run_tool(path: str, tools: Bundle) -> NoReturn:
    """One of our own programs, whose loading counts for nothing."""
    run = open_tool(tools, path)
    mark_start()
    try:
        run()
    except BaseException as error:
        leave(failed(error))
    flush(quiet=True)
    leave(0)
