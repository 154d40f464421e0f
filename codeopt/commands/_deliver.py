"""Text that others wrote, to where the user wants it: a file as it is, a terminal or a log without what could act."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from codeopt.errors import UsageError
from codeopt.escaping import acts_in_a_log, printable
from codeopt.program import write_whole

CI = ("GITHUB_ACTIONS", "TF_BUILD", "TEAMCITY_VERSION")


def deliver(text: str, output: Path | None, environment: Mapping[str, str] = os.environ) -> None:
    """Write `text` to a file, or to standard output. Raises UsageError where a CI system would obey a line of it."""
    if output is not None:
        write_whole(output, clean(text))
        return
    if sys.stdout.isatty():
        text = printable(text)
    elif any(environment.get(name) for name in CI) and acts_in_a_log(text):
        raise UsageError("a line of the report would be a command of this CI system, so it is not printed; use -o FILE")
    sys.stdout.write(clean(text))
    sys.stdout.flush()


def clean(text: str) -> str:
    """Without lone surrogates, which bytes that are not UTF-8 have become and no file takes."""
    return text.encode("utf-8", "backslashreplace").decode()
