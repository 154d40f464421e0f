"""The command at a larger size, with larger numbers in its words, variables or script: what gains there only, or takes
too little time to be seen, is not seen in the command as it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from codeopt.core.revision import Revision
from codeopt.workloads.project.changed_command import larger_commands
from codeopt.workloads.project.runs import CommandRuns
from codeopt_sandbox.outcome import Case, Run
from codeopt_sandbox.runner import run_on

TRIED = 6
"""Maximum number of larger commands that are tried."""
LONGER = 12
"""Maximum time of one, as a multiple of the command's."""
LEAST_S = 10.0
"""Time that one may take in any case, seconds."""
LONG_S = 5.0
"""A command that takes longer is large enough."""


def larger_case(runs: CommandRuns, original: Revision, usual: Case, plain: Run, least_s: float) -> Case | None:
    """The first larger command that the original runs to its end and takes so many seconds for, with what it prints and
    writes there; None where there is none. usual, plain: the command as it is, and a run of it."""
    return None if plain.wall_s > LONG_S else next(_larger(runs, original, usual, plain, least_s), None)


def _larger(runs: CommandRuns, original: Revision, usual: Case, plain: Run, least_s: float) -> Iterator[Case]:
    limits = replace(runs.limits, seconds=min(runs.limits.seconds, max(LEAST_S, LONGER * plain.wall_s)))
    judged = runs.other.differing if runs.other else ()
    wanted = larger_commands(runs.command, runs.project.contents, judged)
    for number, changed in enumerate(islice(wanted, TRIED)):
        case = replace(changed.case(f"larger.{number}"), ignored=usual.ignored)
        run = run_on(runs, original, case, limits=limits)
        if run.exit == 0 and run.stop is None and run.active_s >= least_s:
            yield replace(case, expected=run.stdout, written=run.written)
