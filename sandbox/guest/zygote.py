"""A warm interpreter that forks one process for each run. Sent as text and run as `python -c`.

Contract: file descriptor 3 is a SOCK_SEQPACKET socket to the supervisor. A job arrives as a marshalled
dictionary with four descriptors (stdin, stdout, stderr, start). The zygote forks, reports ("pid", pid), waits, and
reports ("exit", status, cpu_s, peak_kib, end_ns, delay_s). In the child the start descriptor receives the clock and
the CPU time used so far just before the program's first instruction, and is closed: the program can touch neither it
nor the socket.

Only what an interpreter has built in is left imported, so that a program's own imports cost what they cost
in `python program.py`, and so that no input or result of another run is in the memory that a program inherits.
"""

import sys

BUILT_IN, FOUND_IN = frozenset(sys.modules), frozenset(sys.path_importer_cache)
sys.path.pop(0)  # "" with -c: nothing may be imported from the folder that we happen to be started in
# What follows is forgotten again before the first fork, so that a program pays for its own imports.
import _io  # noqa: E402
import _signal  # noqa: E402
import _socket  # noqa: E402
import ctypes  # noqa: E402
import gc  # noqa: E402
import marshal  # noqa: E402
import posix  # noqa: E402
import time  # noqa: E402
from _frozen_importlib_external import SourceFileLoader  # noqa: E402

_PR_SET_DUMPABLE, _PR_CAPBSET_DROP = 4, 24
_CAP_HEADER, _NO_CAPS = bytes((0x22, 5, 8, 0x20)) + bytes(4), bytes(24)  # version 3, this process; three empty sets
prctl, capset = ctypes.CDLL(None).prctl, ctypes.CDLL(None).capset
display = sys.excepthook


def serve(sock):
    """Fork a process for each job; returns only in the child, with the job and its descriptors."""
    bounded = False
    while True:
        data, extra, _, _ = sock.recvmsg(1 << 16, _socket.CMSG_SPACE(16))
        if not data:
            posix._exit(0)
        packed = extra[0][2]
        fds = [int.from_bytes(packed[at : at + 4], sys.byteorder) for at in range(0, len(packed), 4)]
        job = marshal.loads(data)
        if job["uid"] and not bounded:  # of what a run may gain by starting other programs; each inherits that
            drop_bounds()
            bounded = True
        if not job["exec"]:
            set_scene(job, fds)
        pid = posix.fork()
        if not pid:
            sock.close()
            return job, fds
        for fd in fds:
            posix.close(fd)
        sock.send(marshal.dumps(("pid", pid)))
        posix.waitid(posix.P_PID, pid, posix.WEXITED | posix.WNOWAIT)
        end = time.monotonic_ns()
        delay_s = queued(pid)
        _, status, usage = posix.wait4(pid, 0)
        sock.send(marshal.dumps(("exit", status, usage.ru_utime + usage.ru_stime, usage.ru_maxrss, end, delay_s)))


def queued(pid):
    """Seconds that a process which has ended was ready to run and others had the processor; 0 where it is not told."""
    try:
        fd = posix.open(f"/proc/{pid}/schedstat", posix.O_RDONLY | posix.O_CLOEXEC)
        told = posix.read(fd, 100).split()
        posix.close(fd)
        return int(told[1]) / 1e9
    except (OSError, IndexError):
        return 0.0


def drop_bounds():
    """Empty the set of capabilities that a program started from here could ever have."""
    for capability in range(64):
        if prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0):
            break  # the kernel knows no more of them


def become(job, fds):
    """Give up every privilege and every descriptor but the program's own three, and the start mark (moved to 3)."""
    posix.setsid()
    for target, fd in enumerate(fds):  # which are higher: 0 to 3 were in use when these came
        posix.dup2(fd, target, inheritable=target < 3)
    posix.closerange(4, 4096)
    prctl(_PR_SET_DUMPABLE, 1, 0, 0, 0)  # or /proc/self would be root's; a change of user takes it away again
    mark = posix.open("/proc/self/oom_score_adj", posix.O_WRONLY)
    posix.write(mark, b"1000")
    posix.close(mark)
    if job["uid"]:
        posix.setgroups([])
        posix.setresgid(job["uid"], job["uid"], job["uid"])
        posix.setresuid(job["uid"], job["uid"], job["uid"])
        capset(_CAP_HEADER, _NO_CAPS)
    prctl(_PR_SET_DUMPABLE, 1, 0, 0, 0)  # or /dev/stdin, a link into /proc/self, could not be opened
    posix.chdir(job["cwd"])
    posix.umask(0o077)


def mark_start():
    """Tell the supervisor that everything from here on is the program's own."""
    posix.write(3, marshal.dumps((time.monotonic_ns(), time.process_time())))
    posix.close(3)


def run_exec(job):
    """Exactly `python program.py`, in a fresh interpreter."""
    mark_start()
    posix.execve(job["python"], [job["python"], job["path"], *job["args"]], job["env"])


def new_stdio():
    """New stream objects, made as the interpreter makes them; they learn from descriptors 0 to 2 what those are."""
    for name, fd, mode in (("stdin", 0, "r"), ("stdout", 1, "w"), ("stderr", 2, "w")):
        old = getattr(sys, f"__{name}__")
        buffer = _io.open(fd, mode + "b", closefd=False)
        buffer.raw.name = f"<{name}>"
        new = _io.TextIOWrapper(buffer, old.encoding, old.errors, "\n", line_buffering=name == "stderr")
        new.mode = mode
        setattr(sys, name, new)
        setattr(sys, f"__{name}__", new)


def kinds(fds):
    """What streams' objects depend on."""
    found = [posix.fstat(fd) for fd in fds]
    return [(status.st_mode & 0o170000, status.st_blksize) for status in found]


def prepare_stdio():
    """Make the streams before the fork, of descriptors of the kinds that a run has: a file and two pipes.

    In a forked process it takes 0.25 ms. Returns the kinds that they are for.
    """
    kept = [posix.dup(fd) for fd in range(3)]
    file = posix.open(sys.executable, posix.O_RDONLY)
    reader, writer = posix.pipe()
    for target, fd in enumerate((file, writer, writer)):
        posix.dup2(fd, target)
    new_stdio()
    prepared = kinds(range(3))
    for target, fd in enumerate(kept):
        posix.dup2(fd, target)
    for fd in (*kept, file, reader, writer):
        posix.close(fd)
    return prepared


def set_scene(job, fds):
    """What the program will see as `python program.py` would show it; made before the fork, where no page is copied."""
    path = job["path"]
    sys.argv[:] = [path, *job["args"]]
    sys.path[:] = [path.rpartition("/")[0], *PATH]
    main = type(sys)("__main__")
    main.__dict__.update(__file__=path, __builtins__=__builtins__, __cached__=None, __annotations__={})
    main.__loader__ = SourceFileLoader("__main__", path)
    sys.modules["__main__"] = main
    job["stdio fits"] = kinds(fds[:3]) == KINDS


def run_fork(job):
    """The program's code, compiled in this warm interpreter, and its namespace."""
    path = job["path"]
    if not job["stdio fits"]:
        new_stdio()
    try:
        with open(path, "rb") as file:
            code = compile(file.read(), path, "exec", dont_inherit=True)
    except BaseException as error:
        broken = error.with_traceback(None)
    else:
        return code, sys.modules["__main__"].__dict__
    mark_start()
    leave(failed(broken))
    return None


def failed(error):
    """The exit status of an exception that nobody caught, reported as the interpreter would (PyErr_Print)."""
    flush(quiet=True)
    if isinstance(error, SystemExit):
        return exit_status(error.code)
    sys.last_type, sys.last_value, sys.last_traceback = type(error), error, error.__traceback__
    hook = getattr(sys, "excepthook", None)
    if hook is None:
        say("sys.excepthook is missing\n")
        hook = display
    try:
        hook(type(error), error, error.__traceback__)
    except SystemExit as exit:
        return exit_status(exit.code)
    except BaseException as second:
        worse = second.with_traceback(second.__traceback__.tb_next)
    else:
        return 1
    say("Error in sys.excepthook:\n")
    display(type(worse), worse, worse.__traceback__)
    say("\nOriginal exception was:\n")
    display(type(error), error, error.__traceback__)
    return 1


def exit_status(code):
    """What SystemExit(code) ends with; anything but a number is printed."""
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


def say(text):
    """Write to standard error, if there is one."""
    try:
        sys.stderr.write(text)
    except BaseException:
        return


def closed(stream):
    """What a stream says; not every output object that programs bring has the attribute."""
    try:
        return bool(stream.closed)
    except BaseException:
        return False


def flush(quiet=False):
    """Flush stdout and stderr, whatever the program made of them; whether that went well."""
    fine = True
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name, None)
        if stream is None or closed(stream):
            continue
        try:
            stream.flush()
        except BaseException as error:
            fine, lost = False, error.with_traceback(error.__traceback__.tb_next)
            if name == "stdout" and not quiet:
                say(f"Exception ignored in: {stream!r}\n")
                display(type(lost), lost, lost.__traceback__)
    return fine


def leave(status, interrupted=False):
    """End as an interpreter does (Py_FinalizeEx), but without taking the warm one apart, which costs 3 ms.

    Threads are waited for, exit handlers run, the program's own objects are freed and its streams flushed.
    """
    for module, function in (("threading", "_shutdown"), ("atexit", "_run_exitfuncs")):
        if module in sys.modules:
            try:
                getattr(sys.modules[module], function)()
            except BaseException as error:
                lost = error.with_traceback(error.__traceback__.tb_next)
                say(f"Exception ignored in: {sys.modules[module]!r}\n")
                display(type(lost), lost, lost.__traceback__)
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


for name in frozenset(sys.modules) - BUILT_IN - {"__main__"}:
    del sys.modules[name]
for folder in frozenset(sys.path_importer_cache) - FOUND_IN:
    del sys.path_importer_cache[folder]
KINDS, PATH = prepare_stdio(), tuple(sys.path)
compile("", "", "exec")  # the first call makes the types of ast, 1 ms; `python program.py` compiles without them
gc.collect()
gc.freeze()  # a program's collections need not look at the interpreter's own objects, nor copy their pages
prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)  # where a program runs as the same user, it may not look in here
job, fds = serve(_socket.socket(fileno=3))
become(job, fds)
if job["exec"]:
    run_exec(job)
code, namespace = run_fork(job)
del job, fds
error = None
mark_start()
try:
    exec(code, namespace)
except BaseException as caught:
    error = caught.with_traceback(caught.__traceback__.tb_next)
del code, namespace
status = 0
if error is None:
    flush(quiet=True)
else:
    status = failed(error)
interrupted = type(error) is KeyboardInterrupt
del error
leave(status, interrupted)
