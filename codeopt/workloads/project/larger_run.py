"""The command at a larger size: larger numbers in its words, variables or script.

It shows gains that are absent or too short to be seen at the given size.
"""

from __future__ import annotations

import time
from itertools import islice

from codeopt.workloads.project.baseline_command import BaselineCommand
from codeopt.workloads.project.changed_command import larger_commands
from codeopt_sandbox.outcome import Case

TRIED = 6
"""Maximum number of larger commands that are tried."""
LONGER = 12
"""Maximum time of one, as a multiple of the command's."""
LEAST_S = 10.0
"""Time that one may take in any case, seconds."""
SEARCH = 2
"""Time limit of the search, as a multiple of a single command's limit.

A command that ends at its time limit costs as much as many pairs.
"""
LONG_S = 5.0
"""A command that takes longer is large enough."""


def larger_case(given: BaselineCommand, least_s: float) -> Case | None:
    """Return the first larger command that the original completes in `least_s` seconds or more, with its output.

    None if no such command was found.
    """
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
