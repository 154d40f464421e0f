"""The command at a larger size, with larger numbers in its words, variables or script: what gains there only, or takes
too little time to be seen, is not seen in the command as it is."""

from __future__ import annotations

import time
from itertools import islice

from codeopt.workloads.project.changed_command import larger_commands
from codeopt.workloads.project.given_command import GivenCommand
from codeopt_sandbox.outcome import Case

TRIED = 6
"""Maximum number of larger commands that are tried."""
LONGER = 12
"""Maximum time of one, as a multiple of the command's."""
LEAST_S = 10.0
"""Time that one may take in any case, seconds."""
SEARCH = 2
"""Time after which no further one is tried, as a multiple of what one may take: of those that are ended for their time
one costs as much as many pairs."""
LONG_S = 5.0
"""A command that takes longer is large enough."""


def larger_case(given: GivenCommand, least_s: float) -> Case | None:
    """The first larger command that the original runs to its end and takes so many seconds for, with what it prints and
    writes there; None where there is none."""
    if given.plain.wall_s > LONG_S:
        return None
    limits = given.limits(LONGER, LEAST_S)
    wanted = larger_commands(given.runs.command, given.runs.project.contents, given.judged)
    begun = time.monotonic()
    for number, changed in enumerate(islice(wanted, TRIED)):
        if time.monotonic() - begun >= SEARCH * limits.seconds:
            return None
        found = given.answered(changed, f"larger.{number}", limits)
        if found is not None and found[1].active_s >= least_s:
            return found[0]
    return None
