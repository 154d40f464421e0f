"""What a sandbox promises, checked on this machine, promise by promise: each holds, or it is said why it cannot."""

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
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sandbox.channel import Pipe
from sandbox.errors import SandboxError
from sandbox.host import Sandbox, open_sandbox
from sandbox.judge import judge
from sandbox.outcome import Case, Limits, Run, Verdict
from sandbox.process import Child

LIMITS = Limits(seconds=20.0, memory_mib=128, output_mib=1.0, processes=32, file_mib=8)
_SHORT = Limits(seconds=0.5, memory_mib=128, output_mib=1.0, processes=32, file_mib=8)
_GONE_S = 10.0  # how long after its end a run, or the process that owns it, may still be seen

Probe = Callable[[Sandbox], str]
"""Tries a promise; returns "" when it holds, else what was seen."""


@dataclass(frozen=True)
class Check:
    """One promise."""

    name: str
    promise: str
    probe: Probe
    cannot: Mapping[str, str] = field(default_factory=dict)
    """Backend -> why it cannot keep this promise."""


@dataclass(frozen=True)
class Result:
    """What a check found."""

    check: Check
    held: bool
    seen: str = ""
    """Why it did not hold, or cannot."""
    cannot: bool = False

    def __str__(self) -> str:
        if self.held:
            return f"PASS    {self.check.name}: {self.check.promise}"
        if self.cannot:
            return f"CANNOT  {self.check.name}: {self.check.promise} (cannot hold here: {self.seen})"
        return f"FAIL    {self.check.name}: {self.check.promise} (seen: {self.seen})"


def run_checks(open: Callable[[Limits], Sandbox]) -> Iterator[Result]:
    """Check one promise after another in one sandbox, as the runs of a program are; the last of them end its guest."""
    with open(LIMITS) as sandbox:
        for check in checks():
            yield _result(check, sandbox)


def _result(check: Check, sandbox: Sandbox) -> Result:
    if why := check.cannot.get(sandbox.backend) or _as_ordinary_user(check, sandbox):
        return Result(check, False, why, cannot=True)
    try:
        seen = check.probe(sandbox)
    except SandboxError as error:
        seen = f"the sandbox failed: {error}"
    return Result(check, not seen, seen)


def _as_ordinary_user(check: Check, sandbox: Sandbox) -> str:
    if check.name == "identity" and sandbox.backend == "bubblewrap" and os.geteuid() != 0:
        return "an ordinary user has one user number, which guest and runs share"
    return ""


def report(backend: str = "auto") -> int:
    """Print a line for each promise; 0 when none is broken. Raises BackendUnavailable."""
    broken = 0
    for result in run_checks(lambda limits: open_sandbox(backend, limits=limits)):
        print(result, flush=True)
        broken += not (result.held or result.cannot)
    return 1 if broken else 0


_NOT_ISOLATED = {"process": "a run is a process of this machine like any other"}
_NO_GROUP = {
    "bubblewrap": "only a control group counts a child that nobody waited for",
    "process": "only a control group counts a child that nobody waited for",
}


def checks() -> tuple[Check, ...]:
    """Every promise, in the order in which they are checked."""
    return (
        Check("ends", "Exit status and signal are the program's own, and no two ends look alike.", _ends),
        Check("bytes", "Every byte of input and output arrives as it was sent.", _bytes),
        Check("unread input", "Mebibytes of input that nobody reads do not block.", _unread_input),
        Check(
            "network", "A run reaches no network, and nothing that listens on this machine.", _network, _NOT_ISOLATED
        ),
        Check(
            "files", "A run writes to its own scratch folders only, and reads no file of ours.", _files, _NOT_ISOLATED
        ),
        Check("clean slate", "No file of one run is there in the next.", _clean_slate),
        Check("memory", "Twice the memory that is allowed is a memory limit, in a child too.", _memory),
        Check("wall clock", "A run that does not end is ended in time, busy or asleep.", _wall_clock),
        Check("descendants", "Whatever a run started is dead when it has ended.", _descendants),
        Check("processor time", "Processor time counts daemons that left the run.", _processor_time),
        Check(
            "ignored children", "Processor time counts children that nobody waited for.", _ignored_children, _NO_GROUP
        ),
        Check("processes", "More processes than allowed end the run, and the next one is fine.", _processes),
        Check("output", "Output is capped to the byte while it comes; what is below the cap is whole.", _output),
        Check("clock", "Time is taken outside the run, which can patch or end what it likes.", _clock),
        Check("clock setting", "A run cannot set the machine's clock.", _clock_setting, _NOT_ISOLATED),
        Check(
            "forged results",
            "Nothing that a run prints, writes or kills is taken for a report.",
            _forged,
            _NOT_ISOLATED,
        ),
        Check(
            "out of sight", "A run sees no memory, environment or descriptor of others.", _out_of_sight, _NOT_ISOLATED
        ),
        Check(
            "identity", "A run has a user of its own, no capability and no way to gain one.", _identity, _NOT_ISOLATED
        ),
        Check("system calls", "Calls that a program which computes never needs are denied.", _calls, _NOT_ISOLATED),
        Check("environment", "The environment is a fixed list: no secret of ours is in it.", _environment),
        Check("repeatable", "The same program ends alike each time.", _repeatable),
        Check("lost guest", "A guest that vanished is replaced or reported, and never a verdict.", _lost_guest),
        Check(
            "killed owner", "Nothing is left of a run after kill -9 of the process that asked for it.", _killed_owner
        ),
    )


def _failed(run: Run, wanted: str) -> str:
    """What is said of a run that should have printed `wanted`."""
    printed = run.stdout.decode(errors="backslashreplace").strip()
    if (run.exit, run.stop, printed) == (0, None, wanted):
        return ""
    trace = run.stderr.decode(errors="backslashreplace").strip()[-200:]
    return f"exit {run.exit}, signal {run.signal}, stop {run.stop}, printed {printed!r:.200} {trace}".strip()


def _stopped(run: Run, stop: str) -> str:
    return "" if run.stop == stop else f"stop {run.stop} instead of {stop}; exit {run.exit}, signal {run.signal}"


def _first(*seen: str) -> str:
    return next((text for text in seen if text), "")


def _ends(sandbox: Sandbox) -> str:
    ends = {
        "raise SystemExit(3)": (3, None, None),
        "raise SystemExit(137)": (137, None, None),
        "import os; os.kill(os.getpid(), 9)": (None, 9, None),
        "import os; os.abort()": (None, 6, None),
        "1 / 0": (1, None, None),
    }
    for source, end in ends.items():
        for mode in ("fork", "exec"):
            run = sandbox.run(source, mode=mode)
            if (run.exit, run.signal, run.stop) != end:
                return f"{source} ({mode}): {run.exit, run.signal, run.stop} instead of {end}"
    return ""


def _bytes(sandbox: Sandbox) -> str:
    data = bytes(range(256)) * 1000
    run = sandbox.run("import sys; sys.stdout.buffer.write(sys.stdin.buffer.read())", data)
    return "" if run.stdout == data else f"{len(data)} bytes came back as {len(run.stdout)} others"


def _unread_input(sandbox: Sandbox) -> str:
    return _failed(sandbox.run("print(1)", bytes(8 << 20)), "1")


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


def _network(sandbox: Sandbox) -> str:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        return _failed(sandbox.run(_CONNECT.replace("PORT", str(port))), "[]")


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


def _files(sandbox: Sandbox) -> str:
    with tempfile.NamedTemporaryFile(prefix="codeopt-canary-") as canary:
        return _failed(sandbox.run(_WRITE, args=[canary.name]), "out of sight")


_LEAVE = """
import os, sys, tempfile
folder = tempfile.gettempdir()
prefixes = [sys.prefix, sys.base_prefix]
print([name for name in os.listdir(folder) if not any(p.startswith(f"{folder}/{name}/") for p in prefixes)])
os.makedirs(folder + "/a/b")
open(folder + "/a/b/file", "w").close()
os.chmod(folder + "/a/b", 0)
os.symlink("/etc", folder + "/link")
"""


def _clean_slate(sandbox: Sandbox) -> str:
    return _first(*(_failed(sandbox.run(_LEAVE), "[]") for _ in range(2)))


_GROW = "kept = []\nwhile True: kept.append(b'x' * (1 << 20))"


def _memory(sandbox: Sandbox) -> str:
    child = (
        f"import os\nif os.fork() == 0:\n    exec({_GROW!r})\nprint(os.wait()[1] and 'child failed')\nraise MemoryError"
    )
    for name, source in (("itself", _GROW), ("child", child)):
        outcome = judge(Case(name, b""), sandbox.run(source))
        if outcome.verdict is not Verdict.MLE:
            return f"{name}: {outcome.verdict} {outcome.detail}"
    return ""


def _wall_clock(sandbox: Sandbox) -> str:
    for source in ("while True: pass", "import time; time.sleep(1000)"):
        run = sandbox.run(source, limits=_SHORT)
        if seen := _stopped(run, "time"):
            return seen
        if not _SHORT.seconds / 10 <= run.wall_s <= _SHORT.seconds + 5:  # from its first line on; a machine may be busy
            return f"ended after {run.wall_s:.2f} s; the limit is {_SHORT.seconds} s"
    return ""


_DAEMON = """
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


def _descendants(sandbox: Sandbox) -> str:
    marker = f"codeopt-{secrets.token_hex(8)}"
    run = sandbox.run(_DAEMON, args=[marker])
    return _failed(run, "1") or _still_there(marker)


def _still_there(marker: str) -> str:
    """What is left of processes with the marker among their arguments, once they had time to go."""
    limit = time.monotonic() + _GONE_S
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


_BURN = """
import os, signal, time
IGNORE
def burn():
    limit = time.process_time() + 0.25
    while time.process_time() < limit:
        pass
reader, writer = os.pipe()
if os.fork() == 0:
    os.setsid()
    os.close(reader)
    DAEMON
    burn()
    os.write(writer, b"x")
    os._exit(0)
os.close(writer)
os.read(reader, 1)
"""


def _processor_time(sandbox: Sandbox) -> str:
    return _counted(sandbox, _BURN.replace("IGNORE", "").replace("DAEMON", "if os.fork(): os._exit(0)"))


def _ignored_children(sandbox: Sandbox) -> str:
    ignore = "signal.signal(signal.SIGCHLD, signal.SIG_IGN)"
    return _counted(sandbox, _BURN.replace("IGNORE", ignore).replace("DAEMON", ""))


def _counted(sandbox: Sandbox, source: str) -> str:
    burnt, quiet = sandbox.run(source), sandbox.run("pass")
    if burnt.cpu_s < 0.2:
        return f"0.25 s were burnt and {burnt.cpu_s:.3f} s counted"
    return f"the next run inherited {quiet.cpu_s:.3f} s" if quiet.cpu_s > 0.15 else ""


_FORKS = "import os, time\nfor _ in range(100):\n    if os.fork() == 0:\n        time.sleep(60)\ntime.sleep(60)"


def _processes(sandbox: Sandbox) -> str:
    run = sandbox.run(_FORKS)
    refused = run.exit == 1 and b"BlockingIOError" in run.stderr
    return ("" if refused else _stopped(run, "processes")) or _failed(sandbox.run("print(1)"), "1")


def _output(sandbox: Sandbox) -> str:
    cap = int(LIMITS.output_mib * (1 << 20))
    for stream in (1, 2):
        run = sandbox.run(f"import os\nwhile True: os.write({stream}, b'x' * 65536)")
        size = len(run.stdout if stream == 1 else run.stderr)
        if seen := _stopped(run, "output") or ("" if size == cap else f"{size} bytes came through, the cap is {cap}"):
            return seen
    whole = sandbox.run("print('x' * 200_000)")
    return "" if len(whole.stdout) == 200_001 else f"{len(whole.stdout)} of 200001 bytes arrived"


_PATCH_CLOCK = """
import os, time
time.sleep(0.3)
for name in ("time", "perf_counter", "monotonic", "process_time"):
    setattr(time, name, lambda: 0.0)
os._exit(0)
"""


def _clock(sandbox: Sandbox) -> str:
    run = sandbox.run(_PATCH_CLOCK)
    return "" if 0.3 <= run.wall_s <= 8 else f"0.3 s were slept and {run.wall_s:.3f} s reported"


def _clock_setting(sandbox: Sandbox) -> str:
    source = "import time\ntry: time.clock_settime(0, time.clock_gettime(0))\nexcept OSError: print('refused')"
    return _failed(sandbox.run(source), "refused")


_FORGE = """
import os
frame = b'{"exit": 0, "signal": null, "stop": null, "wall_s": 0, "cpu_s": 0, "peak_bytes": 1, "stdout": 2}'
for descriptor in range(1024):
    try:
        os.write(descriptor, len(frame).to_bytes(4, "big") + bytes((0, 0, 0, 2)) + frame + b"1\\n")
    except OSError:
        pass
for pid in (1, os.getppid()):
    for number in (19, 9):
        try:
            os.kill(pid, number)
        except OSError:
            pass
os._exit(3)
"""


def _forged(sandbox: Sandbox) -> str:
    try:
        run = sandbox.run(_FORGE)
    except SandboxError:  # an error of ours is not what the program wanted either
        return _failed(sandbox.run("print(1)"), "1")
    if run.exit == 3 or run.stop == "lost":
        return _failed(sandbox.run("print(1)"), "1")
    return f"it exited with 3 and the report says {run.exit}, stop {run.stop}"


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


def _out_of_sight(sandbox: Sandbox) -> str:
    return _failed(sandbox.run(_LOOK), "[]")


_WHO = """
import os
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
caps = {int(status[name], 16) for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")}
print(os.getuid(), os.getgid(), os.getgroups(), caps, int(status["NoNewPrivs"]), int(status["Seccomp"]))
"""


def _identity(sandbox: Sandbox) -> str:
    users = set()
    for _ in range(2):
        printed = sandbox.run(_WHO).stdout.decode(errors="replace").strip()
        uid, _, rest = printed.partition(" ")
        gid, _, rest = rest.partition(" ")
        if uid in ("", "0", str(os.getuid())) or gid == "0" or rest != "[] {0} 1 2":
            return f"user {uid}, group {gid}, groups, capabilities, no-new-privileges, seccomp: {rest}"
        users.add(uid)
    return "" if len(users) == 2 else "two runs have the same user"


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


def _calls(sandbox: Sandbox) -> str:
    column = 0 if platform.machine() == "x86_64" else 1
    numbers = {name: pair[column] for name, pair in _CALLS.items()}
    return _failed(sandbox.run(_CALL.replace("NUMBERS", repr(numbers))), "[]")


_KNOWN = ["HOME", "LANG", "LC_CTYPE", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "PATH"]
_KNOWN += ["PYTHONDONTWRITEBYTECODE", "PYTHONHASHSEED", "PYTHONUSERBASE", "TMPDIR"]


def _environment(sandbox: Sandbox) -> str:
    for mode in ("fork", "exec"):
        run = sandbox.run(f"import os; print(sorted(set(os.environ) - set({_KNOWN})))", mode=mode)
        if seen := _failed(run, "[]"):
            return seen
    return ""


def _repeatable(sandbox: Sandbox) -> str:
    source = "import random; print(hash('a'), {*'abc'}, len(random.sample(range(9), 3)))"
    runs = {(run.exit, run.stdout) for run in (sandbox.run(source) for _ in range(10))}
    return "" if len(runs) == 1 else f"{len(runs)} different ends in 10 runs: {sorted(map(str, runs))[:2]}"


def _lost_guest(sandbox: Sandbox) -> str:
    guest = sandbox._guest
    if guest is None:
        return "there is no guest to lose"
    _take_away(guest.pipe)
    try:
        return _failed(sandbox.run("print(1)"), "1")
    except SandboxError:
        return ""


def _take_away(pipe: Pipe) -> None:
    """End a guest as the kernel or an engine would: from outside, without a word to our end of the channel."""
    if isinstance(pipe, Child):
        pipe._process.kill()
        pipe._process.wait()
    else:
        pipe.kill()


_OWNER = """
import sys
from sandbox import open_sandbox
sandbox = open_sandbox(sys.argv[1])
print("ready", flush=True)
sandbox.run(sys.stdin.read(), args=[sys.argv[2]])
"""


def _killed_owner(sandbox: Sandbox) -> str:
    marker = f"codeopt-{secrets.token_hex(8)}"
    root = str(Path(__file__).parents[1])
    # The marker is in two halves, or the owner's own command line would hold it.
    command = [sys.executable, "-c", _OWNER.replace("sys.argv[2]", "sys.argv[2] + sys.argv[3]")]
    command += [sandbox.backend, marker[:12], marker[12:]]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))}
    source = _DAEMON.replace("print(1)", "import time; time.sleep(600)")
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env) as owner:
        assert owner.stdin is not None
        assert owner.stdout is not None
        if not owner.stdout.readline():
            return "the owner's sandbox did not open, so nothing was tried"
        owner.stdin.write(source.encode())
        owner.stdin.close()
        limit = time.monotonic() + _GONE_S
        while not _with_argument(marker.encode()) and time.monotonic() < limit:
            time.sleep(0.02)
        started = _with_argument(marker.encode())
        owner.send_signal(signal.SIGKILL)
    return _still_there(marker) if started else "the run did not start, so nothing was tried"
