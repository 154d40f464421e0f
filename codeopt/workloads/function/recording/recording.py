"""Calls that were recorded while a user's own command ran: where they are kept, and how they are taken."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from codeopt.core.errors import ProgramError, UsageError
from codeopt.core.ownership import foreign, require_own_way
from codeopt.core.run_store import keep_out_of_git
from codeopt.core.sanitize import inline
from codeopt.core.target import Target
from codeopt.core.words import counted
from codeopt.workloads.function.recording.instrumented_run import (
    RECORDERS,
    Instrument,
    UsersCommand,
    read_lines,
    run_watched,
)
from codeopt.workloads.sandbox_view.view import Module, locate
from codeopt.workloads.source.functions import Function

MOST_CALLS = 300
"""Maximum number of calls that are kept."""
MOST_OF_ONE = 600
"""Maximum number of calls that one process writes down."""
MOST_TEXT = 6_000_000
"""Characters of a recording."""
FOLDER = Path(".codeopt") / "calls"
MAINS = ("__main__", "__mp_main__")
"""Names of a module that is run as a program, and in a process that multiprocessing spawns."""


@dataclass(frozen=True)
class Recording:
    """Recording of one run of a user's command."""

    path: Path
    """File of the calls."""
    status: int
    """End of the command."""
    seen: int
    """Different calls of this run, also those that were known."""
    new: int
    kept: int
    """Number of calls kept, of this run and earlier ones."""
    lost: tuple[str, ...]
    """Reasons why some calls cannot be recorded."""
    processes: int
    """Interpreters that could be watched."""
    loaded: bool
    """One of them loaded the function's file."""
    program: tuple[str, ...]
    """Command line that was run."""

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
    return [] if foreign([path]) else read_lines(path)


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
        path=recording_file(module, function.qualname), status=run.status, seen=len(seen),
        new=len(seen.keys() - before), kept=kept, processes=run.processes, program=run.program,
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


def sample(calls: Sequence[str], most: int = MOST_CALLS, room: int = MOST_TEXT) -> list[str]:
    """A sample of many calls whose sizes are spread like those of all, the largest among them; in the same order."""
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
    ended = f" (the command ended with status {found.status})" if found.status else ""
    command = inline(" ".join(found.program), 200)
    if not found.called:
        raise ProgramError(f"{command} never called {target.name}: {_why_never(found, target)}{ended}")
    known = f", {found.kept} with those that were known" if found.kept > found.new else ""
    calls = f"{counted(found.new, 'new call')} of {target.name}"
    lines = [f"ran {command}", f"{calls} in {os.path.relpath(found.path)}{known}{ended}"]
    if found.lost:
        lines.append(f"some cannot be written down ({inline('; '.join(found.lost[:3]), 200)})")
    return lines


def _why_never(found: Recording, target: Target) -> str:
    if not found.processes:
        return "it started no Python (3.8 or later) that could be watched; -I, -E and -S keep the recorder out"
    if not found.loaded:
        several = "none of its Python processes" if found.processes > 1 else "its Python process never"
        return f"{several} loaded {target.path} (an installed copy of it is another file)"
    return f"{target.path} was loaded, the function was not called"
