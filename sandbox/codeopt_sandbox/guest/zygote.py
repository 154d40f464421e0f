"""A warm interpreter that forks one process for each run.

Contract: file descriptor 3 is a SOCK_SEQPACKET socket to the supervisor. A job arrives as a marshalled
dictionary with four descriptors (stdin, stdout, stderr, start), and a fifth for a run of one of our own programs:
their code objects, marshalled. The zygote forks, reports ("pid", pid), waits, and reports ("exit", status, cpu_s,
peak_kib, end_ns, delay_s). In the child the start descriptor receives the clock and the CPU time used so far just
before the program's first instruction, and is closed: the program can touch neither it nor the socket.

Only what an interpreter has built in is left imported, so that a program's own imports cost what they cost
in `python program.py`, and so that no input or result of another run is in the memory that a program inherits.
A zygote with a preload request has imported libraries besides, for runs of calls alone, whose imports are not timed;
before the first job it reports ("loaded", why not).
"""

from __future__ import annotations

import _io
import _signal  # type: ignore[import-not-found]  # `signal` would load enum and what that needs
import _socket
import builtins
import gc
import marshal
import posix
import sys
import time
from _frozen_importlib_external import SourceFileLoader

from .boot import BUNDLE_FD, STARTER, Bundle, open_tool
from .libraries import LibraryCode, Preloaded, PreloadFailure
from .syscalls import PR_SET_DUMPABLE, open_libc, own_runqueue_wait_s, runqueue_wait_s

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable
    from ctypes import CDLL
    from types import CodeType
    from typing import Any, NoReturn


START = f"""
import sys
built_in, found_in = frozenset(sys.modules), frozenset(sys.path_importer_cache)
sys.path.pop(0)
{STARTER}
program = space["Bundle"](modules).load("zygote").serve(built_in, found_in, modules.pop("preload", None))
try:
    exec(program.code, program.namespace)
except BaseException as error:
    program.fail(error)
program.leave()
"""
"""The zygote's own program, for `python -c`. It contains the first frame below a program.

Its imports are undone before the first fork, so that a program pays for its own imports. The "" on sys.path is the
current folder, and no module may be imported from there.
"""
RUN_TOOL = STARTER + 'space["run_tool"](modules)\n'


class PreparedRun:
    """One job in its own process, with what was prepared for it before the fork."""

    def __init__(self, job: dict[str, Any], fds: list[int]) -> None:
        self.job, self.fds = job, fds
        self.tools: Bundle | None = None
        """The modules of our own programs, where it is one of those and runs in this interpreter."""
        self.streams_fit = True


class Zygote:
    """State that is the same for all runs and is made once, before the first fork."""

    def __init__(self, built_in: frozenset[str], found_in: frozenset[str], preload: dict[str, Any] | None) -> None:
        self.libc = open_libc()
        forget_imports(built_in, found_in)
        self.streams = prepare_streams()
        self.libraries, self.preload_failure = Preloaded(), ""
        if preload is not None:
            try:
                self.libraries.load(preload, self.libc)
            except PreloadFailure as error:
                self.preload_failure = str(error)
        self.library_code = LibraryCode() if preload is not None else None
        self.imported, self.found_in = frozenset(sys.modules), frozenset(sys.path_importer_cache)
        self.tools: Bundle | None = None
        self.bounded = False
        compile("", "", "exec")  # the first call makes the types of ast, 1 ms; `python program.py` compiles without
        gc.collect()
        gc.freeze()  # a program's collections need not look at the interpreter's own objects, nor copy their pages
        self.libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)  # where a program runs as the same user, it may not look in here

    def fork_for_each(self, sock: _socket.socket) -> PreparedRun:
        """Have each job run in a process of its own; returns only there."""
        while True:
            data, extra, _, _ = sock.recvmsg(1 << 16, _socket.CMSG_SPACE(20))
            if not data:
                posix._exit(0)
            packed = extra[0][2]
            fds = [int.from_bytes(packed[at : at + 4], sys.byteorder) for at in range(0, len(packed), 4)]
            run = self.prepare(PreparedRun(marshal.loads(data), fds))
            pid = posix.fork()
            if not pid:
                sock.close()
                return run
            for fd in fds:
                posix.close(fd)
            sock.send(marshal.dumps(("pid", pid)))
            heard_s = own_runqueue_wait_s()
            posix.waitid(posix.P_PID, pid, posix.WEXITED | posix.WNOWAIT)
            end = time.monotonic_ns()
            # on a busy machine we hear late of its end
            delay_s = runqueue_wait_s(pid) + own_runqueue_wait_s() - heard_s
            _, status, usage = posix.wait4(pid, 0)
            sock.send(marshal.dumps(("exit", status, usage.ru_utime + usage.ru_stime, usage.ru_maxrss, end, delay_s)))

    def prepare(self, run: PreparedRun) -> PreparedRun:
        """Prepare the part of a run that is possible here, without copied pages."""
        if run.job["uid"] and not self.bounded:  # each process inherits that
            drop_bounds(self.libc)
            self.bounded = True
        if run.job["exec"]:
            return run
        if run.job["tool"]:
            if self.tools is None:
                forget_imports(self.imported, self.found_in)  # as each run does, which finds again what this imports
                self.tools = read_tools(run.fds[BUNDLE_FD], self.libc, self.library_code)
            run.tools = self.tools
        set_scene(run.job, self.libraries.path)
        run.streams_fit = kinds(run.fds[:3]) == self.streams
        return run


def serve(built_in: frozenset[str], found_in: frozenset[str], preload: dict[str, Any] | None) -> ForkedProgram:
    """Fork a process for each job; returns only in the child, with the program to run."""
    zygote, sock = Zygote(built_in, found_in, preload), _socket.socket(fileno=3)
    if preload is not None:
        sock.send(marshal.dumps(("loaded", zygote.preload_failure)))
    run = zygote.fork_for_each(sock)
    drop_privileges(run.job, run.fds, zygote.libc)
    if run.job["exec"]:
        mark_start()  # from here on exactly `python program.py`, in a fresh interpreter
        command = [run.job["python"], *(["-c", RUN_TOOL] if run.job["tool"] else []), run.job["path"], *run.job["args"]]
        posix.execve(run.job["python"], command, run.job["env"])
    # of `wait4`, which imports `resource` when the first run has ended
    forget_imports(zygote.imported, zygote.found_in)
    if preload is not None:
        zygote.libraries.start_run()
    if not run.streams_fit:
        new_streams()
    if run.tools is not None:
        run_tool(run.job["path"], run.tools)
    return read_program(run.job["path"])


def forget_imports(built_in: frozenset[str], found_in: frozenset[str]) -> None:
    """Leave nothing imported that an interpreter has not built in."""
    for name in frozenset(sys.modules) - built_in - {"__main__"}:
        del sys.modules[name]
    for folder in frozenset(sys.path_importer_cache) - found_in:
        del sys.path_importer_cache[folder]


def read_tools(fd: int, libc: CDLL, library_code: LibraryCode | None) -> Bundle:
    """Our own programs, out of the way of a program's collections; that which makes calls is loaded. library_code:
    records the libraries that it imports, so that no run does."""
    with _io.open(fd, "rb", closefd=False) as file:
        tools = Bundle(marshal.loads(file.read()))
    tools.libc, tools.library_code = libc, library_code
    tools.load("calls.__main__")
    if library_code is not None:
        library_code.keep_new()
    gc.freeze()
    return tools


def set_scene(job: dict[str, Any], path: tuple[str, ...]) -> None:
    """Set the names that a program sees as `python program.py`, and none of ours; `path` is the rest of sys.path."""
    sys.argv[:] = [job["path"], *job["args"]]
    if hasattr(sys, "orig_argv"):  # from 3.10 on
        sys.orig_argv[:] = [job["python"], *sys.argv]
    sys.path[:] = [job["path"].rpartition("/")[0], *path]
    main = type(sys)("__main__")
    main.__dict__.update(__file__=job["path"], __builtins__=builtins, __cached__=None, __annotations__={})
    main.__loader__ = SourceFileLoader("__main__", job["path"])
    sys.modules["__main__"] = main


def mark_start() -> None:
    """Tell the supervisor that everything from here on is the program's own."""
    posix.write(3, marshal.dumps((time.monotonic_ns(), time.process_time())))
    posix.close(3)


class ForkedProgram:
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


def read_program(path: str) -> ForkedProgram:
    """Compiled, which is a cost of the program's own text; what is no Python ends here."""
    mark_start()
    try:
        with open(path, "rb") as file:  # noqa: PTH123  a program pays for its own import of pathlib
            code = compile(file.read(), path, "exec", dont_inherit=True)
    except BaseException as error:
        broken = error.with_traceback(None)
    else:
        return ForkedProgram(code, vars(sys.modules["__main__"]))
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


# Privileges that a process gives up before it runs a program: capabilities, its user, and the descriptors of others.

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


# The standard streams of a program, made before the fork that starts it: in a forked process that takes 0.25 ms.


def new_streams() -> None:
    """New stream objects, made as the interpreter makes them; they learn from descriptors 0 to 2 what those are."""
    for name, fd, mode in (("stdin", 0, "r"), ("stdout", 1, "w"), ("stderr", 2, "w")):
        old = getattr(sys, f"__{name}__")
        buffer: Any = _io.open(fd, mode + "b", closefd=False)
        buffer.raw.name = f"<{name}>"
        new: Any = _io.TextIOWrapper(buffer, old.encoding, old.errors, "\n", line_buffering=name == "stderr")
        new.mode = mode
        setattr(sys, name, new)
        setattr(sys, f"__{name}__", new)


def kinds(fds: Iterable[int]) -> list[tuple[int, int]]:
    """Properties that stream objects depend on, for each descriptor: whether it is a file or a pipe, and its block
    size."""
    found = [posix.fstat(fd) for fd in fds]
    return [(status.st_mode & 0o170000, status.st_blksize) for status in found]


def prepare_streams() -> list[tuple[int, int]]:
    """Make them of descriptors of the kinds that a run has, a file and two pipes; returns the kinds they are for."""
    kept = [posix.dup(fd) for fd in range(3)]
    file = posix.open(sys.executable, posix.O_RDONLY)
    reader, writer = posix.pipe()
    for target, fd in enumerate((file, writer, writer)):
        posix.dup2(fd, target)
    new_streams()
    prepared = kinds(range(3))
    for target, fd in enumerate(kept):
        posix.dup2(fd, target)
    for fd in (*kept, file, reader, writer):
        posix.close(fd)
    return prepared


# Ends a program in a warm interpreter as an interpreter of its own would: what is reported, flushed and returned.

_show = sys.excepthook  # a program can replace it, and sys.__excepthook__ too


def failed(error: BaseException) -> int:
    """The exit status of an exception that nobody caught, reported as the interpreter would (PyErr_Print)."""
    flush(quiet=True)
    if isinstance(error, SystemExit):
        return exit_status(error.code)
    sys.last_type, sys.last_value, sys.last_traceback = type(error), error, error.__traceback__
    hook = getattr(sys, "excepthook", None)
    if hook is None:
        say("sys.excepthook is missing\n")
        hook = _show
    try:
        hook(type(error), error, error.__traceback__)
    except SystemExit as exit:
        return exit_status(exit.code)
    except BaseException as second:
        worse = without_our_frame(second)
    else:
        return 1
    say("Error in sys.excepthook:\n")
    display(worse)
    say("\nOriginal exception was:\n")
    display(error)
    return 1


def without_our_frame(error: BaseException) -> BaseException:
    """The error with the traceback that the interpreter would have caught."""
    return error.with_traceback(error.__traceback__ and error.__traceback__.tb_next)


def display(error: BaseException) -> None:
    """Print an uncaught exception on standard error as an interpreter does."""
    _show(type(error), error, error.__traceback__)


def exit_status(code: object) -> int:
    """Exit status of SystemExit(code); anything but a number is printed."""
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 0xFF if -(1 << 63) <= code < 1 << 63 else 0xFF
    try:
        text = str(code)
    except BaseException:
        text = ""
    say(text + "\n")
    return 1


def say(text: str) -> None:
    """Write to standard error, if there is one."""
    try:
        sys.stderr.write(text)
    except BaseException:
        return


def closed(stream: Any) -> bool:
    """Return True if a stream is closed. Output objects of a program may lack the attribute."""
    try:
        return bool(stream.closed)
    except BaseException:
        return False


def flush(quiet: bool = False) -> bool:
    """Flush the program's stdout and stderr, which may be any objects. Return True without an error."""
    fine = True
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name, None)
        if stream is None or closed(stream):
            continue
        try:
            stream.flush()
        except BaseException as error:
            fine = False
            if name == "stdout" and not quiet:
                say(f"Exception ignored in: {stream!r}\n")
                display(without_our_frame(error))
    return fine


def leave(status: int, interrupted: bool = False) -> NoReturn:
    """End as an interpreter does (Py_FinalizeEx), but without taking the warm one apart, which costs 3 ms.

    Threads are waited for, exit handlers run, the program's own objects are freed and its streams flushed.
    """
    for module, function in (("threading", "_shutdown"), ("atexit", "_run_exitfuncs")):
        if module in sys.modules:
            try:
                getattr(sys.modules[module], function)()
            except BaseException as error:
                say(f"Exception ignored in: {sys.modules[module]!r}\n")
                display(without_our_frame(error))
    fine = flush()
    sys.last_type = sys.last_value = sys.last_traceback = None
    sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__
    sys.modules.pop("__main__", None)
    gc.collect()  # of the program's objects: the interpreter's own are frozen
    fine = flush(quiet=not fine) and fine
    if interrupted:
        _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
        posix.kill(posix.getpid(), _signal.SIGINT)
    posix._exit(status if fine else 120)
