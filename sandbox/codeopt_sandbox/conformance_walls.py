"""Probes: what a run can reach, see and call, and what is left of it."""

from __future__ import annotations

import contextlib
import os
import platform
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from codeopt_sandbox.errors import SandboxError
from codeopt_sandbox.host import Sandbox
from codeopt_sandbox.outcome import Run, RunLimits
from codeopt_sandbox.process import Child

_CONNECT = """
import socket
for family, kind, address in (
    (socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", PORT)),
    (socket.AF_INET, socket.SOCK_STREAM, ("192.0.2.1", 80)),
    (socket.AF_INET, socket.SOCK_STREAM, ("169.254.169.254", 80)),
    (socket.AF_INET, socket.SOCK_DGRAM, ("192.0.2.1", 53)),
    (socket.AF_UNIX, socket.SOCK_STREAM, "/var/run/docker.sock"),
):
    try:
        with socket.socket(family, kind) as attempt:
            attempt.settimeout(1)
            attempt.connect(address)
        print("reached", address)
    except OSError:
        pass
print([name for _, name in socket.if_nameindex() if name.startswith(("e", "w"))])
"""


def network(sandbox: Sandbox) -> str:
    """A run reaches no network, and nothing that listens on this machine."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        return failed(sandbox.run(_CONNECT.replace("PORT", str(port))), "[]")


_WRITE = """
import os, sys
for folder, folders, _ in os.walk("/"):
    if folder.count("/") > 3 or folder.startswith("/proc"):
        folders.clear()
    if folder in ("/tmp", "/dev/shm", os.path.dirname(__file__)):
        continue
    try:
        os.close(os.open(os.path.join(folder, "codeopt-probe"), os.O_CREAT | os.O_WRONLY))
        print("wrote to", folder)
    except OSError:
        pass
print("read" if os.path.exists(sys.argv[1]) else "out of sight")
"""


def files(sandbox: Sandbox) -> str:
    """A run writes to its own scratch folders only, and reads no file of ours."""
    with tempfile.NamedTemporaryFile(prefix="codeopt-canary-") as canary:
        return failed(sandbox.run(_WRITE, args=[canary.name]), "out of sight")


_LEAVE = """
import os, sys, tempfile
folder = tempfile.gettempdir()
prefixes = [sys.prefix, sys.base_prefix]
print([name for name in os.listdir(folder) if not any(f"{p}/".startswith(f"{folder}/{name}/") for p in prefixes)])
os.makedirs(folder + "/a/b")
open(folder + "/a/b/file", "w").close()
os.chmod(folder + "/a/b", 0)
os.symlink("/etc", folder + "/link")
"""


def clean_slate(sandbox: Sandbox) -> str:
    """No file of one run is there in the next."""
    return first(*(failed(sandbox.run(_LEAVE), "[]") for _ in range(2)))


_TRACES = """
import os
told = []
for folder, _, names in os.walk("/sys/fs/cgroup"):
    told += [name for name in names if os.access(os.path.join(folder, name), os.R_OK)]
folder = os.getcwd()
found = os.stat(folder)
if found.st_mtime or found.st_ctime_ns < os.stat(__file__).st_mtime_ns:
    told.append(f"times of {folder}")
print(told[:5])
open(folder + "/file", "w").close()
"""


def traces(sandbox: Sandbox) -> str:
    """No counter of the control group and no time of a scratch folder tells of an earlier run."""
    return first(*(failed(sandbox.run(_TRACES), "[]") for _ in range(2)))


_LOOK = """
import os
for pid in filter(str.isdigit, os.listdir("/proc")):
    if int(pid) == os.getpid():
        continue
    for name in ("environ", "mem", "maps", "fd/0", "fd/1"):
        try:
            os.close(os.open(f"/proc/{pid}/{name}", os.O_RDONLY | os.O_NONBLOCK))
            print("opened", pid, name)
        except OSError:
            pass
print([number for number in map(int, os.listdir("/proc/self/fd")) if number > 3])
"""


def out_of_sight(sandbox: Sandbox) -> str:
    """A run sees no memory, environment or descriptor of others."""
    return failed(sandbox.run(_LOOK), "[]")


_WHO = """
import os
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
caps = {int(status[name], 16) for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")}
print(os.getuid(), os.getgid(), os.getgroups(), caps, int(status["NoNewPrivs"]), int(status["Seccomp"]))
"""


def identity(sandbox: Sandbox) -> str:
    """A run has a user of its own, no capability and no way to gain one."""
    users = set()
    for _ in range(2):
        printed = sandbox.run(_WHO).stdout.decode(errors="replace").strip()
        uid, _, rest = printed.partition(" ")
        gid, _, rest = rest.partition(" ")
        if uid in ("", "0", str(os.getuid())) or gid == "0" or rest != "[] {0} 1 2":
            return f"user {uid}, group {gid}, groups, capabilities, no-new-privileges, seccomp: {rest}"
        users.add(uid)
    return "" if len(users) == 2 else "two runs have the same user"


_FIRST_TO_GO = """
import os
path = "/proc/self/oom_score_adj"
for name in (path, f"/proc/{os.getpid()}/task/{os.getpid()}/oom_score_adj", "/proc/1/oom_score_adj", path[:-4]):
    for text in ("0", "-1000", "999"):
        try:
            with open(name, "w") as file:
                file.write(text)
        except OSError:
            pass
print(open(path).read().strip())
"""


def ended_first(sandbox: Sandbox) -> str:
    """Where the machine runs out of memory a run is ended first, and cannot undo that."""
    return failed(sandbox.run(_FIRST_TO_GO), "1000")


_CALLS = {  # name: number on x86_64, on aarch64
    "add_key": (248, 217), "bpf": (321, 280), "clone3": (435, 435), "fsopen": (430, 430), "init_module": (175, 105),
    "io_uring_setup": (425, 425), "kcmp": (312, 272), "kexec_load": (246, 104), "keyctl": (250, 219),
    "memfd_create": (319, 279), "mount": (165, 40), "msgget": (68, 186), "open_by_handle_at": (304, 265),
    "perf_event_open": (298, 241), "personality": (135, 92), "pivot_root": (155, 41), "process_vm_readv": (310, 270),
    "ptrace": (101, 117), "reboot": (169, 142), "semget": (64, 190), "setns": (308, 268), "shmget": (29, 194),
    "sched_setaffinity": (203, 122), "swapon": (167, 224), "unshare": (272, 97), "userfaultfd": (323, 282),
}  # fmt: skip
_CALL = """
import ctypes, errno
libc = ctypes.CDLL(None, use_errno=True)
reached = []
for name, number in NUMBERS.items():
    ctypes.set_errno(0)
    if libc.syscall(number, 0, 0, 0, 0, 0, 0) != -1 or ctypes.get_errno() not in (errno.EPERM, errno.ENOSYS):
        reached.append(name)
print(reached)
"""


def calls(sandbox: Sandbox) -> str:
    """Calls that a program which computes never needs are denied."""
    column = 0 if platform.machine() == "x86_64" else 1
    numbers = {name: pair[column] for name, pair in _CALLS.items()}
    return failed(sandbox.run(_CALL.replace("NUMBERS", repr(numbers))), "[]")


_ASK_CACHE = """
import ctypes, mmap, os
libc = ctypes.CDLL(None, use_errno=True)
file = os.open(os.__file__, os.O_RDONLY)
pages = mmap.mmap(file, mmap.PAGESIZE, mmap.MAP_PRIVATE)
told = ctypes.create_string_buffer(4096)
told_of = []
if libc.mincore(ctypes.byref(ctypes.c_char.from_buffer(pages)), ctypes.c_size_t(mmap.PAGESIZE), told) == 0:
    told_of.append("mincore")
for flag in (0x8, 0x80):
    try:
        os.preadv(file, [bytearray(1)], 0, flag)
        told_of.append(f"preadv2 with {flag:#x}")
    except BlockingIOError:
        told_of.append(f"preadv2 with {flag:#x}")
    except OSError:
        pass
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
print(told_of)
"""


def file_cache(sandbox: Sandbox) -> str:
    """A run cannot ask what is in the kernel's cache of files, and its advice about it is ignored."""
    return failed(sandbox.run(_ASK_CACHE), "[]")


def clock_setting(sandbox: Sandbox) -> str:
    """A run cannot set the machine's clock."""
    source = "import time\ntry: time.clock_settime(0, time.clock_gettime(0))\nexcept OSError: print('refused')"
    return failed(sandbox.run(source), "refused")


# Probes: nothing is left of a run, of a guest that vanished, of an owner that was killed.

DAEMON = """
import os, signal, sys
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
            signal.signal(number, signal.SIG_IGN)
        os.execv(sys.executable, [sys.executable, "-c", "import time; time.sleep(600)", sys.argv[1]])
    os._exit(0)
os.wait()
print(1)
"""


def descendants(sandbox: Sandbox) -> str:
    """Whatever a run started is dead when it has ended."""
    marker = f"codeopt-{secrets.token_hex(8)}"
    run = sandbox.run(DAEMON, args=[marker])
    return failed(run, "1") or still_there(marker)


def still_there(marker: str) -> str:
    """Processes with the marker among their arguments that are left after a grace period."""
    limit = time.monotonic() + GONE_S
    while found := _with_argument(marker.encode()):
        if time.monotonic() > limit:
            return f"{len(found)} process(es) still there: {found[:5]}"
        time.sleep(0.05)
    return ""


def _with_argument(marker: bytes) -> list[str]:
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it ended while we looked
            if marker in (folder / "cmdline").read_bytes() and int(folder.name) != os.getpid():
                found.append(folder.name)
    return found


def lost_guest(sandbox: Sandbox) -> str:
    """A guest that vanished is replaced or reported, and never a verdict."""
    guest = sandbox._guest
    if guest is None:
        return "there is no guest to lose"
    if isinstance(guest.pipe, Child):  # as the kernel or an engine would: without a word to our end of the channel
        guest.pipe._process.kill()
        guest.pipe._process.wait()
    else:
        guest.pipe.kill()
    try:
        return failed(sandbox.run("print(1)"), "1")
    except SandboxError:
        return ""


_OWNER = """
import sys
from codeopt_sandbox import open_sandbox
sandbox = open_sandbox(sys.argv[1])
print("ready", flush=True)
sandbox.run(sys.stdin.read(), args=[sys.argv[2]])
"""


def killed_owner(sandbox: Sandbox) -> str:
    """Nothing is left of a run after kill -9 of the process that asked for it."""
    marker = f"codeopt-{secrets.token_hex(8)}"
    root = str(Path(__file__).parents[2])
    # The marker is in two halves, or the owner's own command line would hold it.
    command = [sys.executable, "-c", _OWNER.replace("sys.argv[2]", "sys.argv[2] + sys.argv[3]")]
    command += [sandbox.backend, marker[:12], marker[12:]]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))}
    source = DAEMON.replace("print(1)", "import time; time.sleep(600)")
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env) as owner:
        assert owner.stdin is not None
        assert owner.stdout is not None
        if not owner.stdout.readline():
            return "the owner's sandbox did not open, so nothing was tried"
        owner.stdin.write(source.encode())
        owner.stdin.close()
        limit = time.monotonic() + GONE_S
        while not _with_argument(marker.encode()) and time.monotonic() < limit:
            time.sleep(0.02)
        started = _with_argument(marker.encode())
        owner.send_signal(signal.SIGKILL)
    return still_there(marker) if started else "the run did not start, so nothing was tried"


# Observations of probes in words; empty where all is as it should be.

LIMITS = RunLimits(seconds=20.0, memory_mib=128, output_mib=1.0, processes=32, file_mib=8)
SHORT = RunLimits(seconds=0.5, memory_mib=128, output_mib=1.0, processes=32, file_mib=8)
GONE_S = 10.0  # how long after its end a run, or the process that owns it, may still be seen


def failed(run: Run, wanted: str) -> str:
    """Message about a run that should have printed `wanted`."""
    printed = run.stdout.decode(errors="backslashreplace").strip()
    if (run.exit, run.stop, printed) == (0, None, wanted):
        return ""
    trace = run.stderr.decode(errors="backslashreplace").strip()[-200:]
    return f"exit {run.exit}, signal {run.signal}, stop {run.stop}, printed {printed!r:.200} {trace}".strip()


def stopped(run: Run, stop: str) -> str:
    return "" if run.stop == stop else f"stop {run.stop} instead of {stop}; exit {run.exit}, signal {run.signal}"


def first(*seen: str) -> str:
    return next((text for text in seen if text), "")
