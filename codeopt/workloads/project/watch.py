"""The command's own run as a profile: whose time it is, where it waits, and how often its functions call each other."""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from codeopt.analysis.nodes import first_line, last_line
from codeopt.core.errors import ProgramError
from codeopt.core.interpreter import Interpreter
from codeopt.core.options import ImproveOptions
from codeopt.core.program import Target
from codeopt.core.revision import UNCHANGED, Revision
from codeopt.core.session import Session
from codeopt.core.words import end_of_run
from codeopt.report.stacks import Frame
from codeopt.workloads._protocol import WorkloadRequest
from codeopt.workloads.function.recording import Instrument, events, sampler
from codeopt.workloads.project.command import WATCH
from codeopt.workloads.project.profile import (
    CalledBy,
    FunctionTime,
    GivenArgument,
    ProjectProfile,
    QueryLine,
    Sample,
    WaitLine,
    given_back,
    make_profile,
    with_sampled_lines,
)
from codeopt.workloads.project.project_program import ProjectFiles, ProjectProgram, read_project
from codeopt.workloads.project.runs import CommandRuns, error_of, open_command
from codeopt.workloads.source.functions import definitions
from codeopt.workloads.source.module_graph import read_module
from codeopt_sandbox.guest.profile.counter import MOST_CALLS
from codeopt_sandbox.outcome import Case, Run, RunLimits

if TYPE_CHECKING:
    from codeopt.report.answers import CommandProfileJson


SHORT_S = 1.0
"""Time of all sampled runs, seconds, after which there is no further one: a longer command is sampled once."""
MOST = 10
"""Number of functions that are counted for their own time, and as many for their time with all that they call."""
WIDTH = 8
"""Bytes of a count."""


def profile_command(
    runs: CommandRuns, draft: Revision, plain: Run | None = None, *, counts: bool = True
) -> ProjectProfile:
    """Run the command unprofiled and under a sampler.

    Args:
        runs: Runs of the command.
        draft: Edits of the project.
        plain: Earlier unprofiled run of the same edits.
        counts: Also run it with a count of the calls of the functions that matter. Queries of a database are counted in
            any case.

    Raises:
        ProgramError: The command fails.
    """
    plain = plain or runs.run(draft)
    require_good(plain, runs)
    runs.allow_after(plain)
    watched: list[EventLog] = []
    # Maximum number of runs of a very short command
    while len(watched) < 12:
        watched.append(watched_run(runs, draft, sampler(waits=False)))
        require_good(watched[-1].run, runs)
        seconds = sum(float(row[4]) for each in watched for row in each.of("stack"))
        # CPU time that the samples of a short command are to cover, seconds; it is run several times. The kernel's
        # clock gives a sample each 4 ms, and a share of 10 % is then known to about 3 %.
        if seconds >= 0.6 or sum(each.run.active_s for each in watched) >= SHORT_S:
            break
    names = Names({path: content for path, content in runs.with_edits(draft) if path.endswith(".py")})
    samples = [each for run in watched for row in run.of("stack") for each in samples_of(row, names, len(watched))]
    begun = sum(float(seconds) for each in watched for seconds in each.of("begun")) / len(watched)
    found = make_profile(plain, samples, None, begun, {}, {})
    notes = [] if counts else ["calls are not counted (-v counts those of the hottest functions)"]
    # 95 % of samples, 4 ms each, of a share of one half lie so near to it; said from a twentieth on
    uncertain = max(1.0, seconds / 0.004) ** -0.5
    notes += [f"the shares are coarse: known to {uncertain:.0%}"] * (uncertain > 0.05)
    asks = any(each.of("database") for each in watched)
    functions = worth_counting(found.functions, names) if counts else ()
    if functions or asks:
        found, lost = _counted(runs, draft, plain, names, found, functions, asks=asks)
        notes += lost
    # Minimum share of the clock that a command waits where it is looked for what it waits for
    if plain.waiting_share >= 0.1:
        waiting = watched_run(runs, draft, sampler(waits=True))
        if _is_whole(waiting.run, plain):
            found = replace(found, waits=wait_lines(waiting.of("wait"), names.spot, plain))
        else:
            notes.append("where it waits is not known: the command did not end under the sampler of waiting")
    return with_sampled_lines(replace(found, notes=tuple(notes)))


def _counted(
    runs: CommandRuns, draft: Revision, plain: Run, names: Names, found: ProjectProfile, functions: Sequence[Frame], *,
    asks: bool,
) -> tuple[ProjectProfile, list[str]]:  # fmt: skip
    """Run the command under a counter of calls of these functions, or with `asks` also of queries of a database.

    Returns the profile with the counts, and notes about them.
    """
    places = tuple((f"/{spot.file}:{spot.line}", spot.name.rpartition(".")[2]) for spot in functions)
    limits = replace(runs.limits, seconds=min(runs.limits.seconds, max(LEAST_S, plain.wall_s * LONGER)))
    watched = watched_run(runs, draft, Instrument("profile.counter", (WATCH, places, asks)), limits)
    if not _is_whole(watched.run, plain):
        why = watched.run.stop_detail or "it ends in another way"
        return found, [f"calls are not counted: {why} under the counter"]
    files = {file.path.rpartition("/")[2]: file.content or b"" for file in watched.run.written}
    calls: Counter[tuple[Frame, Frame | None]] = Counter()
    for file, slot, number, caller in watched.of("slot"):
        count = files.get(str(file), b"")[WIDTH * int(slot) : WIDTH * (int(slot) + 1)]
        calls[functions[int(number)], names.spot(str(caller))] += int.from_bytes(count, sys.byteorder)
    seen = {spot.file for spot in names.functions()}
    own: dict[Frame, float] = defaultdict(float)
    for place, seconds in watched.of("own"):
        if spot := names.spot_in(str(place), seen):
            own[spot] += float(seconds)
    pairs = [tuple(names.spot_in(str(place), seen) for place in pair) for pair in watched.of("below")]
    below = [(caller, callee) for caller, callee in dict.fromkeys(pairs) if caller and callee]
    cut = bool(watched.of("cut"))
    profile = make_profile(
        plain,
        given_back(found.samples, own, below),
        [CalledBy(*pair, count) for pair, count in calls.items() if count],
        found.start_share * found.sampled_s,
        {functions[int(number)]: float(share) for number, share in watched.of("again")},
        {functions[int(number)]: tuple(_argument(row) for row in rows) for number, rows in watched.of("given")},
        cut=cut,
    )
    notes = [f"counts with + are the least numbers: counting ended after {MOST_CALLS:,} calls"] if cut else []
    if watched.of("lost"):
        notes.append("calls are not counted to the end: the command set another trace function, as coverage does")
    return replace(profile, queries=query_lines(watched.of("query"), names.spot)), notes


def worth_counting(functions: Sequence[FunctionTime], names: Names) -> tuple[Frame, ...]:
    """Return the functions with the most time of their own, what these and the modules may call, and those with the
    most time in all.

    A function that computes in C is rarely seen at work: its samples are its caller's.
    """
    spots = {f.frame: f for f in functions}
    inner = [spot for spot in spots if spot.line]
    own = sorted(inner, key=lambda spot: -spots[spot].own_share)[:MOST]
    total = sorted(inner, key=lambda spot: -spots[spot].total_share)[:MOST]
    modules = sorted(spots.keys() - set(inner), key=lambda spot: -spots[spot].own_share)[:MOST]
    said = {word for spot in (*own, *modules) if spots[spot].own_share for word in names.called_in(spot)}
    below = [each for each in names.functions() if each.name.rpartition(".")[2] in said]
    return tuple(dict.fromkeys((*own, *total, *below[:MOST])))


def _argument(row: Sequence[object]) -> GivenArgument:
    name, kind, *bounds = row
    return GivenArgument(str(name), str(kind), *(int(str(bound)) for bound in bounds))


def query_lines(rows: Iterable[Any], spot: Callable[[str], Frame | None]) -> tuple[QueryLine, ...]:
    """Add up what the processes wrote. spot: the function at a place."""
    found: dict[tuple[Frame, int], tuple[int, int, int]] = defaultdict(lambda: (0, 0, 0))
    callers: dict[tuple[Frame, int], Counter[str]] = defaultdict(Counter)
    for place, line, queries, most, statements, caller, times in rows:
        where = spot(str(place))
        if where is not None:
            sums, by = found[where, int(line)], spot(str(caller))
            found[where, int(line)] = sums[0] + int(queries), sums[1] + int(most), max(sums[2], int(statements))
            callers[where, int(line)][by.name if by else ""] += int(times)
    lines = [
        QueryLine(where.file, where.name, line, *sums, callers[where, line].most_common(1)[0][0])
        for (where, line), sums in found.items()
    ]
    return tuple(sorted(lines, key=lambda each: (-each.queries, each.file, each.line)))


def wait_lines(rows: Iterable[Any], spot: Callable[[str], Frame | None], plain: Run) -> tuple[WaitLine, ...]:
    """Add up the rows of all processes. Together they are the wait of the unwatched run: the other one had more."""
    found: dict[tuple[Frame | None, int, str, bool], float] = defaultdict(float)
    for stack, line, _, library, others, seconds in rows:
        where = spot(str(stack[-1])) if stack else None
        found[where, abs(int(line)) if where else 0, str(library), bool(others)] += float(seconds)
    share = plain.waiting_share / (sum(found.values()) or 1.0)
    lines = []
    for (where, line, library, others), seconds in found.items():
        file, name = (where.file, where.name) if where else ("", "")
        wait_s = round(seconds * share * plain.active_s, 4)
        lines.append(WaitLine(file, name, line, library, wait_s, seconds * share, others))
    return tuple(sorted(lines, key=lambda each: (-each.seconds, each.file, each.line)))


def _is_whole(watched: Run, plain: Run) -> bool:
    """Return True if a run under a watcher ended like the plain run."""
    return watched.stop is None and watched.exit == plain.exit


def require_good(run: Run, runs: CommandRuns) -> None:
    """Check the exit of a run.

    Raises:
        ProgramError: The command failed. The message has its last line.
    """
    last = error_of(run)
    if run.stop == "time":
        raise ProgramError(
            f"--run: the command does not end within {runs.limits.seconds:g} s",
            hint="--timeout S raises it; a command that waits for input gets none",
        )
    if run.stop is not None:
        raise ProgramError(f"--run: the command was ended: {end_of_run(run)}")
    if run.exit != 0:
        ending = f"exit status {run.exit}" if run.exit is not None else f"signal {run.signal}"
        raise ProgramError(
            f"--run: the command fails in the sandbox with {ending}" + (f": {last}" if last else ""),
            hint="it has no network, and sees what git tracks and what --with names",
        )


def samples_of(row: Any, names: Names, runs: int) -> list[Sample]:
    """Return samples with their share of one run's seconds: one, or one for each line of a loop at whose end it was.

    Python hears of the clock where a function begins. Its caller's work is what has passed then, unless C calls it,
    such as `sorted` a key: then it is also the end of the call before.
    """
    stack, line, calling, library, importing, seconds = row
    found = [names.spot(place) for place in stack]
    spots = [spot for spot in found if spot is not None]
    kept = tuple(spot for at, spot in enumerate(spots) if at == 0 or spot != spots[at - 1])
    if not kept or found[-1] is None:  # a line of a file that is left out
        lines: tuple[int, ...] = (0,)
    elif calling and len(kept) > 1 and names.is_call(kept[-2].file, calling, kept[-1]):
        kept, lines = kept[:-1], (calling,)
    else:
        lines = (int(line),) if line >= 0 else names.loop_lines(kept[-1].file, -int(line))
    each_s = float(seconds) / runs / len(lines)
    return [Sample(kept, each, str(library), bool(importing), each_s) for each in lines]


# Runs of a command with a watcher in each of its interpreters, and what the watchers write down.

LONGER = 10
"""Maximum time of a run with a hook on calls, as a multiple of one without it."""
LEAST_S = 30.0
"""Time that such a run may take in any case, seconds."""
COMPOUND = (
    ast.If, ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith, ast.Try, ast.FunctionDef, ast.AsyncFunctionDef,
    ast.ClassDef, ast.Match,
)  # fmt: skip
"""Statements that begin their line."""
CALL = re.compile(r"(\w+)\(")


@dataclass(frozen=True)
class EventLog:
    """Lines written down during a run."""

    run: Run
    lines: tuple[str, ...]

    @cached_property
    def rows(self) -> tuple[tuple[str, Any], ...]:
        """(kind, payload) of each well-formed line."""
        return tuple(events(self.lines))

    def of(self, kind: str) -> list[Any]:
        return [value for name, value in self.rows if name == kind]


def watched_run(
    runs: CommandRuns, draft: Revision, watcher: Instrument, limits: RunLimits | None = None, case: Case | None = None
) -> EventLog:
    """Run the command, or another one that is a case, with a watcher in each of its interpreters. A line that a process
    was ended in the middle of may be there; what a run writes is not trusted to be ours."""
    files, args = (case.files or (), case.args) if case else ((), ())
    hook = (f"{WATCH}/sitecustomize.py", watcher.hook("os.path.dirname(_folder), ").encode())
    run = runs.run(draft, files=(*files, hook), limits=limits, args=args)
    found: list[str] = []
    for file in run.written:
        if file.path.startswith(f"{WATCH}/") and file.path.endswith(".txt") and file.content:
            found += file.content.decode("utf-8", "replace").split("\n")
    return EventLog(run, tuple(found))


class Names:
    """Functions by file and first line; a comprehension, a lambda and a class's body count for what is around them."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.files = files
        self.lines = cache(lambda path: files[path].splitlines())
        self.known: dict[str, list[tuple[int, int, str]]] = {}
        self.loops: dict[str, list[ast.For | ast.AsyncFor | ast.While]] = {}

    def spot(self, place: str) -> Frame | None:
        """The function at `/path:line`; None for what is not the project's."""
        path, _, text = place[1:].rpartition(":")
        if place[:1] != "/" or path not in self.files:
            return None
        if text == "0":
            return Frame("<module>", path)
        line = int(text)
        around = [(first, name) for first, last, name in self._spans_of(path) if first <= line <= last]
        first, name = max(around, default=(0, "<module>"))
        return Frame(name, path, first)

    def loop_lines(self, path: str, last: int) -> tuple[int, ...]:
        """Lines at which a statement begins in the innermost loop that may end at line `last` with a jump of its own.

        Python gives that jump no line if the loop's body ends with a block, such as `if`. If no such loop is, it is
        the line itself.
        """
        if path not in self.loops:  # whose body ends with a block
            loops = (
                each
                for each in ast.walk(read_module(self.files[path]))
                if isinstance(each, ast.For | ast.AsyncFor | ast.While)
            )
            self.loops[path] = [each for each in loops if isinstance(each.body[-1], COMPOUND)]
        around = [loop for loop in self.loops[path] if loop.lineno <= last <= last_line(loop.body[-1])]
        if not around:
            return (last,)
        inner = max(around, key=lambda loop: loop.lineno)
        inside = [node.lineno for part in inner.body for node in ast.walk(part) if isinstance(node, ast.stmt)]
        return tuple(sorted({inner.lineno, *inside}))

    def spot_in(self, place: str, files: Collection[str]) -> Frame | None:
        """The same in some of the files. Most files of a large project take no time, but each would be parsed."""
        return self.spot(place) if place[1:].rpartition(":")[0] in files else None

    def functions(self) -> Iterator[Frame]:
        """Yield the functions of the files that were asked for."""
        for path, rows in self.known.items():
            yield from (Frame(name, path, first) for first, _, name in rows)

    def called_in(self, spot: Frame) -> Iterator[str]:
        """Yield names before a parenthesis in the text of a function, or of a module outside of functions."""
        lines = self.lines(spot.file)
        spans = self._spans_of(spot.file)
        if not spot.line:
            inside = {at for first, last, _ in spans for at in range(first, last + 1)}
            yield from _called(line for at, line in enumerate(lines, 1) if at not in inside)
        for first, last, name in spans:
            if (first, name) == (spot.line, spot.name):
                yield from _called(lines[first - 1 : last])

    def is_call(self, path: str, line: int, callee: Frame) -> bool:
        """Return True if the text of a line calls a function itself: by its name, its class, as a property or as an
        operator. `sorted(rows, key=f)` and `x in rows` do not: C may call it over and over."""
        text = b"".join(self.lines(path)[line - 1 : line])
        calls, (owner, _, name) = _called([text]), callee.name.rpartition(".")
        if name.startswith("__"):
            return owner.rpartition(".")[2] in calls or not (calls or b" in " in text)
        above = self.lines(callee.file)[callee.line - 1]
        return name in calls or (b"property" in above and b"." + name.encode() in text)

    def _spans_of(self, path: str) -> list[tuple[int, int, str]]:
        if path not in self.known:
            found = definitions(read_module(self.files[path]))
            self.known[path] = [(first_line(node), last_line(node), name) for name, node in found]
        return self.known[path]


def _called(lines: Iterable[bytes]) -> list[str]:
    return CALL.findall(b"\n".join(lines).decode("utf-8", "replace"))


# The command's profile for an agent or on a terminal.


@dataclass(frozen=True)
class CommandProfile:
    """The command's profile, of which project and by which Python."""

    command: str
    profile: ProjectProfile
    project: ProjectFiles
    interpreter: Interpreter | None

    def answer(self) -> CommandProfileJson:
        """The object that `codeopt profile --run --json` prints."""
        from codeopt.report.answers import CommandProfileJson

        said = self.profile.to_json()
        said["notes"] += self.project.notes
        return CommandProfileJson(schema="codeopt.profile-run/1", command=self.command, python=self.interpreter, **said)


def profile_project(folder: Path, options: ImproveOptions, session: Session, *, counts: bool = False) -> CommandProfile:
    """Run the command of the options in the sandbox, unprofiled and under a profiler.

    Args:
        folder: Folder of the project.
        options: Options with the command.
        session: Session of the user.
        counts: Also count calls and time lines, each in a further run.

    Raises:
        CodeoptError: The command or the sandbox cannot be used.
    """
    options, interpreter = session.find_interpreter(options, folder / "any.py")
    request = WorkloadRequest(Target(folder), ProjectProgram(folder, {}), options, session, interpreter=interpreter)
    project = read_project(folder, options.with_paths, request.imported_in_place(folder))
    request = replace(request, options=replace(options, with_paths=()))  # they are among the project's files
    with open_command(request, project) as runs:
        session.console.progress("running the command, as it is and under a profiler")
        profile = profile_command(runs, UNCHANGED, counts=counts)
    return CommandProfile(options.run or "", profile, project, interpreter)
