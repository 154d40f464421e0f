"""The command's own run as a profile: whose time it is, function by function, and how often they call each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from codeopt.core.errors import ProgramError
from codeopt.core.revision import Revision
from codeopt.workloads.function.recording.instrumented_run import Instrument
from codeopt.workloads.project.counted import counting, read_counts, with_counters, worth_counting
from codeopt.workloads.project.event_log import LEAST_S, LONGER, EventLog, Names, watched_run
from codeopt.workloads.project.profile import (
    ProjectProfile,
    Sample,
    given_back,
    make_profile,
    waiting_share,
    with_sampled_lines,
)
from codeopt.workloads.project.runs import CommandRuns, error_of
from codeopt.workloads.project.waits_and_queries import WaitLine, query_lines, wait_lines
from codeopt_sandbox.guest.tests.project_counts import MOST_CALLS
from codeopt_sandbox.outcome import Case, Run

ENOUGH_S = 0.6
"""CPU time that the samples of a short command are to cover, seconds; it is run several times. The kernel's clock gives
a sample each 4 ms, and a share of 10 % is then known to about 3 %."""
SHORT_S = 1.0
"""Time of all sampled runs, seconds, after which there is no further one: a longer command is sampled once."""
MOST_RUNS = 12
"""Maximum number of runs of a very short command."""
NOT_COUNTED = "calls and queries of a database are not counted (-v counts those of the hottest functions)"
"""Note of a profile by samples alone."""
CUT = f"counts with + are the least numbers: counting ended after {MOST_CALLS:,} calls"
"""Note of a profile of a command with many calls."""
WAITS = 0.1
"""Minimum share of the clock that a command waits where it is looked for what it waits for."""


def profile_command(
    runs: CommandRuns, draft: Revision, plain: Run | None = None, *, counts: bool = True
) -> ProjectProfile:
    """Run the command unprofiled and under a sampler.

    Args:
        runs: Runs of the command.
        draft: Edits of the project.
        plain: Earlier unprofiled run of the same edits.
        counts: Also run it with a count of the calls of the functions that matter, and of queries.

    Raises:
        ProgramError: The command fails.
    """
    plain = plain or runs.run(draft)
    require_good(plain, runs)
    runs.allow_after(plain)
    watched = [_sampled(runs, draft)]
    while _may_sample_again(watched):
        watched.append(_sampled(runs, draft))
    names = Names({path: content for path, content in runs.with_edits(draft) if path.endswith(".py")})
    waits, lost = _waits(runs, draft, plain, names)
    samples = [each for run in watched for row in run.of("stack") for each in samples_of(row, names, len(watched))]
    begun = sum(float(seconds) for each in watched for seconds in each.of("begun")) / len(watched)
    found = make_profile(plain, samples, None, begun, {}, {})
    if not counts:
        return with_sampled_lines(replace(found, waits=waits, notes=(NOT_COUNTED, *lost)))
    asks = any(each.of("database") for each in watched)
    return with_sampled_lines(replace(_counted(runs, draft, plain, names, found, asks=asks, lost=lost), waits=waits))


def _counted(
    runs: CommandRuns, draft: Revision, plain: Run, names: Names, found: ProjectProfile, *, asks: bool,
    lost: tuple[str, ...],
) -> ProjectProfile:  # fmt: skip
    """The profile with the calls of what matters, by a run of its own. asks: also queries of a database."""
    functions = worth_counting(found.functions, names)
    if not functions and not asks:
        return replace(found, notes=lost)
    counters = with_counters(names.files, functions)
    case = Case("counted", b"", files=counters.files)
    limits = replace(runs.limits, seconds=min(runs.limits.seconds, max(LEAST_S, plain.wall_s * LONGER)))
    watched = watched_run(runs, draft, counting(functions, asks=asks), limits, case)
    if not _is_whole(watched.run, plain):
        why = watched.run.stop_detail or "it ends in another way"
        return replace(found, notes=(f"calls are not counted: {why} under the counter", *lost))
    counted = read_counts(watched, names, functions, counters)
    samples = given_back(found.samples, counted.own_s, counted.pairs)
    begun = found.start_share * found.sampled_s
    profile = make_profile(plain, samples, counted.calls, begun, counted.repeated, counted.given, cut=counted.cut)
    notes = (CUT, *lost) if counted.cut else lost
    return replace(profile, queries=query_lines(watched.of("query"), names.spot), notes=notes)


def _may_sample_again(watched: Sequence[EventLog]) -> bool:
    """Return True if the command is so short that one more run adds information."""
    enough = sum(map(_seconds, watched)) >= ENOUGH_S or sum(each.run.active_s for each in watched) >= SHORT_S
    return not enough and len(watched) < MOST_RUNS


def _is_whole(watched: Run, plain: Run) -> bool:
    """Return True if a run under a watcher ended like the plain run."""
    return watched.stop is None and watched.exit == plain.exit


def _waits(
    runs: CommandRuns, draft: Revision, plain: Run, names: Names
) -> tuple[tuple[WaitLine, ...], tuple[str, ...]]:
    """Find the lines at which the command waits, if it waits noticeably.

    The second value is a note if the command ends differently under the sampler of waiting.
    """
    if waiting_share(plain) < WAITS:
        return (), ()
    watched = watched_run(runs, draft, Instrument("project_waits"))
    if not _is_whole(watched.run, plain):
        return (), ("where it waits is not known: the command did not end under the sampler of waiting",)
    return wait_lines(watched.of("wait"), names.spot, plain.wall_s), ()


def _sampled(runs: CommandRuns, draft: Revision) -> EventLog:
    watched = watched_run(runs, draft, Instrument("project_time"))
    require_good(watched.run, runs)
    return watched


def _seconds(watched: EventLog) -> float:
    return sum(float(row[4]) for row in watched.of("stack"))


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
