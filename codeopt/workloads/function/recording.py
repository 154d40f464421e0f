"""Calls recorded while a command of the user runs."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from codeopt.core.errors import ProgramError, UsageError
from codeopt.core.ownership import foreign, require_own_way
from codeopt.core.program import Target
from codeopt.core.run_store import keep_out_of_git
from codeopt.core.sanitize import inline
from codeopt.core.words import counted
from codeopt.workloads.sandbox_view.view import Module, locate
from codeopt.workloads.source.functions import Function, read_functions
from codeopt_sandbox.guest_bundle import loading
from codeopt_sandbox.owner import temporary_folder
from codeopt_sandbox.plain_files import read_text

# Calls that were recorded while a user's own command ran: where they are kept, and how they are taken.

MOST_CALLS = 300
"""Maximum number of calls that are kept."""
MOST_OF_ONE = 600
"""Maximum number of calls that one process writes down."""
FOLDER = Path(".codeopt") / "calls"
MAINS = ("__main__", "__mp_main__")
"""Names of a module that is run as a program, and in a process that multiprocessing spawns."""


@dataclass(frozen=True)
class Recording:
    """Recording of one run of a user's command."""

    path: Path
    """File of the calls."""
    run: WatchedRun
    seen: int
    """Different calls of this run, also those that were known."""
    new: int
    kept: int
    """Number of calls kept, of this run and earlier ones."""
    lost: tuple[str, ...]
    """Reasons why some calls cannot be recorded."""
    loaded: bool
    """An interpreter loaded the function's file."""

    @property
    def called(self) -> bool:
        return bool(self.seen or self.lost)


def recording_file(module: Module, qualname: str) -> Path:
    """File of a function's recorded calls: in the project, below .codeopt."""
    return module.root / FOLDER / f"{module.name}.{qualname}.txt"


def recorded_calls(function: Function) -> list[str]:
    """Calls recorded earlier; none when there is no recording."""
    return _calls(_lines(function))


def known_as(function: Function) -> tuple[str, ...]:
    """Other names under which recorded arguments know the function's module."""
    return (*MAINS, *(line.removeprefix("@ loaded ") for line in _lines(function) if line.startswith("@ loaded ")))


def left_out(function: Function) -> str:
    """Return the reason why recorded calls are ignored, or empty."""
    path = recording_file(locate(function.path), function.qualname)
    return foreign([path]).get(path, "")


def _lines(function: Function) -> list[str]:
    """Lines of the user's own recording."""
    return _own_lines(recording_file(locate(function.path), function.qualname))


def _own_lines(path: Path) -> list[str]:
    return [] if foreign([path]) or not path.is_file() else list(dict.fromkeys(_all_lines(path)))


def _calls(lines: Iterable[str]) -> list[str]:
    return [line for line in lines if line.startswith("f(")]


def record(function: Function, command: UsersCommand) -> Recording:
    """Run the user's own command, as they would, with a recorder in its interpreters.

    Nothing is isolated: it is the user's command on the user's machine. Raises UsageError.
    """
    module = locate(function.path)
    arguments = (str(module.path), function.qualname, MOST_OF_ONE)
    watch = Instrument("tests.recorded_module", arguments, "install_for_file", RECORDERS)
    _make_folder(module)
    run = run_watched(command, module.root, watch)
    lines = run.lines
    before = set(recorded_calls(function))
    seen = dict.fromkeys(_calls(lines))
    kept = _keep(module, recording_file(module, function.qualname), lines) if seen else len(before)
    return Recording(
        path=recording_file(module, function.qualname), run=run, seen=len(seen), new=len(seen.keys() - before),
        kept=kept,
        lost=tuple(dict.fromkeys(line.removeprefix("# ") for line in lines if line.startswith("# "))),
        loaded=any(line.startswith("@ loaded ") for line in lines),
    )  # fmt: skip


def keep_calls(module: Module, qualname: str, calls: Sequence[str]) -> int:
    """Add calls to the recorded ones and return their number.

    Raises:
        UsageError: The file cannot be written.
    """
    _make_folder(module)
    return _keep(module, recording_file(module, qualname), calls)


def _make_folder(module: Module) -> None:
    """Make the folder of recorded calls, before anything is run for them. Raises UsageError."""
    folder = module.root / FOLDER
    require_own_way(folder, f"{folder}, the folder of recorded calls,")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        keep_out_of_git(folder.parent)
    except OSError as error:
        raise UsageError(f"cannot keep calls in {folder}: {error.strerror}") from error
    if not os.access(folder, os.W_OK):
        raise UsageError(f"cannot keep calls in {folder}: it is read-only for you")


def _keep(module: Module, path: Path, lines: Sequence[str]) -> int:
    """Merge calls into the recorded ones atomically and return their number."""
    names = {f"@ loaded {name}" for name in (*MAINS, module.name)}
    heads = [line for line in lines if line.startswith("@ loaded ") and line not in names]
    merged = dict.fromkeys([*_own_lines(path), *heads, *lines])
    calls = sample(_calls(merged))
    others = [line for line in merged if line.startswith(("# ", "@ loaded ")) and line not in names]
    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", errors="surrogatepass", dir=path.parent, prefix=path.name, delete=False
    ) as file:
        file.write("".join(f"{line}\n" for line in [*others, *calls]))
    Path(file.name).replace(path)
    return len(calls)


def sample(calls: Sequence[str], most: int = MOST_CALLS, room: int = 6_000_000) -> list[str]:
    """A sample of many calls whose sizes are spread like those of all, the largest among them; in the same order. room:
    characters of a recording."""
    by_size = sorted(range(len(calls)), key=lambda at: -len(calls[at]))
    while most > 1:
        count = min(most, len(calls))
        chosen = sorted({by_size[at * len(calls) // count] for at in range(count)})
        if sum(len(calls[at]) for at in chosen) <= room:
            return [calls[at] for at in chosen]
        most //= 2
    return [calls[by_size[0]]]


def said_of(found: Recording, target: Target) -> list[str]:
    """Summary of a recording, in lines. Raises ProgramError when the function was never called."""
    run = found.run
    ended = f" (the command ended with status {run.status})" if run.status else ""
    command = inline(" ".join(run.program), 200)
    if not found.called:
        why = f"{target.path} was loaded, the function was not called"
        if not found.loaded:
            several = "none of its Python processes" if run.processes > 1 else "its Python process never"
            why = f"{several} loaded {target.path} (an installed copy of it is another file)"
        if not run.processes:
            why = "it started no Python (3.8 or later) that could be watched; -I, -E and -S keep the recorder out"
        raise ProgramError(f"{command} never called {target.name}: {why}{ended}")
    known = f", {found.kept} with those that were known" if found.kept > found.new else ""
    calls = f"{counted(found.new, 'new call')} of {target.name}"
    lines = [f"ran {command}", f"{calls} in {os.path.relpath(found.path)}{known}{ended}"]
    if found.lost:
        lines.append(f"some cannot be written down ({inline('; '.join(found.lost[:3]), 200)})")
    return lines


# Runs a user's own command with a module of ours in each Python that it starts, which writes lines for us.
#
# A project's command in the sandbox is watched in the same way.

PYTHONS = ("python", "python3")


def as_the_user_runs_it(command: Sequence[str], project: Path, python: str | None = None) -> list[str]:
    """Return the command with the path of its program.

    Places in their order: the folder of the --python interpreter, the active environment, the project's own, PATH, and
    the environment of codeopt. With --python the word `python` means that interpreter.

    Raises:
        UsageError: No place has the program.
    """
    name = command[0]
    if "/" in name:
        return list(command)
    if python and name in PYTHONS:
        return [python, *command[1:]]
    names = PYTHONS if name == "python" else (name,)
    named = [str(Path(python).parent)] if python else []
    active = os.environ.get("VIRTUAL_ENV")
    roots = [*([Path(active)] if active else []), project / ".venv", project / "venv"]
    environments = [str(root / "bin") for root in roots if (root / "bin").is_dir()]
    on_path = os.environ.get("PATH")
    for folders in (*named, *environments, on_path, str(Path(sys.executable).parent)):
        for each in names:
            if found := shutil.which(each, path=folders):
                return [found, *command[1:]]
    raise UsageError(f"cannot run {name}: it is not in {project}/.venv, nor on PATH")


HOOK = """
import os, sys, time
_begun = time.process_time()
_folder = os.path.dirname(os.path.abspath(__file__))
sys.path[:] = [path for path in sys.path if path != _folder]
if sys.version_info >= (3, 8):
{indented}
    _log = _space["CallLog"](_folder)
    _watch = _bundle.load("{module}").{function}
    _log.write("@ hook %.6f" % (time.process_time() - _begun))
    _watch({first}*{arguments!r}, _log.write)
    from importlib.machinery import PathFinder as _finder
    _spec = _finder.find_spec("sitecustomize")
    if _spec is not None and _spec.loader is not None:
        from importlib.util import module_from_spec as _make
        sys.modules["sitecustomize"] = _make(_spec)
        _spec.loader.exec_module(sys.modules["sitecustomize"])
"""
"""A sitecustomize module: Python imports it before a program begins. It also runs the next one on the path."""


RECORDERS = ("tests/", "calls/__init__", "calls/repr/")
"""Files of the guest that recorders of calls need, by how their paths begin."""
SAMPLERS = ("profile/__init__", "profile/sampler", "profile/counter", "profile/start_and_end")
"""Files of the guest that samplers and counters need."""


@dataclass(frozen=True)
class Instrument:
    """Instrumentation of each interpreter: a function of a module of codeopt_sandbox.guest; its last argument
    writes a line."""

    module: str
    arguments: tuple[Any, ...] = ()
    function: str = "install"
    needs: tuple[str, ...] = SAMPLERS

    def hook(self, first: str = "") -> str:
        """Return the text of a sitecustomize module. first: Python text of arguments before the others."""
        indented = "".join(f"    {line}" for line in loading(*self.needs).splitlines(keepends=True))
        names = {"module": self.module, "function": self.function, "arguments": self.arguments}
        return HOOK.format(indented=indented, first=first, **names)


def sampler(*root: str, waits: bool) -> Instrument:
    """Sampler of stacks, by wall time where a process waits or else by CPU time. root: folder of the project, where
    the hook does not give it."""
    return Instrument("profile.sampler", (*root, waits))


@dataclass(frozen=True)
class WatchedRun:
    """End of a command, and what was seen of it."""

    program: tuple[str, ...]
    """Command line that was run."""
    status: int
    lines: tuple[str, ...]
    """Lines of one process after the other."""

    @property
    def processes(self) -> int:
        """Interpreters that could be watched."""
        return sum(line.startswith("@ hook ") for line in self.lines)


@dataclass(frozen=True)
class UsersCommand:
    words: Sequence[str]
    python: str | None = None
    """Interpreter for the word `python`, given by --python."""
    stdout: int | None = None
    """File descriptor of its output, if not our own."""


def run_watched(command: UsersCommand, project: Path, watch: Instrument) -> WatchedRun:
    """Run it, as its user would. Raises UsageError where it cannot be run."""
    program = as_the_user_runs_it(command.words, project, command.python)
    with temporary_folder("record") as folder:
        (folder / "sitecustomize.py").write_text(watch.hook(), "utf-8")
        paths = [str(folder), *filter(None, [os.environ.get("PYTHONPATH")])]
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
        try:
            done = subprocess.run(program, env=env, stdout=command.stdout)
        except OSError as error:
            raise UsageError(f"cannot run {command.words[0]}: {error.strerror}") from error
        lines = tuple(line for path in sorted(folder.glob("*.txt")) for line in _all_lines(path))
    return WatchedRun(tuple(program), done.returncode, lines)


def events(lines: Iterable[str]) -> Iterator[tuple[str, Any]]:
    """Yield (kind, payload) of lines of events. Malformed lines are skipped."""
    for line in lines:
        if line.startswith("@ "):
            kind, _, text = line[2:].partition(" ")
            try:
                value = json.loads(text)
            except ValueError:
                continue
            yield kind, value


def _all_lines(path: Path) -> list[str]:
    return read_text(path, "surrogatepass").split("\n")


# The functions of a file that take the time of a user's own command.


@dataclass(frozen=True)
class RunShares:
    """Shares of the functions in one run."""

    functions: tuple[tuple[str, float], ...]
    """Qualified name and share, 0 to 1, the largest first.

    A share is the function's own CPU time with its library calls, of the CPU time of all processes.
    """
    seconds: float
    """CPU time of all processes together, seconds."""

    @property
    def words(self) -> str:
        """The largest, for people."""
        return ", ".join(f"{name} {share:.0%}" for name, share in self.functions[:6])


def run_shares(path: Path, command: UsersCommand) -> RunShares:
    """Run the command and look which functions are at work. Raises UsageError, ProgramError where none is ever seen."""
    functions = list(read_functions(path).usable())
    if not functions:
        raise UsageError(f"{path} has no function that could be improved")
    module = locate(path)
    run = run_watched(command, module.root, sampler(str(module.root), waits=False))
    seconds, total = _seconds(run, f"/{module.path.relative_to(module.root)}", functions)
    if not seconds:
        program = inline(" ".join(run.program), 200)
        raise ProgramError(
            f"no function of {path} was seen at work in {total:.2f} s of {program}",
            hint="give a run that uses it longer, or name FILE::FUNCTION",
        )
    ranked = sorted(seconds.items(), key=lambda item: -item[1])
    return RunShares(tuple((name, spent / total) for name, spent in ranked), total)


def _seconds(run: WatchedRun, file: str, functions: Sequence[Function]) -> tuple[dict[str, float], float]:
    """Return the seconds by function, and of all samples; a function inside another counts for that."""
    seconds: dict[str, float] = defaultdict(float)
    total = 0.0
    for stack, *_, spent in (row for kind, row in events(run.lines) if kind == "stack"):
        total += float(spent)
        path, _, line = stack[-1].rpartition(":") if stack else ("", "", "")
        owner = next((f for f in functions if path == file and f.first_line <= int(line) <= f.last_line), None)
        if owner is not None:
            seconds[owner.qualname] += float(spent)
    return seconds, total
