"""Text that others wrote, to where the user wants it: a file as it is, a terminal or a log without what could act."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Mapping
from pathlib import Path

from codeopt.core.errors import UsageError
from codeopt.core.program import write_whole
from codeopt.core.sanitize import acts_in_a_log, printable

CI = ("GITHUB_ACTIONS", "TF_BUILD", "TEAMCITY_VERSION")


def deliver(
    text: str, output: Path | None, environment: Mapping[str, str] = os.environ, *,
    what: str = "the report", instead: str = "use -o FILE",
) -> None:  # fmt: skip
    """Write `text` to a file, or to standard output: to a terminal with controls and marks that hide or reorder text
    escaped, elsewhere to the byte. Raises UsageError where a CI system would obey a line of it.

    what, instead: for the message."""
    if output is not None:
        write_whole(output, clean(text))
        return
    if sys.stdout.isatty():
        text = printable(text)
    elif any(environment.get(name) for name in CI) and not _to_a_file() and acts_in_a_log(text):
        raise UsageError(f"a line of {what} would be a command of this CI system, so it is not printed; {instead}")
    sys.stdout.write(clean(text))
    sys.stdout.flush()


def _to_a_file() -> bool:
    """Standard output is a file on the disk, which no CI system reads as its log."""
    try:
        return stat.S_ISREG(os.fstat(sys.stdout.fileno()).st_mode)
    except (OSError, ValueError):  # it is none of the system's own: tests read it
        return False


def clean(text: str) -> str:
    """Without lone surrogates, which bytes that are not UTF-8 have become and no file takes."""
    return text.encode("utf-8", "backslashreplace").decode()
