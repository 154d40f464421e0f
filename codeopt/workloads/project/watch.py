"""The command's own run as a profile: whose time it is, where it waits, and how often its functions call each other."""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from codeopt.core.errors import ProgramError
from codeopt.core.revision import Revision
from codeopt.report.stacks.model import Frame
from codeopt.workloads.function.recording.instrumented_run import Instrument, sampler
from codeopt.workloads.project.command import WATCH
from codeopt.workloads.project.event_log import LEAST_S, LONGER, EventLog, Names, watched_run
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
from codeopt.workloads.project.runs import CommandRuns, error_of
from codeopt_sandbox.guest.profile.counter import MOST_CALLS
from codeopt_sandbox.outcome import Run

ENOUGH_S = 0.6
"""CPU time that the samples of a short command are to cover, seconds; it is run several times. The kernel's clock gives
a sample each 4 ms, and a share of 10 % is then known to about 3 %."""
SHORT_S = 1.0
"""Time of all sampled runs, seconds, after which there is no further one: a longer command is sampled once."""
MOST_RUNS = 12
"""Maximum number of runs of a very short command."""
WAITS = 0.1
"""Minimum share of the clock that a command waits where it is looked for what it waits for."""
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
    while not watched or _may_sample_again(watched):
        watched.append(watched_run(runs, draft, sampler(waits=False)))
        require_good(watched[-1].run, runs)
    names = Names({path: content for path, content in runs.with_edits(draft) if path.endswith(".py")})
    samples = [each for run in watched for row in run.of("stack") for each in samples_of(row, names, len(watched))]
    begun = sum(float(seconds) for each in watched for seconds in each.of("begun")) / len(watched)
    found = make_profile(plain, samples, None, begun, {}, {})
    notes = [] if counts else ["calls are not counted (-v counts those of the hottest functions)"]
    asks = any(each.of("database") for each in watched)
    functions = worth_counting(found.functions, names) if counts else ()
    if functions or asks:
        found, lost = _counted(runs, draft, plain, names, found, functions, asks=asks)
        notes += lost
    if plain.waiting_share >= WAITS:
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
    for stack, line, library, others, seconds in rows:
        where = spot(str(stack[-1])) if stack else None
        found[where, abs(int(line)) if where else 0, str(library), bool(others)] += float(seconds)
    share = plain.waiting_share / (sum(found.values()) or 1.0)
    lines = []
    for (where, line, library, others), seconds in found.items():
        file, name = (where.file, where.name) if where else ("", "")
        wait_s = round(seconds * share * plain.wall_s, 4)
        lines.append(WaitLine(file, name, line, library, wait_s, seconds * share, others))
    return tuple(sorted(lines, key=lambda each: (-each.seconds, each.file, each.line)))


def _may_sample_again(watched: Sequence[EventLog]) -> bool:
    """Return True if the command is so short that one more run adds information."""
    seconds = sum(float(row[4]) for each in watched for row in each.of("stack"))
    enough = seconds >= ENOUGH_S or sum(each.run.active_s for each in watched) >= SHORT_S
    return not enough and len(watched) < MOST_RUNS


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
        hint = "--memory MiB raises it" if run.stop == "memory" else ""
        raise ProgramError(f"--run: the command was ended: {run.stop_detail}", hint=hint)
    if run.exit != 0:
        ending = f"exit status {run.exit}" if run.exit is not None else f"signal {run.signal}"
        raise ProgramError(
            f"--run: the command fails in the sandbox with {ending}" + (f": {last}" if last else ""),
            hint="it has no network, and sees what git tracks and what --with names",
        )


def samples_of(row: Any, names: Names, runs: int) -> list[Sample]:
    """Return samples with their share of one run's seconds: one, or one for each line of a loop at whose end it was."""
    stack, line, library, importing, seconds = row
    found = [names.spot(place) for place in stack]
    spots = [spot for spot in found if spot is not None]
    kept = tuple(spot for at, spot in enumerate(spots) if at == 0 or spot != spots[at - 1])
    if not kept or found[-1] is None:  # a line of a file that is left out
        lines: tuple[int, ...] = (0,)
    else:
        lines = (int(line),) if line >= 0 else names.loop_lines(kept[-1].file, -int(line))
    each_s = float(seconds) / runs / len(lines)
    return [Sample(kept, each, str(library), bool(importing), each_s) for each in lines]
