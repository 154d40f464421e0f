"""A warm interpreter that forks one process for each run. Sent as text and run as `python -c`.

Contract: file descriptor 3 is a SOCK_SEQPACKET socket to the supervisor. A job arrives as a marshalled
dictionary with four descriptors (stdin, stdout, stderr, start). The zygote forks, reports ("pid", pid), waits, and
reports ("exit", status, cpu_s, peak_kib, end_ns). In the child the start descriptor receives the clock and the CPU
time used so far just before the program's first instruction, and is closed: the program can touch neither it nor
the socket.

Only what an interpreter has built in is left imported, so that a program's own imports cost what they cost
in `python program.py`, and so that no input or result of another run is in the memory that a program inherits.
"""

import _socket
import marshal
import posix
import sys
import time

_PR_SET_DUMPABLE = 4
BUILT_IN = frozenset(sys.modules) - {"_socket"}
import ctypes  # noqa: E402  forgotten again in the child, so that a program pays for its own import

prctl = ctypes.CDLL(None).prctl


def serve(sock):
    """Fork a process for each job; returns only in the child, with the job and its descriptors."""
    while True:
        data, extra, _, _ = sock.recvmsg(1 << 16, _socket.CMSG_SPACE(16))
        if not data:
            posix._exit(0)
        packed = extra[0][2]
        fds = [int.from_bytes(packed[at : at + 4], sys.byteorder) for at in range(0, len(packed), 4)]
        pid = posix.fork()
        if not pid:
            sock.close()
            return marshal.loads(data), fds
        for fd in fds:
            posix.close(fd)
        sock.send(marshal.dumps(("pid", pid)))
        _, status, usage = posix.wait4(pid, 0)
        end = time.monotonic_ns()
        sock.send(marshal.dumps(("exit", status, usage.ru_utime + usage.ru_stime, usage.ru_maxrss, end)))


def become(job, fds):
    """Give up every privilege and every descriptor but the program's own three, and the start mark (moved to 3)."""
    posix.setsid()
    for target, fd in enumerate(fds):
        posix.dup2(fd, target + 20)
    for target in range(4):
        posix.dup2(target + 20, target, inheritable=target < 3)
    posix.closerange(4, 4096)
    mark = posix.open("/proc/self/oom_score_adj", posix.O_WRONLY)
    posix.write(mark, b"1000")
    posix.close(mark)
    if job["uid"]:
        posix.setgroups([])
        posix.setresgid(job["uid"], job["uid"], job["uid"])
        posix.setresuid(job["uid"], job["uid"], job["uid"])
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


def reopen_stdio():
    """New stream objects, as at interpreter start: the zygote's own were made for other descriptors."""
    for name, fd, mode in (("stdin", 0, "r"), ("stdout", 1, "w"), ("stderr", 2, "w")):
        old = getattr(sys, f"__{name}__")
        new = open(fd, mode, encoding=old.encoding, errors=old.errors, closefd=False)
        setattr(sys, name, new)
        setattr(sys, f"__{name}__", new)


def run_fork(job):
    """The program in this warm interpreter, seeing what it would see as `python program.py`."""
    path = job["path"]
    sys.argv[:] = [path, *job["args"]]
    sys.path[0] = path.rpartition("/")[0]
    reopen_stdio()
    main = type(sys)("__main__")
    main.__dict__.update(__file__=path, __builtins__=__builtins__, __spec__=None, __cached__=None)
    sys.modules["__main__"] = main
    for name in frozenset(sys.modules) - BUILT_IN - {"__main__"}:
        del sys.modules[name]
    try:
        with open(path, "rb") as file:
            code = compile(file.read(), path, "exec", dont_inherit=True)
    except BaseException as error:
        mark_start()
        leave(failed(error.with_traceback(None)))
    return code, main.__dict__


def failed(error):
    """The exit status of an exception that nobody caught, reported as the interpreter would."""
    if isinstance(error, SystemExit):
        if error.code is None or isinstance(error.code, int):
            return (error.code or 0) & 0xFF
        print(error.code, file=sys.stderr)
        return 1
    sys.excepthook(type(error), error, error.__traceback__)
    return 1


def leave(status):
    """End as an interpreter does, but without taking the warm one apart, which costs 3 ms and is not the program's.

    Threads are waited for, exit handlers run, the program's own objects are freed and its streams flushed.
    """
    try:
        if "threading" in sys.modules:
            sys.modules["threading"]._shutdown()
        if "atexit" in sys.modules:
            sys.modules["atexit"]._run_exitfuncs()
        sys.modules["__main__"].__dict__.clear()
        for stream in (sys.stdout, sys.stderr):
            if stream is not None and not stream.closed:
                stream.flush()
    except BaseException:
        status = status or 120  # what the interpreter says when it cannot flush
    posix._exit(status)


prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)  # where a program runs as the same user, it may not look in here
job, fds = serve(_socket.socket(fileno=3))
become(job, fds)
if job["exec"]:
    run_exec(job)
code, namespace = run_fork(job)
del job, fds
status = 0
mark_start()
try:
    exec(code, namespace)
except BaseException as error:
    del code, namespace
    status = failed(error.with_traceback(error.__traceback__.tb_next))
leave(status)
