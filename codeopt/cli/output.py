"""Output to files, pages and the terminal; in texts of others, what a terminal or a CI system would obey is escaped."""

from __future__ import annotations

import os
import shutil
import stat
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from codeopt.core.errors import UsageError
from codeopt.core.program import write_whole
from codeopt.core.sanitize import acts_in_a_log, harmless, printable

if TYPE_CHECKING:
    from codeopt.core.console import Console

CI = ("GITHUB_ACTIONS", "TF_BUILD", "TEAMCITY_VERSION")


def deliver(
    text: str, output: Path | None, environment: Mapping[str, str] = os.environ, *,
    what: str = "the report", instead: str = "use -o FILE",
) -> None:  # fmt: skip
    """Write `text` to a file, or to standard output.

    For a terminal, control characters and marks that hide or reorder text are escaped. Elsewhere the output is exact.
    Raises UsageError if a CI system would obey a line of it. what, instead: for the message.
    """
    if output is not None:
        write_whole(output, clean(text))
        return
    if sys.stdout.isatty():
        text = printable(text)
    elif any(environment.get(name) for name in CI) and not _to_a_file() and acts_in_a_log(text):
        raise UsageError(f"a line of {what} would be a command of this CI system: it is not printed", hint=instead)
    sys.stdout.write(clean(text))
    sys.stdout.flush()


def tell(text: str) -> None:
    """Write lines for people to standard output, to a terminal wrapped and in colour; names in them do nothing."""
    if sys.stdout.isatty():
        from codeopt.core.screen import open_terminal, write_lines

        write_lines(clean(text), open_terminal(sys.stdout))
    else:
        sys.stdout.write(clean(harmless(printable(text))))
    sys.stdout.flush()


def _to_a_file() -> bool:
    """Standard output is a file on the disk, which no CI system reads as its log."""
    try:
        return stat.S_ISREG(os.fstat(sys.stdout.fileno()).st_mode)
    except (OSError, ValueError):  # a replaced standard output: tests read it
        return False


def clean(text: str) -> str:
    """Without lone surrogates, which bytes that are not UTF-8 have become and no file takes."""
    return text.encode("utf-8", "backslashreplace").decode()


def require_writable(target: Path) -> None:
    """Refuse before anything is run what could not be written after it. Raises UsageError."""
    if target.is_dir():
        raise UsageError(f"cannot write {target}: it is a directory")
    if target.exists() and not target.is_file():  # a device or a pipe, which is written to and not replaced
        return
    folder = target.resolve().parent
    if not folder.is_dir():
        raise UsageError(f"cannot write {target}: there is no directory {folder}")
    for path in (folder, target):
        if path.exists() and not os.access(path, os.W_OK):
            hint = "-o FILE writes to another place"
            raise UsageError(f"cannot write {target}: {path} is read-only for you", hint=hint)


def write_page(path: Path, pieces: Iterable[str]) -> None:
    """The page, piece by piece. Raises UsageError when it cannot be written."""
    try:
        with path.open("w", encoding="utf-8") as file:
            file.writelines(pieces)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from error


def show_diff(diff: str, verdict: str, console: Console) -> None:
    """Write a diff to standard output, apart from the lines for people if they go to the same place.

    verdict: first line of the result, which is shown again below a diff that has pushed it off the terminal.
    """
    around = [""] * _one_place()
    console.print_all(around)
    write_diff(diff)
    # lines of a terminal that the verdict, the evidence, the next step and the prompt take around a diff
    is_long = sys.stdout.isatty() and diff.count("\n") + 8 > shutil.get_terminal_size().lines
    console.print_all([*around, *[verdict] * is_long])


def _one_place() -> bool:
    """Whether standard output and standard error are one terminal, file or pipe."""
    try:
        return os.path.sameopenfile(sys.stdout.fileno(), sys.stderr.fileno())
    except (OSError, ValueError):  # a replaced stream
        return False


def write_diff(diff: str) -> None:
    """Write a diff to standard output."""
    if not sys.stdout.isatty():
        deliver(diff, None, what="the diff", instead="send it to a file: codeopt show RUN --diff >FILE")
        return
    from codeopt.core import screen

    screen.write_diff(clean(diff), screen.open_terminal(sys.stdout))
