"""When nothing could be looked at: a plain line, and in CI an annotation and an exit status that fails the job."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

from codeopt.core.errors import UsageError
from codeopt.review.reporters._text import command_data

if TYPE_CHECKING:
    from codeopt.core.console import Console

CI = ("CI", "GITHUB_ACTIONS", "GITLAB_CI", "TF_BUILD", "TEAMCITY_VERSION")
"""Variables of which a CI system sets one; most set the first. A green job there is read as "nothing to find"."""


def report_blind(why: str, console: Console, environment: Mapping[str, str] = os.environ) -> int:
    """Say it; the exit status: 0 where a person sits in front of it."""
    if environment.get("GITHUB_ACTIONS"):
        sys.stderr.write(f"::error title=codeopt::{command_data(why)}\n")
    else:
        console.warn(why)
    return UsageError.exit_status if any(environment.get(name) for name in CI) else 0
