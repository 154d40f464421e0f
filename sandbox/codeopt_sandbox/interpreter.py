"""Interpreters and other programs of this machine, and what our own process takes from its surroundings.

An interpreter is asked once, started without its packages and the current folder.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from codeopt_sandbox.errors import BadInterpreter

START_S = 10.0
"""Time limit for the start of an interpreter, seconds; 0.03 s on an idle machine."""
OLDEST = (3, 8)
"""The code that runs inside knows no older one."""
SURROUNDINGS = ("HOME", "PYTHONNOUSERSITE", "PYTHONUSERBASE", "PATH", "PYENV_VERSION")
"""Variables by which the same file may say something else."""
_ASK = r"""
import json, os, platform, site, sys, sysconfig
folder = os.path.dirname(sys.executable)
marked = [each for each in (os.path.dirname(folder), folder) if os.path.isfile(os.path.join(each, "pyvenv.cfg"))]
prefix, shares = (marked or [sys.prefix])[0], True
if marked:
    with open(os.path.join(prefix, "pyvenv.cfg")) as file:
        lines = [line.lower().replace(" ", "") for line in file.read().splitlines()]
    shares = "include-system-site-packages=true" in lines
own = os.getuid() == os.geteuid() and not os.environ.get("PYTHONNOUSERSITE")
user = site.getusersitepackages() if own and shares else ""
folders = site.getsitepackages([prefix] + ([sys.base_prefix] if shares else [])) + ([user] if user else [])
version = "python%d.%d" % sys.version_info[:2] + getattr(sys, "abiflags", "")
names = {"lib", "lib64", getattr(sys, "platlibdir", "lib")}
if marked:
    folders += [os.path.join(prefix, name, version, "site-packages") for name in sorted(names)]
named = []
for folder in folders:
    for name in sorted(os.listdir(folder)) if os.access(folder, os.R_OK | os.X_OK) else ():
        if not name.endswith(".pth"):
            continue
        try:
            with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
                lines = file.read().replace("\0", "").splitlines()
        except OSError:
            continue
        named += [os.path.normpath(os.path.join(folder, line.strip())) for line in lines if line.strip()]
packages = ("site-packages", "dist-packages")
linked = [each for each in named if os.path.basename(os.path.realpath(each)) in packages and os.path.isdir(each)]
found = None
try:
    from importlib.metadata import distributions
    found = next((each.version for each in distributions(name="pytest", path=folders + linked)), None)
except ImportError:
    pass
prefixes = [prefix, sys.base_prefix, sys.prefix, sys.base_exec_prefix]
prefixes += [os.path.realpath(each) for each in prefixes]
libraries = [os.path.dirname(os.__file__)] + site.getsitepackages(prefixes)
libraries += [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
libraries += [os.path.join(each, name, version) for each in prefixes for name in sorted(names)]
libraries += linked
print(json.dumps({
    "executable": sys.executable, "version": platform.python_version(), "release": list(sys.version_info[:2]),
    "implementation": platform.python_implementation(), "pytest": found, "user_site": user,
    "prefixes": prefixes, "libraries": libraries, "user_base": site.getuserbase(),
}))
"""
"""`-I -S` disables packages, .pth files and files of the program's folder that run code at the start.

So the prefix and the packages of a virtual environment are found here. Debian's Python uses `dist-packages` for one
while it does not detect it. A .pth file may name packages of another environment, which count as libraries. Folders
with any other name are a user's sources.
"""


@dataclass(frozen=True)
class PythonFacts:
    """Facts that an interpreter reports of itself."""

    executable: str
    """Path of the interpreter that runs behind a shim; for a virtual environment its link, not the target of that."""
    version: str
    pytest: str | None
    """Version of pytest among its packages."""
    prefixes: tuple[str, ...]
    """Prefixes of the virtual environment and of the installation below it."""
    libraries: tuple[str, ...]
    """Folders that it imports from by itself, packages included."""
    user_site: str
    """Folder of the user's own packages; empty where it is not looked at."""
    user_base: str


def known_python(python: str) -> PythonFacts:
    """`ask_python`, started once in this process for a file that has not changed: each sandbox asks for the place of
    its libraries. The list of packages may be old. Raises BadInterpreter."""
    said = _last_said(python)
    return said[-1] if said else ask_python(python)


def ask_python(python: str) -> PythonFacts:
    """Start it and ask. Raises BadInterpreter, which says in one line what is wrong with it."""
    facts = _answer(python)
    _last_said(python)[:] = [facts]
    return facts


def _last_said(python: str) -> list[PythonFacts]:
    """The last answer of this file, where it has given one; to be put in here."""
    try:
        file = Path(python).stat()
    except (OSError, ValueError):
        return []
    surroundings = tuple(os.environ.get(name) for name in SURROUNDINGS)
    return _said(python, (file.st_dev, file.st_ino, file.st_size, file.st_mtime_ns), surroundings)


@lru_cache(maxsize=32)
def _said(_python: str, _file: tuple[int, ...], _surroundings: tuple[str | None, ...]) -> list[PythonFacts]:
    return []


def _answer(python: str) -> PythonFacts:
    status, out, err = _start(python, ["-I", "-S", "-c", _ASK])
    try:
        answer = json.loads(out)
        release, implementation = tuple(answer["release"]), answer["implementation"]
        facts = PythonFacts(
            answer["executable"], answer["version"], answer["pytest"], tuple(answer["prefixes"]),
            tuple(answer["libraries"]), answer["user_site"], answer["user_base"],
        )  # fmt: skip
    except (ValueError, KeyError, TypeError) as error:
        raise BadInterpreter(python, _why(python, status, err)) from error
    if release < OLDEST:
        raise BadInterpreter(python, _too_old(facts.version))
    if implementation != "CPython":
        raise BadInterpreter(python, f"is {implementation}; programs are run by CPython")
    return facts


def _too_old(version: str) -> str:
    return f"is Python {version}; {'.'.join(map(str, OLDEST))} is the oldest that can be used"


def _start(python: str, arguments: list[str]) -> tuple[int, str, str]:
    """(exit status, standard output, standard error). Raises BadInterpreter."""
    try:
        process = subprocess.Popen(
            [python, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            start_new_session=True,
        )  # fmt: skip
    except (OSError, ValueError) as error:
        raise BadInterpreter(python, _not_started(python, error)) from error
    with process:
        try:
            out, err = process.communicate(timeout=START_S)
        except subprocess.TimeoutExpired as error:
            raise BadInterpreter(python, f"did not answer within {START_S:g} s of its start") from error
        finally:  # also ends child processes, which may keep its output open
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
    return process.returncode, out.decode("utf-8", "replace"), err.decode("utf-8", "replace")


def _not_started(python: str, error: OSError | ValueError) -> str:
    path = Path(python)
    if isinstance(error, FileNotFoundError):
        if path.is_symlink() and not path.exists():
            return f"leads to {os.path.realpath(path)}, which is not there"
        return "cannot be started: what its first line names is not there" if path.is_file() else "is not there"
    if path.is_dir():
        return "is a folder"
    if isinstance(error, PermissionError):
        return "may not be started (permission denied)"
    return f"is no program that this machine can run ({getattr(error, 'strerror', None) or error})"


def _why(python: str, status: int, err: str) -> str:
    """Return the reason why a started program gave no answer. An old Python does not know the options."""
    _, out, said = _start(python, ["-V"])
    name, _, version = (out or said).strip().partition(" ")
    number = version.partition(".")
    if name == "Python" and number[0].isdigit() and int(number[0]) < OLDEST[0]:
        return _too_old(version)
    last = err.strip().rpartition("\n")[2][:200]
    if name == "Python":
        return f"does not start{': ' + last if last else f' (exit status {status})'}"
    return "is no Python"


# What our own process takes from its surroundings: programs, environment, standard streams.


def find_program(name: str) -> str | None:
    """Return the absolute path of a program, found by the absolute parts of PATH. None if it is not found."""
    parts = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return shutil.which(name, path=os.pathsep.join(part for part in parts if Path(part).is_absolute()))


def own_environment() -> dict[str, str]:
    """Environment for another Python of ours that runs in another folder: the parts of PYTHONPATH become absolute."""
    parts = [str(Path(part).absolute()) for part in os.environ.get("PYTHONPATH", "").split(os.pathsep) if part]
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return kept | ({"PYTHONPATH": os.pathsep.join(parts)} if parts else {})


# The standard streams of a command line, for callers that have closed them or do not read the output.

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""Error numbers of OSError for a full disk."""


def open_closed_streams() -> None:
    """Open /dev/null for each closed standard stream (`>&-`), so that only what goes there is lost."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: PTH123, SIM115


def drop_output() -> None:
    """Discard buffered output, with which the interpreter would fail at its end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
